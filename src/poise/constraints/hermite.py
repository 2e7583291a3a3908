"""Cubic pieces between knots, from places and tangents."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array


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
