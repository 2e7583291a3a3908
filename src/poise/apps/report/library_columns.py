"""The clips of a batch as compact columns, the worst first.

Rows come one at a time and are let go; what stays is a list of names and an array per figure.
Figures are kept to four digits, so that charts, counts, table and filters all speak of the same
numbers.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast
from urllib.parse import quote

import numpy as np

from poise.apps.report.library_causes import Cause, Grouping
from poise.apps.report.page import as_text
from poise.apps.report.words import UNDER_INPUT_CONTACTS, Kind, kinds_in_order
from poise.arrays import Array, Indices

DONE = ("met", "not_met")
"""How clips end that have outputs and figures; all other ends are failures."""
FAILURES = ("refused", "out_of_time", "out_of_memory", "crashed", "bug")
LONGEST_REASON = 240
_TOO_LARGE = 1e100
"""No figure is: something went wrong, and nothing was measured."""


@dataclass(frozen=True, eq=False)
class Figures:
    """One figure of all done clips; NaN where there was nothing to measure."""

    kind: Kind
    before: Array
    after: Array
    under: Array
    """After, with the contacts of the input."""

    @property
    def changes(self) -> Array:
        """1 where it got better, -1 worse, 0 neither; NaN where that cannot be said."""
        return self.kind.changes(self.before, self.after)


@dataclass(frozen=True)
class ClipRow:
    """What the page says of a clip besides its figures; NaN for what is not known."""

    name: str
    status: str
    reason: str
    link: str
    report_link: str
    motion_s: float
    compute_s: float
    peak_mb: float
    attempts: float


@dataclass(frozen=True, eq=False)
class Library:
    """All clips: done ones from the worst to the best, then the failures by status and name."""

    clips: tuple[ClipRow, ...]
    figures: tuple[Figures, ...]
    """Of the first `done` clips."""
    done: int
    poor_counts: Indices
    worse_counts: Indices
    """How many figures of each done clip are poor; how many got worse and are not good."""
    worst: Indices
    """The figure furthest beyond its limit, by its place; -1 without any."""
    times: Array
    """How many times the limit of poor that figure is."""
    causes: tuple[Cause, ...]
    """Why clips failed or missed a goal, the most frequent first."""
    notes: tuple[Cause, ...]
    """What was said of clips, the most frequent first."""
    versions: tuple[str, ...]
    recipes: tuple[str, ...]
    last: str
    """When the last clip was finished."""

    @property
    def counts(self) -> dict[str, int]:
        """Clips by status, in the order of the page."""
        found = Counter(clip.status for clip in self.clips)
        order = [*DONE, *FAILURES]
        order += sorted(set(found) - set(order))
        return {status: found[status] for status in order if found[status]}


def read_library(rows: Iterable[Mapping[str, object]]) -> Library:
    """Columns from rows; what a row lacks or holds in an unknown form counts as missing."""
    clips: list[ClipRow] = []
    done: list[int] = []
    measured: dict[tuple[str, str], array[float]] = {}
    notes, versions, recipes, last = Grouping(), Counter[str](), Counter[str](), ""
    for row in rows:
        clip = _clip_row(row)
        said = row.get("notes")
        if isinstance(said, (list, tuple)):
            for note in cast(Sequence[object], said):
                notes.add(len(clips), "", as_text(note), clip.name)
        versions[as_text(row.get("poise"))] += 1
        recipes[as_text(row.get("recipe_sha256"))] += 1
        last = max(last, as_text(row.get("finished")))
        if clip.status in DONE:
            for when in ("before", "after"):
                _measure(measured, len(done), when, _mapping(row.get(when)))
            done.append(len(clips))
        clips.append(clip)
    figures = _figures(measured, len(done))
    poor, worse, worst, times = _judged(figures, len(done))
    rank = sorted(range(len(done)), key=lambda n: (-poor[n], -times[n], clips[done[n]].name))
    order = [done[n] for n in rank]
    order += sorted(
        set(range(len(clips))) - set(done), key=lambda n: (clips[n].status, clips[n].name, n)
    )
    clips = [clips[n] for n in order]
    reasons = Grouping()
    for place, clip in enumerate(clips):
        if clip.status != "met":
            reasons.add(place, clip.status, clip.reason, clip.name)
    ranked = [Figures(f.kind, f.before[rank], f.after[rank], f.under[rank]) for f in figures]
    known = [tuple(t for t, _ in found.most_common() if t) for found in (versions, recipes)]
    return Library(
        clips=tuple(clips),
        figures=tuple(ranked),
        done=len(done),
        poor_counts=poor[rank],
        worse_counts=worse[rank],
        worst=worst[rank],
        times=times[rank],
        causes=reasons.causes(),
        notes=notes.causes(np.argsort(order).tolist()),
        versions=known[0],
        recipes=known[1],
        last=last,
    )


def link_to(file: object) -> str:
    """A relative link to a file beside the page; empty for what lies elsewhere or is no name."""
    if not isinstance(file, str) or not file or file.startswith("/"):
        return ""
    try:
        # File names that are not text keep their bytes.
        return "./" + quote(file, errors="surrogateescape")
    except UnicodeEncodeError:
        return "./" + quote(file, errors="replace")


def _clip_row(row: Mapping[str, object]) -> ClipRow:
    rate_hz = _number(row.get("rate_hz"))
    motion_s = _number(row.get("frames")) / rate_hz if rate_hz > 0.0 else math.nan
    reason = as_text(row.get("reason")).strip()
    if len(reason) > LONGEST_REASON:
        reason = f"{reason[: LONGEST_REASON - 1]}…"
    outputs = _mapping(row.get("outputs"))
    return ClipRow(
        name=as_text(row.get("clip")) or "(no name)",
        status=as_text(row.get("status")) or "unknown",
        reason=reason,
        link=link_to(_mapping(outputs.get("clip")).get("file")),
        report_link=link_to(_mapping(outputs.get("report")).get("file")),
        motion_s=_number(motion_s),
        compute_s=_number(row.get("seconds")),
        peak_mb=_number(row.get("peak_mb")),
        attempts=_number(row.get("attempts")),
    )


def _measure(
    measured: dict[tuple[str, str], array[float]],
    done: int,
    when: str,
    values: Mapping[str, object],
) -> None:
    """The figures of one clip more after so many done ones."""
    for key, value in values.items():
        which = (when, as_text(key))
        if when == "after" and which[1].endswith(UNDER_INPUT_CONTACTS):
            which = ("under", which[1].removesuffix(UNDER_INPUT_CONTACTS))
        column = measured.setdefault(which, array("d"))
        column.extend([math.nan] * (done - len(column)))
        # Two keys that read alike are one.
        if len(column) == done:
            column.append(float(f"{_number(value):.4g}"))


def _figures(measured: Mapping[tuple[str, str], array[float]], done: int) -> list[Figures]:
    """Those that any clip has, in the order of the page."""
    found: list[Figures] = []
    for kind in kinds_in_order({key for _, key in measured}):
        columns = np.full((3, done), np.nan)
        for column, when in zip(columns, ("before", "after", "under"), strict=True):
            known = measured.get((when, kind.key), array("d"))
            column[: len(known)] = known
        if np.isfinite(columns).any():
            found.append(Figures(kind, *columns))
    return found


def _judged(figures: list[Figures], done: int) -> tuple[Indices, Indices, Indices, Array]:
    """Of every done clip: poor figures, worsened ones, the worst, and how bad that is."""
    poor, worse = np.zeros(done, dtype=np.int64), np.zeros(done, dtype=np.int64)
    worst, times = np.full(done, -1, dtype=np.int64), np.full(done, -math.inf)
    for place, figure in enumerate(figures):
        kind = figure.kind
        if not kind.is_judged:
            continue
        poor += kind.is_poor(figure.after)
        worse += (figure.changes == -1.0) & ~kind.is_good(figure.after)
        beyond = kind.times_poor(figure.after)
        further = beyond > times
        worst[further], times[further] = place, beyond[further]
    return poor, worse, worst, np.where(worst < 0, 0.0, times)


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, Mapping) else {}


def _number(value: object) -> float:
    """A number that means something, or NaN."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        found = float(value)
    except OverflowError:
        return math.nan
    return found if abs(found) < _TOO_LARGE else math.nan
