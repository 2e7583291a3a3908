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

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, JointKind, Skeleton
from poise.errors import did_you_mean
from poise.formats.parsed import character_from, sites_of
from poise.formats.text import (
    MAX_NAME_LENGTH,
    Line,
    Lines,
    depth_first,
    number_from,
    read_text,
    shown,
)
from poise.units import INCH_M, Unit

MAX_BONES = 2000
"""As for BVH: a larger tree is a damaged or hostile file."""

_ROOT_DOFS = ("tx", "ty", "tz", "rx", "ry", "rz")
_BONE_DOFS = (*_ROOT_DOFS, "l")
_SECTIONS = (":root", ":bonedata", ":hierarchy")
_UNIT_RANGE = (1e-6, 1e6)


@dataclass
class _Bone:
    """A bone as far as it has been read."""

    line: Line
    name: str = ""
    direction: tuple[float, float, float] | None = None
    length: float | None = None
    axis: tuple[float, float, float] = (0.0, 0.0, 0.0)
    axis_order: tuple[int, ...] = (0, 1, 2)
    dofs: tuple[str, ...] = ()
    limits: tuple[tuple[float, float], ...] = ()


@dataclass
class _File:
    """A skeleton file as far as it has been read."""

    lines: Lines
    unit: Unit | None = None
    degrees: bool = True
    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    orientation: tuple[float, float, float] = (0.0, 0.0, 0.0)
    root_axis: tuple[int, ...] = (0, 1, 2)
    root_dofs: tuple[str, ...] = _ROOT_DOFS
    bones: dict[str, _Bone] = field(default_factory=lambda: {})
    """By name in lower case."""
    children: dict[str, list[str]] = field(default_factory=lambda: {})
    parents: dict[str, str] = field(default_factory=lambda: {})
    notes: list[str] = field(default_factory=lambda: [])


def read(path: Path) -> AsfSkeleton:
    """A skeleton file as it stands.

    Raises:
        FileProblem: the file cannot be read, with the line and what was expected there.
    """
    file = _File(Lines(read_text(path)))
    seen: set[str] = set()
    line = file.lines.next()
    while line.words:
        section = line.words[0].lower()
        if not section.startswith(":"):
            raise file.lines.wrong(line, "a section such as ':units' or ':bonedata'")
        if section in seen:
            raise file.lines.wrong(line, f"one section '{section}'", found="a second one")
        if section == ":hierarchy" and ":bonedata" not in seen:
            raise file.lines.wrong(line, "':bonedata' before ':hierarchy'")
        seen.add(section)
        _READERS.get(section, _fields)(
            file
        )  # version, name, documentation and skin are passed over
        line = file.lines.next()
    for section in _SECTIONS:
        if section not in seen:
            raise file.lines.wrong(line, f"a section '{section}'", found="the end of the file")
    return _assembled(file, str(path))


def _fields(file: _File) -> list[Line]:
    """The lines of a section that is a list of words and values."""
    found: list[Line] = []
    while (line := file.lines.next()).words and not line.words[0].startswith(":"):
        found.append(line)
    if line.words:
        file.lines.back(line)
    return found


def _read_units(file: _File) -> None:
    for line in _fields(file):
        word = line.words[0].lower()
        if word == "length":
            (length,) = _numbers(file, line, line.words[1:], 1, "a length unit")
            low, high = _UNIT_RANGE
            if not low <= length <= high:
                raise file.lines.wrong(line, f"a length unit from {low:g} to {high:g}")
            name = "cmu" if length == 0.45 else f"1/{length:g} inch"
            file.unit = Unit(name, INCH_M / length, "stated by the file")
        elif word == "angle":
            if len(line.words) != 2 or line.words[1].lower() not in ("deg", "rad"):
                raise file.lines.wrong(line, "'angle deg' or 'angle rad'")
            file.degrees = line.words[1].lower() == "deg"


def _read_root(file: _File) -> None:
    for line in _fields(file):
        word, values = line.words[0].lower(), line.words[1:]
        if word == "order":
            file.root_dofs = _dofs(file, line, values, _ROOT_DOFS)
        elif word == "axis":
            file.root_axis = _axis_order(file, line, values)
        elif word == "position":
            file.position = _triple(file, line, values, "the root's position")
        elif word == "orientation":
            file.orientation = _triple(file, line, values, "the root's orientation")
    if not any(d[0] == "r" for d in file.root_dofs):
        file.notes.append("the root has no rotations")


def _read_bonedata(file: _File) -> None:
    while (line := file.lines.next()).words and not line.words[0].startswith(":"):
        if line.words[0].lower() != "begin":
            raise file.lines.wrong(line, "'begin' of a bone or a new section")
        bone = _bone(file, line)
        key = bone.name.lower()
        if key in file.bones or key == ROOT:
            raise file.lines.wrong(bone.line, "bone names that differ", found=shown(bone.name))
        if len(file.bones) == MAX_BONES:
            raise file.lines.wrong(bone.line, f"at most {MAX_BONES} bones", found="one more")
        file.bones[key] = bone
    if line.words:
        file.lines.back(line)


def _bone(file: _File, begin: Line) -> _Bone:
    bone = _Bone(begin)
    while (line := file.lines.next()).words:
        word, values = line.words[0].lower(), line.words[1:]
        if word == "end":
            return _complete(file, bone)
        if word.startswith(":") or word == "begin":
            break
        if word == "name":
            if len(values) != 1 or len(values[0]) > MAX_NAME_LENGTH:
                wanted = f"'name' and one word of at most {MAX_NAME_LENGTH} letters"
                raise file.lines.wrong(line, wanted)
            bone.line, bone.name = line, values[0]
        elif word == "direction":
            bone.direction = _triple(file, line, values, "a direction")
        elif word == "length":
            (bone.length,) = _numbers(file, line, values, 1, "a length")
        elif word == "axis":
            bone.axis = _triple(file, line, values[:3], "an axis")
            bone.axis_order = _axis_order(file, line, values[3:] or ("xyz",))
        elif word == "dof":
            bone.dofs = _dofs(file, line, values, _BONE_DOFS)
        elif word == "limits":
            bone.limits = _limits(file, line)
    raise file.lines.wrong(line, f"'end' of bone {shown(bone.name) if bone.name else ''}".strip())


def _complete(file: _File, bone: _Bone) -> _Bone:
    for what, value in (
        ("name", bone.name or None), ("direction", bone.direction), ("length", bone.length),
    ):  # fmt: skip
        if value is None:
            of = f" in bone '{bone.name}'" if bone.name else " in every bone"
            raise file.lines.wrong(bone.line, f"a {what}{of}", found="none")
    if bone.limits and len(bone.limits) != len(bone.dofs):
        expected = f"a range for each of the {len(bone.dofs)} dofs of '{bone.name}'"
        raise file.lines.wrong(bone.line, expected, found=f"{len(bone.limits)}")
    return bone


def _limits(file: _File, line: Line) -> tuple[tuple[float, float], ...]:
    """Pairs on this line and the lines after it that go on with numbers."""
    words = list(_bare(line.words[1:]))
    while (more := file.lines.next()).words and re.match(r"[(,+\-.\d]", more.words[0]):
        words += _bare(more.words)
        if len(words) > 2 * len(_BONE_DOFS):
            break
    file.lines.back(more)
    values = [_limit(file, line, word) for word in words]
    if len(values) % 2:
        raise file.lines.wrong(line, "limits in pairs", found=f"{len(values)} numbers")
    pairs = list(zip(values[::2], values[1::2], strict=True))
    if any(low > high for low, high in pairs):
        file.notes.append(f"limits in line {file.lines.text.line_at(line.position)} were reversed")
    return tuple((min(pair), max(pair)) for pair in pairs)


def _bare(words: tuple[str, ...]) -> list[str]:
    """Words with parentheses and commas read as blanks, as the format has it."""
    return re.sub(r"[(),]", " ", " ".join(words)).split()


def _limit(file: _File, line: Line, word: str) -> float:
    if re.fullmatch(r"[+-]?inf(?:inity)?", word, re.IGNORECASE):
        return -math.inf if word.startswith("-") else math.inf
    value = number_from(word)
    if value is None:
        raise file.lines.wrong(line, "limits such as (-10.0 170.0)", found=shown(word))
    return value


def _numbers(
    file: _File, line: Line, words: tuple[str, ...], count: int, what: str
) -> tuple[float, ...]:
    values = [number_from(word) for word in _bare(words)]
    good = [value for value in values if value is not None]
    if len(values) != count or len(good) != count:
        plural = "number" if count == 1 else "numbers"
        raise file.lines.wrong(line, f"{count} {plural} for {what}")
    return tuple(good)


def _triple(
    file: _File, line: Line, words: tuple[str, ...], what: str
) -> tuple[float, float, float]:
    x, y, z = _numbers(file, line, words, 3, what)
    return x, y, z


def _axis_order(file: _File, line: Line, words: tuple[str, ...]) -> tuple[int, ...]:
    letters = words[0].lower() if len(words) == 1 else ""
    if sorted(letters) != ["x", "y", "z"]:
        raise file.lines.wrong(line, "an axis order such as XYZ")
    return tuple("xyz".index(letter) for letter in letters)


def _dofs(
    file: _File, line: Line, words: tuple[str, ...], known: tuple[str, ...]
) -> tuple[str, ...]:
    dofs = tuple(word.lower() for word in _bare(words))
    if not dofs or len(set(dofs)) != len(dofs) or any(d not in known for d in dofs):
        raise file.lines.wrong(line, f"each at most once: {' '.join(known)}")
    return dofs


def _read_hierarchy(file: _File) -> None:
    begin = file.lines.next()
    if not begin.words or begin.words[0].lower() != "begin":
        raise file.lines.wrong(begin, "'begin' of the hierarchy")
    while (line := file.lines.next()).words and line.words[0].lower() != "end":
        parent = _known(file, line, line.words[0])
        for word in line.words[1:]:
            child = _known(file, line, word)
            if child in file.parents or child == ROOT:
                expected = f"'{word}' below one bone only"
                raise file.lines.wrong(line, expected, found="a second one")
            file.parents[child] = parent
            file.children.setdefault(parent, []).append(child)
    if not line.words:
        raise file.lines.wrong(line, "'end' of the hierarchy", found="the end of the file")


def _known(file: _File, line: Line, word: str) -> str:
    key = word.lower()
    if key == ROOT or key in file.bones:
        return key
    advice = did_you_mean(key[:MAX_NAME_LENGTH], file.bones).rstrip()
    raise file.lines.wrong(line, "the name of a bone", found=shown(word), advice=advice)


_READERS = {
    ":units": _read_units,
    ":root": _read_root,
    ":bonedata": _read_bonedata,
    ":hierarchy": _read_hierarchy,
}


def _assembled(file: _File, path: str) -> AsfSkeleton:
    order = depth_first(ROOT, lambda key: file.children.get(key, []))
    place = {key: i for i, key in enumerate(order)}
    loose = [bone for key, bone in file.bones.items() if key not in place]
    if loose:
        found = f"'{loose[0].name}' outside it" + (f" and {len(loose) - 1} more" * (len(loose) > 1))
        raise file.lines.wrong(loose[0].line, "every bone in the hierarchy", found=found)
    scale = math.pi / 180.0 if file.degrees else 1.0
    ox, oy, oz = file.orientation
    if any(file.orientation):
        file.notes.append("the root's orientation is taken as the axes its angles turn about")
    root = AsfBone(
        ROOT, -1,
        axis_rad=(ox * scale, oy * scale, oz * scale), axis_order=file.root_axis,
        dofs=file.root_dofs,
    )  # fmt: skip
    bones = [root]
    for key in order[1:]:
        bones.append(_finished(file.bones[key], place[file.parents[key]], scale))
    two = [bone.name for bone in bones if len(bone.turn_axes) == 2]
    if two:
        file.notes.append(f"balls with two channels in the file: {', '.join(two)}")
    return AsfSkeleton(
        path, tuple(bones), file.position, file.unit, file.degrees, tuple(file.notes)
    )


def _finished(bone: _Bone, parent: int, scale: float) -> AsfBone:
    x, y, z = bone.axis
    limits = tuple(
        (low * scale, high * scale) if dof[0] == "r" else (low, high)
        for dof, (low, high) in zip(bone.dofs, bone.limits, strict=False)
    )
    return AsfBone(
        name=bone.name,
        parent=parent,
        direction=bone.direction or (0.0, 0.0, 0.0),
        length=bone.length or 0.0,
        axis_rad=(x * scale, y * scale, z * scale),
        axis_order=bone.axis_order,
        dofs=bone.dofs,
        limits_rad=limits,
    )


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

    @cached_property
    def _index(self) -> dict[str, int]:
        return {bone.name.lower(): i for i, bone in enumerate(self.bones)}

    def index(self, name: str) -> int | None:
        """The bone of that name in any case, or None."""
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
            limits_rad=np.array([_bone_limits(bone) for bone in bones]),
            end_sites=sites_of((f"{bones[i].name}_end", i, bones[i].vector) for i in tips),
        )


def read_character(path: Path) -> Character:
    """A skeleton file as a character, in metres and Y up."""
    asf = read(path)
    return character_from(asf.skeleton, path, "asf", unit=asf.unit, notes=asf.notes)


def _kind(bone: AsfBone) -> JointKind:
    if bone.parent < 0:
        return "ball"
    turns = len(bone.turn_axes)
    return "fixed" if turns == 0 else "hinge" if turns == 1 else "ball"


def _hinge_axis(bone: AsfBone) -> Array:
    if _kind(bone) != "hinge":
        return np.zeros(3)
    return rotations.rotate(bone.axes_wxyz, np.eye(3)[bone.turn_axes[0]])


def _bone_limits(bone: AsfBone) -> Sequence[tuple[float, float]]:
    free = (-np.inf, np.inf)
    if _kind(bone) != "hinge" or not bone.limits_rad:
        return (free,) * 3
    return (bone.limits_rad[bone.columns("r")[0]], free, free)
