"""Figures whose feet stay where they are: standing still, and squatting."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.character import SIDES
from poise.samples.balancing import balanced
from poise.samples.curves import Step, point_on
from poise.samples.finishing import Steps, feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, stacked
from poise.samples.truth import Sample

STANDING_M = 0.986
"""Height of the centre of mass of a figure that stands at ease, arms down."""
MID_FOOT_M = 0.11
"""From the heel to where the push of a standing figure is."""

_SQUAT_S = 2.4
_DEPTH_M = 0.34
_SQUAT_LINE = Timeline(_SQUAT_S / 240, 240, cyclic=True)
_STAND_LINE = Timeline(0.05, 20, cyclic=True)


def feet_at(half_width_m: float, toe_out_deg: float) -> Steps:
    """Both feet flat for ever, heels side by side at Z = 0."""

    def steps(side: str, first_s: float, last_s: float) -> list[Step]:
        sign = 1.0 if side == "left" else -1.0
        return [Step((sign * half_width_m, 0.0), yaw_rad=sign * float(np.radians(toe_out_deg)))]

    return steps


def mid_feet(steps: Steps, ahead_m: float = MID_FOOT_M) -> Array:
    """(2,) half way between points of both feet, measured from the heels."""
    return np.mean([point_on(steps(side, 0.0, 0.0)[0], ahead_m) for side in SIDES], axis=0)


_STANCE = feet_at(0.10, 7.0)
_WIDE = feet_at(0.14, 16.0)


def standing(seconds: float = 2.0, rate_hz: float = 120.0) -> Sample:
    """Stand perfectly still, facing +Z."""
    return finished("stand", _standing_plan(), _STANCE, seconds, rate_hz)


def squatting(seconds: float = 2 * _SQUAT_S, rate_hz: float = 120.0) -> Sample:
    """Squat and rise, again and again, arms forward at the bottom."""
    return finished("squat", _squatting_plan(), _WIDE, seconds, rate_hz)


@cache
def _standing_plan() -> tuple[Plan, Ground]:
    def angles(times: Array) -> dict[str, Array]:
        return stacked(hanging_arms({"Hips": (1.0, 0.0, 0.0), "Head": (-1.0, 0.0, 0.0)}), times)

    def heights(times: Array) -> Array:
        return np.full(len(times), STANDING_M)

    plan = Plan(feet_of(_STANCE), angles, heights)
    return balanced(plan, _STAND_LINE, lambda t: np.tile(mid_feet(_STANCE), (len(t), 1)))


@cache
def _squatting_plan() -> tuple[Plan, Ground]:
    def down(times: Array) -> Array:
        """0 upright, 1 at the bottom: a pause at neither end, smooth everywhere."""
        return 0.5 - 0.5 * np.cos(2.0 * np.pi * times / _SQUAT_S)

    def angles(times: Array) -> dict[str, Array]:
        s = down(times)
        turns: Turns = {
            "Hips": (1.0 + 33.0 * s, 0.0, 0.0),
            "Spine": (6.0 * s, 0.0, 0.0),
            "Spine1": (2.0 * s, 0.0, 0.0),
            "Neck": (-8.0 * s, 0.0, 0.0),
            "Head": (-1.0 - 16.0 * s, 0.0, 0.0),
        }
        for side, sign in (("Left", 1.0), ("Right", -1.0)):
            turns[f"{side}Arm"] = (2.0 - 120.0 * s, 0.0, sign * (8.0 - 4.0 * s))
            turns[f"{side}ForeArm"] = (-14.0 - 6.0 * s, -6.0 * sign, 0.0)
        return stacked(turns, times)

    def heights(times: Array) -> Array:
        return STANDING_M - 0.005 - _DEPTH_M * down(times)

    plan = Plan(feet_of(_WIDE), angles, heights)
    return balanced(plan, _SQUAT_LINE, lambda t: np.tile(mid_feet(_WIDE), (len(t), 1)))


def hanging_arms(turns: Turns) -> Turns:
    """The same turns with arms that hang at ease."""
    arms: Turns = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        arms[f"{side}Arm"] = (2.0, 0.0, 8.0 * sign)
        arms[f"{side}ForeArm"] = (-14.0, -6.0 * sign, 0.0)
    return {**arms, **turns}
