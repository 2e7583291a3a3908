"""How one AMC file was laid out, and what its numbers mean for a pose; `asf` has the rules."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.formats.asf import AsfBone, AsfSkeleton


@dataclass(frozen=True, eq=False)
class AmcLayout:
    """Everything about a motion file but its numbers; what its writer needs to write it again.

    A row of numbers is the frame's number and then each bone's, in the order of `bones`.
    """

    asf: AsfSkeleton
    header: str
    """The text before the first frame."""
    names: tuple[str, ...]
    """Bone names as spelled, in the file's order."""
    degrees: bool
    rate_hz: float
    line_end: str

    @cached_property
    def bones(self) -> tuple[int, ...]:
        """The file's order as indices of the skeleton's bones."""
        found = (self.asf.index(name) for name in self.names)
        return tuple(i for i in found if i is not None)

    @cached_property
    def starts(self) -> dict[int, int]:
        """For each bone of the file, the column of its first number."""
        starts: dict[int, int] = {}
        column = 1  # after the frame's number
        for bone in self.bones:
            starts[bone] = column
            column += len(self.asf.bones[bone].dofs)
        return starts

    @cached_property
    def width(self) -> int:
        """Columns of a row."""
        return 1 + sum(len(self.asf.bones[bone].dofs) for bone in self.bones)

    @property
    def angle_rad(self) -> float:
        """What one unit of the file's angles is."""
        return float(np.pi / 180.0) if self.degrees else 1.0

    def numbers(self, channels: Array, bone: int, kind: str) -> Array:
        """(F, n) a bone's rotations ("r"), translations ("t") or lengths ("l") in file order."""
        columns = self.asf.bones[bone].columns(kind)
        if bone not in self.starts:
            return np.zeros((len(channels), len(columns)))
        return channels[:, [self.starts[bone] + c for c in columns]]


def turn(bone: AsfBone, angles_rad: Array) -> Array:
    """(F, 4) the local rotation that a bone's angles make: C·M·Cᵀ."""
    axes = bone.turn_axes
    turned = rotations.from_euler(angles_rad[:, ::-1], tuple(reversed(axes)))
    if not axes:
        return np.array(turned)
    c = bone.axes_wxyz
    return rotations.multiply(rotations.multiply(c, turned), rotations.conjugate(c))


def turns(layout: AmcLayout, channels: Array) -> Array:
    """(F, J, 4) local rotations of all bones."""
    return np.stack(
        [
            turn(bone, layout.numbers(channels, i, "r") * layout.angle_rad)
            for i, bone in enumerate(layout.asf.bones)
        ],
        axis=1,
    )


def moving_bones(asf: AsfSkeleton) -> tuple[int, ...]:
    """Bones other than the root whose start varies: they translate, or their parent stretches."""
    return tuple(
        i
        for i, bone in enumerate(asf.bones)
        if i and (bone.move_axes or "l" in asf.bones[bone.parent].dofs)
    )


def place(layout: AmcLayout, channels: Array, index: int) -> Array:
    """(F, 3) where a bone starts in its parent's frame, file units; the root in the world."""
    bone = layout.asf.bones[index]
    start = np.tile(layout.asf.skeleton.offsets_m[index], (len(channels), 1))
    if index:
        stretch = layout.numbers(channels, bone.parent, "l")
        start = start + stretch.sum(axis=1, keepdims=True) * np.array(
            layout.asf.bones[bone.parent].direction
        )
    moved = np.zeros((len(channels), 3))
    moved[:, list(bone.move_axes)] = layout.numbers(channels, index, "t")
    return start + rotations.rotate(bone.axes_wxyz, moved) if index else start + moved
