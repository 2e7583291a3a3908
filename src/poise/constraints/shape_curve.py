"""Shape constraints: a trajectory S(u) and its timing T(t), from points and times alone.

The five steps of section 4.2: control points at the original's ends, tangents there from its
velocity, a control point for every point to pass, tension 1 where it should rest, and a timing that
brings it to each point when asked.

The paper leaves the parameter u open. Here it is the time spent moving: T rises one for one, and is
level while the point rests. So the speed of S(T(t)) jumps nowhere at default parameters: knots lie
in S at the times between them, which makes it C¹ in time, and at the corners of T, the ends of a
rest, the tangents are zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.constraints.kochanek_bartels import KochanekBartels, kochanek_bartels
from poise.constraints.record_checks import Vector, number, put, vector, whole
from poise.constraints.time_curve import TimeCurve
from poise.errors import BadValue


@dataclass(frozen=True)
class PassPoint:
    """A place to be at a time."""

    frame: int
    place_m: Vector
    until: int | None = None
    """The last frame of a rest at the place; None: it is only passed."""
    tension: float = 0.0
    """1: comes to a stop; 0: as usual; negative: a rounder curve. A rest has tension 1."""
    continuity: float = 0.0
    """Other than 0, the direction breaks here; -1 makes a corner."""
    bias: float = 0.0
    """1: swings past the place before it turns; -1: turns before it."""

    def __post_init__(self) -> None:
        name = f"pass point at frame {self.frame}"
        frame = whole(name, "frame", self.frame)
        if frame < 0:
            raise BadValue(f"frame of '{name}'", "zero or more", frame)
        if self.until is not None:
            put(self, until=whole(name, "until", self.until))
            if self.until < frame:
                raise BadValue(f"until of '{name}'", f"{frame} or later", self.until)
        put(
            self,
            frame=frame,
            place_m=vector(name, "place_m", self.place_m),
            tension=number(name, "tension", self.tension),
            continuity=number(name, "continuity", self.continuity),
            bias=number(name, "bias", self.bias),
        )

    @property
    def last(self) -> int:
        """The last frame at the place."""
        return self.frame if self.until is None else self.until


@dataclass(frozen=True, eq=False)
class ShapeCurve:
    """The pair (S(u), T(t)); times are frames."""

    trajectory: KochanekBartels
    timing: TimeCurve

    def at(self, frames: ArrayLike) -> Array:
        """(n, 3) the places S(T(t)) at frames (n,), whole or between."""
        return self.trajectory.at(self.timing.at(frames))


@dataclass(frozen=True, eq=False)
class CurveEnd:
    """Where a curve leaves the original, or comes back to it."""

    frame: int
    place_m: Array
    """(3,)"""
    velocity_m: Array
    """(3,) metres a frame."""


def shape_curve(start: CurveEnd, end: CurveEnd, through: Sequence[PassPoint]) -> ShapeCurve:
    """The curve from the original, through the points at their frames, back to the original.

    A point at the first or last frame takes the place of that end, and keeps its velocity.

    Args:
        start: the original at the first frame.
        end: the original at the last frame, later than the first.
        through: one or more points in ascending order, from the first frame to the last.
    """
    first, last = [p.frame for p in through], [p.last for p in through]
    places = [np.array(p.place_m) for p in through]
    shapes = [(1.0 if p.until is not None else p.tension, p.continuity, p.bias) for p in through]
    if first[0] > start.frame:
        first, last = [start.frame, *first], [start.frame, *last]
        places, shapes = [start.place_m, *places], [_PLAIN, *shapes]
    if last[-1] < end.frame:
        first, last = [*first, end.frame], [*last, end.frame]
        places, shapes = [*places, end.place_m], [*shapes, _PLAIN]
    knots, times, parameters, rested = list[int](), list[int](), list[int](), 0
    for arrival, departure in zip(first, last, strict=True):
        knots.append(arrival - rested)
        rested += departure - arrival
        # One corner of the timing for a point that is only passed, two for a rest.
        times += [arrival, departure] if departure > arrival else [arrival]
        parameters += [knots[-1]] * (2 if departure > arrival else 1)
    tension, continuity, bias = np.array(shapes).T
    trajectory = kochanek_bartels(
        knots,
        np.array(places),
        tension=tension,
        continuity=continuity,
        bias=bias,
        first_tangent=(1.0 - tension[0]) * start.velocity_m,
        last_tangent=(1.0 - tension[-1]) * end.velocity_m,
    )
    return ShapeCurve(trajectory, TimeCurve(np.array(times), np.array(parameters)))


_PLAIN = (0.0, 0.0, 0.0)
"""Tension, continuity and bias of the ends."""
