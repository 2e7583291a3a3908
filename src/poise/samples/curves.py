"""Smooth curves over time: pieces of fifth degree that meet in value, rate and acceleration."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array
from poise.samples.truth import Planted

GRAVITY = 9.81

Key = tuple[float, float, float, float]
"""Time, value, rate and acceleration."""


def hermite(times: Array, start_s: float, end_s: float, start: ArrayLike, end: ArrayLike) -> Array:
    """The quintic between (3, ...) values, rates and accelerations at two times."""
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


_X = np.array([1.0, 0.0, 0.0])
_Y = np.array([0.0, 1.0, 0.0])
_RAMP = 0.1
"""Share of a swing in which the foot comes to speed, and again to rest."""


@dataclass(frozen=True)
class Sole:
    """The sole's middle line in the ankle's frame, foot flat: heel, ball and toe tip."""

    heel_m: Array
    ball_m: Array
    toe_tip_m: Array


Pitch = tuple[float, float, float]
"""Angle, rate and acceleration."""


def pitch_deg(angle: float, rate: float, acceleration: float = 0.0) -> Pitch:
    """A pitch given in degrees."""
    return float(np.radians(angle)), float(np.radians(rate)), float(np.radians(acceleration))


@dataclass(frozen=True)
class Step:
    """One stay of a foot on the ground; pitch is positive with the toes down."""

    place_m: tuple[float, float]
    """X and Z of the heel while the foot lies flat."""
    touch_s: float = -np.inf
    flat_s: float = -np.inf
    lift_s: float = np.inf
    leave_s: float = np.inf
    landing_rad: Pitch = (0.0, 0.0, 0.0)
    """At touch-down."""
    leaving_rad: Pitch = (0.0, 0.0, 0.0)
    """When it leaves."""
    yaw_rad: float = 0.0
    """Toes to the figure's left are positive."""
    clearance_m: float = 0.0
    """How much the swing that follows is lifted at its middle."""
    late_clearance_m: float = 0.0
    """More of it towards the end, and less at the beginning."""
    skew: float = 0.0
    """-1 to 1: whether the swing that follows is faster at its beginning or at its end."""


@dataclass(frozen=True)
class FootMotion:
    """A foot over time."""

    ankles_m: Array
    """(F, 3)"""
    rotations_wxyz: Array
    """(F, 4) of the ankle's frame in the world."""
    yaws_rad: Array
    """(F,)"""
    toes_rad: Array
    """(F,) turn of the toe joint, positive downwards."""


def foot_motion(steps: Sequence[Step], sole: Sole, times: Array) -> FootMotion:
    """Where a foot is that takes these steps, at times that go up; both in time order."""
    ankles, pitch = np.zeros((len(times), 3)), np.zeros(len(times))
    yaw, toes = np.zeros(len(times)), np.zeros(len(times))
    for step in steps:
        here = _between(times, step.touch_s, step.leave_s)
        pitch[here] = _stance_pitch(step, times[here])
        yaw[here] = step.yaw_rad
        toes[here] = -np.maximum(pitch[here], 0.0)
        ankles[here] = _ankle_over(step, sole, pitch[here])
    for last, following in pairwise(steps):
        here = _between(times, last.leave_s, following.touch_s, open_ends=True)
        t, t0, t1 = times[here], last.leave_s, following.touch_s
        pitch[here] = hermite(t, t0, t1, last.leaving_rad, following.landing_rad)
        toes[here] = -hermite(t, t0, t1, _fold(last.leaving_rad), _fold(following.landing_rad))
        yaw[here] = last.yaw_rad + (following.yaw_rad - last.yaw_rad) * ease(t, t0, t1)
    q = rotations.multiply(rotations.from_axis_angle(_Y, yaw), rotations.from_axis_angle(_X, pitch))
    for last, following in pairwise(steps):
        here = _between(times, last.leave_s, following.touch_s, open_ends=True)
        share = (times[here] - last.leave_s) / (following.touch_s - last.leave_s)
        ankles[here] = _swing(last, following, sole, q[here], share)
    return FootMotion(ankles, q, yaw, toes)


def _swing(last: Step, following: Step, sole: Sole, q: Array, share: Array) -> Array:
    """(F, 3) the ankle on its way: from turning about the old pivot to turning about the new.

    The pivots themselves leave and arrive quickly, within the ramps of `passage`.
    """
    old = _about_pivot(last, sole, q, last.leaving_rad[0] > 0.0)
    new = _about_pivot(following, sole, q, following.landing_rad[0] > 0.0)
    ankles = old + passage(share, _RAMP, last.skew)[:, None] * (new - old)
    even = passage(share, _RAMP)
    lift = last.clearance_m + last.late_clearance_m * (2.0 * share - 1.0)
    ankles[:, 1] += lift * 4.0 * even * (1.0 - even)
    return ankles


def point_on(step: Step, ahead_m: float) -> Array:
    """(2,) X and Z of a point under the middle line of the flat foot, measured from the heel."""
    turned = ahead_m * np.array([np.sin(step.yaw_rad), np.cos(step.yaw_rad)])
    return np.array(step.place_m) + turned


def planted(step: Step, sole: Sole, side: str) -> list[Planted]:
    """What stands still where, and when."""
    heel_s, ball_s = step.touch_s, step.flat_s
    if step.landing_rad[0] > 0.0:  # on the ball first
        heel_s, ball_s = ball_s, heel_s
    spans = {
        "heel": (sole.heel_m, heel_s, min(step.lift_s, step.leave_s)),
        "ball": (sole.ball_m, ball_s, step.leave_s),
        "toe_tip": (sole.toe_tip_m, ball_s, step.leave_s),
    }
    found: list[Planted] = []
    for name, (point, start, end) in spans.items():
        x, z = point_on(step, float(point[2] - sole.heel_m[2]))
        place = (float(x), 0.0, float(z))
        found.append(Planted(f"{side}_foot", f"{side}_{name}", start, end, place))
    return found


def _between(times: Array, start_s: float, end_s: float, *, open_ends: bool = False) -> slice:
    """The times from start to end, as a slice: long clips have many steps."""
    first, last = ("right", "left") if open_ends else ("left", "right")
    return slice(
        int(np.searchsorted(times, start_s, first)), int(np.searchsorted(times, end_s, last))
    )


def _stance_pitch(step: Step, times: Array) -> Array:
    pitch = np.zeros(len(times))
    rolling = times < step.flat_s
    if rolling.any():
        pitch[rolling] = hermite(
            times[rolling], step.touch_s, step.flat_s, step.landing_rad, (0, 0, 0)
        )
    leaving = times > step.lift_s
    if leaving.any():
        pitch[leaving] = hermite(
            times[leaving], step.lift_s, step.leave_s, (0, 0, 0), step.leaving_rad
        )
        assert pitch[leaving].min() >= 0.0, "a heel that leaves goes into the ground first"
    return pitch


def _ankle_over(step: Step, sole: Sole, pitch: Array) -> Array:
    """(F, 3) the ankle of a foot that stands on its heel or its ball."""
    yaw = rotations.from_axis_angle(_Y, np.asarray(step.yaw_rad))
    q = rotations.multiply(yaw, rotations.from_axis_angle(_X, pitch))
    on_ball = (pitch > 0.0)[:, None]
    return np.where(on_ball, _about_pivot(step, sole, q, True), _about_pivot(step, sole, q, False))


def _fold(pitch: Pitch) -> Pitch:
    """The bend of toes that rest while the foot has this pitch."""
    return pitch if pitch[0] > 0.0 else (0.0, 0.0, 0.0)


def _about_pivot(step: Step, sole: Sole, q: Array, on_ball: bool) -> Array:
    """(F, 3) the ankle of a foot with these rotations whose ball or heel is at its place."""
    pivot = sole.ball_m if on_ball else sole.heel_m
    x, z = point_on(step, float(pivot[2] - sole.heel_m[2]))
    return np.array([x, 0.0, z]) - rotations.rotate(q, pivot)
