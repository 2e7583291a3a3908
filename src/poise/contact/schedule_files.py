"""Contact schedules as files: CSV for spreadsheets and scripts, JSON for programs.

CSV has one row a frame: `frame,time_s,` and then one column per body part: 0, 1 where it touches, 2
where it slides along what it touches. Contacts that were found have a further column for each part,
`left_foot_confidence`: the probability that what is said is right. JSON gives, for each body part,
the intervals of frames in which it touches, the last frame of an interval not included, and under
`sliding` those in which it slides; `confidence` has those probabilities, frame by frame.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import TypeGuard, cast

import numpy as np
from numpy.typing import NDArray

from poise.contact.schedule import BODY_PARTS, ContactSchedule, intervals
from poise.errors import FileProblem, nearest_name
from poise.formats import atomic_write, read_bytes
from poise.wording import shown

_LEADING = ("frame", "time_s")
_HEADER = "the header 'frame,time_s,' and one body part per further column"
_LARGEST_FILE = 16 * 2**20
"""An hour of two feet at 120 Hz takes two thirds of it; read as JSON, a file grows thirty times."""
_MOST_FRAMES = 2**20
"""As many as any clip may have."""
_UNEVEN = 0.25
"""Share of a frame by which a time may be off its even place."""
_TIME_DECIMALS = 9
_CONFIDENCE = "_confidence"
"""End of the names of CSV columns that say how sure a contact is."""
_CONFIDENCE_DECIMALS = 3


def read_contacts(path: str | Path) -> ContactSchedule:
    """Read a schedule from a `.csv` or `.json` file.

    Raises:
        FileProblem: what is wrong, with the line.
    """
    path = Path(path)
    text = _text(path, _kind_of(path))
    return _from_json(path, text) if _kind_of(path) == "json" else _from_csv(path, text)


def write_contacts(schedule: ContactSchedule, path: str | Path) -> None:
    """Write a schedule to a `.csv` or `.json` file.

    Raises:
        FileProblem: whatever the operating system refuses.
    """
    path = Path(path)
    text = _as_json(schedule) if _kind_of(path) == "json" else _as_csv(schedule)
    atomic_write(path, text.encode("utf-8"))


def _kind_of(path: Path) -> str:
    kind = path.suffix.lower().lstrip(".")
    if kind not in ("csv", "json"):
        raise FileProblem(path, "a contact file that ends in .csv or .json", f"'{path.suffix}'")
    return kind


# Writing


def _as_csv(schedule: ContactSchedule) -> str:
    sure = schedule.confidence
    more = () if sure is None else tuple(part + _CONFIDENCE for part in schedule.parts)
    lines = [",".join((*_LEADING, *schedule.parts, *more))]
    flags = schedule.touching.astype(np.int8)
    if schedule.sliding is not None:
        flags = flags + schedule.sliding
    for frame, row in enumerate(flags.tolist()):
        time = f"{frame / schedule.rate_hz:.{_TIME_DECIMALS}f}"
        cells = [] if sure is None else [f"{p:.{_CONFIDENCE_DECIMALS}f}" for p in sure[frame]]
        lines.append(",".join((str(frame), time, *map(str, row), *cells)))
    return "\n".join(lines) + "\n"


def _as_json(schedule: ContactSchedule) -> str:
    content: dict[str, object] = {
        "rate_hz": schedule.rate_hz,
        "frames": schedule.frame_count,
        "contacts": {part: intervals(schedule.column(part)) for part in schedule.parts},
    }
    if schedule.sliding is not None:
        content["sliding"] = {
            part: intervals(schedule.column(part) & ~schedule.standing(part))
            for part in schedule.parts
        }
    if schedule.confidence is not None:
        content["confidence"] = {
            part: np.round(schedule.confidence[:, p], _CONFIDENCE_DECIMALS).tolist()
            for p, part in enumerate(schedule.parts)
        }
    return json.dumps(content, indent=2) + "\n"


# Reading


def _text(path: Path, kind: str) -> str:
    wanted = f"a contact file ({kind.upper()})"
    data = read_bytes(path, max_bytes=_LARGEST_FILE)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        line = data[: problem.start].count(b"\n") + 1
        raise FileProblem(
            path, "UTF-8 text", f"byte {problem.start} that is not", line=line
        ) from None
    if not text.strip():
        raise FileProblem(path, wanted, "an empty file", line=1)
    return text


def _from_csv(path: Path, text: str) -> ContactSchedule:
    lines = text.splitlines()
    while lines and not lines[-1].strip():
        lines.pop()
    parts, judged = _csv_parts(path, _cells(lines[0]))
    rows = lines[1:]
    if len(rows) < 2:
        advice = "Two frames are needed to tell the rate; JSON states it."
        raise FileProblem(path, "at least 2 frames", f"{len(rows)}", line=len(lines), advice=advice)
    found = np.zeros((len(rows), len(parts)), dtype=np.int8)
    times, sure = np.zeros(len(rows)), np.ones((len(rows), len(parts)))
    for frame, row in enumerate(rows):
        cells = _cells(row)
        line = frame + 2
        if len(cells) != len(parts) + len(judged) + 2:
            wanted = f"{len(parts) + len(judged) + 2} cells as in the header"
            raise FileProblem(path, wanted, f"{len(cells)}", line=line)
        if cells[0] != str(frame):
            raise FileProblem(path, f"frame {frame} next", _shown(cells[0]), line=line)
        times[frame] = _time(path, cells[1], line)
        for column, cell in zip(judged, cells[2 + len(parts) :], strict=True):
            sure[frame, column] = _probability(path, cell, parts[column], line)
        for column, cell in enumerate(cells[2 : 2 + len(parts)]):
            if cell not in ("0", "1", "2"):
                wanted = f"0, 1 or 2 for {parts[column]}"
                raise FileProblem(path, wanted, _shown(cell), line=line)
            found[frame, column] = int(cell)
    sliding = found == 2
    return ContactSchedule(
        parts, found > 0, _rate(path, times), sliding if sliding.any() else None,
        sure if judged else None,
    )  # fmt: skip


def _probability(path: Path, cell: object, part: str, line: int | None = None) -> float:
    with contextlib.suppress(ValueError, TypeError):
        value = float(str(cell))
        if 0.0 <= value <= 1.0 and "_" not in str(cell):
            return value
    raise FileProblem(path, f"a probability from 0 to 1 for {part}", _shown(cell), line=line)


def _cells(line: str) -> list[str]:
    return [cell.strip().strip('"').strip() for cell in line.split(",")]


def _csv_parts(path: Path, header: list[str]) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """The parts of a header, and those of them whose confidence follows."""
    if tuple(header[:2]) != _LEADING or len(header) < 3:
        found = _shown(",".join(header))
        raise FileProblem(path, _HEADER, found, line=1, advice=_known_parts())
    named = header[2:]
    first = next((n for n, name in enumerate(named) if name.endswith(_CONFIDENCE)), len(named))
    parts = tuple(named[:first])
    for number, part in enumerate(parts):
        _check_part(path, part, parts[:number], line=1)
    judged: list[int] = []
    for name in named[first:]:
        part = name.removesuffix(_CONFIDENCE)
        if part not in parts or not name.endswith(_CONFIDENCE) or parts.index(part) in judged:
            raise FileProblem(
                path, "confidence of the parts before, once each", _shown(name), line=1
            )
        judged.append(parts.index(part))
    return parts, tuple(judged)


def _check_part(path: Path, part: str, before: tuple[str, ...], line: int | None) -> None:
    if part not in BODY_PARTS:
        nearest = nearest_name(part, BODY_PARTS)
        advice = f"Did you mean '{nearest}'? " if nearest else ""
        advice += _known_parts()
        raise FileProblem(path, "a body part", _shown(part), line=line, advice=advice)
    if part in before:
        raise FileProblem(path, "each body part once", f"'{part}' again", line=line)


def _known_parts() -> str:
    return f"Body parts: {', '.join(BODY_PARTS)}."


def _time(path: Path, cell: str, line: int) -> float:
    with contextlib.suppress(ValueError):
        value = float(cell)
        if np.isfinite(value) and abs(value) < 1e9 and "_" not in cell:
            return value
    raise FileProblem(path, "a time in seconds", _shown(cell), line=line)


def _rate(path: Path, times: NDArray[np.float64]) -> float:
    """Frames a second, from evenly spaced times."""
    steps = len(times) - 1
    span = float(times[-1] - times[0])
    backwards = np.flatnonzero(np.diff(times) <= 0)
    if len(backwards):
        line = int(backwards[0]) + 3
        raise FileProblem(path, "times that go up", f"{times[line - 2]:g} s", line=line)
    even = times[0] + span * np.arange(len(times)) / steps
    worst = int(np.abs(times - even).argmax())
    if abs(times[worst] - even[worst]) > _UNEVEN * span / steps:
        found = f"{times[worst]:g} s in the place of {even[worst]:g} s"
        raise FileProblem(path, "evenly spaced times", found, line=worst + 2)
    rate = steps / span
    # Times are rounded, so the rate is known to this share only: take the plainest number in it.
    blur = 2.0 * 10.0**-_TIME_DECIMALS / span
    for digits in range(1, 12):
        plain = float(f"{rate:.{digits}g}")
        if abs(plain - rate) <= blur * rate:
            return plain
    return rate


def _from_json(path: Path, text: str) -> ContactSchedule:
    form = "an object with 'rate_hz', 'frames' and 'contacts'"
    try:
        content: object = json.loads(text)
    except json.JSONDecodeError as problem:
        raise FileProblem(path, "JSON", problem.msg, line=problem.lineno) from None
    except (RecursionError, ValueError) as problem:
        raise FileProblem(path, form, "very deep nesting or huge numbers") from problem
    if not isinstance(content, dict):
        raise FileProblem(path, form, f"a {type(content).__name__}", line=1)
    fields = cast("dict[str, object]", content)
    for name in ("rate_hz", "frames", "contacts"):
        if name not in fields:
            raise FileProblem(path, form, f"no '{name}'", line=1)
    rate, frames, contacts = fields["rate_hz"], fields["frames"], fields["contacts"]
    if isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate < 1e6:
        raise FileProblem(path, "rate_hz as a positive number", _shown(rate))
    if not _is_whole(frames) or not 0 < frames <= _MOST_FRAMES:
        raise FileProblem(path, f"frames as a number from 1 to {_MOST_FRAMES}", _shown(frames))
    if not isinstance(contacts, dict):
        raise FileProblem(path, "contacts as an object of body parts", _shown(contacts))
    listed = cast("dict[str, object]", contacts)
    touching = np.zeros((frames, len(listed)), dtype=np.bool_)
    for column, (part, spans) in enumerate(listed.items()):
        _check_part(path, part, (), line=None)
        for first, last in _spans(path, part, spans, frames):
            touching[first:last, column] = True
    sliding = np.zeros_like(touching)
    slides = fields.get("sliding", {})
    if not isinstance(slides, dict):
        raise FileProblem(path, "sliding as an object of body parts", _shown(slides))
    for part, spans in cast("dict[str, object]", slides).items():
        if part not in listed:
            raise FileProblem(path, "sliding of parts that touch", _shown(part))
        column = list(listed).index(part)
        for first, last in _spans(path, part, spans, frames):
            if not touching[first:last, column].all():
                raise FileProblem(path, f"sliding of {part} while it touches", f"{first} to {last}")
            sliding[first:last, column] = True
    return ContactSchedule(
        tuple(listed), touching, float(rate), sliding if sliding.any() else None,
        _json_confidence(path, fields.get("confidence"), tuple(listed), frames),
    )  # fmt: skip


def _json_confidence(
    path: Path, given: object, parts: tuple[str, ...], frames: int
) -> NDArray[np.float64] | None:
    if given is None:
        return None
    if not isinstance(given, dict):
        raise FileProblem(path, "confidence as an object of body parts", _shown(given))
    sure = np.ones((frames, len(parts)))
    for part, values in cast("dict[str, object]", given).items():
        if part not in parts:
            raise FileProblem(path, "confidence of parts that are listed", _shown(part))
        if not isinstance(values, list) or len(cast("list[object]", values)) != frames:
            raise FileProblem(path, f"{frames} probabilities for {part}", _shown(values))
        sure[:, parts.index(part)] = [
            _probability(path, value, part) for value in cast("list[object]", values)
        ]
    return sure


def _spans(path: Path, part: str, spans: object, frames: int) -> list[tuple[int, int]]:
    wanted = f"{part} as a list of [first, last + 1] frames inside 0 to {frames}"
    if not isinstance(spans, list):
        raise FileProblem(path, wanted, _shown(spans))
    found: list[tuple[int, int]] = []
    for span in cast("list[object]", spans):
        first, last = cast("list[object]", span) if _is_pair(span) else (None, None)
        if not (_is_whole(first) and _is_whole(last) and 0 <= first < last <= frames):
            raise FileProblem(path, wanted, _shown(span))
        found.append((first, last))
    return found


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(cast("list[object]", value)) == 2


def _is_whole(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)


def _shown(value: object) -> str:
    return shown(str(value)) if str(value) else "''"
