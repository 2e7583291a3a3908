"""How a figure lies over all clips, before and after: two rows of bars above one axis."""

from __future__ import annotations

import math
from html import escape

import numpy as np

from poise.apps.report.chart_frame import WIDTH, Frame, svg, text_svg, text_width
from poise.apps.report.library_columns import Figures
from poise.apps.report.library_kinds import Kind
from poise.apps.report.library_links import filter_link
from poise.apps.report.value_bins import LEAST_SHOWN, Bins, bins_for
from poise.apps.report.words import number, unit_words
from poise.arrays import Array
from poise.wording import counted

LEFT, RIGHT, TOP = 52.0, 12.0, 4.0
LANE, BETWEEN = 30.0, 7.0
UNDER = 24.0
"""Room for the axis."""
BELOW, GAP = 20.0, 7.0
"""Width of the bar for what is next to nothing on a log axis, and the gap after it."""
LEAST_BAR = 2.0
"""Height of a bar for one clip among thousands."""
COLORS = {"before": "orange", "after": "blue"}
_VERY_LARGE = 1e7
"""From here on, digits and a power of ten."""
_BOUNDED = ("%", "F1")
"""Units of figures that end at all or nothing: no log axis."""


def distribution_svg(figures: Figures) -> str:
    """Bars before and after; each is a link that filters the table to its clips."""
    kind = figures.kind
    lanes = [
        (when, values)
        for when, values in (("before", figures.before), ("after", figures.after))
        if np.isfinite(values).any()
    ]
    bins = bins_for(
        *(values for _, values in lanes),
        include=kind.good_limit,
        may_be_log=kind.unit not in _BOUNDED,
    )
    height = TOP + len(lanes) * (LANE + BETWEEN) + UNDER
    floor = height - UNDER
    parts: list[str] = _axis_svg(bins, floor) + _verdict_svg(kind, bins, floor)
    for n, (when, values) in enumerate(lanes):
        bottom = TOP + n * (LANE + BETWEEN) + LANE
        parts.append(text_svg(LEFT - 6, bottom - 0.5 * LANE + 5, when, "end", "tick"))
        parts.append(f'<path class="grid" d="M{LEFT:g} {bottom:g}H{WIDTH - RIGHT:g}"/>')
        parts += _bars_svg(kind, bins, when, values, bottom)
        parts += _marks_svg(kind, bins, values, bottom)
    frame = Frame((0.0, 1.0), (0.0, 1.0), "", "", WIDTH, height)
    return svg(frame, parts, f"{kind.name}: how many clips have which value.")


def tail_percent(kind: Kind) -> float:
    """The percentile that speaks of the worst twentieth."""
    return 5.0 if kind.direction == "higher" else 95.0


def percentile(values: Array, percent: float) -> float:
    """Of the known values; NaN if there are none."""
    known = values[np.isfinite(values)]
    return float(np.percentile(known, percent)) if len(known) else math.nan


def said(kind: Kind, value: float) -> str:
    """A figure as it is written; what counts things has no decimals."""
    if abs(value) >= _VERY_LARGE:
        return f"{value:.2e}".replace("e+0", "e").replace("e+", "e")
    return f"{value:.0f}" if kind.is_count and math.isfinite(value) else number(value)


def _bars_svg(kind: Kind, bins: Bins, when: str, values: Array, bottom: float) -> list[str]:
    counts = bins.counts(values)
    most = int(counts.max())
    parts: list[str] = []
    for n, count in enumerate(counts.tolist()):
        if not count:
            continue
        low = float(bins.edges[n - bins.has_rest]) if n or not bins.has_rest else None
        high = float(bins.edges[n + 1 - bins.has_rest])
        left, right = _sides(bins, low, high)
        tall = max(LANE * count / most, LEAST_BAR)
        if low is None:
            span = f"below {_edge(high)}"
        else:
            span = f"{_edge(low)} to below {_edge(high)}"
        unit, top = unit_words(kind.unit), bottom - LANE
        parts.append(
            f'<a href="{escape(_filter(kind, when, low, high))}" tabindex="-1">'
            f"<title>{escape(f'{span} {unit}'.rstrip())}: {counted(count, 'clip')} {when}</title>"
            f'<path class="hit" d="M{left:.1f} {bottom:g}V{top:g}H{right:.1f}V{bottom:g}z"/>'
            f'<path class="bar {COLORS[when]}" d="M{left:.1f} {bottom:g}V{bottom - tall:.1f}'
            f'H{right - 0.8:.1f}V{bottom:g}z"/></a>'
        )
    return parts


def _sides(bins: Bins, low: float | None, high: float) -> tuple[float, float]:
    if low is None:
        return LEFT, LEFT + BELOW
    return _x(bins, low), _x(bins, high)


def _filter(kind: Kind, when: str, low: float | None, high: float) -> str:
    """A link to the clips of a bar."""
    start: dict[str, float] = {} if low is None else {"from": low}
    return filter_link({"by": kind.key, "of": when, **start, "below": high})


def _edge(value: float) -> str:
    return f"{value:g}".replace("-", "−")


def _marks_svg(kind: Kind, bins: Bins, values: Array, bottom: float) -> list[str]:
    middle, tail = (_x(bins, percentile(values, p)) for p in (50.0, tail_percent(kind)))
    return [
        f'<path class="tail" d="M{tail:.1f} {bottom + 2:g}V{bottom - LANE - 2:g}"/>',
        f'<path class="median" d="M{middle:.1f} {bottom + 2:g}V{bottom - LANE - 2:g}"/>',
    ]


def _axis_svg(bins: Bins, floor: float) -> list[str]:
    ticks = bins.ticks(6)
    parts: list[str] = []
    taken = -math.inf
    if bins.has_rest:
        first = float(bins.edges[0])
        label = "≈ 0" if first <= LEAST_SHOWN else f"< {first:g}"
        parts.append(text_svg(LEFT + 0.5 * BELOW, floor + 17, label, "middle", "tick"))
        taken = LEFT + 0.5 * (BELOW + text_width(label)) + 4
    for value, label in zip(ticks.values, ticks.labels, strict=True):
        x, half = _x(bins, value), 0.5 * text_width(label)
        parts.append(f'<path class="grid" d="M{x:.1f} {TOP:g}V{floor + 3:g}"/>')
        middle = min(x, WIDTH - half - 3)
        if middle - half > taken:
            parts.append(text_svg(middle, floor + 17, label, "middle", "tick"))
            taken = middle + half + 6
    return parts


def _verdict_svg(kind: Kind, bins: Bins, floor: float) -> list[str]:
    """A strip along the axis: where values are good, fair and poor."""
    if not kind.is_judged:
        return []
    start, end = LEFT, WIDTH - RIGHT
    good, poor = (min(max(_x(bins, v), start), end) for v in (kind.good_limit, kind.poor_limit))
    strips = [(start, good, "good"), (good, poor, "fair"), (poor, end, "poor")]
    if kind.direction == "higher":
        strips = [(start, poor, "poor"), (poor, good, "fair"), (good, end, "good")]
    return [
        f'<path class="strip-{verdict}" d="M{a:.1f} {floor:g}H{b:.1f}"/>'
        for a, b, verdict in strips
        if b > a
    ]


def _x(bins: Bins, value: float) -> float:
    """Picture coordinate of a value."""
    place = bins.place(value)
    if place < 0.0:
        return LEFT + (0.5 * BELOW if bins.has_rest else 0.0)
    start = LEFT + (BELOW + GAP if bins.has_rest else 0.0)
    return start + place * (WIDTH - RIGHT - start)
