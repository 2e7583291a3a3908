"""Who moves: a skeleton, and what is known about the body on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, frozen_array
from poise.character.body import Body
from poise.character.range_of_motion import JointRanges
from poise.character.roles import Roles
from poise.character.sites import Sites
from poise.character.skeleton import UNSET, Skeleton
from poise.character.strength import Strength
from poise.errors import BadShape


@dataclass(frozen=True, eq=False)
class Character:
    """A skeleton with its body, its roles and its named points."""

    skeleton: Skeleton
    name: str = ""
    body: Body | None = None
    """Segment masses and inertias; None until a body model gives them."""
    roles: Roles | None = None
    """Which joint is the left knee; None until they are found or given."""
    sites: Sites = field(default_factory=Sites)
    """Named points, the skeleton's end sites among them."""
    torque_limits_nm: Array = field(default_factory=lambda: UNSET)
    """(J, 3) largest torque along each freedom (a hinge uses the first), infinite where unknown."""
    speed_limits_rad_s: Array = field(default_factory=lambda: UNSET)
    """(J,) how fast each hinge can turn, infinite where unknown."""
    strength: Strength | None = None
    """The same limits about anatomical axes and for both directions, where they are known."""
    ranges: JointRanges | None = None
    """How far joints may turn, beyond what the skeleton's own limits say; None until asked for."""
    notes: tuple[str, ...] = ()
    """What the reader of the file has to say about it."""

    def __post_init__(self) -> None:
        count = self.skeleton.joint_count
        if self.body is not None and len(self.body.masses_kg) != count:
            raise BadShape("body", f"({count} segments)", self.body.masses_kg.shape)
        limits = self.torque_limits_nm
        if np.size(limits) == 0:
            limits = np.full((count, 3), np.inf)
        limits = frozen_array("torque_limits_nm", limits, (count, 3), finite=False)
        object.__setattr__(self, "torque_limits_nm", limits)
        speeds = self.speed_limits_rad_s
        if np.size(speeds) == 0:
            speeds = np.full(count, np.inf)
        speeds = frozen_array("speed_limits_rad_s", speeds, (count,), finite=False)
        object.__setattr__(self, "speed_limits_rad_s", speeds)
        self.sites.check_joints(count)
        if len(self.sites) == 0:
            object.__setattr__(self, "sites", self.skeleton.end_sites)
