"""Lines over time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from poise.apps.report.chart_frame import Frame, frame_svg, path_of, svg, text_svg
from poise.apps.report.figure_box import Entry, FigureBox
from poise.apps.report.ticks import range_of
from poise.arrays import Array


@dataclass(frozen=True, eq=False)
class Line:
    """One line and its name."""

    label: str
    y: Array
    """(F,) NaN where there is nothing."""
    color: str
    """A name of the style sheet: "blue", "orange", ..."""
    dashed: bool = False


@dataclass(frozen=True)
class Rule:
    """A value worth comparing with."""

    y: float
    label: str


@dataclass(frozen=True)
class Span:
    """A stretch of time, shaded."""

    start_s: float
    end_s: float
    label: str = ""


def line_chart(
    title: str,
    about: str,
    times_s: Array,
    lines: Sequence[Line],
    y_label: str,
    *,
    include: tuple[float, ...] = (),
    rules: Sequence[Rule] = (),
    spans: Sequence[Span] = (),
    span_name: str = "",
    wide: bool = False,
) -> FigureBox:
    """A chart with time along x.

    Args:
        title: what it shows.
        about: a sentence on how to read it.
        times_s: (F,)
        lines: what is drawn.
        y_label: what y is, with its unit in brackets.
        include: values that the axis must reach, such as zero.
        rules: values to compare with.
        spans: shaded stretches of time.
        span_name: what they are.
        wide: whether it takes the page's whole width.
    """
    ends = (float(times_s[0]), float(times_s[-1]))
    if ends[1] <= ends[0]:
        ends = (ends[0] - 0.5, ends[0] + 0.5)
    shown = range_of(*(line.y for line in lines), include=(*include, *(r.y for r in rules)))
    frame = Frame(ends, shown, "time (s)", y_label)
    parts = [_span_svg(frame, span) for span in spans]
    parts.append(frame_svg(frame))
    parts += [_rule_svg(frame, rule) for rule in rules]
    parts += [_line_svg(frame, times_s, line) for line in lines]
    right = frame.inner[2] - 3
    parts += [
        text_svg(right, float(frame.y(np.array(r.y))) - 4, r.label, "end", "note") for r in rules
    ]
    entries = [Entry(line.label, line.color, "dashed" if line.dashed else "line") for line in lines]
    if spans and span_name:
        entries.append(Entry(span_name, "span", "area"))
    return FigureBox(title, about, svg(frame, parts, f"{title}. {about}"), tuple(entries), wide)


def _line_svg(frame: Frame, times_s: Array, line: Line) -> str:
    data = path_of(frame.x(times_s), frame.y(line.y))
    if not data:
        return ""
    dash = " dashed" if line.dashed else ""
    name = escape(line.label)
    return f'<path class="line {line.color}{dash}" d="{data}"><title>{name}</title></path>'


def _rule_svg(frame: Frame, rule: Rule) -> str:
    left, _, right, _ = frame.inner
    y = float(frame.y(np.array(rule.y)))
    return f'<path class="rule" d="M{left:.1f} {y:.1f}H{right:.1f}"/>'


def _span_svg(frame: Frame, span: Span) -> str:
    _, top, _, bottom = frame.inner
    ends = np.clip([span.start_s, span.end_s], *frame.x_range)
    first, last = (float(x) for x in frame.x(ends))
    box = (
        f'<rect class="span" x="{first:.1f}" y="{top:.1f}" width="{max(last - first, 0.5):.1f}" '
        f'height="{bottom - top:.1f}"/>'
    )
    if not span.label or last - first < 40:
        return box
    return box + text_svg(0.5 * (first + last), bottom - 6, span.label, "middle", "note")
