"""Front kicks with the left leg: standing on the right foot, and in the flight of a jump."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.samples import jump
from poise.samples.balancing import balanced
from poise.samples.curves import FootMotion, Key, Step, foot_motion, monotone, resting, through
from poise.samples.finishing import finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, sole, stacked
from poise.samples.standing import STANDING_M
from poise.samples.truth import Sample

_SHIFT_S, _LIFT_S, _KNEE_S, _OUT_S, _BACK_S, _DOWN_S, _END_S = 0.2, 1.0, 1.35, 1.62, 1.9, 2.4, 3.4
_HALF_WIDTH_M = 0.09
_STANCE_M = 0.20
"""How far the kicking foot stands behind the other one at first."""
_LINE = Timeline(
    0.005, round(_END_S / 0.005), cyclic=False, easing_s=((0.1, 0.8), (2.5, _END_S - 0.1))
)
_PUSH_M = 0.12
"""From the heel to the push under a foot that stands."""


@dataclass(frozen=True)
class _Detour:
    """What a swing does beyond going from place to place: keys of one number each."""

    up_m: tuple[Key, ...]
    ahead_m: tuple[Key, ...]
    pitch_deg: tuple[Key, ...]

    def put_on(self, foot: FootMotion, times: Array) -> FootMotion:
        """The foot with the detour."""
        up, ahead = through(self.up_m, times), through(self.ahead_m, times)
        turn = rotations.from_axis_angle(
            [1.0, 0.0, 0.0], np.radians(through(self.pitch_deg, times))
        )
        ankles = foot.ankles_m + np.stack([0.0 * up, up, ahead], axis=1)
        return replace(
            foot, ankles_m=ankles, rotations_wxyz=rotations.multiply(foot.rotations_wxyz, turn)
        )


def _rests(*pairs: tuple[float, float]) -> tuple[Key, ...]:
    return tuple((time, value, 0.0, 0.0) for time, value in pairs)


_STANDING_KICK = _Detour(
    _rests((_LIFT_S, 0.0), (_KNEE_S, 0.36), (_OUT_S, 0.74), (_BACK_S, 0.36), (_DOWN_S, 0.0)),
    _rests((_LIFT_S, 0.0), (_KNEE_S, 0.14), (_OUT_S, 0.98), (_BACK_S, 0.20), (_DOWN_S, 0.0)),
    _rests((_LIFT_S, 0.0), (_KNEE_S, 10.0), (_OUT_S, -50.0), (_BACK_S, 5.0), (_DOWN_S, 0.0)),
)


def kicking(seconds: float = _END_S, rate_hz: float = 120.0) -> Sample:
    """Kick forward with the left foot, standing on the right one, and set it down in front."""
    return finished("kick", _standing_plan(), _steps, seconds, rate_hz)


def _steps(side: str, first_s: float, last_s: float) -> list[Step]:
    if side == "right":
        return [Step((-_HALF_WIDTH_M, 0.0), yaw_rad=-0.35)]
    return [
        Step((_HALF_WIDTH_M, -_STANCE_M), leave_s=_LIFT_S, lift_s=_LIFT_S, yaw_rad=0.1),
        Step((_HALF_WIDTH_M, -_STANCE_M), touch_s=_DOWN_S, flat_s=_DOWN_S, yaw_rad=0.1),
    ]


def _feet(times: Array) -> dict[str, FootMotion]:
    left = foot_motion(_steps("left", 0.0, 0.0), sole(), times)
    right = foot_motion(_steps("right", 0.0, 0.0), sole(), times)
    return {"left": _STANDING_KICK.put_on(left, times), "right": right}


@cache
def _standing_plan() -> tuple[Plan, Ground]:
    def heights(times: Array) -> Array:
        keys = ((_SHIFT_S, 0.0), (_KNEE_S, 0.02), (_OUT_S, 0.06), (_BACK_S, 0.02), (_DOWN_S, 0.0))
        return STANDING_M - 0.06 + resting(keys, times)

    return balanced(Plan(_feet, _kick_angles, heights), _LINE, _push_point)


def _push_point(times: Array) -> Array:
    """Between the feet, then under the right one while the left one is away."""
    right = np.array([-_HALF_WIDTH_M - 0.02, _PUSH_M])
    between = np.array([0.0, _PUSH_M - 0.5 * _STANCE_M])
    keys = [
        (0.0, between), (_SHIFT_S, between), (_LIFT_S - 0.1, right), (_DOWN_S + 0.1, right),
        (_END_S - 0.2, between), (_END_S, between),
    ]  # fmt: skip
    return monotone(keys, times)


def _kick_angles(times: Array) -> dict[str, Array]:
    out = through(_rests((_LIFT_S, 0.0), (_OUT_S, 1.0), (_DOWN_S, 0.0)), times)
    turns: Turns = {
        "Hips": (4.0 - 16.0 * out, -8.0 * out, 0.0),
        "Spine": (2.0 + 6.0 * out, 2.0 * out, 0.0),
        "Spine1": (1.0 + 4.0 * out, 3.0 * out, 0.0),
        "Neck": (2.0 * out, 2.0 * out, 0.0),
        "Head": (-2.0 + 2.0 * out, 1.0 * out, 0.0),
        **guard(times),
    }
    return stacked(turns, times)


def guard(times: Array) -> Turns:
    """Both fists before the chest."""
    turns: Turns = {}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        turns[f"{side}Arm"] = (-28.0 + 0.0 * times, 0.0, 12.0 * sign)
        turns[f"{side}ForeArm"] = (-98.0, -18.0 * sign, 0.0)
    return turns


_TAKE_OFF_S, _LANDING_S = jump.FLIGHT_S
_MID_S = 0.5 * (_TAKE_OFF_S + _LANDING_S)
_FLYING_KICK = _Detour(
    _rests((_TAKE_OFF_S, 0.0), (_MID_S - 0.02, 0.20), (_LANDING_S, 0.0)),
    _rests((_TAKE_OFF_S, 0.0), (_MID_S, 0.40), (_LANDING_S, 0.0)),
    _rests((_TAKE_OFF_S, 0.0), (_MID_S, -35.0), (_LANDING_S, 0.0)),
)


def jump_kicking(seconds: float = jump.END_S, rate_hz: float = 120.0) -> Sample:
    """Jump forward from both feet and kick with the left one in flight."""
    return finished("jump-kick", _flying_plan(), jump.steps, seconds, rate_hz)


@cache
def _flying_plan() -> tuple[Plan, Ground]:
    plan = jump.plan()

    def feet(times: Array) -> dict[str, FootMotion]:
        both = dict(plan.feet(times))
        return both | {"left": _FLYING_KICK.put_on(both["left"], times)}

    return balanced(replace(plan, feet=feet), jump.LINE, jump.push_point)
