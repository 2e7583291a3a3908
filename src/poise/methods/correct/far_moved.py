"""Stretches in which the laws of motion would throw the body about: evidence against the contacts.

Where contacts are missing or wrong, some motion still obeys them and the laws of motion; it may
swing an arm by a metre to do so. A capture errs by centimetres. So where a solve moves any joint
further than a capture can be off, the contacts that were found do not explain the motion, and
balance and flight are left as they were captured there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise.character import Character, joints_without_fingers, stature_m
from poise.contact import intervals
from poise.mechanics import forward_kinematics
from poise.motion import Clip

FAR = 0.25
"""Of the stature: a solve that moves a joint so far follows contacts, not the capture. Of 107
captures, those that keep all limits move theirs by 35 cm at most."""
BESIDE_S = 0.25
"""A limb is thrown before and after it is far away."""
_MOST_NAMED = 3


@dataclass(frozen=True)
class FarMoved:
    """A stretch in which obeying the laws of motion would move a joint too far."""

    first: int
    """First frame, and"""
    stop: int
    """one past the last."""
    joint: str
    """The joint that would move farthest."""
    moved_m: float
    """How far."""


def far_moved(start: Clip, made: Clip, character: Character) -> tuple[FarMoved, ...]:
    """Stretches in which a solve moved joints of a motion farther than `FAR`, and those beside."""
    assert character.roles is not None
    counted = joints_without_fingers(character)
    before, after = (
        forward_kinematics(clip.skeleton, *clip.pose).positions_m[:, counted]
        for clip in (start, made)
    )
    moved = np.linalg.norm(after - before, axis=2)
    names = np.array(character.skeleton.joint_names)[counted]
    far = moved.max(axis=1) > FAR * stature_m(character.skeleton, character.roles)
    around = 1 + 2 * round(BESIDE_S * start.rate_hz)
    wide = np.asarray(maximum_filter1d(far.astype(np.int8), around) > 0)
    found: list[FarMoved] = []
    for first, stop in intervals(wide):
        frame, joint = np.unravel_index(moved[first:stop].argmax(), moved[first:stop].shape)
        found.append(FarMoved(first, stop, str(names[joint]), float(moved[first + frame, joint])))
    return tuple(found)


def frames_of(stretches: tuple[FarMoved, ...], count: int) -> NDArray[np.bool_]:
    """(F,) frames of all stretches."""
    found = np.zeros(count, dtype=np.bool_)
    for each in stretches:
        found[each.first : each.stop] = True
    return found


def far_moved_in_words(stretches: tuple[FarMoved, ...]) -> str:
    """Where contacts do not explain the motion, and what obeying them would have done."""
    farthest = sorted(stretches, key=lambda each: -each.moved_m)[:_MOST_NAMED]
    named = ", ".join(
        f"frames {each.first} to {each.stop - 1} ({each.joint} by {100.0 * each.moved_m:.0f} cm)"
        for each in sorted(farthest, key=lambda each: each.first)
    )
    more = len(stretches) - len(farthest)
    return (
        f"To obey balance and flight with these contacts, joints would have to move far from the "
        f"capture in {named}{f' and {more} more' if more else ''}: a contact is missing or wrong "
        "there, so balance, flight and strength are left as captured "
        "(--contacts-out to look at them, --contacts to correct them)."
    )
