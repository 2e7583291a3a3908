"""A text format: joints with their parents and offsets, then poses, with tabs between values.

    # joint table 1
    rate    60
    joint   Hips        -       0   0.9  0
    joint   LeftUpLeg   Hips    0.1 0    0
    end     LeftToe_End LeftToe 0   0    0.1
    pose    0 0.9 0     1 0 0 0     0.99 0.14 0 0

Metres and Y up. A pose is the position of the root, then a quaternion wxyz for each joint.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from poise.extend import (
    Array,
    Clip,
    FileProblem,
    FileStart,
    Format,
    Parsed,
    PoiseError,
    Provenance,
    Skeleton,
    Unit,
    atomic_write,
    read_text,
    sites_of,
)

TITLE = "# joint table 1"
METRES = Unit("m", 1.0, "stated by the format")
_UNIT_TOLERANCE = 1e-3


def recognises(start: FileStart) -> bool:
    """Whether a .tsv file is one of ours: others may use that extension, too."""
    return start.text.startswith(TITLE)


def read(path: Path) -> Parsed:
    """A file's content; whatever is wrong in it is a `FileProblem` with its line."""
    table = _Table(path)
    for number, line in enumerate(read_text(path).content.splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            table.add(number, line.split("\t"))
    return table.parsed()


class _Table:
    """What the lines so far have said."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rate_hz = 0.0
        self.names: list[str] = []
        self.parents: list[int] = []
        self.offsets: list[Array] = []
        self.ends: list[tuple[str, int, Array]] = []
        self.poses: list[Array] = []

    def add(self, line: int, cells: list[str]) -> None:
        """Take a line."""
        word, *rest = cells
        if word == "rate":
            (self.rate_hz,) = self.numbers(line, rest, 1)
            if not 0.0 < self.rate_hz < 1e6:
                raise self.wrong(line, "a rate above 0 Hz", rest[0])
        elif word in ("joint", "end") and len(rest) == 5:
            name, parent, *offset = rest
            self.add_point(line, word, name, parent, self.numbers(line, offset, 3))
        elif word == "pose":
            self.poses.append(self.numbers(line, rest, 3 + 4 * len(self.names)))
        else:
            raise self.wrong(line, "rate, joint, end or pose with their values", word)

    def add_point(self, line: int, word: str, name: str, parent: str, offset: Array) -> None:
        """Take a joint or an end site."""
        if parent not in self.names and (parent != "-" or self.names):
            raise self.wrong(line, "the name of a joint above as the parent", parent)
        if name in self.names or self.poses:
            raise self.wrong(line, "joints that differ, before all poses", name)
        above = self.names.index(parent) if parent in self.names else -1
        if word == "end":
            self.ends.append((name, above, offset))
            return
        self.names.append(name)
        self.parents.append(above)
        self.offsets.append(offset)

    def numbers(self, line: int, cells: list[str], count: int) -> Array:
        """So many finite numbers."""
        try:
            found = np.array([float(cell) for cell in cells])
        except ValueError:
            raise self.wrong(line, f"{count} numbers", "\t".join(cells)) from None
        if len(found) != count or not np.isfinite(found).all():
            raise self.wrong(line, f"{count} numbers", "\t".join(cells))
        return found

    def wrong(self, line: int, expected: str, found: str) -> FileProblem:
        """What is wrong in a line."""
        return FileProblem(self.path, expected, f"'{found[:40]}'", line=line)

    def parsed(self) -> Parsed:
        """The whole."""
        if not (self.rate_hz and self.names and self.poses):
            raise FileProblem(self.path, "a rate, joints and poses", "not all of them")
        poses = np.array(self.poses)
        turns = poses[:, 3:].reshape(len(poses), len(self.names), 4)
        lengths = np.linalg.norm(turns, axis=2, keepdims=True)
        if np.abs(lengths - 1.0).max() > _UNIT_TOLERANCE:
            frame = int(np.abs(lengths - 1.0).max(axis=(1, 2)).argmax())
            raise FileProblem(self.path, "unit quaternions", f"others in pose {frame}")
        try:
            skeleton = Skeleton(
                tuple(self.names),
                np.array(self.parents),
                np.array(self.offsets),
                end_sites=sites_of(self.ends),
            )
        except PoiseError as problem:
            raise FileProblem(self.path, "a skeleton", str(problem)) from problem
        return Parsed(
            skeleton, self.rate_hz, poses[:, :3], turns / lengths, unit=METRES, up="y"
        )  # fmt: skip


def write(path: Path, clip: Clip, provenance: Provenance) -> tuple[str, ...]:
    """Write a clip; returns what the format has no room for."""
    del provenance
    skeleton = clip.skeleton
    names = ("-", *skeleton.joint_names)
    lines = [TITLE, _line("rate", clip.rate_hz)]
    for name, parent, offset in zip(
        skeleton.joint_names, skeleton.parents, skeleton.offsets_m, strict=True
    ):
        lines.append(_line("joint", name, names[parent + 1], *offset))
    ends = skeleton.end_sites
    for name, joint, offset in zip(ends.names, ends.joints, ends.offsets_m, strict=True):
        lines.append(_line("end", name, names[joint + 1], *offset))
    for root, turns in zip(clip.root_positions_m, clip.rotations_wxyz, strict=True):
        lines.append(_line("pose", *root, *turns.ravel()))
    atomic_write(path, ("\n".join(lines) + "\n").encode("utf-8"))
    moving = [skeleton.joint_names[joint] for joint in clip.moving_joints]
    return (f"not kept: how the offsets of {', '.join(moving)} vary",) if moving else ()


def _line(*cells: object) -> str:
    return "\t".join(f"{c:.17g}" if isinstance(c, float) else f"{c}" for c in cells)


FORMAT = Format(
    "joint_table",
    (".tsv",),
    "Joints and poses as a table, an example",
    read_motion=read,
    write_clip=write,
    recognises=recognises,
    looks_for=f"'{TITLE}' first",
)
