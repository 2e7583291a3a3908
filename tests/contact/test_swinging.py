"""Feet that swing low are not taken for standing ones, and landing ones are not lost."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.contact.schedule import SWINGS_M_S, SWINGS_S, swinging

FAST, SLOW = 2.0 * SWINGS_M_S, 0.5 * SWINGS_M_S
TOUCHES, AWAY = 0.5, 1.5


def speeds(frames: int, fast: slice, points: int = 2) -> Array:
    found = np.full((frames, points), SLOW)
    found[fast] = FAST
    return found


@pytest.mark.parametrize("rate_hz", [30.0, 60.0, 120.0, 240.0])
def test_what_is_fast_for_long_enough_swings(rate_hz: float) -> None:
    long = int(np.ceil(SWINGS_S * rate_hz))
    scores = np.full((4 * long, 2), TOUCHES)
    found = swinging(scores, speeds(4 * long, slice(long, 2 * long)), rate_hz)
    assert np.flatnonzero(found).tolist() == list(range(long, 2 * long))


@pytest.mark.parametrize("rate_hz", [30.0, 60.0, 120.0, 240.0])
def test_feet_that_land_are_fast_for_a_moment_only(rate_hz: float) -> None:
    short = int(np.ceil(SWINGS_S * rate_hz)) - 1
    scores = np.full((4 * short, 2), TOUCHES)
    assert not swinging(scores, speeds(4 * short, slice(short, 2 * short)), rate_hz).any()


def test_one_slow_point_that_touches_is_enough_to_stand() -> None:
    scores = np.full((60, 2), TOUCHES)
    fast = speeds(60, slice(0, 60))
    fast[:, 1] = SLOW
    assert not swinging(scores, fast, 60.0).any()
    # but not if it is in the air
    scores[:, 1] = AWAY
    assert swinging(scores, fast, 60.0).all()


def test_a_foot_in_the_air_does_not_swing_low() -> None:
    scores = np.full((60, 2), AWAY)
    assert not swinging(scores, speeds(60, slice(0, 60)), 60.0).any()
    scores[20:40] = TOUCHES
    found = swinging(scores, speeds(60, slice(0, 60)), 60.0)
    assert np.flatnonzero(found).tolist() == list(range(20, 40))


def test_a_slow_frame_parts_two_swings() -> None:
    """Each of them counts by itself."""
    scores = np.full((25, 1), TOUCHES)
    fast = np.full((25, 1), FAST)
    fast[5] = SLOW
    found = swinging(scores, fast, 100.0)
    assert not found[:6].any()
    assert found[6:].all()


def test_exactly_as_fast_is_not_faster() -> None:
    scores = np.full((60, 1), TOUCHES)
    assert not swinging(scores, np.full((60, 1), SWINGS_M_S), 60.0).any()
    assert not swinging(np.ones((60, 1)), np.full((60, 1), FAST), 60.0).any()


def test_no_frames_are_no_swings() -> None:
    assert swinging(np.zeros((0, 3)), np.zeros((0, 3)), 60.0).shape == (0,)
