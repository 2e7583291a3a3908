"""The frame of a chart: axes with units and readable marks, as a piece of SVG.

All charts are drawn in one coordinate size and scaled by the page, so that their letters are
readable on a phone and not huge on a desk. Colours that must follow the page's light or dark mode
are left to its style sheet.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from poise.apps.report.ticks import Ticks, nice_ticks
from poise.arrays import Array, Indices

WIDTH = 440.0
HEIGHT = 230.0
LEFT, RIGHT, TOP, BOTTOM = 48.0, 10.0, 25.0, 44.0
FONT = 13.0
_LETTER = 0.56
"""Width of a letter, as a share of its height; on the safe side."""


@dataclass(frozen=True)
class Frame:
    """A rectangle of the picture and the values at its sides."""

    x_range: tuple[float, float]
    y_range: tuple[float, float]
    x_label: str
    y_label: str
    width: float = WIDTH
    height: float = HEIGHT
    left: float = LEFT

    @property
    def inner(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom of the plot."""
        return self.left, TOP, self.width - RIGHT, self.height - BOTTOM

    def x(self, value: Array) -> Array:
        """Picture coordinate of values along x."""
        left, _, right, _ = self.inner
        low, high = self.x_range
        return left + (value - low) * ((right - left) / (high - low))

    def y(self, value: Array) -> Array:
        """Picture coordinate of values along y."""
        _, top, _, bottom = self.inner
        low, high = self.y_range
        return bottom - (value - low) * ((bottom - top) / (high - low))


def frame_svg(frame: Frame, *, y_ticks: Ticks | None = None) -> str:
    """Grid, marks and both axis labels."""
    left, top, right, bottom = frame.inner
    xs = nice_ticks(*frame.x_range, wanted=_room_for(frame, right - left))
    ys = y_ticks or nice_ticks(*frame.y_range, wanted=max(2, round((bottom - top) / 36)))
    parts = [f'<rect class="plot" {_box(left, top, right - left, bottom - top)}/>']
    taken = -np.inf
    for value, label in zip(xs.values, xs.labels, strict=True):
        x = float(frame.x(np.array(value)))
        parts.append(f'<path class="grid" d="M{x:.1f} {top:.1f}V{bottom:.1f}"/>')
        half = 0.5 * _LETTER * FONT * len(label)
        middle = min(x, frame.width - half)
        if middle - half > taken:
            parts.append(_text(middle, bottom + 17, label, "middle", "tick"))
            taken = middle + half + 6
    for value, label in zip(ys.values, ys.labels, strict=True):
        y = float(frame.y(np.array(value)))
        zero = " zero" if value == 0.0 else ""
        parts.append(f'<path class="grid{zero}" d="M{left:.1f} {y:.1f}H{right:.1f}"/>')
        parts.append(_text(left - 5, y + 4, label, "end", "tick"))
    parts.append(_text(0.5 * (left + right), frame.height - 6, frame.x_label, "middle", "axis"))
    parts.append(_text(2, 13, frame.y_label, "start", "axis"))
    return "".join(parts)


def svg(frame: Frame, content: Sequence[str], about: str) -> str:
    """A whole picture, scaled by the page; `about` is read to those who cannot see it."""
    return (
        f'<svg viewBox="0 0 {frame.width:g} {frame.height:g}" role="img" '
        f'aria-label="{escape(about)}" font-size="{FONT:g}">{"".join(content)}</svg>'
    )


def path_of(x: Array, y: Array, *, most: int = 500) -> str:
    """Path data of a line with gaps where a value is missing; extremes survive thinning."""
    keep = _thinned(y, most)
    x, y = x[keep], y[keep]
    words: list[str] = []
    pen_down = False
    for px, py in zip(x.tolist(), y.tolist(), strict=True):
        if not (np.isfinite(px) and np.isfinite(py)):
            pen_down = False
            continue
        words.append(f"{'L' if pen_down else 'M'}{px:.1f} {py:.1f}")
        pen_down = True
    return "".join(words)


def _thinned(y: Array, most: int) -> Indices:
    """Indices of at most about `most` samples: the lowest and highest of every stretch."""
    count = len(y)
    if count <= most:
        return np.arange(count)
    edges = np.linspace(0, count, most // 2 + 1).astype(int)
    kept: list[int] = [0, count - 1]
    for first, last in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        stretch = y[first:last]
        known = np.isfinite(stretch)
        if not known.all():
            # Both sides of a gap, so that it stays one.
            jumps = np.flatnonzero(np.diff(known.astype(int)))
            kept += [first + int(j) for j in jumps] + [first + int(j) + 1 for j in jumps]
            kept.append(first + int(np.argmin(known)))
        if known.any():
            kept.append(first + int(np.nanargmin(stretch)))
            kept.append(first + int(np.nanargmax(stretch)))
    return np.unique(np.array(kept, dtype=np.int64))


def text_svg(x: float, y: float, words: str, anchor: str, kind: str) -> str:
    """A word in a picture."""
    return _text(x, y, words, anchor, kind)


def text_width(words: str) -> float:
    """About how wide a word comes out, on the safe side."""
    return _LETTER * FONT * len(words)


def _room_for(frame: Frame, width: float) -> int:
    longest = max(len(f"{v:.1f}") for v in frame.x_range)
    return max(2, min(8, int(width / (_LETTER * FONT * (longest + 3)))))


def _text(x: float, y: float, words: str, anchor: str, kind: str) -> str:
    return (
        f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">'
        f"{escape(words)}</text>"
    )


def _box(x: float, y: float, width: float, height: float) -> str:
    return f'x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}"'
