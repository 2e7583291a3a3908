"""A roll over the back: from sitting onto pelvis and chest, onto the upper back, and up again.

Hands press beside the hips throughout. Hips stand still until the chest carries, and the chest
while the hips are in the air: what turns, turns about what carries.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import contact_points, contact_radii_m
from poise.contact import ContactSchedule
from poise.mechanics import forward_kinematics
from poise.samples.body_motion import (
    SEAT_M,
    BodyMotion,
    LimbGoal,
    Press,
    Stay,
    both,
    brought,
    finished_body,
    hand_goal,
    pressed,
    rested,
    share_of,
    stayed,
    turned,
)
from poise.samples.curves import ease, resting
from poise.samples.human import sample_character
from poise.samples.plan import Turns, sole, stacked
from poise.samples.truth import Planted, Sample

_SIT_S, _FLAT_S, _LIFT_S = 0.5, 1.6, 1.8
"""Sits until, lies from, and rolls on from."""
_MID_S = 2.55
"""On the upper back; the second half is the first one backwards."""
_END_S = 2.0 * _MID_S
_SITTING_DEG, _ROLLED_DEG = -24.0, -128.0
"""Pitch of the pelvis; lying comes in between, where pelvis and chest both touch."""
_BENT_DEG = (12.0, 8.0)
"""Of the two lower joints of the spine, all the time: a round back."""
_HIPS_M = np.array([0.0, SEAT_M, 0.0])
_HEEL_M = 0.34
_FEET_LEAVE_S = 1.35
_OVER_S = 0.75
"""How long feet take to come over the body, and back."""
_TUCKED_M = np.array([0.10, -0.17, 0.48])
"""Of an ankle from the hips, in their frame, the left one's."""
_PRESSES = {
    side: Press((sign * 0.26, 0.0, -0.14), (sign * 0.5, 1.0), -np.inf, np.inf)
    for side, sign in (("left", 1), ("right", -1))
}


def rolling(seconds: float = _END_S, rate_hz: float = 120.0) -> Sample:
    """Roll from sitting over pelvis and chest onto the upper back, and forward to sitting."""
    planted: list[Planted] = []
    for side, stays in _stays().items():
        planted += [stayed(side, stay) for stay in stays]
        planted += pressed(side, _PRESSES[side])
    for start, end in ((-np.inf, _LIFT_S), (_mirrored(_LIFT_S), np.inf)):
        planted.append(rested("pelvis", "Hips", start, end, _HIPS_M))
    chest_m = _HIPS_M + _joint_m(np.array([_FLAT_S]), "Spine2")[0]
    for start, end in ((_FLAT_S, _LIFT_S), (_mirrored(_LIFT_S), _mirrored(_FLAT_S))):
        planted.append(rested("chest", "Spine2", start, end, chest_m))
    motion = BodyMotion(_root, _angles, _legs, _arms)
    made = finished_body("roll", motion, planted, seconds, rate_hz)
    return replace(made, contacts=_with_chest(made.contacts))


def _mirrored(time_s: float) -> float:
    return 2.0 * _MID_S - time_s


def _with_chest(contacts: ContactSchedule) -> ContactSchedule:
    """Between its rests the chest carries too, turning: no joint of it stands still then."""
    column = contacts.parts.index("chest")
    touching = contacts.touching.copy()
    times = np.arange(contacts.frame_count) / contacts.rate_hz
    touching[(times >= _FLAT_S) & (times < _mirrored(_FLAT_S)), column] = True
    return ContactSchedule(contacts.parts, touching, contacts.rate_hz)


def _stays() -> dict[str, list[Stay]]:
    found: dict[str, list[Stay]] = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        place = (sign * 0.13, _HEEL_M)
        found[side] = [
            Stay(place, -np.inf, _FEET_LEAVE_S, on_heel=True),
            Stay(place, _mirrored(_FEET_LEAVE_S), np.inf, on_heel=True),
        ]
    return found


@cache
def _lying_deg() -> float:
    """Pitch of the pelvis at which pelvis and chest both touch level ground."""
    figure = sample_character()
    radius = contact_radii_m(figure)["chest"]
    low, high = _ROLLED_DEG, _SITTING_DEG
    for _ in range(60):  # halved until nothing is left to halve
        middle = 0.5 * (low + high)
        above = SEAT_M + float(_chest_m(np.array([middle]))[0, 1]) - radius
        low, high = (low, middle) if above > 0.0 else (middle, high)
    return 0.5 * (low + high)


def _turns(pitch_deg: Array) -> dict[str, Array]:
    turns: Turns = {
        "Hips": (pitch_deg, 0.0, 0.0),
        "Spine": (_BENT_DEG[0], 0.0, 0.0),
        "Spine1": (_BENT_DEG[1], 0.0, 0.0),
        "Neck": (22.0, 0.0, 0.0),
        "Head": (18.0, 0.0, 0.0),
    }
    return stacked(turns, pitch_deg)


def _chest_m(pitch_deg: Array) -> Array:
    """(F, 3) from the hips to the point of the chest that touches."""
    figure = sample_character()
    q = turned(figure.skeleton, lambda _: _turns(pitch_deg), pitch_deg)
    state = forward_kinematics(figure.skeleton, np.zeros((len(pitch_deg), 3)), q)
    (offset,) = contact_points(figure)["chest"].offsets_m
    joint = figure.skeleton.index("Spine2")
    return state.positions_m[:, joint] + rotations.rotate(state.rotations_wxyz[:, joint], offset)


def _joint_m(times: Array, joint: str) -> Array:
    """(F, 3) from the hips to a joint of the trunk."""
    skeleton = sample_character().skeleton
    q = turned(skeleton, _angles, times)
    state = forward_kinematics(skeleton, np.zeros((len(times), 3)), q)
    return state.positions_m[:, skeleton.index(joint)]


def _pitch_deg(times: Array) -> Array:
    half = [
        (_SIT_S, _SITTING_DEG), (_FLAT_S, _lying_deg()), (_LIFT_S, _lying_deg()),
        (_MID_S, _ROLLED_DEG),
    ]  # fmt: skip
    return resting([*half, *((_mirrored(t), value) for t, value in half[-2::-1])], times)


def _angles(times: Array) -> dict[str, Array]:
    return _turns(_pitch_deg(times))


def _root(times: Array) -> Array:
    """The hips where they sit, and in the air where the chest stays in its place."""
    lifted = (times > _LIFT_S) & (times < _mirrored(_LIFT_S))
    moved = _chest_m(np.array([_lying_deg()])) - _chest_m(_pitch_deg(times))
    return _HIPS_M + np.where(lifted[:, None], moved, 0.0)


def _legs(times: Array, pelvis_m: Array, pelvis_wxyz: Array) -> dict[str, LimbGoal]:
    """Feet on the ground, and between over the body, knees drawn up."""

    def foot(side: str, sign: float) -> LimbGoal:
        tucked = pelvis_m + rotations.rotate(pelvis_wxyz, _TUCKED_M * [sign, 1.0, 1.0])
        pointed = rotations.from_axis_angle([1.0, 0.0, 0.0], np.asarray(0.5))
        aside = np.tile([0.2 * sign, 0.5, 1.0], (len(times), 1))
        goal = LimbGoal(
            tucked,
            rotations.multiply(pelvis_wxyz, pointed),
            rotations.rotate(pelvis_wxyz, aside),
            np.zeros(len(times)),
        )
        flat = rotations.from_axis_angle([0.0, 1.0, 0.0], np.asarray(0.2 * sign))
        for stay in _stays()[side]:
            x, z = stay.place_m
            ankle = np.array([x, 0.0, z]) - rotations.rotate(flat, sole().heel_m)
            share = share_of(times, (stay.start_s, stay.end_s), (_OVER_S, _OVER_S), ramp=0.3)
            goal = brought(goal, ankle, flat, share, 0.05)
        return goal

    return both(foot)


def _arms(times: Array, chest_m: Array, chest_wxyz: Array) -> dict[str, LimbGoal]:
    """Pressing all the time."""
    level = np.tile(rotations.IDENTITY, (len(times), 1))

    def hand(side: str, sign: float) -> LimbGoal:
        back = ease(times, _SIT_S, _FLAT_S) - ease(times, _mirrored(_FLAT_S), _mirrored(_SIT_S))
        poles = np.stack([sign + 0.0 * back, 0.3 - 0.2 * back, back - 1.0 - 0.6 * back], axis=1)
        return hand_goal(side, [_PRESSES[side]], chest_m, level, poles, times)

    return both(hand)
