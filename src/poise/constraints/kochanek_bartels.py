"""Kochanek–Bartels splines: a curve through points, shaped by tension, continuity and bias.

Knots may be unevenly spaced. The tangents carry the authors' adjustment for that, so that at zero
continuity the derivative by the parameter is the same on both sides of a knot: the curve is C¹ in
its parameter (not C²). At default parameters on even knots it is a Catmull–Rom spline.

D. Kochanek and R. Bartels, Interpolating splines with local tension, continuity, and bias control,
SIGGRAPH 1984.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, frozen_array
from poise.constraints.hermite import hermite
from poise.errors import BadValue


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
