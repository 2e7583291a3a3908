"""Hops forward on the left leg, the right one drawn up."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.samples.balancing import balanced
from poise.samples.curves import (
    FootMotion,
    Step,
    bounce_heights,
    foot_motion,
    monotone,
    pitch_deg,
    point_on,
)
from poise.samples.finishing import alternating, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, sole, stacked
from poise.samples.truth import Sample

_STANCE_S, _FLIGHT_S = 0.34, 0.24
_CYCLE_S = _STANCE_S + _FLIGHT_S
_STRIDE_M = 0.5
_FLAT_S, _LIFT_S = 0.08, 0.20
_LANDING = pitch_deg(22.0, -150.0)
_LEAVING = pitch_deg(48.0, 200.0)
_HEIGHT_M = 0.975
_GRID_S = 0.0025
_LINE = Timeline(
    _GRID_S,
    round(_CYCLE_S / _GRID_S),
    cyclic=True,
    flights=((round(_STANCE_S / _GRID_S), round(_CYCLE_S / _GRID_S)),),
    stride_m=(0.0, _STRIDE_M),
)
_PUSH = ((0.0, 0.20), (_FLAT_S, 0.193), (0.14, 0.175), (_LIFT_S, 0.195), (_STANCE_S, 0.215))


def hopping(seconds: float = 3.0, rate_hz: float = 120.0) -> Sample:
    """Hop straight ahead along +Z on the left leg."""
    return finished("hop", _plan(), _steps, seconds, rate_hz)


@cache
def _plan() -> tuple[Plan, Ground]:
    return balanced(Plan(_feet, _angles, _heights), _LINE, _push_point)


def _steps(side: str, first_s: float, last_s: float) -> Sequence[Step]:
    return _of_left(side, first_s, last_s) if side == "left" else ()


def _step(cycle: float) -> Step:
    at = cycle * _CYCLE_S
    return Step(
        (0.0, cycle * _STRIDE_M),
        at,
        at + _FLAT_S,
        at + _LIFT_S,
        at + _STANCE_S,
        _LANDING,
        _LEAVING,
        np.radians(4.0),
        clearance_m=0.09,
    )


_of_left = alternating(lambda _, cycle: _step(cycle), _CYCLE_S)


def _feet(times: Array) -> dict[str, FootMotion]:
    steps = _steps("left", float(times.min()), float(times.max()))
    return {"left": foot_motion(steps, sole(), times), "right": _drawn_up(times)}


def _drawn_up(times: Array) -> FootMotion:
    """The free foot hangs behind the hips and rides along, swinging a little."""
    swing = np.cos(2.0 * np.pi * (times / _CYCLE_S - 0.15))
    heights = 0.44 + (_heights(times) - _HEIGHT_M) + 0.03 * swing
    ahead = 0.02 - 0.22 + _STRIDE_M * times / _CYCLE_S + 0.05 * swing
    ankles = np.stack([np.full(len(times), -0.14), heights, ahead], axis=1)
    pitch = np.full(len(times), np.radians(62.0))
    turn = rotations.from_axis_angle([1.0, 0.0, 0.0], pitch)
    zero = np.zeros(len(times))
    return FootMotion(ankles, turn, zero, zero)


def _heights(times: Array) -> Array:
    return bounce_heights(times, _STANCE_S, _FLIGHT_S, _HEIGHT_M)


def _push_point(times: Array) -> Array:
    keys: list[tuple[float, Array]] = []
    for number in range(-2, 4):
        step = _step(float(number))
        keys += [(step.touch_s + s, point_on(step, ahead)) for s, ahead in _PUSH]
    return monotone(keys, times)


def _angles(times: Array) -> dict[str, Array]:
    phase = times / _CYCLE_S
    # Deepest in the middle of stance, when the arms are low and back.
    deep = np.cos(2 * np.pi * (phase - 0.5 * _STANCE_S / _CYCLE_S))
    turns: Turns = {
        "Hips": (9.0 + 4.0 * deep, -4.0, 4.0),
        "Spine": (3.0 + 2.0 * deep, 2.0, 0.0),
        "Spine1": (1.0, 1.0, 0.0),
        "Spine2": (0.0, 1.0, 0.0),
        "Neck": (-2.0, 0.0, -2.0),
        "Head": (-8.0, 0.0, -2.0),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        turns[f"{side}Arm"] = (-4.0 + 14.0 * deep, 0.0, 22.0 * sign)
        turns[f"{side}ForeArm"] = (-58.0 + 10.0 * deep, -20.0 * sign, 0.0)
    return stacked(turns, times)
