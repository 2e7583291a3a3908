"""Level bars against a limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from poise.apps.report.chart_frame import (
    BOTTOM,
    TOP,
    WIDTH,
    Frame,
    frame_svg,
    svg,
    text_svg,
    text_width,
)
from poise.apps.report.figure_box import Entry, FigureBox
from poise.apps.report.ticks import Ticks

ROW = 22.0


@dataclass(frozen=True)
class Bar:
    """One thing, how far it goes at most, and most of the time."""

    label: str
    peak: float
    usual: float
    before: float | None = None


def bar_chart(
    title: str, about: str, bars: Sequence[Bar], x_label: str, limit: float, limit_label: str
) -> FigureBox:
    """Bars with a line at the limit; what lies beyond it changes its colour."""
    height = TOP + ROW * len(bars) + BOTTOM
    before = [b.before for b in bars if b.before is not None]
    most = max([limit, *(b.peak for b in bars), *before]) * 1.12
    room = min(170.0, max(text_width(b.label) for b in bars) + 10.0)
    frame = Frame((0.0, most), (0.0, float(len(bars))), x_label, "", WIDTH, height, room)
    parts = [frame_svg(frame, y_ticks=Ticks((), ()))]
    for place, bar in enumerate(bars):
        parts += _bar_svg(frame, bar, TOP + ROW * place, limit)
    x = float(frame.x(np.array(limit)))
    parts.append(f'<path class="limit" d="M{x:.1f} {TOP - 4:.1f}V{height - BOTTOM:.1f}"/>')
    side = "end" if x > 0.6 * WIDTH else "start"
    parts.append(text_svg(x + (-4 if side == "end" else 4), 13, limit_label, side, "note"))
    legend = [
        Entry("peak", "blue", "area"),
        Entry("peak beyond the limit", "vermilion", "area"),
        Entry("most of the time (95 %)", "ink", "line"),
    ]
    if before:
        legend.append(Entry("peak of the original", "orange", "line"))
    return FigureBox(title, about, svg(frame, parts, f"{title}. {about}"), tuple(legend))


def _bar_svg(frame: Frame, bar: Bar, top: float, limit: float) -> list[str]:
    left = frame.inner[0]
    color = "vermilion" if bar.peak > limit else "blue"

    def at(value: float) -> float:
        return float(frame.x(np.array(value)))

    label = bar.label
    while text_width(label) > left - 8 and len(label) > 4:
        label = label[:-2].rstrip("…") + "…"
    parts = [
        text_svg(left - 6, top + 0.5 * ROW + 4, label, "end", "tick"),
        f'<rect class="fill {color}" x="{left:.1f}" y="{top + 4:.1f}" rx="2" '
        f'width="{max(at(bar.peak) - left, 0.5):.1f}" height="14">'
        f"<title>{escape(bar.label)}: peak {bar.peak:.0f} %, 95 % of the time under "
        f"{bar.usual:.0f} %</title></rect>",
        f'<path class="line ink" d="M{at(bar.usual):.1f} {top + 2:.1f}v18"/>',
    ]
    if bar.before is not None:
        parts.append(f'<path class="line orange" d="M{at(bar.before):.1f} {top + 2:.1f}v18"/>')
    return parts
