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
from functools import partial
from typing import Any, cast
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


@dataclass(frozen=True, eq=False)
class Library:
    """All clips: done ones from the worst to the best, then the failures by status and name."""

    clips: tuple[str, ...]
    statuses: tuple[str, ...]
    reasons: tuple[str, ...]
    clip_links: tuple[str, ...]
    report_links: tuple[str, ...]
    motion_s: Array
    compute_s: Array
    peak_mb: Array
    attempts: Array
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
        found = Counter(self.statuses)
        order = [*DONE, *FAILURES]
        order += sorted(set(found) - set(order))
        return {status: found[status] for status in order if found[status]}


def read_library(rows: Iterable[Mapping[str, Any]]) -> Library:
    """Columns from rows; what a row lacks or holds in an unknown form counts as missing."""
    reading = _Reading()
    for row in rows:
        reading.add(row)
    return reading.library()


def link_to(file: str) -> str:
    """A relative link to a file beside the page; empty for what lies elsewhere."""
    if not file or file.startswith("/"):
        return ""
    try:
        # File names that are not text keep their bytes.
        return "./" + quote(file, errors="surrogateescape")
    except UnicodeEncodeError:
        return "./" + quote(file, errors="replace")


class _Reading:
    """Columns that grow."""

    def __init__(self) -> None:
        self._texts: dict[str, list[str]] = {
            name: [] for name in ("clip", "status", "reason", "clip_link", "report_link")
        }
        self._sizes = {name: array("d") for name in ("motion", "seconds", "peak_mb", "attempts")}
        self._done = 0
        self._measured: dict[tuple[str, str], array[float]] = {}
        self._notes = Grouping()
        self._versions: Counter[str] = Counter()
        self._recipes: Counter[str] = Counter()
        self._last = ""

    def add(self, row: Mapping[str, Any]) -> None:
        """One clip more."""
        clip = as_text(row.get("clip")) or "(no name)"
        status = as_text(row.get("status")) or "unknown"
        reason = as_text(row.get("reason")).strip()
        outputs = _mapping(row.get("outputs"))
        texts = (clip, status, _cut(reason), _output(outputs, "clip"), _output(outputs, "report"))
        for column, text in zip(self._texts.values(), texts, strict=True):
            column.append(text)
        rate_hz = _number(row.get("rate_hz"))
        motion_s = _number(row.get("frames")) / rate_hz if rate_hz > 0.0 else math.nan
        self._sizes["motion"].append(_number(motion_s))
        for name in ("seconds", "peak_mb", "attempts"):
            self._sizes[name].append(_number(row.get(name)))
        said = row.get("notes")
        if isinstance(said, (list, tuple)):
            for note in cast(Sequence[object], said):
                self._notes.add(len(self._texts["clip"]) - 1, "", as_text(note), clip)
        self._versions[as_text(row.get("poise"))] += 1
        self._recipes[as_text(row.get("recipe_sha256"))] += 1
        self._last = max(self._last, as_text(row.get("finished")))
        if status in DONE:
            self._measure("before", _mapping(row.get("before")))
            self._measure("after", _mapping(row.get("after")))
            self._done += 1

    def _measure(self, when: str, values: Mapping[str, Any]) -> None:
        for key, value in values.items():
            which = (when, as_text(key))
            if when == "after" and which[1].endswith(UNDER_INPUT_CONTACTS):
                which = ("under", which[1].removesuffix(UNDER_INPUT_CONTACTS))
            column = self._measured.setdefault(which, array("d"))
            _fill(column, self._done)
            # Two keys that read alike are one.
            if len(column) == self._done:
                column.append(_rounded(_number(value)))

    def library(self) -> Library:
        """All columns, in the order of the page."""
        for column in self._measured.values():
            _fill(column, self._done)
        kinds = kinds_in_order({key for _, key in self._measured})
        figures = [_figures(kind, self._measured, self._done) for kind in kinds]
        figures = [f for f in figures if np.isfinite([f.before, f.after, f.under]).any()]
        texts = {name: np.array(column, dtype=object) for name, column in self._texts.items()}
        is_done = np.isin(texts["status"].astype(str), DONE)
        done, failed = np.flatnonzero(is_done), np.flatnonzero(~is_done)
        poor, worse, worst, times = _judged(figures, len(done))
        by_name = np.argsort(np.argsort(texts["clip"][done].astype(str), kind="stable"))
        rank = np.lexsort([by_name, -times, -poor])
        failed = failed[np.lexsort([texts[c][failed].astype(str) for c in ("clip", "status")])]
        order = np.concatenate([done[rank], failed]).astype(np.int64)
        listed = {name: tuple(column[order].tolist()) for name, column in texts.items()}
        reasons = Grouping()
        for place, (clip, status, reason) in enumerate(
            zip(listed["clip"], listed["status"], listed["reason"], strict=True)
        ):
            if status != "met":
                reasons.add(place, status, reason, clip)
        places = np.argsort(order).tolist()
        sized = partial(_in_order, self._sizes, order)
        return Library(
            clips=listed["clip"], statuses=listed["status"], reasons=listed["reason"],
            clip_links=listed["clip_link"], report_links=listed["report_link"],
            motion_s=sized("motion"), compute_s=sized("seconds"), peak_mb=sized("peak_mb"),
            attempts=sized("attempts"), figures=tuple(_reordered(f, rank) for f in figures),
            done=len(done), poor_counts=poor[rank], worse_counts=worse[rank], worst=worst[rank],
            times=times[rank], causes=reasons.causes(), notes=self._notes.causes(places),
            versions=_said(self._versions), recipes=_said(self._recipes), last=self._last,
        )  # fmt: skip


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


def _figures(kind: Kind, measured: Mapping[tuple[str, str], array[float]], done: int) -> Figures:
    missing = np.full(done, np.nan)
    before, after, under = (
        np.frombuffer(measured[when, kind.key]) if (when, kind.key) in measured else missing
        for when in ("before", "after", "under")
    )
    return Figures(kind, before, after, under)


def _reordered(figures: Figures, rank: Indices) -> Figures:
    return Figures(figures.kind, figures.before[rank], figures.after[rank], figures.under[rank])


def _in_order(sizes: Mapping[str, array[float]], order: Indices, name: str) -> Array:
    return np.array(sizes[name], dtype=np.float64)[order]


def _mapping(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _output(outputs: Mapping[str, Any], name: str) -> str:
    file = _mapping(outputs.get(name)).get("file")
    return link_to(file) if isinstance(file, str) else ""


def _number(value: object) -> float:
    """A number that means something, or NaN."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return math.nan
    try:
        found = float(value)
    except OverflowError:
        return math.nan
    return found if abs(found) < _TOO_LARGE else math.nan


def _rounded(value: float) -> float:
    return float(f"{value:.4g}")


def _fill(column: array[float], length: int) -> None:
    column.extend([math.nan] * (length - len(column)))


def _cut(words: str) -> str:
    return words if len(words) <= LONGEST_REASON else f"{words[: LONGEST_REASON - 1]}…"


def _said(found: Counter[str]) -> tuple[str, ...]:
    return tuple(text for text, _ in found.most_common() if text)
