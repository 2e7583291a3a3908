"""A cartwheel to the left: one foot, the hands one after the other, and the other foot."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.samples.balancing import balanced_body
from poise.samples.body_motion import (
    BodyMotion,
    LimbGoal,
    Press,
    both,
    brought,
    finished_body,
    hand_goal,
    pressed,
    share_of,
)
from poise.samples.curves import Key, ease, monotone, through
from poise.samples.plan import Timeline, Turns, sole, stacked
from poise.samples.truth import Planted, Sample

_MID_S = 2.0
"""Upside down; the second half is the first one mirrored and backwards."""
_FOOT_OFF_S, _HAND_S, _OTHER_OFF_S, _OTHER_HAND_S = 0.78, 1.42, 1.56, 1.80
_END_S = 2.0 * _MID_S
_HAND_M, _FOOT_M, _FIRST_FOOT_M = 0.22, 1.04, 1.52
"""X from the middle of hands and feet."""
_LINE = Timeline(
    0.005,
    round(_END_S / 0.005),
    cyclic=False,
    easing_s=((0.15, 0.8), (_END_S - 0.8, _END_S - 0.15)),
)
_ROUNDS = 30


def _mirrored(time_s: float) -> float:
    return 2.0 * _MID_S - time_s


_HANDS = {
    "left": Press((-_HAND_M, 0.0, 0.08), (0.8, -0.6), _HAND_S, _mirrored(_OTHER_HAND_S),
                  landing_s=0.4, leaving_s=0.4, arch_m=0.12),
    "right": Press((_HAND_M, 0.0, 0.08), (-0.8, -0.6), _OTHER_HAND_S, _mirrored(_HAND_S),
                   landing_s=0.4, leaving_s=0.4, arch_m=0.12),
}  # fmt: skip


@dataclass(frozen=True)
class _Stand:
    """A flat foot: where, how it is turned, and when."""

    x_m: float
    yaw_rad: float
    start_s: float
    end_s: float

    @property
    def ball_m(self) -> Array:
        return np.array([self.x_m, 0.0, 0.03])

    @property
    def wxyz(self) -> Array:
        return rotations.from_axis_angle([0.0, 1.0, 0.0], np.asarray(self.yaw_rad))

    @property
    def ankle_m(self) -> Array:
        return self.ball_m - rotations.rotate(self.wxyz, sole().ball_m)

    def share(self, times: Array) -> Array:
        return share_of(times, (self.start_s, self.end_s), (0.36, 0.36), ramp=0.3)


_TURNED_RAD = 0.6
_FEET = {
    "left": (
        _Stand(-_FOOT_M, _TURNED_RAD, -np.inf, _OTHER_OFF_S),
        _Stand(_FIRST_FOOT_M, 0.2, _mirrored(_FOOT_OFF_S), np.inf),
    ),
    "right": (
        _Stand(-_FIRST_FOOT_M, -0.2, -np.inf, _FOOT_OFF_S),
        _Stand(_FOOT_M, -_TURNED_RAD, _mirrored(_OTHER_OFF_S), np.inf),
    ),
}


def cartwheeling(seconds: float = _END_S, rate_hz: float = 120.0) -> Sample:
    """Turn a cartwheel along +X, facing +Z."""
    planted: list[Planted] = []
    for side, stands in _FEET.items():
        for stand in stands:
            x, y, z = (float(n) for n in stand.ball_m)
            planted.append(
                Planted(f"{side}_foot", f"{side}_ball", stand.start_s, stand.end_s, (x, y, z))
            )
        planted += pressed(side, _HANDS[side])
    return finished_body("cartwheel", _motion(), planted, seconds, rate_hz)


@cache
def _motion() -> BodyMotion:
    motion = BodyMotion(_root, _angles, _legs, _arms)
    return balanced_body(motion, _LINE, _push_point, _ROUNDS)


def _there_and_back(keys: list[Key]) -> list[Key]:
    """Keys of the first half and their mirror images."""
    return [*keys, *((_mirrored(t), value, -rate, bend) for t, value, rate, bend in keys[-2::-1])]


_HEIGHTS: list[Key] = _there_and_back(
    [
        (0.1, 0.85, 0.0, 0.0),
        (0.75, 0.83, 0.0, 0.0),
        (1.45, 0.78, 0.0, 1.0),
        (_MID_S, 0.99, 0.0, -1.5),
    ]
)
_WHEEL: list[Key] = [
    (0.3, 0.0, 0.0, 0.0), (0.9, -28.0, -110.0, -150.0), (_HAND_S, -112.0, -170.0, 0.0),
    (_MID_S, -180.0, -110.0, 0.0), (_mirrored(_HAND_S), -248.0, -170.0, 0.0),
    (_mirrored(0.9), -332.0, -110.0, 150.0), (_mirrored(0.3), -360.0, 0.0, 0.0),
]  # fmt: skip
"""Degrees of the pelvis about Z."""


def _root(times: Array) -> Array:
    return np.stack([0.0 * times, through(_HEIGHTS, times), 0.0 * times], axis=1)


def _push_point(times: Array) -> Array:
    first, foot, hand = -0.5 * (_FOOT_M + _FIRST_FOOT_M), -_FOOT_M, -_HAND_M
    half = [
        (0.0, first), (0.25, first), (_FOOT_OFF_S - 0.08, foot), (_HAND_S, foot),
        (_OTHER_OFF_S, hand), (_OTHER_HAND_S, hand),
    ]  # fmt: skip
    keys = [*half, *((_mirrored(t), -x) for t, x in half[::-1])]
    return monotone([(t, np.array([x, 0.03])) for t, x in keys], times)


def _angles(times: Array) -> dict[str, Array]:
    keys: list[Key] = [(0.5, 0.0, 0.0, 0.0), (1.4, 1.0, 0.0, 0.0)]
    back: list[Key] = [(_mirrored(t), -value, 0.0, 0.0) for t, value, _, _ in keys[::-1]]
    bent = through([*keys, (_MID_S, 0.0, -3.0, 0.0), *back], times)
    turns: Turns = {
        "Hips": (0.0, 0.0, through(_WHEEL, times)),
        "Spine": (0.0, 0.0, -8.0 * bent),
        "Spine1": (0.0, 0.0, -8.0 * bent),
        "Spine2": (0.0, 0.0, -6.0 * bent),
    }
    return stacked(turns, times)


_SPLIT_RAD = 0.75
_LEG_M, _ARM_M = 0.80, 0.53


def _legs(times: Array, pelvis_m: Array, pelvis_wxyz: Array) -> dict[str, LimbGoal]:
    """Straight and apart, but for where they stand."""

    def foot(side: str, sign: float) -> LimbGoal:
        free = np.array([sign * 0.091, 0.0, 0.0]) + _LEG_M * np.array(
            [sign * np.sin(_SPLIT_RAD), -np.cos(_SPLIT_RAD), 0.0]
        )
        pointed = rotations.from_axis_angle([1.0, 0.0, 0.0], np.asarray(0.5))
        goal = LimbGoal(
            pelvis_m + rotations.rotate(pelvis_wxyz, free),
            rotations.multiply(pelvis_wxyz, pointed),
            rotations.rotate(pelvis_wxyz, np.array([0.3 * sign, 0.0, 1.0])),
            np.zeros(len(times)),
        )
        for stand in _FEET[side]:
            goal = brought(goal, stand.ankle_m, stand.wxyz, stand.share(times), 0.0)
        return goal

    return both(foot)


def _arms(times: Array, chest_m: Array, chest_wxyz: Array) -> dict[str, LimbGoal]:
    """Up at first and at last, spread between, but for when they carry."""
    middle = ease(times, _MID_S - 0.15, _MID_S + 0.15)
    before = ease(times, 0.7, 1.3) - middle
    after = middle - ease(times, _mirrored(1.3), _mirrored(0.7))

    def hand(side: str, sign: float) -> LimbGoal:
        # Of two hands the second to land, and the first to leave, comes from the side.
        angle = 0.36 + 0.9 * (before if side == "right" else after)
        out = np.stack([sign * np.sin(angle), np.cos(angle), 0.0 * angle], axis=1)
        free = np.array([sign * 0.2, 0.145, 0.0]) + _ARM_M * out
        places = chest_m + rotations.rotate(chest_wxyz, free)
        up = rotations.from_axis_angle([0.0, 0.0, 1.0], sign * (np.pi - angle))
        poles = rotations.rotate(chest_wxyz, np.tile([0.2 * sign, 0.0, -1.0], (len(times), 1)))
        turn = rotations.multiply(chest_wxyz, up)
        return hand_goal(side, [_HANDS[side]], places, turn, poles, times)

    return both(hand)
