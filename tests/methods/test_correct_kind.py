"""The kind of a motion, by what touches in it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contact import BODY_PARTS, ContactSchedule
from poise.methods.correct.kind import kind_in_words, kind_of

FRAMES = 100
WHOLE = (0, FRAMES)


def schedule(**spans: tuple[int, int]) -> ContactSchedule:
    """Parts that touch in frames of one span each, at 100 Hz."""
    touching = np.zeros((FRAMES, len(BODY_PARTS)), dtype=np.bool_)
    for part, (first, stop) in spans.items():
        touching[first:stop, BODY_PARTS.index(part)] = True
    return ContactSchedule(BODY_PARTS, touching, 100.0)


def frames(first: int, stop: int) -> np.ndarray:
    found = np.zeros(FRAMES, dtype=np.bool_)
    found[first:stop] = True
    return found


@pytest.mark.parametrize(
    ("spans", "kind"),
    [
        ({}, "flight"),
        ({"left_foot": (0, 60), "right_foot": (40, 100)}, "walk"),
        ({"left_foot": (0, 40), "right_foot": (60, 100)}, "run"),
        ({"left_foot": WHOLE, "left_hand": (40, 60)}, "acrobatic"),
        ({"left_foot": WHOLE, "pelvis": (30, 60)}, "seat"),
        ({"left_foot": WHOLE, "pelvis": (30, 60), "left_knee": (40, 60)}, "seat"),
        ({"left_foot": WHOLE, "pelvis": (30, 60), "left_knee": (20, 60)}, "floor"),
        ({"left_foot": WHOLE, "left_knee": (20, 60)}, "floor"),
        ({"left_foot": WHOLE, "left_elbow": (20, 60)}, "floor"),
        ({"left_foot": WHOLE, "chest": (20, 60)}, "roll"),
        ({"left_foot": WHOLE, "chest": (0, 60)}, "floor"),
    ],
)
def test_kinds(spans: dict[str, tuple[int, int]], kind: str) -> None:
    assert kind_of(schedule(**spans)) == kind


def test_who_is_carried_by_something_unknown_does_not_fly() -> None:
    """A climber whose stairs are not given is off everything that is known for seconds."""
    found = schedule(left_foot=(0, 40), right_foot=(60, 100))
    assert kind_in_words(found) == "Touching: left foot, right foot; 1 flight (run)."
    assert kind_in_words(found, frames(40, 60)) == "Touching: left foot, right foot (walk)."


def test_a_flight_beside_what_is_unknown_is_one() -> None:
    """Who jumps off a box that is not given stands on it, then flies."""
    found = schedule(left_foot=(60, 100))
    assert kind_of(found, frames(0, 30)) == "run"
    assert "1 flight" in kind_in_words(found, frames(0, 30))
