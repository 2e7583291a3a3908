"""Streams as text: BVH in, and BVH or joint angles of a robot out, a header and a line a frame.

The header is that of any BVH file, up to and including its `Frame Time:` line. Every line after it
that is not blank is one frame, whatever number `Frames:` states: a live sender does not know it.
What goes out has the same header, and every frame in the numbers and digits it came in, changed
only where the pose has changed: the same text that `formats.bvh` would write for the whole clip.
"""

from __future__ import annotations

import io
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np

from poise import rotations, units
from poise.arrays import Array
from poise.character import Skeleton
from poise.errors import BadValue, FileProblem
from poise.formats import (
    DECIMALS,
    SAME,
    BvhLayout,
    check_hinged,
    converted,
    load_clip,
    number_from,
    plain,
    plan_for,
    robot_trajectory,
    rotation_distance,
    save_clip,
    shown,
    without_comments,
)
from poise.methods.filter import StreamFrame
from poise.motion import Clip

_LONGEST_LINE = 2**20
_LONGEST_HEADER = 2**24
_FRAMES = re.compile(r"^(\s*frames\s*:\s*)\+?[0-9]+", re.IGNORECASE)
_FRAME_TIME_OF = re.compile(r"^(\s*frame\s+time\s*:\s*)\S+", re.IGNORECASE)
_FRAME_TIME = re.compile(r"^\s*frame\s+time\s*:", re.IGNORECASE)


class BvhFrame(NamedTuple):
    """A frame, and the numbers it came in."""

    pose: StreamFrame
    numbers: Array
    """(C,)"""


class BvhStream:
    """Frames of a BVH text as they come, and lines for those that go out."""

    def __init__(
        self,
        text: BinaryIO,
        name: str,
        *,
        unit: str | None = None,
        up: str | None = None,
        rate_hz: float | None = None,
    ) -> None:
        """Read the header and the first frame, from which unit and axes are told.

        Args:
            text: what to read from.
            name: what to call it in messages.
            unit: of lengths, where it is not to be told from the figure.
            up: y or z, likewise.
            rate_hz: frames a second, where the header states others.

        Raises:
            FileProblem: a header that cannot be read, with its line.
        """
        self._text, self._name, self._line = text, name, 0
        lines = self._header_lines()
        if rate_hz is not None and lines:
            lines[-1] = _FRAME_TIME_OF.sub(rf"\g<1>{1 / rate_hz:.9g}", lines[-1])
        self.header = "".join(lines)
        # Of a header that is cut short, the reader says what is missing.
        complete = bool(lines) and _FRAME_TIME.match(lines[-1]) is not None
        first = self._next_line() if complete else ""
        self.empty = first is None
        """Whether there is no frame at all; then there is no `clip` either."""
        if first is None:
            return
        self.clip = self._clip([_of_one_frame(line) for line in lines], first, unit, up)
        """The first frame as a clip."""
        source = self.clip.source
        assert source is not None and isinstance(source.layout, BvhLayout)
        self._layout, self._metres = source.layout, source.unit.metres
        self._world_from_file = units.world_from_file_wxyz(source.up)
        self._first = first
        joints = self._layout.joints
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, joint in enumerate(joints):
            groups.setdefault(joint.rotation_axes, []).append(index)
        self._groups = [
            (axes, members, np.array([self._layout.columns(j, "rotation") for j in members]))
            for axes, members in groups.items()
            if axes
        ]
        """Joints that turn in the same order, and their columns (n, axes)."""
        moved = (0, *self.clip.moving_joints)
        self._places = [
            (j, list(joints[j].position_axes), self._layout.columns(j, "position")) for j in moved
        ]
        self._at_rest = np.array([joints[j].offset for j in moved])

    def header_for(self, clip: Clip) -> str:
        """The header for another body with the same joints; the clip has at least a frame of it."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "header.bvh"
            save_clip(clip, path)
            lines = path.read_bytes().decode().splitlines(keepends=True)
        stated = next(line for line in self.header.splitlines(True) if _FRAMES.match(line))
        end = next(i for i, line in enumerate(lines) if _FRAME_TIME.match(line))
        return "".join(stated if _FRAMES.match(line) else line for line in lines[: end + 1])

    def frames(self) -> Iterator[BvhFrame]:
        """All frames, each as soon as its line is there.

        Raises:
            FileProblem: a line that is not a frame; those before it have been given.
        """
        line: str | None = None if self.empty else self._first
        while line is not None:
            yield self._frame(line)
            line = self._next_line()

    def line(self, pose: StreamFrame, numbers: Array) -> str:
        """The line of a frame that came in as `numbers`, with its line end."""
        values = numbers.copy()
        world = self._world_from_file
        turns = pose.rotations_wxyz.copy()
        turns[0] = rotations.multiply(rotations.conjugate(world), turns[0])
        for axes, members, columns in self._groups:
            before = np.deg2rad(numbers[columns])
            edited = rotation_distance(turns[members], rotations.from_euler(before, axes)) > SAME
            if edited.any():
                new = rotations.to_euler(turns[members][edited], axes, near_rad=before[edited])
                values[columns[edited]] = np.round(np.rad2deg(new), DECIMALS) + 0.0
        root = rotations.rotate(rotations.conjugate(world), pose.root_m)
        places = np.concatenate([root[None], pose.moving_offsets_m]) / self._metres
        for place, (_, axes, columns) in zip(places, self._places, strict=True):
            old = numbers[columns]
            same = np.abs(place[axes] - old) <= SAME * np.maximum(1.0, np.abs(old))
            values[columns] = np.where(same, old, np.round(place[axes], DECIMALS) + 0.0)
        return self._printed(values)

    def _frame(self, line: str) -> BvhFrame:
        numbers = self._numbers(line)
        turns = np.tile(rotations.IDENTITY, (len(self._layout.joints), 1))
        for axes, members, columns in self._groups:
            turns[members] = rotations.from_euler(np.deg2rad(numbers[columns]), axes)
        turns[0] = rotations.multiply(self._world_from_file, turns[0])
        places = self._at_rest.copy()
        for row, (_, axes, columns) in enumerate(self._places):
            places[row, axes] = numbers[columns]
        root = rotations.rotate(self._world_from_file, places[0]) * self._metres
        return BvhFrame(StreamFrame(root, turns, places[1:] * self._metres), numbers)

    def _numbers(self, line: str) -> Array:
        width = self._layout.starts[-1]
        words = line.split()
        if len(words) != width:
            raise self._problem(f"{width} numbers in a frame", str(len(words)))
        numbers = converted(line, words)
        if numbers is None:
            wrong = next((word for word in words if number_from(word) is None), words[0])
            raise self._problem("a number in a frame", shown(wrong))
        return numbers

    def _printed(self, values: Array) -> str:
        style = self._layout.style
        row = values.tolist()
        if style.decimals is None:
            words = [plain(value) for value in row]
        else:
            words = [f"{value:.{style.decimals}f}" for value in row]
            words = [
                word if float(word) == value else plain(value)
                for word, value in zip(words, row, strict=True)
            ]
        return style.separator.join(words) + style.line_end

    def _header_lines(self) -> list[str]:
        lines, size = list[str](), 0
        while not (lines and _FRAME_TIME.match(lines[-1])):
            line = self._read()
            size += len(line)
            if not line or size > _LONGEST_HEADER:
                break
            lines.append(line)
        return lines

    def _clip(self, header: list[str], first: str, unit: str | None, up: str | None) -> Clip:
        """The header and one frame through the reader of files."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "stream.bvh"
            path.write_text("".join(header) + first, encoding="utf-8", newline="")
            try:
                return load_clip(path, unit=unit, up=up)
            except FileProblem as problem:
                raise FileProblem(
                    self._name, problem.expected, problem.found,
                    line=problem.line, advice=problem.advice,
                ) from None  # fmt: skip

    def _next_line(self) -> str | None:
        """The next line with something in it, without comments; None at the end."""
        while line := self._read():
            line = without_comments(line)
            if line.strip():
                return line
        return None

    def _read(self) -> str:
        """The next line with its end; nothing at the end of the text."""
        raw = self._text.readline(_LONGEST_LINE + 1)
        self._line += bool(raw)
        if len(raw) > _LONGEST_LINE:
            raise self._problem(f"lines of at most {_LONGEST_LINE} bytes", "a longer one")
        try:
            return raw.decode("utf-8-sig" if self._line == 1 else "utf-8")
        except UnicodeDecodeError:
            raise self._problem("UTF-8 text", "other bytes") from None

    def _problem(self, expected: str, found: str) -> FileProblem:
        return FileProblem(self._name, expected, found, line=self._line)


def _of_one_frame(line: str) -> str:
    return _FRAMES.sub(r"\g<1>1", line)


class BvhLines:
    """A BVH of the target, in centimetres and Y up.

    Angles are those nearest to the frame before, so that curves stay smooth.
    """

    def __init__(self, skeleton: Skeleton, incoming: BvhStream) -> None:
        """Prepare the header; it states as many frames as that of the stream that comes in."""
        clip = _one_frame(skeleton, incoming.clip.rate_hz, np.zeros(3), skeleton.rest_wxyz)
        self.header = incoming.header_for(clip)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "target.bvh"
            save_clip(clip, path)
            self._file = BvhStream(io.BytesIO(path.read_bytes()), "target", unit="cm", up="y")
        self._numbers = next(self._file.frames()).numbers
        # Joints in the order of the file, in frames that stand along the world at rest.
        self._order = list(plan_for(clip).order)
        self._after = rotations.conjugate(skeleton.rest_world_wxyz)
        above = skeleton.rest_world_wxyz[np.maximum(skeleton.parents, 0)].copy()
        above[0] = rotations.IDENTITY
        self._before = above

    def line(self, pose: StreamFrame) -> str:
        """One frame, with its line end."""
        turns = rotations.multiply(
            rotations.multiply(self._before, pose.rotations_wxyz), self._after
        )
        written = StreamFrame(pose.root_m, rotations.normalize(turns)[self._order])
        text = self._file.line(written, self._numbers)
        self._numbers = np.array(text.split(), dtype=np.float64)
        return text


class UnitreeLines:
    """Headerless CSV as Unitree's LAFAN1: root place, root rotation xyzw, angles; Z up."""

    header = ""

    def __init__(self, skeleton: Skeleton, incoming: BvhStream) -> None:
        check_hinged(skeleton)  # before the first frame
        self._skeleton, self._rate_hz = skeleton, incoming.clip.rate_hz

    def line(self, pose: StreamFrame) -> str:
        """One frame, with its line end."""
        found = robot_trajectory(
            _one_frame(self._skeleton, self._rate_hz, pose.root_m, pose.rotations_wxyz)
        )
        turn = rotations.to_xyzw(found.root_wxyz)
        values = np.concatenate([found.root_positions_m[0], turn[0], found.angles_rad[0]])
        return ",".join(f"{value:.9g}" for value in values) + "\n"


LAYOUTS = {"bvh": BvhLines, "unitree": UnitreeLines}
"""What is written: a header before the first frame, and lines."""


def lines_for(layout: str, skeleton: Skeleton, incoming: BvhStream) -> BvhLines | UnitreeLines:
    """The writer of a layout.

    Raises:
        BadValue: another layout, or one that a body does not fit.
    """
    if layout not in LAYOUTS:
        raise BadValue("layout", f"one of {', '.join(LAYOUTS)}", layout)
    return LAYOUTS[layout](skeleton, incoming)


def _one_frame(skeleton: Skeleton, rate_hz: float, root_m: Array, turns_wxyz: Array) -> Clip:
    return Clip(skeleton, rate_hz, root_m[None], turns_wxyz[None])
