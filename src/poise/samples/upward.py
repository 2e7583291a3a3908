"""Jumps straight up from both feet, once or twice; the arms swing, or the right one smashes."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, partial

import numpy as np

from poise.arrays import Array
from poise.samples.balancing import balanced
from poise.samples.curves import GRAVITY, Key, Step, monotone, pitch_deg, point_on, through
from poise.samples.finishing import Steps, feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, stacked
from poise.samples.truth import Sample

_START_S, _DEEP_S = 0.30, 0.85
_LEAVE_S, _FLIGHT_S = 1.20, 0.46
_PERIOD_S = 1.30
"""From one take-off to the next."""
_LIFT_S, _FLAT_S, _LOW_S, _UP_S, _REST_S = -0.24, 0.10, 0.34, 1.15, 1.40
"""Before a take-off the heels lift; after a landing feet are flat, the body deepest, upright, over.
"""
_STANDING_M, _DEEP_M, _LEAVING_M, _LANDING_M = 0.975, 0.72, 1.03, 0.99
_RISE_M_S = (_LANDING_M - _LEAVING_M) / _FLIGHT_S + 0.5 * GRAVITY * _FLIGHT_S
_HALF_WIDTH_M = 0.11
_GRID_S = 0.005
_STAND_PUSH, _BALL_PUSH = 0.12, 0.205
"""From the heel to the push of a foot that stands, and of one on its ball."""


def jumping_up(seconds: float | None = None, rate_hz: float = 120.0) -> Sample:
    """Jump straight up once, arms up, and stand."""
    return _jumped("jump-up", 1, smash=False, seconds=seconds, rate_hz=rate_hz)


def jumping_twice(seconds: float | None = None, rate_hz: float = 120.0) -> Sample:
    """Jump straight up twice without a pause."""
    return _jumped("jump-twice", 2, smash=False, seconds=seconds, rate_hz=rate_hz)


def smashing(seconds: float | None = None, rate_hz: float = 120.0) -> Sample:
    """Jump straight up and smash down with the right hand, as at volleyball or tennis."""
    return _jumped("smash", 1, smash=True, seconds=seconds, rate_hz=rate_hz)


def _jumped(name: str, count: int, *, smash: bool, seconds: float | None, rate_hz: float) -> Sample:
    length = _length_s(count) if seconds is None else seconds
    return finished(name, _plan(count, smash), _steps_of(count), length, rate_hz)


def _leaves_s(count: int) -> list[float]:
    return [_LEAVE_S + number * _PERIOD_S for number in range(count)]


def _length_s(count: int) -> float:
    return _leaves_s(count)[-1] + _FLIGHT_S + _REST_S


@cache
def _plan(count: int, smash: bool) -> tuple[Plan, Ground]:
    leaves = _leaves_s(count)
    landed = leaves[-1] + _FLIGHT_S
    line = Timeline(
        _GRID_S,
        round(_length_s(count) / _GRID_S),
        cyclic=False,
        flights=tuple(
            (round(leave / _GRID_S), round((leave + _FLIGHT_S) / _GRID_S)) for leave in leaves
        ),
        easing_s=((_START_S, _DEEP_S), (landed + _LOW_S, landed + _UP_S)),
    )
    steps = _steps_of(count)
    plan = Plan(feet_of(steps), partial(_angles, leaves, smash), partial(_heights, leaves))
    return balanced(plan, line, partial(_push_point, leaves, steps))


def _steps_of(count: int) -> Steps:
    def steps(side: str, first_s: float, last_s: float) -> list[Step]:
        sign = 1.0 if side == "left" else -1.0
        leaves, never = _leaves_s(count), float("inf")
        lands = [-never, *(leave + _FLIGHT_S for leave in leaves)]
        return [
            Step(
                (sign * _HALF_WIDTH_M, 0.0),
                touch_s=land,
                flat_s=land + _FLAT_S,
                lift_s=leave + _LIFT_S,
                leave_s=leave,
                landing_rad=pitch_deg(28.0, -230.0),
                leaving_rad=pitch_deg(50.0, 420.0, 2500.0),
                yaw_rad=sign * np.radians(7.0),
                clearance_m=0.23,
            )
            for land, leave in zip(lands, [*leaves, never], strict=True)
        ]

    return steps


def _heights(leaves: Sequence[float], times: Array) -> Array:
    keys: list[Key] = [(_START_S, _STANDING_M, 0.0, 0.0), (_DEEP_S, _DEEP_M, 0.0, 6.0)]
    for number, leave in enumerate(leaves):
        land = leave + _FLIGHT_S
        fall = _RISE_M_S - GRAVITY * _FLIGHT_S
        keys += [
            (leave, _LEAVING_M, _RISE_M_S, -GRAVITY),
            (land, _LANDING_M, fall, -GRAVITY),
            (land + _LOW_S, _DEEP_M, 0.0, 6.0),
        ]
        if number == len(leaves) - 1:
            keys.append((land + _UP_S, _STANDING_M, 0.0, 0.0))
    return through(keys, times)


def _push_point(leaves: Sequence[float], steps: Steps, times: Array) -> Array:
    stand = point_on(steps("left", 0.0, 0.0)[0], _STAND_PUSH)[1]
    ball = point_on(steps("left", 0.0, 0.0)[0], _BALL_PUSH)[1]
    keys = [(0.0, stand), (_DEEP_S, stand)]
    for leave in leaves:
        land = leave + _FLIGHT_S
        keys += [(leave + _LIFT_S, ball), (land + 0.5 * _FLAT_S, ball), (land + _LOW_S, stand)]
    keys.append((leaves[-1] + _FLIGHT_S + _REST_S, stand))
    return monotone([(time, np.array([0.0, z])) for time, z in keys], times)


def _swing(leaves: Sequence[float], low: float, deep: float, high: float, land: float) -> list[Key]:
    """Values at rest: standing, deepest, before each take-off, after each landing."""
    keys: list[Key] = [(_START_S - 0.1, low, 0.0, 0.0), (_DEEP_S, deep, 0.0, 0.0)]
    for leave in leaves:
        keys += [
            (leave - 0.04, high, 0.0, 0.0),
            (leave + _FLIGHT_S + 0.04, land, 0.0, 0.0),
            (leave + _FLIGHT_S + _LOW_S, deep, 0.0, 0.0),
        ]
    keys.append((leaves[-1] + _FLIGHT_S + _UP_S, low, 0.0, 0.0))
    return keys


def _angles(leaves: Sequence[float], smash: bool, times: Array) -> dict[str, Array]:
    hips = through(_swing(leaves, 2.0, 30.0, 3.0, 8.0), times)
    bend = through(_swing(leaves, 0.0, 8.0, 0.0, 3.0), times)
    arms = through(_swing(leaves, 2.0, 35.0, -120.0, -90.0), times)
    elbows = through(_swing(leaves, -12.0, -18.0, -40.0, -30.0), times)
    turns: Turns = {
        "Hips": (hips, 0.0, 0.0),
        "Spine": (bend, 0.0, 0.0),
        "Spine1": (0.5 * bend, 0.0, 0.0),
        "Neck": (-0.2 * hips, 0.0, 0.0),
        "Head": (-0.4 * hips - 2.0, 0.0, 0.0),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        turns[f"{side}Arm"] = (arms, 0.0, 9.0 * sign)
        turns[f"{side}ForeArm"] = (elbows, -8.0 * sign, 0.0)
    if smash:
        turns |= _smash(leaves[0], arms, elbows, times)
    return stacked(turns, times)


def _smash(leave: float, arms: Array, elbows: Array, times: Array) -> Turns:
    """The right arm, drawn back behind the head and thrown forward at the top of the flight."""
    top = leave + 0.5 * _FLIGHT_S
    shoulder: list[Key] = [
        (leave - 0.25, 0.0, 0.0, 0.0),
        (top - 0.12, -45.0, 0.0, 0.0),
        (top + 0.22, 70.0, 0.0, 0.0),
        (top + 0.80, 0.0, 0.0, 0.0),
    ]
    elbow: list[Key] = [
        (leave - 0.25, 0.0, 0.0, 0.0),
        (top - 0.12, -75.0, 0.0, 0.0),
        (top + 0.06, 25.0, 0.0, 0.0),
        (top + 0.60, 0.0, 0.0, 0.0),
    ]
    return {
        "RightArm": (arms + through(shoulder, times), 0.0, -9.0),
        "RightForeArm": (elbows + through(elbow, times), 8.0, 0.0),
    }
