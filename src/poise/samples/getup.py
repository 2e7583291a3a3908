"""Getting up from sitting on the floor: hips, hands and feet carry, then hands and feet, feet."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.samples.body_motion import (
    SEAT_M,
    BodyMotion,
    LimbGoal,
    Press,
    Stay,
    ahead,
    both,
    finished_body,
    foot_goal,
    hand_goal,
    pressed,
    rested,
    stayed,
)
from poise.samples.curves import Key, ease, resting, through
from poise.samples.plan import Turns, stacked
from poise.samples.truth import Planted, Sample

_OFF_S, _HANDS_S, _SQUAT_S, _UP_S, _END_S = 1.6, 2.25, 2.7, 4.6, 5.2
_HEEL_M = 0.22
_HIPS_M = np.array([0.0, SEAT_M, 0.0])
_FEET = {
    side: Stay((sign * 0.15, _HEEL_M), on_heel=True) for side, sign in (("left", 1), ("right", -1))
}
_TOE_OUT_RAD = 0.25
_PRESSES = {
    side: Press((sign * 0.25, 0.0, 0.12), (sign * 1.0, -0.2), -np.inf, _HANDS_S, leaving_s=0.4)
    for side, sign in (("left", 1), ("right", -1))
}


def getting_up(seconds: float = _END_S, rate_hz: float = 120.0) -> Sample:
    """Sit on the floor, push off with the hands onto the feet, and stand up."""
    planted: list[Planted] = [stayed(side, stay) for side, stay in _FEET.items()]
    for side, press in _PRESSES.items():
        planted += pressed(side, press)
    planted.append(rested("pelvis", "Hips", -np.inf, _OFF_S, _HIPS_M))
    motion = BodyMotion(_root, _angles, _legs, _arms, _center, _freedom)
    return finished_body("getup", motion, planted, seconds, rate_hz)


def _root(times: Array) -> Array:
    heights: list[Key] = [
        (_OFF_S, _HIPS_M[1], 0.0, 0.0),
        (_HANDS_S, 0.21, 0.30, 0.0),
        (_SQUAT_S, 0.38, 0.32, 0.0),
        (_UP_S, 0.905, 0.0, 0.0),
    ]
    z = resting([(_OFF_S, 0.0), (_SQUAT_S + 0.2, 0.14), (_UP_S, 0.30)], times)
    return np.stack([0.0 * times, through(heights, times), z], axis=1)


def _freedom(times: Array) -> Array:
    return ease(times, _OFF_S + 0.2, _SQUAT_S)


def _center(times: Array) -> Array:
    z = resting([(_SQUAT_S - 0.1, _HEEL_M + 0.055), (_UP_S, _HEEL_M + 0.11)], times)
    return np.stack([0.0 * times, z], axis=1)


def _angles(times: Array) -> dict[str, Array]:
    hips = resting([(0.3, -6.0), (_OFF_S, 0.0), (_SQUAT_S, 30.0), (_UP_S, 2.0)], times)
    bend = resting([(0.3, 12.0), (_OFF_S, 32.0), (_SQUAT_S, 32.0), (_UP_S, 0.0)], times)
    turns: Turns = {
        "Hips": (hips, 0.0, 0.0),
        "Spine": (bend, 0.0, 0.0),
        "Spine1": (0.6 * bend, 0.0, 0.0),
        "Neck": (-0.25 * hips, 0.0, 0.0),
        "Head": (-0.35 * hips, 0.0, 0.0),
    }
    return stacked(turns, times)


def _legs(times: Array, pelvis_m: Array, pelvis_wxyz: Array) -> dict[str, LimbGoal]:
    def foot(side: str, sign: float) -> LimbGoal:
        poles = ahead(times) + np.array([0.35 * sign, 0.6, 0.0])
        return foot_goal([_FEET[side]], [(0.0, 0.0, 0.0, 0.0)], sign * _TOE_OUT_RAD, poles, times)

    return both(foot)


def _arms(times: Array, chest_m: Array, chest_wxyz: Array) -> dict[str, LimbGoal]:
    """Beside the hips, then ahead for balance, then hanging."""
    hanging = ease(times, _SQUAT_S + 0.5, _UP_S + 0.2)

    turned = rotations.from_axis_angle([1.0, 0.0, 0.0], -1.3 + 1.1 * hanging)

    def hand(side: str, sign: float) -> LimbGoal:
        forward, down = np.array([sign * 0.24, -0.05, 0.48]), np.array([sign * 0.27, -0.39, 0.06])
        places = chest_m + forward + hanging[:, None] * (down - forward)
        poles = np.tile([sign * 0.8, -0.2, -1.0], (len(times), 1))
        return hand_goal(side, [_PRESSES[side]], places, turned, poles, times)

    return both(hand)
