"""Smooth curves over time: pieces of fifth degree that meet in value, rate and acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array

GRAVITY = 9.81

Key = tuple[float, float, float, float]
"""Time, value, rate and acceleration."""


def hermite(times: Array, start_s: float, end_s: float, start: ArrayLike, end: ArrayLike) -> Array:
    """The quintic from `start` to `end`.

    Args:
        times: (F,) where to evaluate.
        start_s: when it starts.
        end_s: when it ends.
        start: (3, ...) value, rate and acceleration there; values of any shape.
        end: (3, ...) the same at the end.
    """
    a, b = np.asarray(start, dtype=np.float64), np.asarray(end, dtype=np.float64)
    span = end_s - start_s
    scale = np.array([1.0, span, span**2]).reshape((3,) + (1,) * (a.ndim - 1))
    a, b = a * scale, b * scale
    s = ((times - start_s) / span).reshape((-1,) + (1,) * (a.ndim - 1))
    gap = b[0] - (a[0] + a[1] + 0.5 * a[2])
    slope = b[1] - (a[1] + a[2])
    bend = b[2] - a[2]
    c3 = 10.0 * gap - 4.0 * slope + 0.5 * bend
    c4 = -15.0 * gap + 7.0 * slope - bend
    c5 = 6.0 * gap - 3.0 * slope + 0.5 * bend
    return a[0] + s * (a[1] + s * (0.5 * a[2] + s * (c3 + s * (c4 + s * c5))))


def ease(times: Array, start_s: float, end_s: float) -> Array:
    """From 0 to 1 between two times, at rest before and after."""
    s = np.clip((times - start_s) / (end_s - start_s), 0.0, 1.0)
    return s**3 * (10.0 - 15.0 * s + 6.0 * s**2)


def passage(shares: Array, ramp: float, skew: float = 0.0) -> Array:
    """From 0 to 1 over shares 0 to 1, quickly to speed and quickly to rest.

    The speed rises as a smoothstep within `ramp`, changes evenly by `skew` (from 1 − skew to
    1 + skew), and falls again; acceleration is continuous throughout.
    """
    from numpy.polynomial import Polynomial

    u = Polynomial([0.0, 1.0])
    tilt = 1.0 + skew * (2.0 * u - 1.0)

    def rise(x: Polynomial) -> Polynomial:
        return 3.0 * x**2 - 2.0 * x**3

    speeds = (rise(u / ramp) * tilt, tilt, rise((1.0 - u) / ramp) * tilt)
    ends = (0.0, ramp, 1.0 - ramp, 1.0)
    s = np.clip(shares, 0.0, 1.0)
    total, values = 0.0, np.zeros_like(s)
    for speed, start, end in zip(speeds, ends[:-1], ends[1:], strict=True):
        way = speed.integ()
        here = (s >= start) & (s <= end)
        values[here] = total + way(s[here]) - way(start)
        total += float(way(end) - way(start))
    return values / total


def through(keys: Sequence[Key], times: Array) -> Array:
    """Quintics from key to key; the first and the last value hold outside."""
    values = np.full(len(times), keys[0][1])
    for (t0, *a), (t1, *b) in pairwise(keys):
        here = (times >= t0) & (times < t1)
        values[here] = hermite(times[here], t0, t1, a, b)
    values[times >= keys[-1][0]] = keys[-1][1]
    return values


def resting(keys: Sequence[tuple[float, float]], times: Array) -> Array:
    """From key to key with a rest at each."""
    return through([(t, value, 0.0, 0.0) for t, value in keys], times)


def monotone(keys: Sequence[tuple[float, Array]], times: Array) -> Array:
    """(F, n) through places at times, never beyond two neighbours (PCHIP)."""
    from scipy.interpolate import PchipInterpolator

    at, places = zip(*keys, strict=True)
    return np.asarray(PchipInterpolator(at, np.array(places))(times))


def around(keys: Sequence[tuple[float, float]], shares: Array) -> Array:
    """A periodic cubic spline through values at shares of the cycle, at any phase."""
    from scipy.interpolate import CubicSpline

    at, values = zip(*keys, (keys[0][0] + 1.0, keys[0][1]), strict=True)
    start = keys[0][0]
    spline = CubicSpline(at, values, bc_type="periodic")
    return np.asarray(spline(start + np.mod(shares - start, 1.0)))


def bounce_heights(
    times: Array, stance_s: float, flight_s: float, landing_height_m: float
) -> Array:
    """(F,) heights of a centre of mass that lands at time zero and after every stance and flight.

    The push of the ground swells and fades as 1 − cos: it begins and ends at nothing, so
    acceleration is continuous there, that of gravity.
    """
    local = np.mod(times, stance_s + flight_s)
    fall = 0.5 * GRAVITY * flight_s
    # Over a stance the push must return what gravity takes over stance and flight.
    half_peak = GRAVITY * (stance_s + flight_s) / stance_s
    turn = 2.0 * np.pi / stance_s
    free = -fall * local - 0.5 * GRAVITY * local**2
    pushed = half_peak * (0.5 * local**2 + (np.cos(turn * local) - 1.0) / turn**2)
    t = local - stance_s
    aloft = fall * t - 0.5 * GRAVITY * t**2
    return landing_height_m + np.where(local < stance_s, free + pushed, aloft)
