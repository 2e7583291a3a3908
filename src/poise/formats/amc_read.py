"""Reading AMC, the Acclaim motion: a skeleton's numbers frame by frame; `asf` says what they mean.

The file states no frame rate (CMU's are at 120 Hz, which is assumed and said) unless it has the
line `:SAMPLES-PER-SECOND`. Its skeleton is another file: give it, or have it beside the motion
under the same name, under the name before the last underscore (`02_01.amc`, `02.asf`), or alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.errors import BadValue, FileProblem, did_you_mean
from poise.formats import amc_layout
from poise.formats import asf as asf_file
from poise.formats.amc_layout import AmcLayout
from poise.formats.asf import AsfSkeleton
from poise.formats.budget import check_budget
from poise.formats.disk import os_problem
from poise.formats.parsed import Parsed
from poise.formats.text import (
    Line,
    Lines,
    Text,
    converted,
    number_from,
    read_text,
    shown,
    without_comments,
)

DEFAULT_RATE_HZ = 120.0
"""Of the CMU library, by far the largest in this format."""

_RATE_RANGE_HZ = (1e-3, 1e6)
_FRAME = re.compile(r"\d{1,15}", re.ASCII)


def read(path: Path, skeleton: Path | None = None, rate_hz: float | None = None) -> Parsed:
    """A motion file with its skeleton, in the skeleton's unit.

    Args:
        path: the .amc file.
        skeleton: its .asf file; by default the one beside it.
        rate_hz: frames per second, which the file cannot state.

    Raises:
        FileProblem: a file cannot be read, with the line and what was expected there.
        BadValue: a rate no recording has.
    """
    if rate_hz is not None and not _RATE_RANGE_HZ[0] <= rate_hz <= _RATE_RANGE_HZ[1]:
        raise BadValue("rate_hz", "from {:g} to {:g}".format(*_RATE_RANGE_HZ), rate_hz)
    text = read_text(path)
    asf = asf_file.read(skeleton if skeleton is not None else find_skeleton(path))
    head = _header(text, asf.degrees)
    # A file that is not regular is read line by line, with the exact complaint.
    regular = _regular_frames(text.content[head.end :], asf)
    names, channels = regular or _any_frames(text, head.end, asf)
    check_budget(path, len(channels), len(asf.skeleton.joint_names), len(text.content))
    rate = head.rate_hz if rate_hz is None else float(rate_hz)
    notes = asf.notes
    if rate is None:
        rate = DEFAULT_RATE_HZ
        notes = (*notes, f"AMC does not state a rate; {rate:g} Hz assumed")
    line_end = re.search(r"\r\n|\r|\n", text.content)
    layout = AmcLayout(
        asf=asf,
        header=text.content[: head.end],
        names=names,
        degrees=head.degrees,
        rate_hz=rate,
        line_end=line_end.group() if line_end else "\n",
    )
    return _parsed(layout, channels, (*notes, *_gap_notes(channels[:, 0])))


def find_skeleton(path: Path) -> Path:
    """The .asf beside a motion file: of its name, of the name before the last `_`, or the only one.

    Raises:
        FileProblem: none fits; says what was tried.
    """
    try:
        beside = sorted(f for f in path.parent.iterdir() if f.suffix.lower() == ".asf")
    except OSError as error:
        raise os_problem(path, error, "read") from error
    by_stem = {f.stem.lower(): f for f in beside}
    tried = [path.stem]
    if "_" in path.stem:
        tried.append(path.stem.rpartition("_")[0])
    for stem in tried:
        if stem.lower() in by_stem:
            return by_stem[stem.lower()]
    if len(beside) == 1:
        return beside[0]
    named = " or ".join(f"{stem}.asf" for stem in tried)
    found = f"{len(beside)} others" if beside else "no .asf there"
    raise FileProblem(
        path,
        f"its skeleton beside it: {named}, or a single .asf",
        found,
        advice="Say which with --skeleton FILE.asf (in Python: skeleton=path).",
    )


@dataclass(frozen=True)
class _Header:
    end: int
    """Where the first frame starts."""
    degrees: bool
    rate_hz: float | None


def _header(text: Text, degrees: bool) -> _Header:
    lines = Lines(text)
    rate: float | None = None
    while (line := lines.next()).words:
        word = line.words[0].upper()
        if not word.startswith(":"):
            break
        if word in (":DEGREES", ":RADIANS"):
            degrees = word == ":DEGREES"
        elif word == ":SAMPLES-PER-SECOND":
            rate = number_from(line.words[1]) if len(line.words) == 2 else None
            low, high = _RATE_RANGE_HZ
            if rate is None or not low <= rate <= high:
                raise lines.wrong(line, f"a rate from {low:g} to {high:g}")
    if not line.words or not _is_frame_number(line.words):
        raise lines.wrong(line, "the number of the first frame")
    return _Header(line.position, degrees, rate)


def _is_frame_number(words: tuple[str, ...]) -> bool:
    return len(words) == 1 and _FRAME.fullmatch(words[0]) is not None


def _gap_notes(numbers: Array) -> tuple[str, ...]:
    jumps = np.flatnonzero(np.diff(numbers) != 1)
    if not len(jumps):
        return ()
    at = int(jumps[0])
    return (
        f"frame numbers jump {len(jumps)} times, first from {numbers[at]:.0f} to "
        f"{numbers[at + 1]:.0f}: taken as neighbours in time",
    )


def _regular_frames(body: str, asf: AsfSkeleton) -> tuple[tuple[str, ...], Array] | None:
    """All frames at once if every one lists the same bones in the same order; else None.

    Line k of every frame is then the same bone: one join and split per bone does it.
    """
    body = without_comments(body)
    lines = [w for w in body.replace("\r", "\n").split("\n") if w and not w.isspace()]
    first = [lines[0]] if lines else []
    for line in lines[1:]:
        if _is_frame_number(tuple(line.split(maxsplit=1))):
            break
        first.append(line)
    period = len(first)
    names = tuple(line.split(maxsplit=1)[0] for line in first[1:])
    if not names or len(lines) % period or not body.isascii():
        return None
    known = [asf.index(name) for name in names]
    needed = {i for i, bone in enumerate(asf.bones) if bone.dofs}
    if len(set(known)) != len(known) or not needed <= set(known):
        return None
    columns: list[Array] = []
    for k in range(period):
        index = known[k - 1] if k else None
        part = _bone_column(lines[k::period], names[k - 1] if k else "", asf, index)
        if part is None:
            return None
        columns.append(part)
    return names, np.concatenate(columns, axis=1)


def _bone_column(lines: list[str], name: str, asf: AsfSkeleton, index: int | None) -> Array | None:
    """(F, n) one bone's numbers, or the frame numbers when it has no name; None if they vary."""
    chunk = " ".join(lines)
    words = chunk.split()
    if not name:
        whole = len(words) == len(lines) and all(map(_FRAME.fullmatch, words))
        return np.array(list(map(float, words)))[:, None] if whole else None
    if index is None:
        return None
    count = len(asf.bones[index].dofs)
    if len(words) != (count + 1) * len(lines) or set(words[:: count + 1]) != {name}:
        return None
    del words[:: count + 1]
    # Underscores are allowed in the name alone, so the numbers are looked at without it.
    values = converted(" ".join(words) if "_" in name else chunk, words)
    return None if values is None else values.reshape(len(lines), count)


def _any_frames(text: Text, start: int, asf: AsfSkeleton) -> tuple[tuple[str, ...], Array]:
    """Frames line by line: bones in any order, and the exact complaint if something is wrong."""
    lines = Lines(text)
    lines.skip_to(start)
    names: tuple[str, ...] = ()
    starts: dict[int, int] = {}
    rows: list[Array] = []
    line = lines.next()
    while line.words:
        if not _is_frame_number(line.words):
            raise lines.wrong(line, "the number of a frame")
        begin, number = line, line.words[0]
        values, spelled, line = _one_frame(lines, asf, number)
        if not rows:
            names = tuple(spelled[i] for i in values)
            column = 1
            for i, value in values.items():
                starts[i], column = column, column + len(value)
        rows.append(_row(lines, asf, begin, number, values, starts))
    return names, np.stack(rows)


def _one_frame(
    lines: Lines, asf: AsfSkeleton, number: str
) -> tuple[dict[int, list[float]], dict[int, str], Line]:
    """A frame's numbers by bone, the names as spelled, and the line after the frame."""
    values: dict[int, list[float]] = {}
    spelled: dict[int, str] = {}
    while (line := lines.next()).words and not _is_frame_number(line.words):
        name = line.words[0]
        index = asf.index(name)
        if index is None:
            near = did_you_mean(name[:40], [bone.name for bone in asf.bones])
            advice = f"{near}The skeleton is {Path(asf.path).name}."
            expected = f"a bone of the skeleton in frame {number}"
            raise lines.wrong(line, expected, found=shown(name), advice=advice)
        if index in values:
            expected = f"'{name}' once in frame {number}"
            raise lines.wrong(line, expected, found="a second one")
        values[index] = _bone_numbers(lines, line, asf, index, number)
        spelled[index] = name
    return values, spelled, line


def _bone_numbers(
    lines: Lines, line: Line, asf: AsfSkeleton, index: int, number: str
) -> list[float]:
    dofs = asf.bones[index].dofs
    expected = f"{len(dofs)} numbers ({' '.join(dofs)}) for '{line.words[0]}' in frame {number}"
    if len(line.words) - 1 != len(dofs):
        raise lines.wrong(line, expected, found=f"{len(line.words) - 1}")
    return lines.numbers(line, line.words[1:], expected)


def _row(
    lines: Lines,
    asf: AsfSkeleton,
    begin: Line,
    number: str,
    values: dict[int, list[float]],
    starts: dict[int, int],
) -> Array:
    needed = {i for i, bone in enumerate(asf.bones) if bone.dofs} | set(starts)
    missing = [asf.bones[i].name for i in sorted(needed) if i not in values]
    if missing:
        more = f" and {len(missing) - 1} more" if len(missing) > 1 else ""
        found = f"a frame without '{missing[0]}'{more}"
        raise lines.wrong(begin, f"every bone with a dof in frame {number}", found=found)
    extra = [asf.bones[i].name for i in values if i not in starts]
    if extra:
        expected = f"the same bones in frame {number} as in the first"
        raise lines.wrong(begin, expected, found=f"'{extra[0]}' too")
    row = np.empty(1 + sum(map(len, values.values())))
    row[0] = float(number)
    for i, value in values.items():
        row[starts[i] : starts[i] + len(value)] = value
    return row


def _parsed(layout: AmcLayout, channels: Array, notes: tuple[str, ...]) -> Parsed:
    moving = amc_layout.moving_bones(layout.asf)
    offsets = [amc_layout.place(layout, channels, i) for i in moving]
    if any("l" in bone.dofs for bone in layout.asf.bones):
        notes = (*notes, "bones that stretch: 'l' is added to their length")
    return Parsed(
        skeleton=layout.asf.skeleton,
        rate_hz=layout.rate_hz,
        root_positions=amc_layout.place(layout, channels, 0),
        rotations_wxyz=amc_layout.turns(layout, channels),
        moving_joints=moving,
        moving_offsets=np.stack(offsets, axis=1) if moving else np.zeros((len(channels), 0, 3)),
        unit=layout.asf.unit,
        layout=layout,
        channels=channels,
        notes=notes,
    )
