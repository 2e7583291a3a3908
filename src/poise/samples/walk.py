"""A walking figure: steady steps along +Z on the floor at height 0.0.

Feet roll over heel, flat sole and ball; the ground's push travels from heel to toes under each foot
and changes feet while both stand, and the centre of mass follows from it.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.motion import Clip
from poise.samples.balancing import balanced
from poise.samples.curves import Step, around, monotone, pitch_deg, point_on
from poise.samples.finishing import alternating, feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, Turns, stacked
from poise.samples.truth import Sample

_CYCLE_S = 1.08
_START = 0.9
"""Share of the left foot's cycle at which the clip begins: it is about to land."""
_STRIDE_M = 1.24
_HALF_WIDTH_M = 0.07
_TOE_OUT_DEG = 6.0
# Shares of the cycle after heel strike.
_FLAT, _LIFT, _LEAVE = 0.072, 0.37, 0.62
_LANDING = pitch_deg(-20.0, 100.0)
_LEAVING = pitch_deg(56.0, 330.0)
_CLEARANCE_M = 0.09
_SKEW = 0.3
_HEIGHT_M, _BOUNCE_M = 0.963, 0.019
_LINE = Timeline(_CYCLE_S / 216, 216, cyclic=True, stride_m=(0.0, _STRIDE_M))

# Where the push is under the only standing foot, from its heel to the front (m), at shares of its
# cycle. It is over the ball when the heel lifts, and behind the toe tip always.
_PUSH = ((0.12, 0.06), (0.37, 0.197), (0.50, 0.213))
_BOTH_STAND = _LEAVE - 0.5


def walk(seconds: float = 4.0, rate_hz: float = 120.0) -> Clip:
    """Walk straight ahead along +Z on the floor at height 0.0."""
    return walking(seconds, rate_hz).clip


def walking(seconds: float = 4.0, rate_hz: float = 120.0) -> Sample:
    """The walk with its truth."""
    return finished("walk", _plan(), _steps, seconds, rate_hz)


@cache
def _plan() -> tuple[Plan, Ground]:
    return balanced(Plan(feet_of(_steps), _angles, _heights), _LINE, _push_point)


def _step(sign: float, cycle: float) -> Step:
    at = (cycle - _START) * _CYCLE_S
    return Step(
        (sign * _HALF_WIDTH_M, (cycle - _START) * _STRIDE_M),
        at,
        at + _FLAT * _CYCLE_S,
        at + _LIFT * _CYCLE_S,
        at + _LEAVE * _CYCLE_S,
        _LANDING,
        _LEAVING,
        sign * np.radians(_TOE_OUT_DEG),
        clearance_m=_CLEARANCE_M,
        late_clearance_m=-0.03,
        skew=_SKEW,
    )


_steps = alternating(_step, _CYCLE_S)


def _heights(times: Array) -> Array:
    # Lowest a little after heel strike, while both feet stand; highest over the standing foot.
    phase = times / _CYCLE_S + _START - 0.5 * _BOTH_STAND
    return _HEIGHT_M - _BOUNCE_M * np.cos(4.0 * np.pi * phase)


def _push_point(times: Array) -> Array:
    """(F, 2) under the standing foot, and from one to the other while both stand."""
    from scipy.interpolate import PchipInterpolator

    keys: list[tuple[float, Array]] = []
    shares = [share for share, _ in _PUSH]
    ahead = PchipInterpolator(shares, [z for _, z in _PUSH])
    for number in np.arange(-2, 4):
        step = _step(1.0 if number % 2 == 0 else -1.0, 0.5 * float(number))
        start = step.touch_s
        for share in np.linspace(_BOTH_STAND, 0.5, 12):
            keys.append((start + share * _CYCLE_S, point_on(step, float(ahead(share)))))
    return monotone(keys, times)


def _angles(times: Array) -> dict[str, Array]:
    phase = times / _CYCLE_S + _START
    cosine, sine = np.cos(2 * np.pi * phase), np.sin(2 * np.pi * phase)
    twice = np.cos(4 * np.pi * phase)
    turns: Turns = {
        "Hips": (3.0, -7.0 * cosine, 2.5 * sine),
        "Spine": (1.5 + 0.8 * twice, 2.5 * cosine, -2.0 * sine),
        "Spine1": (-0.5, 4.0 * cosine, -1.0 * sine),
        "Spine2": (-0.5, 4.0 * cosine, 0.5 * sine),
        "Neck": (2.0, -2.0 * cosine, 0.0),
        "Head": (-5.0 + 0.5 * twice, -2.5 * cosine, 0.0),
    }
    for side, shift, sign in (("Left", 0.0, 1.0), ("Right", 0.5, -1.0)):
        swing = around(((0.0, 20.0), (0.25, 4.0), (0.5, -16.0), (0.75, 0.0)), phase + shift - 0.04)
        bend = around(
            ((0.0, -14.0), (0.25, -20.0), (0.5, -34.0), (0.75, -22.0)), phase + shift - 0.06
        )
        turns[f"{side}Arm"] = (swing, 0.0, 6.0 * sign)
        turns[f"{side}ForeArm"] = (bend, -8.0 * sign, 0.0)
        turns[f"{side}Hand"] = (-5.0, 0.0, -4.0 * sign)
    return stacked(turns, times)
