"""A standing figure whose right hand reaches for a point, holds it, and comes back."""

from __future__ import annotations

from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.samples.balancing import balanced
from poise.samples.curves import ease
from poise.samples.finishing import feet_of, finished
from poise.samples.plan import Ground, Plan, Timeline, WristGoal, stacked
from poise.samples.standing import STANDING_M, feet_at, hanging_arms, mid_feet
from poise.samples.truth import Planted, Sample

_CYCLE_S = 4.0
_OUT_S, _THERE_S, _BACK_S, _HOME_S = 0.3, 1.4, 2.2, 3.4
_LINE = Timeline(_CYCLE_S / 400, 400, cyclic=True)
_FEET = feet_at(0.11, 8.0)
POINT_M = np.array([-0.30, 1.30, 0.78])
"""Where the right wrist goes: in front, to the right, at the height of the breast."""
_HANGING_M = np.array([-0.262, -0.39, 0.075])
"""The right wrist of a hanging arm, from the chest joint, in its axes."""
_ELBOW_DOWN = np.array([-0.35, -0.6, -1.0])


def reaching(seconds: float = _CYCLE_S, rate_hz: float = 120.0) -> Sample:
    """Reach forward with the right hand, hold, and return; again every four seconds."""
    held = [
        Planted("right_hand", "RightHand", c + _THERE_S, c + _BACK_S, tuple(POINT_M.tolist()))
        for c in np.arange(0.0, max(seconds, _CYCLE_S), _CYCLE_S)
    ]
    return finished("reach", _plan(), _FEET, seconds, rate_hz, tuple(held))


@cache
def _plan() -> tuple[Plan, Ground]:
    def heights(times: Array) -> Array:
        return STANDING_M - 0.005 + 0.012 * _out(times)

    plan = Plan(feet_of(_FEET), _angles, heights, arms=_arms)
    return balanced(plan, _LINE, _push_point)


def _out(times: Array) -> Array:
    """0 at home, 1 while the hand is there."""
    t = np.mod(times, _CYCLE_S)
    return ease(t, _OUT_S, _THERE_S) - ease(t, _BACK_S, _HOME_S)


def _push_point(times: Array) -> Array:
    # The weight goes a little towards the toes and the reaching side.
    home = mid_feet(_FEET)
    return home + _out(times)[:, None] * np.array([-0.02, 0.03])


def _angles(times: Array) -> dict[str, Array]:
    s = _out(times)
    return stacked(
        hanging_arms(
            {
                "Hips": (1.0 + 9.0 * s, 6.0 * s, 0.0),
                "Spine": (5.0 * s, 5.0 * s, 0.0),
                "Spine1": (3.0 * s, 5.0 * s, 0.0),
                "Spine2": (1.0 * s, 4.0 * s, 0.0),
                "Neck": (-4.0 * s, -6.0 * s, 0.0),
                "Head": (-1.0 - 6.0 * s, -8.0 * s, 0.0),
                "LeftArm": (2.0 + 10.0 * s, 0.0, 8.0),
            }
        ),
        times,
    )


def _arms(times: Array, chest_m: Array, chest_wxyz: Array) -> dict[str, WristGoal]:
    s = _out(times)[:, None]
    home = chest_m + rotations.rotate(chest_wxyz, _HANGING_M)
    # Bowed outwards and up, as a hand goes round and not through the thigh.
    bow = 4.0 * s * (1.0 - s) * np.array([-0.03, 0.02, 0.04])
    wrists = (1.0 - s) * home + s * POINT_M + bow
    return {"right": WristGoal(wrists, np.broadcast_to(_ELBOW_DOWN, wrists.shape))}
