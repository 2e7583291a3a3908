"""A standing long jump: crouch, take-off from both feet, flight, landing on the heels, upright."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.samples.balancing import balanced
from poise.samples.curves import GRAVITY, Key, Step, monotone, pitch_deg, point_on, through
from poise.samples.finishing import feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, stacked
from poise.samples.truth import Sample

_START_S, _DEEP_S, _LIFT_S, _LEAVE_S = 0.25, 0.85, 0.95, 1.25
_LAND_S, _FLAT_S, _LOW_S, _UP_S = 1.65, 1.71, 2.02, 2.95
END_S = 3.2
FLIGHT_S = (_LEAVE_S, _LAND_S)
"""Take-off and landing."""
_DISTANCE_M = 1.15
_STANDING_M, _CROUCH_M, _LEAVING_M, _LANDING_M, _LOW_M = 0.975, 0.68, 1.00, 0.83, 0.62
_FLIGHT_S = _LAND_S - _LEAVE_S
_RISE_M_S = (_LANDING_M - _LEAVING_M) / _FLIGHT_S + 0.5 * GRAVITY * _FLIGHT_S
_GRID_S = 0.005
LINE = Timeline(
    _GRID_S,
    round(END_S / _GRID_S),
    cyclic=False,
    flights=((round(_LEAVE_S / _GRID_S), round(_LAND_S / _GRID_S)),),
    easing_s=((_START_S, _DEEP_S), (_LOW_S, _UP_S)),
)
_HALF_WIDTH_M = 0.10
_PUSH = (
    (0.0, 0.12), (_START_S, 0.12), (_DEEP_S, 0.15), (_LIFT_S, 0.195), (_LEAVE_S, 0.225),
)  # fmt: skip
_LANDING_PUSH = ((_LAND_S, 0.0), (_FLAT_S, 0.0), (_LOW_S, 0.09), (_UP_S, 0.12), (END_S, 0.12))


def jumping(seconds: float = END_S, rate_hz: float = 120.0) -> Sample:
    """Jump forward along +Z once, from standing to standing."""
    return finished("jump", _plan(), steps, seconds, rate_hz)


@cache
def _plan() -> tuple[Plan, Ground]:
    return balanced(plan(), LINE, push_point)


def plan() -> Plan:
    """The jump before it is balanced."""
    return Plan(feet_of(steps), _angles, _heights)


def steps(side: str, first_s: float, last_s: float) -> list[Step]:
    """Of a side: where it stands at first, and where it lands."""
    sign = 1.0 if side == "left" else -1.0
    yaw = sign * np.radians(6.0)
    start = Step(
        (sign * _HALF_WIDTH_M, 0.0),
        lift_s=_LIFT_S,
        leave_s=_LEAVE_S,
        leaving_rad=pitch_deg(52.0, 640.0, 5700.0),
        yaw_rad=yaw,
        clearance_m=0.22,
        late_clearance_m=0.12,
    )
    end = Step(
        (sign * _HALF_WIDTH_M, _DISTANCE_M),
        touch_s=_LAND_S,
        flat_s=_FLAT_S,
        landing_rad=pitch_deg(-16.0, 220.0),
        yaw_rad=yaw,
    )
    return [start, end]


def _heights(times: Array) -> Array:
    t = times - _LEAVE_S
    aloft = _LEAVING_M + _RISE_M_S * t - 0.5 * GRAVITY * t**2
    before: list[Key] = [
        (_START_S, _STANDING_M, 0.0, 0.0),
        (_DEEP_S, _CROUCH_M, 0.0, 7.0),
        (_LEAVE_S, _LEAVING_M, _RISE_M_S, -GRAVITY),
    ]
    after: list[Key] = [
        (_LAND_S, _LANDING_M, _RISE_M_S - GRAVITY * _FLIGHT_S, -GRAVITY),
        (_LOW_S, _LOW_M, 0.0, 5.0),
        (_UP_S, _STANDING_M, 0.0, 0.0),
    ]
    heights = np.where(times < _LEAVE_S, through(before, times), through(after, times))
    return np.where((times >= _LEAVE_S) & (times <= _LAND_S), aloft, heights)


def push_point(times: Array) -> Array:
    """(F, 2) under the feet that stand."""
    keys: list[tuple[float, Array]] = []
    first, second = steps("left", 0, 0)
    for step, rows in ((first, _PUSH), (second, _LANDING_PUSH)):
        keys += [(t, np.array([0.0, point_on(step, ahead)[1]])) for t, ahead in rows]
    return monotone(keys, times)


_HIPS: tuple[Key, ...] = (
    (_START_S, 2.0, 0.0, 0.0),
    (_DEEP_S, 38.0, 0.0, 0.0),
    (_LEAVE_S, 10.0, -60.0, 0.0),
    (_LAND_S, 22.0, 60.0, 0.0),
    (_LOW_S + 0.05, 40.0, 0.0, 0.0),
    (_UP_S, 2.0, 0.0, 0.0),
)
_BEND: tuple[Key, ...] = (
    (_START_S, 0.0, 0.0, 0.0),
    (_DEEP_S, 14.0, 0.0, 0.0),
    (_LEAVE_S - 0.03, 0.0, 0.0, 0.0),
    (_LOW_S, 12.0, 0.0, 0.0),
    (_UP_S, 0.0, 0.0, 0.0),
)
_ARMS: tuple[Key, ...] = (
    (_START_S - 0.1, 2.0, 0.0, 0.0),
    (_DEEP_S - 0.1, 55.0, 0.0, 0.0),
    (_LEAVE_S, -135.0, -250.0, 0.0),
    (_LAND_S + 0.05, -70.0, 150.0, 0.0),
    (_UP_S - 0.1, 2.0, 0.0, 0.0),
)
_ELBOWS: tuple[Key, ...] = (
    (_START_S, -12.0, 0.0, 0.0),
    (_DEEP_S, -15.0, 0.0, 0.0),
    (_LEAVE_S, -30.0, 0.0, 0.0),
    (_LAND_S, -22.0, 0.0, 0.0),
    (_UP_S, -12.0, 0.0, 0.0),
)


def _angles(times: Array) -> dict[str, Array]:
    hips, bend = through(_HIPS, times), through(_BEND, times)
    arms, elbows = through(_ARMS, times), through(_ELBOWS, times)
    turns: Turns = {
        "Hips": (hips, 0.0, 0.0),
        "Spine": (bend, 0.0, 0.0),
        "Spine1": (0.5 * bend, 0.0, 0.0),
        "Neck": (-0.2 * hips, 0.0, 0.0),
        "Head": (-0.5 * hips - 2.0, 0.0, 0.0),
    }
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        turns[f"{side}Arm"] = (arms, 0.0, 8.0 * sign)
        turns[f"{side}ForeArm"] = (elbows, -8.0 * sign, 0.0)
    return stacked(turns, times)
