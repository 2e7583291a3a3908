"""Who moves: a skeleton, and what is known about the body on it."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, frozen_array
from poise.character.range_of_motion import JointRanges
from poise.character.roles import Roles
from poise.character.skeleton import UNSET, Sites, Skeleton, or_default
from poise.character.strength import Strength
from poise.errors import BadShape, BadValue
from poise.one_line import framed, short
from poise.wording import counted


@dataclass(frozen=True, eq=False)
class Body:
    """Mass, centre and inertia of the segment that each joint carries."""

    masses_kg: Array
    """(J,)"""
    centers_m: Array
    """(J, 3) centre of mass in the joint's frame."""
    inertias_kg_m2: Array
    """(J, 3, 3) about the centre of mass, in the axes of the joint's frame."""

    def __post_init__(self) -> None:
        masses = frozen_array("masses_kg", self.masses_kg, ("J",))
        count = len(masses)
        inertias = frozen_array("inertias_kg_m2", self.inertias_kg_m2, (count, 3, 3))
        if (masses < 0).any():
            raise BadValue("masses_kg", "zero or more", masses)
        if count and np.abs(inertias - np.swapaxes(inertias, 1, 2)).max() > 1e-9:
            raise BadValue("inertias_kg_m2", "symmetric", inertias)
        object.__setattr__(self, "masses_kg", masses)
        centers = frozen_array("centers_m", self.centers_m, (count, 3))
        object.__setattr__(self, "centers_m", centers)
        object.__setattr__(self, "inertias_kg_m2", inertias)

    def __repr__(self) -> str:
        return framed("Body", f"{len(self.masses_kg)} segments, {self.total_mass_kg:.1f} kg")

    @property
    def total_mass_kg(self) -> float:
        """The weight of everything."""
        return float(self.masses_kg.sum())


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

    def __repr__(self) -> str:
        told = [counted(self.skeleton.joint_count, "joint")]
        told.append("no body" if self.body is None else f"{self.body.total_mass_kg:.1f} kg")
        told.append("no roles" if self.roles is None else f"{len(self.roles.joints)} roles")
        return framed(f"Character {short(self.name)}".rstrip(), ", ".join(told))

    @property
    def known_roles(self) -> Roles:
        """The roles, for what cannot do without."""
        if self.roles is None:
            raise BadValue("character", "one with roles (see complete_character)", self.name)
        return self.roles

    def __post_init__(self) -> None:
        count = self.skeleton.joint_count
        if self.body is not None and len(self.body.masses_kg) != count:
            raise BadShape("body", f"({count} segments)", self.body.masses_kg.shape)
        for name, shape in (("torque_limits_nm", (count, 3)), ("speed_limits_rad_s", (count,))):
            limits = or_default(getattr(self, name), np.full(shape, np.inf))
            object.__setattr__(self, name, frozen_array(name, limits, shape, finite=False))
        self.sites.check_joints(count)
        if len(self.sites) == 0:
            object.__setattr__(self, "sites", self.skeleton.end_sites)
