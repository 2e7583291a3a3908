"""Roles: which joint of a skeleton is the left knee, and which way the figure faces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from poise.arrays import Array, frozen_array
from poise.errors import BadValue, UnknownName

SIDES = ("left", "right")

TRUNK_ROLES = ("pelvis", "spine", "chest", "neck", "head")
"""`spine` is the lowest trunk joint above the pelvis; `chest` carries the neck and the arms. A
trunk of one joint has a `chest` and no `spine`."""

LIMB_ROLES = ("collar", "shoulder", "elbow", "wrist", "hip", "knee", "ankle", "toe")
"""Each stands for two roles: `left_knee` and `right_knee`. `toe` is the ball of the foot."""

JOINT_ROLES: tuple[str, ...] = (
    *TRUNK_ROLES,
    *(f"{side}_{limb}" for side in SIDES for limb in LIMB_ROLES),
)

REQUIRED_ROLES: tuple[str, ...] = (
    "pelvis",
    *(f"{s}_{l}" for s in SIDES for l in ("shoulder", "elbow", "hip", "knee", "ankle")),
)
"""Without these a skeleton counts as not recognised. The others exist only on some skeletons: some
robots have no wrist, many captures no toes."""

SITE_ROLES: tuple[str, ...] = (
    "head_top",
    *(f"{side}_{point}" for side in SIDES for point in ("toe_tip", "heel", "hand_tip")),
)
"""Points that a recognised character has as sites, from end sites or from its geometry."""


@dataclass(frozen=True, eq=False)
class Roles:
    """The joints that play the parts methods speak of."""

    joints: Mapping[str, str]
    """Role to joint name."""
    forward: Array
    """(3,) unit: where the figure faces in its standing pose (`Skeleton.standing`), world axes.
    Horizontal when that pose is upright; square to the trunk when it is not."""
    convention: str
    """The naming that was recognised ("CMU", "Mixamo", ...), or how the roles came about."""
    notes: tuple[str, ...] = ()
    """What was assumed on the way, in words for the user."""

    def __post_init__(self) -> None:
        for role in self.joints:
            if role not in JOINT_ROLES:
                raise UnknownName("role", role, JOINT_ROLES)
        forward = frozen_array("forward", self.forward, (3,))
        if abs(float(np.linalg.norm(forward)) - 1.0) > 1e-6:
            raise BadValue("forward", "a unit vector", forward)
        object.__setattr__(self, "forward", forward)
        object.__setattr__(self, "joints", MappingProxyType(dict(self.joints)))

    def joint(self, role: str) -> str:
        """The joint name for a role."""
        if role in self.joints:
            return self.joints[role]
        raise UnknownName("joint role of this skeleton", role, self.joints)

    @property
    def missing(self) -> tuple[str, ...]:
        """Required roles that no joint plays."""
        return tuple(role for role in REQUIRED_ROLES if role not in self.joints)
