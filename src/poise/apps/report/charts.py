"""Charts as records: what the pages' script draws, with its axes, ticks and legend."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.arrays import Array, Indices

Lane = Literal["whole", "upper", "lower"]
"""Of a row's height."""
MOST_POINTS = 500
"""Of a line, about: extremes and gaps survive thinning."""


@dataclass(frozen=True, eq=False)
class Line:
    """One line and its name."""

    label: str
    x: Array
    y: Array
    """(F,) NaN where there is nothing."""
    color: str
    """A name of the style sheet: "blue", "orange", ..."""
    dashed: bool = False


@dataclass(frozen=True, eq=False)
class Outline:
    """An area with a rim: the print of a foot on the ground."""

    label: str
    corners: Array
    """(N, 2)"""
    color: str


@dataclass(frozen=True)
class Bar:
    """A stretch of a row."""

    start: float
    end: float
    color: str
    said: str
    """Where a pointer rests on it."""
    lane: Lane = "whole"


@dataclass(frozen=True)
class Row:
    """Bars beside a name."""

    label: str
    bars: tuple[Bar, ...]
    marks: tuple[tuple[float, str], ...] = ()
    """Strokes across the row: where, and their colours."""
    end: str = ""
    """Said after the last bar."""


@dataclass(frozen=True)
class Dot:
    """A point and its name."""

    label: str
    x: float
    y: float
    group: int = 0
    said: str = ""


@dataclass(frozen=True)
class Key:
    """One line of a legend; lines, outlines and spans have theirs anyway."""

    label: str
    color: str
    kind: Literal["line", "dashed", "area", "dot"] = "area"


@dataclass(frozen=True, eq=False)
class Chart:
    """Lines over time, a map, rows of bars, or points with names."""

    kind: Literal["time", "map", "rows", "dots"]
    title: str
    about: str
    """A sentence on how to read it."""
    x_label: str
    y_label: str
    """What the axes are, with units in brackets."""
    ends: tuple[float, float] = (0.0, 1.0)
    """Of the x axis; maps and points find their own."""
    lines: Sequence[Line] = ()
    outlines: Sequence[Outline] = ()
    rows: Sequence[Row] = ()
    dots: Sequence[Dot] = ()
    include: tuple[float, ...] = ()
    """Values that the y axis must reach."""
    rule: tuple[float, str] | None = None
    """A value worth comparing with: along y in a chart over time, along x in rows."""
    spans: Sequence[tuple[float, float]] = ()
    """Shaded stretches of time."""
    span_name: str = ""
    legend: Sequence[Key] = ()
    wide: bool = False
    """Takes the whole width of the page."""


def thinned(y: Array, most: int = MOST_POINTS) -> Indices:
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
