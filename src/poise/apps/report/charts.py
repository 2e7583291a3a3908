"""What charts are made of: lines, bars, outlines, points and their keys; pages draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from poise.arrays import Array

Lane = Literal["whole", "upper", "lower", "under"]
"""Of a row's height; what is under a bar marks it."""

Look = Literal["solid", "rim", "hatched"]


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
    look: Look = "solid"
    """A rim has no words of its own: what lies in it says them."""
    strength: float = 1.0
    """How much of its colour a solid one has."""


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
    kind: Literal["line", "dashed", "area", "faint", "hatched", "dot"] = "area"


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
