"""Bins for values of many clips: round edges, on a log axis where the spread asks for it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poise.apps.report.ticks import Ticks, nice_ticks
from poise.apps.report.words import number
from poise.arrays import Array, Indices

BINS = 36
"""About how many."""
LEAST_SHOWN = 1e-3
"""On a log axis, what is smaller counts as next to nothing."""
_PEAK_TIMES = 12.0
_SPREAD_TIMES = 30.0
"""So many times the median at the top, or between the tenths at both ends, ask for a log axis."""
_MOST_PER_DECADE = 12.0
_FAR_BELOW = 30.0
"""A smallest value so many times below the first hundredth does not stretch the axis."""
_LEAST_SPAN = 0.02
"""Of the largest value: closer ones are not spread out further."""


@dataclass(frozen=True)
class Bins:
    """Half-open bins from one edge to the next; the last edge lies beyond all values."""

    edges: Array
    is_log: bool = False
    has_rest: bool = False
    """Whether a bin of its own takes all below the first edge; on a log axis only."""

    def counts(self, values: Array) -> Indices:
        """How many values each bin has; the first is that below the first edge, if there is one."""
        known = values[np.isfinite(values)]
        places = np.searchsorted(self.edges, known, side="right") - (not self.has_rest)
        return np.bincount(places, minlength=len(self.edges) - (not self.has_rest))

    def place(self, value: float) -> float:
        """Where a value lies, from 0 at the first edge to 1 at the last; below 0 if before it."""
        first, last = float(self.edges[0]), float(self.edges[-1])
        if not self.is_log:
            return (value - first) / (last - first)
        if value < first * (1 - 1e-9):
            return -1.0
        return max(0.0, math.log(value / first) / math.log(last / first))

    def ticks(self, wanted: int) -> Ticks:
        """Round numbers along the axis, without the bin below the first edge."""
        first, last = float(self.edges[0]), float(self.edges[-1])
        if not self.is_log:
            return nice_ticks(first, last, wanted)
        low, high = math.ceil(math.log10(first) - 1e-9), math.floor(math.log10(last) + 1e-9)
        steps = (1.0,) if high - low >= 3 else (1.0, 3.0) if high - low == 2 else (1.0, 2.0, 5.0)
        values = [
            m * 10.0**k for k in range(low - 1, high + 1) for m in steps
            if first * (1 - 1e-9) <= m * 10.0**k <= last * (1 + 1e-9)
        ]  # fmt: skip
        labels = (number(v) if 1e3 <= v < 1e7 else f"{v:g}" for v in values)
        return Ticks(tuple(values), tuple(labels))


def bins_for(*series: Array, include: float = math.nan, may_be_log: bool = True) -> Bins:
    """Bins that hold all finite values of some series.

    Args:
        series: values; NaN is left out.
        include: where all values are the same, the axis reaches this far too; NaN for no such end.
        may_be_log: whether a log axis makes sense at all.
    """
    values = np.concatenate([s[np.isfinite(s)] for s in series]) if series else np.zeros(0)
    if may_be_log and _asks_for_log(values):
        return _log_bins(values)
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    is_bounded = low >= 0.0
    if low == high and math.isfinite(include):
        low, high = min(low, include), max(high, include)
    if 0.0 <= low < 0.5 * high:
        low = 0.0
    span = max(high - low, _LEAST_SPAN * max(abs(low), abs(high)), LEAST_SHOWN)
    step = _round_step(span / BINS)
    first, last = math.floor(low / step + 1e-9), math.floor(high / step + 1e-9) + 1
    if last - first < BINS // 2:
        # All values are (nearly) the same: some room on both sides.
        first, last = first - BINS // 4, last + BINS // 4
        first = max(first, 0) if is_bounded else first
    decimals = max(0, -math.floor(math.log10(step)) + 1)
    return Bins(np.array([round(k * step, decimals) for k in range(first, last + 1)]))


def _asks_for_log(values: Array) -> bool:
    shown = values[values >= LEAST_SHOWN]
    if not len(shown) or values.min() < 0.0:
        return False
    low, middle, high = np.percentile(shown, [10.0, 50.0, 90.0])
    return bool(shown.max() > _PEAK_TIMES * middle or high > _SPREAD_TIMES * low)


def _log_bins(values: Array) -> Bins:
    shown = values[values >= LEAST_SHOWN]
    least, usual, high = float(shown.min()), float(np.percentile(shown, 1.0)), float(shown.max())
    low = _round_below(least if least * _FAR_BELOW > usual else usual)
    decades = math.log10(high / low)
    wanted = BINS / max(decades, 0.1)
    per_decade = min(wanted, _MOST_PER_DECADE)
    edges = [low]
    while edges[-1] <= high:
        edges.append(float(f"{low * 10.0 ** (len(edges) / per_decade):.3g}"))
    return Bins(np.array(edges), is_log=True, has_rest=bool(values.min() < low))


def _round_below(value: float) -> float:
    """The next smaller of 1, 2 and 5 times a power of ten."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    step = max(m for m in (1.0, 2.0, 5.0) if m * power <= value * (1 + 1e-9))
    return float(f"{step * power:.3g}")


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1.0, 2.0, 2.5, 5.0, 10.0) if m * power >= least * (1 - 1e-9))
