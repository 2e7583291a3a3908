"""Sitting down on a stool, sitting for a while, and getting up again; the feet stay."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.environment import ConvexPart, Environment
from poise.samples.body_motion import (
    SEAT_M,
    BodyMotion,
    LimbGoal,
    Stay,
    ahead,
    both,
    finished_body,
    foot_goal,
    rested,
    stayed,
)
from poise.samples.curves import ease, passage
from poise.samples.plan import Turns, stacked
from poise.samples.standing import hanging_arms
from poise.samples.truth import Planted, Sample

STOOL_M = 0.46
_STAND_S, _DOWN_S, _RISE_S, _UP_S, _END_S = 0.5, 2.0, 4.2, 5.7, 6.2
_HIPS_M = np.array([0.0, STOOL_M + SEAT_M, -0.28])
_STANDING_M = np.array([0.0, 0.918, 0.11])
_FEET = {
    side: Stay((sign * 0.12, 0.0), on_heel=True) for side, sign in (("left", 1), ("right", -1))
}
_TOE_OUT_RAD = 0.1
_RAMP = 0.08
"""Share of the way down, and up, in which the hips come to speed and to rest, in height."""


def sitting(seconds: float = _END_S, rate_hz: float = 120.0) -> Sample:
    """Sit down on a stool behind the figure, sit upright, and rise."""
    planted: list[Planted] = [stayed(side, stay) for side, stay in _FEET.items()]
    planted.append(rested("pelvis", "Hips", _DOWN_S, _RISE_S, _HIPS_M))
    motion = BodyMotion(_root, _angles, _legs, _arms, _center, _freedom)
    return finished_body("sit", motion, planted, seconds, rate_hz, _place())


def _place() -> Environment:
    x, front, back = 0.2, -0.18, -0.48
    corners = [(a, y, z) for a in (-x, x) for y in (0.0, STOOL_M) for z in (front, back)]
    return Environment((*Environment.flat().surfaces, ConvexPart(np.array(corners), "stool")))


def _root(times: Array) -> Array:
    """Forwards and back gently, so that the push of the ground stays under the feet."""
    down, rise = times - _STAND_S, times - _RISE_S
    low = passage(down / (_DOWN_S - _STAND_S), _RAMP) - passage(rise / (_UP_S - _RISE_S), _RAMP)
    back = ease(times, _STAND_S, _DOWN_S) - ease(times, _RISE_S, _UP_S)
    shares = np.stack([back, low, back], axis=1)
    return _STANDING_M + shares * (_HIPS_M - _STANDING_M)


def _freedom(times: Array) -> Array:
    """The centre of mass stays over the feet until the hips have nearly arrived."""
    held = ease(times, _DOWN_S - 0.7, _DOWN_S) - ease(times, _RISE_S, _RISE_S + 0.7)
    return 1.0 - held


def _center(times: Array) -> Array:
    z = 0.11 - 0.05 * (ease(times, _STAND_S, _DOWN_S) - ease(times, _RISE_S, _UP_S))
    return np.stack([0.0 * times, z], axis=1)


def _angles(times: Array) -> dict[str, Array]:
    """Who sits down leans forward until the stool carries, and again before rising."""
    lean = ease(times, _STAND_S, _DOWN_S - 0.1) - ease(times, _DOWN_S + 0.1, _DOWN_S + 0.9)
    lean = lean + ease(times, _RISE_S - 0.9, _RISE_S - 0.1) - ease(times, _RISE_S + 0.35, _UP_S)
    turns: Turns = {
        "Hips": (1.0 + 42.0 * lean, 0.0, 0.0),
        "Spine": (12.0 * lean, 0.0, 0.0),
        "Spine1": (6.0 * lean, 0.0, 0.0),
        "Neck": (-12.0 * lean, 0.0, 0.0),
        "Head": (-1.0 - 18.0 * lean, 0.0, 0.0),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        turns[f"{side}Arm"] = (2.0 - 62.0 * lean, 0.0, sign * 8.0)
        turns[f"{side}ForeArm"] = (-14.0 - 30.0 * lean, -6.0 * sign, 0.0)
    return stacked(hanging_arms(turns), times)


def _legs(times: Array, pelvis_m: Array, pelvis_wxyz: Array) -> dict[str, LimbGoal]:
    def foot(side: str, sign: float) -> LimbGoal:
        poles = ahead(times) + np.array([0.1 * sign, 0.0, 0.0])
        return foot_goal([_FEET[side]], [(0.0, 0.0, 0.0, 0.0)], sign * _TOE_OUT_RAD, poles, times)

    return both(foot)


def _arms(times: Array, chest_m: Array, chest_wxyz: Array) -> dict[str, LimbGoal]:
    """They hang, and swing forward with the trunk, as their angles say."""
    return {}
