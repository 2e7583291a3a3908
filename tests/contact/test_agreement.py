"""How two schedules agree, against cases counted by hand."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contact.agreement import contact_agreement
from poise.contact.schedule import ContactSchedule
from poise.errors import BadShape, BadValue


def foot(text: str, rate_hz: float = 100.0) -> ContactSchedule:
    return ContactSchedule(("left_foot",), np.array([[c == "#"] for c in text]), rate_hz)


def agreement(found: str, true: str, **options):
    return contact_agreement(foot(found), foot(true), **options)["left_foot"]


def test_counted_by_hand() -> None:
    result = agreement("..####....##", "...####...##")
    # 3 frames of the first stance and 2 of the second are both; 6 found and 6 true.
    assert result.f1 == pytest.approx(2 * 5 / 12)
    assert result.onsets.errors_ms == pytest.approx((0.0, -10.0))
    assert result.offsets.errors_ms == pytest.approx((-10.0,))
    assert (result.onsets.missed, result.onsets.invented) == (0, 0)


def test_a_schedule_agrees_with_itself() -> None:
    result = agreement(".##..#.", ".##..#.")
    assert result.f1 == 1.0
    assert result.onsets.errors_ms == (0.0, 0.0)


def test_no_contact_at_all_is_full_agreement_and_no_event() -> None:
    result = agreement("....", "....")
    assert result.f1 == 1.0
    assert result.onsets.errors_ms == ()


def test_events_far_apart_are_missed_and_invented() -> None:
    far = "#" + 30 * "."
    result = agreement("." * 29 + "##" + far, "." * 2 + "#" * 29 + far)
    assert (result.onsets.missed, result.onsets.invented) == (1, 1)
    assert result.onsets.errors_ms == ()


def test_each_event_is_matched_once() -> None:
    result = agreement("..#.#..", "...##..")
    assert len(result.onsets.errors_ms) == 1
    assert result.onsets.invented == 1


def test_only_valid_frames_count() -> None:
    valid = np.array([0, 0, 0, 1, 1, 1, 1], dtype=bool)
    result = agreement("###..##", "....###", valid=valid)
    assert result.f1 == pytest.approx(2 * 2 / 5)
    assert result.frames == 4
    assert result.offsets.invented == 0


def test_other_lengths_and_rates_are_refused() -> None:
    with pytest.raises(BadShape):
        agreement("...", "..")
    with pytest.raises(BadValue):
        contact_agreement(foot("..", 60.0), foot("..", 120.0))
    with pytest.raises(BadShape):
        agreement("..", "..", valid=[True])
