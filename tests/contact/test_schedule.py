"""The record of what touches when."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contact.schedule import BODY_PARTS, ContactSchedule, intervals
from poise.errors import BadShape, BadValue, UnknownName


def test_a_part_that_is_not_listed_never_touches() -> None:
    schedule = ContactSchedule(("left_foot",), np.ones((3, 1)), 60.0)
    assert schedule.column("left_foot").all()
    assert not schedule.column("right_hand").any()


def test_the_flags_cannot_be_changed_afterwards() -> None:
    flags = np.zeros((3, 1), dtype=bool)
    schedule = ContactSchedule(("left_foot",), flags, 60.0)
    flags[:] = True
    assert not schedule.touching.any()
    with pytest.raises(ValueError, match="read-only"):
        schedule.touching[0, 0] = True


@pytest.mark.parametrize(
    ("parts", "shape", "rate", "error"),
    [
        (("left_fot",), (2, 1), 60.0, UnknownName),
        (("left_foot", "left_foot"), (2, 2), 60.0, BadValue),
        (("left_foot",), (2, 2), 60.0, BadShape),
        (("left_foot",), (2, 1), 0.0, BadValue),
        (("left_foot",), (2, 1), float("nan"), BadValue),
    ],
)
def test_what_cannot_be_is_refused(parts, shape, rate, error) -> None:
    with pytest.raises(error):
        ContactSchedule(parts, np.zeros(shape), rate)


def sliding_schedule() -> ContactSchedule:
    """The left foot stands, slides and leaves; the right one stands."""
    touching = np.array([[1, 1], [1, 1], [0, 1]], dtype=bool)
    sliding = np.array([[0, 0], [1, 0], [0, 0]], dtype=bool)
    return ContactSchedule(("left_foot", "right_foot"), touching, 60.0, sliding)


def test_what_slides_touches_and_does_not_stand() -> None:
    schedule = sliding_schedule()
    assert schedule.column("left_foot").tolist() == [True, True, False]
    assert schedule.standing("left_foot").tolist() == [True, False, False]
    assert schedule.standing("right_foot").all()
    assert not schedule.standing("head").any()


def test_without_word_of_sliding_all_that_touches_stands() -> None:
    schedule = ContactSchedule(("left_foot",), [[True], [False]], 60.0)
    assert schedule.sliding is None
    assert schedule.standing("left_foot").tolist() == [True, False]


def test_the_sliding_flags_cannot_be_changed_afterwards() -> None:
    flags = np.zeros((2, 1), dtype=bool)
    schedule = ContactSchedule(("left_foot",), np.ones((2, 1)), 60.0, flags)
    flags[:] = True
    assert schedule.sliding is not None and not schedule.sliding.any()
    with pytest.raises(ValueError, match="read-only"):
        schedule.sliding[0, 0] = True


def test_only_what_touches_can_slide() -> None:
    with pytest.raises(BadValue, match="sliding"):
        ContactSchedule(("left_foot",), np.zeros((2, 1)), 60.0, np.ones((2, 1), dtype=bool))
    with pytest.raises(BadShape, match="sliding"):
        ContactSchedule(("left_foot",), np.ones((2, 1)), 60.0, np.ones((3, 1), dtype=bool))


def test_a_slice_keeps_what_slides() -> None:
    part = sliding_schedule().sliced(1)
    assert part.frame_count == 2 and part.sliding is not None
    assert part.standing("left_foot").tolist() == [False, False]
    assert part.column("left_foot").tolist() == [True, False]
    assert sliding_schedule().sliced(0, 1).standing("left_foot").tolist() == [True]


def test_every_body_part_is_named_once() -> None:
    assert len(set(BODY_PARTS)) == len(BODY_PARTS)


@pytest.mark.parametrize(
    ("flags", "runs"),
    [
        ([], []),
        ([0, 0], []),
        ([1, 1], [(0, 2)]),
        ([1, 0, 0, 1, 1, 0], [(0, 1), (3, 5)]),
        ([0, 1], [(1, 2)]),
    ],
)
def test_intervals_are_runs_of_true_frames(flags, runs) -> None:
    assert intervals(np.array(flags, dtype=bool)) == runs
