"""From hands and knees to standing: a foot steps forward, the hands leave, then the other knee."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.samples.body_motion import (
    KNEE_M,
    BodyMotion,
    LimbGoal,
    Press,
    Stay,
    both,
    finished_body,
    foot_goal,
    hand_goal,
    pressed,
    rested,
    stayed,
)
from poise.samples.curves import Key, ease, hermite, passage, resting
from poise.samples.human import sample_character
from poise.samples.plan import Turns, sole, stacked
from poise.samples.truth import Planted, Sample

_LIFT_S, _PLACE_S = 1.0, 2.0
"""The right leg leaves its knee and its toes, and stands in front."""
_HANDS_S = 2.8
_KNEE_S, _TOES_S, _BESIDE_S = 4.4, 5.5, 6.3
"""The left knee leaves, then its toes; its foot stands beside the right one."""
_END_S = 7.2
_HIP_M = 0.091
_TUCKED_DEG = 58.0
"""Pitch of a foot on its tucked toes."""
_FRONT_M = 0.22
"""Z of the heel in front; knees are at zero."""
_WIDE_M = 0.11
_PRESSES = {
    side: Press((sign * 0.2, 0.0, 0.40), (-sign * 0.1, 1.0), -np.inf, _HANDS_S, leaving_s=0.5)
    for side, sign in (("left", 1), ("right", -1))
}


def kneeling(seconds: float = _END_S, rate_hz: float = 120.0) -> Sample:
    """Kneel on hands and knees, step forward with the right foot, and stand up."""
    planted: list[Planted] = [
        rested("left_knee", "LeftLeg", -np.inf, _KNEE_S, _knee_m(1.0)),
        rested("right_knee", "RightLeg", -np.inf, _LIFT_S, _knee_m(-1.0)),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        planted += [stayed(side, stay) for stay in _stays(sign)]
        planted += pressed(side, _PRESSES[side])
    motion = BodyMotion(_root, _angles, _legs, _arms, _center, _freedom)
    return finished_body("kneel", motion, planted, seconds, rate_hz)


def _knee_m(sign: float) -> Array:
    return np.array([sign * _HIP_M, KNEE_M, 0.0])


def _bones_m() -> tuple[float, float]:
    skeleton = sample_character().skeleton
    thigh, shank = (
        float(np.linalg.norm(skeleton.offsets_m[skeleton.index(joint)]))
        for joint in ("LeftLeg", "LeftFoot")
    )
    return thigh, shank


def _stays(sign: float) -> list[Stay]:
    """On tucked toes behind the knee, where shank and foot end, then flat in front."""
    turn = rotations.from_axis_angle([1.0, 0.0, 0.0], np.radians(_TUCKED_DEG))
    ball = rotations.rotate(turn, sole().ball_m)
    _, shank = _bones_m()
    ankle_m = -float(ball[1])
    behind = -float(np.sqrt(shank**2 - (ankle_m - KNEE_M) ** 2)) + float(ball[2])
    front = (sign * _WIDE_M, _FRONT_M + float(sole().ball_m[2] - sole().heel_m[2]))
    if sign < 0:
        first = Stay((sign * _HIP_M, behind), -np.inf, _LIFT_S, lift_m=0.07, aside_m=-0.16)
        return [first, Stay(front, _PLACE_S)]
    return [Stay((sign * _HIP_M, behind), -np.inf, _TOES_S, lift_m=0.08), Stay(front, _BESIDE_S)]


_LEAN: list[tuple[float, float]] = [
    (0.3, 2.0),
    (_LIFT_S, -4.0),
    (_PLACE_S, -4.0),
    (_HANDS_S + 0.5, 4.0),
]
"""Degrees by which the thighs lean back from the knees."""


def _root(times: Array) -> Array:
    thigh, _ = _bones_m()

    def over_knees(at: Array) -> Array:
        lean = np.radians(resting(_LEAN, at))
        y, z = KNEE_M + thigh * np.cos(lean), -thigh * np.sin(lean)
        return np.stack([0.0 * at, y, z], axis=1)

    start = over_knees(np.array([_KNEE_S]))[0]
    still = np.zeros(3)
    end = np.array([0.0, 0.905, _FRONT_M + 0.10])
    rising = hermite(
        np.clip(times, _KNEE_S, _BESIDE_S), _KNEE_S, _BESIDE_S, [start, still, still],
        [end, still, still],
    )  # fmt: skip
    up = passage((times - _KNEE_S) / (_BESIDE_S + 0.3 - _KNEE_S), 0.15)
    rising[:, 1] = start[1] + up * (end[1] - start[1])
    return np.where((times < _KNEE_S)[:, None], over_knees(times), rising)


def _freedom(times: Array) -> Array:
    return ease(times, _KNEE_S, _TOES_S - 0.3)


def _center(times: Array) -> Array:
    x = resting(
        [(_KNEE_S, -0.03), (_TOES_S, -_WIDE_M), (_BESIDE_S, -_WIDE_M), (_END_S, 0.0)], times
    )
    z = resting(
        [(_KNEE_S, _FRONT_M - 0.05), (_TOES_S, _FRONT_M + 0.07), (_BESIDE_S, _FRONT_M + 0.10)],
        times,
    )
    return np.stack([x, z], axis=1)


def _angles(times: Array) -> dict[str, Array]:
    low, upright = _HANDS_S - 0.1, _HANDS_S + 1.0
    hips = resting(
        [
            (0.3, 73.0), (_PLACE_S, 50.0), (low, 50.0), (upright, 4.0), (_KNEE_S - 0.4, 4.0),
            (_KNEE_S, 30.0), (_KNEE_S + 0.5, 34.0), (_BESIDE_S, 2.0),
        ],
        times,
    )  # fmt: skip
    bend = resting(
        [
            (0.3, 8.0), (_PLACE_S, 28.0), (low, 28.0), (upright, 0.0), (_KNEE_S - 0.5, 0.0),
            (_KNEE_S, 14.0), (_KNEE_S + 0.5, 14.0), (_BESIDE_S, 0.0),
        ],
        times,
    )  # fmt: skip
    turns: Turns = {
        "Hips": (hips, 0.0, 0.0),
        "Spine": (bend, 0.0, 0.0),
        "Spine1": (0.5 * bend, 0.0, 0.0),
        "Neck": (-0.25 * hips, 0.0, 0.0),
        "Head": (-0.3 * hips, 0.0, 0.0),
    }
    return stacked(turns, times)


def _legs(times: Array, pelvis_m: Array, pelvis_wxyz: Array) -> dict[str, LimbGoal]:
    left: list[Key] = [
        (_KNEE_S, _TUCKED_DEG, 0.0, 0.0),
        (_TOES_S, 70.0, 0.0, 0.0),
        (_BESIDE_S, 0.0, 0.0, 0.0),
    ]
    right: list[Key] = [(_LIFT_S, _TUCKED_DEG, 0.0, 0.0), (_PLACE_S, 0.0, 0.0, 0.0)]
    bowed = ease(times, _LIFT_S, _LIFT_S + 0.4) - 0.7 * ease(times, _PLACE_S - 0.4, _PLACE_S)

    def foot(side: str, sign: float) -> LimbGoal:
        share = bowed if side == "right" else 0.2 * ease(times, _KNEE_S, _TOES_S)
        poles = np.array([0.0, 0.0, 1.0]) + share[:, None] * np.array([0.6 * sign, 0.3, 0.0])
        pitch = left if side == "left" else right
        return foot_goal(_stays(sign), pitch, 0.0, poles, times)

    return both(foot)


def _arms(times: Array, chest_m: Array, chest_wxyz: Array) -> dict[str, LimbGoal]:
    turned = np.tile(rotations.from_axis_angle([1.0, 0.0, 0.0], -0.3), (len(times), 1))

    def hand(side: str, sign: float) -> LimbGoal:
        places = chest_m + np.array([sign * 0.27, -0.38, 0.10])
        poles = np.tile([sign * 0.5, -0.1, -1.0], (len(times), 1))
        return hand_goal(side, [_PRESSES[side]], places, turned, poles, times)

    return both(hand)
