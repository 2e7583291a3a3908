"""Stances and flights, against schedules written by hand."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contact import ContactSchedule, Phase, phases
from poise.errors import BadShape


def schedule(left: str, right: str, rate_hz: float = 100.0) -> ContactSchedule:
    flags = np.array([[a == "#", b == "#"] for a, b in zip(left, right, strict=True)])
    return ContactSchedule(("left_foot", "right_foot"), flags, rate_hz)


def test_stances_and_flights_alternate_without_gaps() -> None:
    left = "#" * 10 + "." * 10 + "." * 10
    right = "." * 15 + "." * 5 + "#" * 10
    assert phases(schedule(left, right)) == (
        Phase("stance", 0, 10, ("left_foot",)),
        Phase("flight", 10, 20),
        Phase("stance", 20, 30, ("right_foot",)),
    )


def test_feet_that_take_turns_make_one_stance() -> None:
    found = phases(schedule("#####.....", "....######"))
    assert found == (Phase("stance", 0, 10, ("left_foot", "right_foot")),)


def test_gaps_too_short_for_a_flight_are_stance() -> None:
    left = "#" * 10 + "." * 3 + "#" * 10
    assert [p.kind for p in phases(schedule(left, left))] == ["stance"]


def test_touches_too_short_for_a_stance_are_flight() -> None:
    left = "." * 10 + "#" * 2 + "." * 10
    assert [p.kind for p in phases(schedule(left, left))] == ["flight"]


def test_what_the_ends_of_the_clip_cut_stays() -> None:
    assert [p.frame_count for p in phases(schedule("..########", "." * 10))] == [2, 8]


def test_no_contact_is_no_flight_when_the_body_does_not_fall() -> None:
    nothing = schedule("." * 20, "." * 20)
    assert [p.kind for p in phases(nothing, np.full(20, -9.81))] == ["flight"]
    assert [p.kind for p in phases(nothing, np.zeros(20))] == ["stance"]


def test_wrong_arguments_are_refused() -> None:
    with pytest.raises(BadShape):
        phases(schedule("..", ".."), np.zeros(3))
