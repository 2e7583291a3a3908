"""Bars over time: when which part of the body touches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

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
from poise.arrays import Array
from poise.contact import intervals

ROW = 26.0


@dataclass(frozen=True, eq=False)
class Row:
    """A part of the body, and when it touches under one or two schedules."""

    label: str
    claimed: NDArray[np.bool_]
    reference: NDArray[np.bool_] | None = None


def span_chart(title: str, about: str, times_s: Array, rows: Sequence[Row]) -> FigureBox:
    """One line per part; under the filled bars, thin ones for the reference schedule."""
    height = TOP + ROW * len(rows) + BOTTOM
    step = float(times_s[1] - times_s[0]) if len(times_s) > 1 else 1.0
    ends = (float(times_s[0]), float(times_s[-1]) + step)
    room = min(130.0, max(text_width(row.label) for row in rows) + 10.0)
    frame = Frame(ends, (0.0, float(len(rows))), "time (s)", "body part", WIDTH, height, room)
    parts = [frame_svg(frame, y_ticks=Ticks((), ()))]
    for place, row in enumerate(rows):
        top = TOP + ROW * place
        parts.append(text_svg(room - 6, top + 0.5 * ROW + 4, row.label, "end", "tick"))
        thick = 15.0 if row.reference is None else 11.0
        parts += _bars(frame, times_s, step, row.claimed, top + 3, thick, "blue", row.label)
        if row.reference is not None:
            words = f"{row.label}, found in the input"
            parts += _bars(frame, times_s, step, row.reference, top + 17, 5.0, "orange", words)
    legend = [Entry("touching, as measured here", "blue", "area")]
    if any(row.reference is not None for row in rows):
        legend.append(Entry("found in the original", "orange", "area"))
    return FigureBox(title, about, svg(frame, parts, f"{title}. {about}"), tuple(legend))


def _bars(
    frame: Frame, times_s: Array, step: float, touching: NDArray[np.bool_],
    top: float, thick: float, color: str, label: str,
) -> list[str]:  # fmt: skip
    bars: list[str] = []
    for first, last in intervals(touching):
        start, end = float(times_s[first]), float(times_s[last - 1]) + step
        left, right = (float(frame.x(np.array(t))) for t in (start, end))
        bars.append(
            f'<rect class="fill {color}" x="{left:.1f}" y="{top:.1f}" rx="2" '
            f'width="{max(right - left, 0.8):.1f}" height="{thick:g}">'
            f"<title>{escape(label)}: {start:.2f} to {end:.2f} s</title></rect>"
        )
    return bars
