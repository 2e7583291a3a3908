"""ASF, the Acclaim skeleton: bones with directions, axes, degrees of freedom and limits.

- A bone starts where its parent ends and reaches `direction · length` from there at rest. Its
  joint is at its start and bears its name; the tips of the last bones are end sites.
- All frames are aligned with the world at rest. A bone turns about axes of its own, C, which its
  `axis` line gives: its local rotation is C·M·Cᵀ. M applies the angles in the order of the `dof`
  line about fixed axes, so `rx ry rz` is Rz·Ry·Rx; C reads its order the same way.
- `tx ty tz` move a bone's start along those axes; `l` is added to its length.
- The root's `position` is added to its motion, and its `orientation` is its C. (Both are zero in
  every file by Vicon, because packages disagree about them.)
- One rotation makes a hinge, with the file's limits; none makes a fixed joint; two or three make
  a ball. Limits of balls are ranges of Euler angles, which are not ranges of a rotation vector:
  they stay in `AsfBone.limits_rad`, and the skeleton's are infinite there.
- `length` in `:units` means 1 file unit = 1/length inches, as in the CMU library.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, JointKind, Sites, Skeleton
from poise.formats.parsed import Parsed
from poise.formats.skeleton_file import character_from
from poise.units import Unit

ROOT = "root"


@dataclass(frozen=True, eq=False)
class AsfBone:
    """One bone as the file states it; the root is the first, with no length."""

    name: str
    parent: int
    """Index of the parent, -1 for the root."""
    direction: tuple[float, float, float] = (0.0, 0.0, 0.0)
    length: float = 0.0
    axis_rad: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axis_order: tuple[int, ...] = (0, 1, 2)
    dofs: tuple[str, ...] = ()
    """Of tx ty tz rx ry rz l, in the order of the motion file's numbers."""
    limits_rad: tuple[tuple[float, float], ...] = ()
    """One range for each dof, or none at all; lengths stay file units."""

    @property
    def vector(self) -> Array:
        """From the bone's start to its end at rest, file units."""
        return np.array(self.direction) * self.length

    @property
    def turn_axes(self) -> tuple[int, ...]:
        """Axes of the rotations in the order of the file."""
        return tuple("xyz".index(d[1]) for d in self.dofs if d[0] == "r")

    @property
    def move_axes(self) -> tuple[int, ...]:
        """Axes of the translations in the order of the file."""
        return tuple("xyz".index(d[1]) for d in self.dofs if d[0] == "t")

    @cached_property
    def axes_wxyz(self) -> Array:
        """C: from the bone's own axes to the world's at rest."""
        angles = [self.axis_rad[axis] for axis in reversed(self.axis_order)]
        return rotations.from_euler(angles, tuple(reversed(self.axis_order)))

    def columns(self, kind: str) -> list[int]:
        """Which of the bone's numbers are rotations ("r"), translations ("t") or lengths ("l")."""
        return [i for i, d in enumerate(self.dofs) if d[0] == kind]


@dataclass(frozen=True, eq=False)
class AsfSkeleton:
    """A skeleton file's content, in its own unit."""

    path: str
    bones: tuple[AsfBone, ...]
    """The root, then parents before children."""
    root_position: tuple[float, float, float]
    unit: Unit | None
    """None when the file does not state one."""
    degrees: bool
    """Whether the motion's angles are degrees, unless the motion file says otherwise."""
    notes: tuple[str, ...] = ()
    _index: dict[str, int] = field(default_factory=lambda: {})

    def index(self, name: str) -> int | None:
        """The bone of that name in any case, or None."""
        if not self._index:
            self._index.update({bone.name.lower(): i for i, bone in enumerate(self.bones)})
        return self._index.get(name.lower())

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each bone, the bones that start at its end."""
        lists: list[list[int]] = [[] for _ in self.bones]
        for i, bone in enumerate(self.bones[1:], start=1):
            lists[bone.parent].append(i)
        return tuple(tuple(c) for c in lists)

    @cached_property
    def skeleton(self) -> Skeleton:
        """The same tree as a skeleton, offsets still in file units."""
        bones = self.bones
        offsets = [np.array(self.root_position)]
        offsets += [bones[bone.parent].vector for bone in bones[1:]]
        tips = [i for i, children in enumerate(self.children) if i and not children]
        return Skeleton(
            joint_names=tuple(bone.name for bone in bones),
            parents=np.array([bone.parent for bone in bones]),
            offsets_m=np.array(offsets),
            kinds=tuple(_kind(bone) for bone in bones),
            hinge_axes=np.array([_hinge_axis(bone) for bone in bones]),
            limits_rad=np.array([_limits(bone) for bone in bones]),
            end_sites=Sites(
                tuple(f"{bones[i].name}_end" for i in tips),
                np.array(tips, dtype=np.int64),
                np.array([bones[i].vector for i in tips]).reshape(-1, 3),
            ),
        )


def read_asf(path: Path) -> AsfSkeleton:
    """A skeleton file as it stands.

    Raises:
        FileProblem: the file cannot be read, with the line and what was expected there.
    """
    from poise.formats.asf_read import read  # the reader builds these records

    return read(path)


def read_skeleton(path: Path) -> Parsed:
    """A skeleton file as one frame of its rest pose, in its own unit."""
    asf = read_asf(path)
    count = len(asf.bones)
    return Parsed(
        skeleton=asf.skeleton,
        rate_hz=1.0,
        root_positions=np.array([asf.root_position]),
        rotations_wxyz=np.tile(rotations.IDENTITY, (1, count, 1)),
        unit=asf.unit,
        notes=asf.notes,
    )


def read_character(path: Path) -> Character:
    """A skeleton file as a character, in metres and Y up."""
    return character_from(read_skeleton(path), path, "asf")


def _kind(bone: AsfBone) -> JointKind:
    if bone.parent < 0:
        return "ball"
    turns = len(bone.turn_axes)
    return "fixed" if turns == 0 else "hinge" if turns == 1 else "ball"


def _hinge_axis(bone: AsfBone) -> Array:
    if _kind(bone) != "hinge":
        return np.zeros(3)
    return rotations.rotate(bone.axes_wxyz, np.eye(3)[bone.turn_axes[0]])


def _limits(bone: AsfBone) -> Sequence[tuple[float, float]]:
    free = (-np.inf, np.inf)
    if _kind(bone) != "hinge" or not bone.limits_rad:
        return (free,) * 3
    return (bone.limits_rad[bone.columns("r")[0]], free, free)
