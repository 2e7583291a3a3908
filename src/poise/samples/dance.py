"""A dance on the spot: the feet step out and in by turns, hips and arms sway with them."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.samples.balancing import balanced
from poise.samples.curves import Step, around, monotone, pitch_deg, point_on
from poise.samples.finishing import alternating, feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, stacked
from poise.samples.truth import Sample

_STEP_CYCLE_S = 1.2
"""From one step of a foot to its next."""
_CYCLE_S = 2.0 * _STEP_CYCLE_S
"""Each foot steps out, and back in."""
_IN_M, _OUT_M, _AHEAD_M = 0.08, 0.24, 0.12
_FLAT, _LIFT, _LEAVE = 0.12, 0.48, 0.66
"""Shares of a step's cycle after it touches."""
_HEIGHT_M, _BOUNCE_M = 0.955, 0.018
_GRID_S = 0.01
_LINE = Timeline(_GRID_S, round(_CYCLE_S / _GRID_S), cyclic=True)
_PUSH_M = 0.17
"""From the heel to the push under a foot."""


def dancing(seconds: float = 2.0 * _CYCLE_S, rate_hz: float = 120.0) -> Sample:
    """Dance on the spot, facing +Z: step out and in, arms swinging."""
    return finished("dance", _plan(), _steps, seconds, rate_hz)


@cache
def _plan() -> tuple[Plan, Ground]:
    return balanced(Plan(feet_of(_steps), _angles, _heights), _LINE, _push_point)


def _step(sign: float, cycle: float) -> Step:
    at = cycle * _STEP_CYCLE_S
    out = int(np.floor(cycle)) % 2 == 0
    return Step(
        (sign * (_OUT_M if out else _IN_M), _AHEAD_M if out else 0.0),
        at,
        at + _FLAT * _STEP_CYCLE_S,
        at + _LIFT * _STEP_CYCLE_S,
        at + _LEAVE * _STEP_CYCLE_S,
        landing_rad=pitch_deg(20.0, -120.0),
        leaving_rad=pitch_deg(38.0, 220.0),
        yaw_rad=sign * np.radians(14.0 if out else 6.0),
        clearance_m=0.07,
    )


_steps = alternating(_step, _STEP_CYCLE_S)


def _heights(times: Array) -> Array:
    # Lowest while both feet stand, just after each step.
    phase = times / _STEP_CYCLE_S - 0.5 * (_LEAVE - 0.5)
    return _HEIGHT_M - _BOUNCE_M * np.cos(4.0 * np.pi * phase)


def _push_point(times: Array) -> Array:
    """Under the foot that stands alone, and from one to the other while both stand."""
    keys: list[tuple[float, Array]] = []
    for number in range(-3, 9):
        step = _step(1.0 if number % 2 == 0 else -1.0, 0.5 * number)
        place = point_on(step, _PUSH_M)
        keys += [(step.touch_s + share * _STEP_CYCLE_S, place) for share in (_LEAVE - 0.5, 0.5)]
    return monotone(keys, times)


def _angles(times: Array) -> dict[str, Array]:
    step, slow = times / _STEP_CYCLE_S, times / _CYCLE_S
    sway, twist = np.sin(2 * np.pi * (step - 0.05)), np.sin(2 * np.pi * (slow - 0.1))
    turns: Turns = {
        "Hips": (3.0, 10.0 * twist, 5.0 * sway),
        "Spine": (1.0, 4.0 * twist, -4.0 * sway),
        "Spine1": (0.0, 6.0 * twist, -3.0 * sway),
        "Spine2": (0.0, 6.0 * twist, -1.0 * sway),
        "Neck": (0.0, -10.0 * twist, 1.0 * sway),
        "Head": (-3.0, -10.0 * twist, 2.0 * sway),
    }
    for side, shift, sign in (("Left", 0.0, 1.0), ("Right", 0.5, -1.0)):
        aside = around(((0.0, 85.0), (0.25, 125.0), (0.5, 60.0), (0.75, 25.0)), slow + shift)
        bend = around(((0.0, -35.0), (0.5, -85.0)), slow + shift)
        turns[f"{side}Arm"] = (-12.0, 0.0, sign * aside)
        turns[f"{side}ForeArm"] = (bend, -12.0 * sign, 0.0)
    return stacked(turns, times)
