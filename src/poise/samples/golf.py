"""A two-handed swing, as with a golf club: address, back, through, finish; both feet stay."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.motion import Clip, resample
from poise.samples.balancing import balanced
from poise.samples.curves import Key, resting, through
from poise.samples.finishing import feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, WristGoal, stacked
from poise.samples.standing import STANDING_M, feet_at, mid_feet
from poise.samples.truth import Sample

_TOP_S, _HIT_S, _FINISH_S, END_S = 1.45, 1.80, 2.40, 3.2
_START_S = 0.4
_LINE = Timeline(
    0.005, round(END_S / 0.005), cyclic=False, easing_s=((0.1, 0.9), (2.3, END_S - 0.1))
)
_FEET = feet_at(0.20, 14.0)
_GRIP_M = 0.045
"""Half the distance between the two wrists along the grip."""

# Degrees: the turn of pelvis and chest to the left, and where the hands are seen from the chest:
# round to the left, and up from straight down.
_PELVIS: tuple[Key, ...] = (
    (_START_S, 0.0, 0.0, 0.0),
    (_TOP_S - 0.05, -32.0, 0.0, 0.0),
    (_HIT_S, 18.0, 190.0, 0.0),
    (_FINISH_S, 58.0, 0.0, 0.0),
)
_CHEST: tuple[Key, ...] = (
    (_START_S, 0.0, 0.0, 0.0),
    (_TOP_S, -44.0, 0.0, 0.0),
    (_HIT_S, -8.0, 180.0, 0.0),
    (_FINISH_S, 30.0, 0.0, 0.0),
)
_ROUND: tuple[Key, ...] = (
    (_START_S, 0.0, 0.0, 0.0),
    (_TOP_S, -42.0, 0.0, 0.0),
    (_HIT_S, 2.0, 150.0, 0.0),
    (_FINISH_S, 34.0, 0.0, 0.0),
)
_UP: tuple[Key, ...] = (
    (_START_S, 32.0, 0.0, 0.0),
    (_TOP_S, 100.0, 0.0, 0.0),
    (_HIT_S, 32.0, 0.0, 1500.0),
    (_FINISH_S, 112.0, 0.0, 0.0),
)


SWINGS = (
    ((0.0, 0.0), 1.0), ((0.08, 0.02), 0.96), ((-0.07, 0.05), 1.04),
    ((0.03, -0.06), 1.08), ((-0.05, -0.04), 0.92), ((0.06, 0.08), 1.02),
)  # fmt: skip
"""Of a population of swings: how far beside the sample's own the hands pass where they hit (m to
the left and ahead of the chest), and how fast."""
_AROUND_HIT_S = 0.42


def golfing(seconds: float = END_S, rate_hz: float = 120.0) -> Sample:
    """Swing once, right-handed, facing +Z; the ball would fly to +X."""
    return finished("golf", _plan((0.0, 0.0)), _FEET, seconds, rate_hz)


def golf_swings(rate_hz: float = 120.0) -> list[Clip]:
    """Six swings of one golfer, each to a place of its own and at its own speed."""
    made: list[Clip] = []
    for number, (place_m, speed) in enumerate(SWINGS, start=1):
        swing = finished("golf", _plan(place_m), _FEET, END_S, rate_hz).clip
        # Faster or slower: the same frames at another rate, brought back to the one asked for.
        played = resample(replace(swing, rate_hz=speed * rate_hz), rate_hz)
        made.append(replace(played, name=f"swing {number}"))
    return made


@cache
def _plan(place_m: tuple[float, float]) -> tuple[Plan, Ground]:
    def heights(times: Array) -> Array:
        keys = ((_START_S, 0.0), (_TOP_S, -0.01), (_HIT_S + 0.1, 0.012), (_FINISH_S, 0.022))
        return STANDING_M - 0.068 + resting(keys, times)

    plan = Plan(feet_of(_FEET), _angles, heights, arms=partial(_arms, place_m))
    return balanced(plan, _LINE, _push_point)


def _push_point(times: Array) -> Array:
    # Weight to the right foot on the way back, to the left one on the way through.
    keys = ((_START_S, 0.0), (_TOP_S - 0.1, -0.07), (_FINISH_S - 0.1, 0.12))
    aside = resting(keys, times)
    return mid_feet(_FEET) + aside[:, None] * np.array([1.0, 0.0])


def _angles(times: Array) -> dict[str, Array]:
    pelvis, chest = through(_PELVIS, times), through(_CHEST, times)
    rise = resting(((_HIT_S, 0.0), (_FINISH_S, 1.0)), times)
    lean = 15.0 - 11.0 * rise
    third = chest / 3.0
    turns: Turns = {
        "Hips": (lean + 5.0, pelvis, 0.0),
        "Spine": (0.5 * lean, third, 0.0),
        "Spine1": (0.4 * lean, third, 0.0),
        "Spine2": (0.2 * lean, third, 0.0),
        "Neck": (0.3 * lean, -0.45 * (pelvis + chest) * (1.0 - 0.6 * rise), 0.0),
        "Head": (2.0, -0.45 * (pelvis + chest) * (1.0 - 0.6 * rise), 0.0),
        "LeftHand": (0.0, 0.0, 22.0),
        "RightHand": (0.0, 0.0, -22.0),
    }
    return stacked(turns, times)


def _arms(
    place_m: tuple[float, float], times: Array, chest_m: Array, chest_wxyz: Array
) -> dict[str, WristGoal]:
    """Both wrists on a grip that circles the breast bone, and passes this far beside it to hit."""
    turn, up = np.radians(through(_ROUND, times)), np.radians(through(_UP, times))
    outward = np.stack([np.sin(up) * np.sin(turn), -np.cos(up), np.sin(up) * np.cos(turn)], axis=1)
    center = np.array([0.0, 0.09, 0.02]) + 0.42 * outward
    hits = resting(
        ((_HIT_S - _AROUND_HIT_S, 0.0), (_HIT_S, 1.0), (_HIT_S + _AROUND_HIT_S, 0.0)), times
    )
    center = center + hits[:, None] * np.array([place_m[0], 0.0, place_m[1]])
    grips = {"left": 1.0, "right": -1.0}
    goals: dict[str, WristGoal] = {}
    for side, sign in grips.items():
        wrists = center + sign * _GRIP_M * np.array([0.6, 0.5, 0.0])
        elbow = np.array([sign * 0.7, -1.0, -0.5])
        goals[side] = WristGoal(
            chest_m + rotations.rotate(chest_wxyz, wrists),
            rotations.rotate(chest_wxyz, np.broadcast_to(elbow, wrists.shape)),
        )
    return goals
