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

from poise.arrays import Array, frozen_array
from poise.constraints.record_checks import Vector, check_fields
from poise.errors import BadValue


def hermite(knots: Array, points: Array, leaving: Array, arriving: Array, u: Array) -> Array:
    """(n, d) the curve at the parameters `u`, which stands still outside its knots.

    Args:
        knots: (k,) strictly increasing parameters of the points.
        points: (k, d) passed exactly.
        leaving: (k, d) derivatives by the parameter just after each knot.
        arriving: (k, d) the same just before each knot.
        u: (n,) parameters.
    """
    if len(knots) == 1:
        return np.repeat(points, len(u), axis=0)
    u = np.clip(u, knots[0], knots[-1])
    piece = np.clip(np.searchsorted(knots, u, side="right") - 1, 0, len(knots) - 2)
    span = (knots[piece + 1] - knots[piece])[:, None]
    x = (u - knots[piece])[:, None] / span
    start, end = points[piece], points[piece + 1]
    out, back = span * leaving[piece], span * arriving[piece + 1]
    bend = out * (1.0 - x) - back * x + (end - start) * (2.0 * x - 1.0)
    curve = start + x * (end - start) + x * (1.0 - x) * bend
    return np.where(x == 1.0, end, curve)


# Kochanek–Bartels splines: a curve through points, shaped by tension, continuity and bias.
#
# Knots may be unevenly spaced. The tangents carry the authors' adjustment for that, so that at
# zero continuity the derivative by the parameter is the same on both sides of a knot: the curve
# is C¹ in its parameter (not C²). At default parameters on even knots it is a Catmull–Rom spline.
#
# D. Kochanek and R. Bartels, Interpolating splines with local tension, continuity, and bias
# control, SIGGRAPH 1984.
@dataclass(frozen=True, eq=False)
class KochanekBartels:
    """A curve S(u) with its tangents worked out; `kochanek_bartels` makes it."""

    knots: Array
    """(k,) strictly increasing."""
    points: Array
    """(k, d)"""
    leaving: Array
    """(k, d) derivative by u just after each knot."""
    arriving: Array
    """(k, d) and just before."""

    def at(self, u: ArrayLike) -> Array:
        """(n, d) the places at parameters (n,); outside the knots, the place at the nearest one."""
        parameters = np.asarray(u, dtype=np.float64)
        return hermite(self.knots, self.points, self.leaving, self.arriving, parameters)


def kochanek_bartels(
    knots: ArrayLike,
    points: ArrayLike,
    *,
    tension: ArrayLike = 0.0,
    continuity: ArrayLike = 0.0,
    bias: ArrayLike = 0.0,
    first_tangent: ArrayLike | None = None,
    last_tangent: ArrayLike | None = None,
) -> KochanekBartels:
    """The curve through `points` at `knots`.

    Args:
        knots: (k,) strictly increasing parameters.
        points: (k, d) one or more.
        tension: one number, or one for each point. 1: the tangents vanish there; 0: as usual;
            negative: rounder.
        continuity: likewise. Other than 0, the direction breaks at the point: -1 makes a corner.
        bias: likewise. Which chord the tangent follows: 1 the one before, -1 the one after.
        first_tangent: (d,) derivative by u at the first point. Without one, the first piece is
            the parabola that meets its neighbour (a straight line when there is none).
        last_tangent: the same at the last point.
    """
    knots = frozen_array("knots", knots, ("k",))
    points = frozen_array("points", points, (len(knots), "d"))
    if len(knots) == 0 or not (knots[1:] > knots[:-1]).all():
        raise BadValue("knots", "one or more, strictly increasing", knots.tolist())
    leaving, arriving = np.zeros(points.shape), np.zeros(points.shape)
    if len(knots) > 2:
        t, c, b = (_inner(value) for value in (tension, continuity, bias))
        chords = points[1:] - points[:-1]
        before, after = (1 + b) * chords[:-1], (1 - b) * chords[1:]
        # Half the sum of the chords belongs to half the sum of their spans.
        tight = (1.0 - t) / (knots[2:] - knots[:-2])[:, None]
        leaving[1:-1] = tight * ((1 + c) * before + (1 - c) * after)
        arriving[1:-1] = tight * ((1 - c) * before + (1 + c) * after)
    if len(knots) > 1:
        _set_ends(knots, points, leaving, arriving, first_tangent, last_tangent)
    return KochanekBartels(knots, points, leaving, arriving)


def _inner(value: ArrayLike) -> Array:
    """A column of one number for each inner point, or the number for all of them."""
    numbers = np.asarray(value, dtype=np.float64)
    return numbers[1:-1, None] if numbers.ndim else numbers


def _set_ends(
    knots: Array,
    points: Array,
    leaving: Array,
    arriving: Array,
    first: ArrayLike | None,
    last: ArrayLike | None,
) -> None:
    """Tangents at the ends: as given, or so that the end pieces have no third derivative."""
    if first is None:
        slope = (points[1] - points[0]) / (knots[1] - knots[0])
        first = slope if len(knots) == 2 else 2.0 * slope - arriving[1]
    if last is None:
        slope = (points[-1] - points[-2]) / (knots[-1] - knots[-2])
        last = slope if len(knots) == 2 else 2.0 * slope - leaving[-2]
    leaving[0] = arriving[0] = first
    leaving[-1] = arriving[-1] = last


@dataclass(frozen=True, eq=False)
class TimeCurve:
    """u = T(t): which parameter of the trajectory belongs to a time.

    Between corners it is linear; where it is level, what follows it stands still. Its slope jumps
    at a corner, and so does the speed there, unless the trajectory's tangent vanishes at it.
    """

    times: Array
    """(k,) of the corners, strictly increasing."""
    parameters: Array
    """(k,) u at the corners, never decreasing."""

    def __post_init__(self) -> None:
        times = frozen_array("times", self.times, ("k",))
        parameters = frozen_array("parameters", self.parameters, (len(times),))
        if len(times) == 0 or not (times[1:] > times[:-1]).all():
            raise BadValue("times", "one or more, strictly increasing", times.tolist())
        if not (parameters[1:] >= parameters[:-1]).all():
            raise BadValue("parameters", "never decreasing", parameters.tolist())
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "parameters", parameters)

    def at(self, t: ArrayLike) -> Array:
        """(n,) the parameters at times (n,); before the first and after the last, theirs."""
        return np.interp(np.asarray(t, dtype=np.float64), self.times, self.parameters)


def smooth_keys(frames: Array, values: Array, at: Array) -> Array:
    """(n, d) values at the frames `at`: C¹, and never beyond the keys on either side.

    At rest on a key that is a high or a low, and on the outermost ones, beyond which the value
    stays; elsewhere the slope is the harmonic mean of those of both sides (Fritsch and Butland
    1984), so that equal keys give a level stretch.

    Args:
        frames: (k,) strictly increasing, one or more.
        values: (k, d)
        at: (n,)
    """
    slopes = np.zeros(values.shape)
    if len(frames) > 2:
        steps = np.diff(values, axis=0) / np.diff(frames)[:, None]
        before, after = steps[:-1], steps[1:]
        same = before * after > 0
        total = np.where(same, before + after, 1.0)
        slopes[1:-1] = np.where(same, 2.0 * before * after / total, 0.0)
    return hermite(frames, values, slopes, slopes, at)


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
        check_fields(self, name)
        if self.frame < 0:
            raise BadValue(f"frame of '{name}'", "zero or more", self.frame)
        if self.until is not None and self.until < self.frame:
            raise BadValue(f"until of '{name}'", f"{self.frame} or later", self.until)

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
