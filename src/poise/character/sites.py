"""Named points that ride on joints: toe tips, heels, the crown of the head."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, Indices, frozen_array, frozen_indices
from poise.errors import BadValue, UnknownName


@dataclass(frozen=True, eq=False)
class Sites:
    """Points fixed in the frames of joints."""

    names: tuple[str, ...] = ()
    joints: Indices = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """(S,) index of the joint each point rides on."""
    offsets_m: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """(S, 3) the point in that joint's frame, metres."""

    def __post_init__(self) -> None:
        count = len(self.names)
        if len(set(self.names)) != count:
            raise BadValue("site names", "unique", sorted(self.names))
        object.__setattr__(self, "joints", frozen_indices("site joints", self.joints, (count,)))
        offsets = frozen_array("site offsets_m", self.offsets_m, (count, 3))
        object.__setattr__(self, "offsets_m", offsets)

    def __len__(self) -> int:
        return len(self.names)

    def index(self, name: str) -> int:
        """The position of a site by name."""
        try:
            return self.names.index(name)
        except ValueError:
            raise UnknownName("site", name, self.names) from None

    def joined(self, other: Sites) -> Sites:
        """These sites and then the others; of two with one name, the other's wins."""
        kept = [i for i, name in enumerate(self.names) if name not in other.names]
        return Sites(
            (*(self.names[i] for i in kept), *other.names),
            np.concatenate([self.joints[kept], other.joints]),
            np.concatenate([self.offsets_m[kept], other.offsets_m]),
        )

    def check_joints(self, joint_count: int) -> None:
        """Raise unless every site rides on one of `joint_count` joints."""
        if len(self) and not (0 <= self.joints.min() and self.joints.max() < joint_count):
            raise BadValue("site joints", f"indices from 0 to {joint_count - 1}", self.joints)
