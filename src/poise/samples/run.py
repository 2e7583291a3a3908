"""A running figure: one foot at a time on the ground, and in between none."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.samples.balancing import balanced
from poise.samples.curves import Step, around, bounce_heights, monotone, pitch_deg, point_on
from poise.samples.finishing import alternating, feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, stacked
from poise.samples.truth import Sample

_STANCE_S, _FLIGHT_S = 0.23, 0.13
_STEP_S = _STANCE_S + _FLIGHT_S
_CYCLE_S = 2.0 * _STEP_S
_STRIDE_M = 1.9
_HALF_WIDTH_M = 0.035
_LIFT_S = 0.10
_LEAVING = pitch_deg(58.0, 420.0)
_HEIGHT_M = 0.955
_GRID_S = 0.0025
_LINE = Timeline(
    _GRID_S,
    round(_CYCLE_S / _GRID_S),
    cyclic=True,
    flights=tuple(
        (round((start + _STANCE_S) / _GRID_S), round((start + _STEP_S) / _GRID_S))
        for start in (0.0, _STEP_S)
    ),
    stride_m=(0.0, _STRIDE_M),
)
# Where the push is under the foot, from its heel to the front, at seconds after touch-down.
_PUSH = ((0.0, 0.09), (0.04, 0.12), (_LIFT_S, 0.195), (_STANCE_S, 0.225))


def running(seconds: float = 3.0, rate_hz: float = 120.0) -> Sample:
    """Run straight ahead along +Z at 2.8 m/s."""
    return finished("run", _plan(), _steps, seconds, rate_hz)


@cache
def _plan() -> tuple[Plan, Ground]:
    return balanced(Plan(feet_of(_steps), _angles, _heights), _LINE, _push_point)


def _step(sign: float, cycle: float) -> Step:
    at = cycle * _CYCLE_S
    return Step(
        (sign * _HALF_WIDTH_M, cycle * _STRIDE_M),
        at,
        at,
        at + _LIFT_S,
        at + _STANCE_S,
        leaving_rad=_LEAVING,
        yaw_rad=sign * np.radians(5.0),
        clearance_m=0.20,
        skew=0.2,
    )


_steps = alternating(_step, _CYCLE_S)


def _heights(times: Array) -> Array:
    return bounce_heights(times, _STANCE_S, _FLIGHT_S, _HEIGHT_M)


def _push_point(times: Array) -> Array:
    keys: list[tuple[float, Array]] = []
    for number in range(-2, 5):
        step = _step(1.0 if number % 2 == 0 else -1.0, 0.5 * number)
        keys += [(step.touch_s + s, point_on(step, ahead)) for s, ahead in _PUSH]
    return monotone(keys, times)


def _angles(times: Array) -> dict[str, Array]:
    # Legs are farthest apart in the middle of each flight.
    phase = times / _CYCLE_S
    cosine, sine = np.cos(2 * np.pi * (phase + 0.07)), np.sin(2 * np.pi * (phase + 0.07))
    turns: Turns = {
        "Hips": (11.0, -8.0 * cosine, 3.0 * sine),
        "Spine": (1.0, 5.0 * cosine, -2.0 * sine),
        "Spine1": (0.0, 7.0 * cosine, -1.0 * sine),
        "Spine2": (0.0, 7.0 * cosine, 0.0),
        "Neck": (-1.0, -5.0 * cosine, 0.0),
        "Head": (-6.0, -5.0 * cosine, 0.0),
    }
    for side, shift, sign in (("Left", 0.0, 1.0), ("Right", 0.5, -1.0)):
        own = phase + shift + 0.05
        turns[f"{side}Arm"] = (around(((0.0, 38.0), (0.5, -22.0)), own), 0.0, 10.0 * sign)
        bend = around(((0.0, -82.0), (0.5, -98.0)), own)
        turns[f"{side}ForeArm"] = (bend, -20.0 * sign, 0.0)
    return stacked(turns, times)
