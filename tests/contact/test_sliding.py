"""What of a contact slides: by speed, with a price for every change."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.contact.sliding import SHORTEST_SLIDE_S, SLIDING_M_S, sliding_frames

RATE_HZ = 100.0


def slides(speeds, touching=None, rate_hz: float = RATE_HZ) -> np.ndarray:
    speeds = np.asarray(speeds, float)
    flags = np.ones(len(speeds), bool) if touching is None else np.asarray(touching, bool)
    return sliding_frames(flags[:, None], speeds[:, None], rate_hz)[:, 0]


def test_a_foot_that_stands_does_not_slide_however_a_capture_creeps() -> None:
    assert not slides(np.full(200, 0.25)).any()


def test_a_foot_that_is_dragged_slides_all_the_time() -> None:
    assert slides(np.full(200, 1.5))[5:-5].all()


def test_a_slide_between_two_rests_is_found_where_it_is() -> None:
    speeds = np.full(200, 0.05)
    speeds[80:130] = 1.2
    found = np.flatnonzero(slides(speeds))
    assert abs(found[0] - 80) <= 1 and abs(found[-1] - 129) <= 1
    assert len(found) == found[-1] - found[0] + 1


@pytest.mark.parametrize("frames", [1, 3, 5])
def test_a_few_fast_frames_are_no_slide(frames) -> None:
    speeds = np.full(100, 0.05)
    speeds[50 : 50 + frames] = 5.0
    speeds[:3] = speeds[-3:] = 3.0  # landing and leaving
    assert not slides(speeds).any()


def test_a_few_slow_frames_do_not_end_a_slide() -> None:
    speeds = np.full(100, 1.5)
    speeds[50:53] = 0.1
    assert slides(speeds)[5:-5].all()


def test_only_what_touches_slides() -> None:
    touching = np.zeros(100, bool)
    touching[20:80] = True
    found = slides(np.full(100, 2.0), touching)
    assert found[25:75].all() and not found[:20].any() and not found[80:].any()


def test_contacts_too_short_for_a_slide_stand() -> None:
    touching = np.zeros(100, bool)
    touching[20 : 20 + int(SHORTEST_SLIDE_S * RATE_HZ) - 1] = True
    assert not slides(np.full(100, 2.0), touching).any()


def test_nothing_at_all() -> None:
    assert sliding_frames(np.zeros((0, 2), bool), np.zeros((0, 2)), RATE_HZ).shape == (0, 2)
    assert not sliding_frames(np.ones((1, 2), bool), np.full((1, 2), 9.0), RATE_HZ).any()


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.integers(1, 120))
def test_slides_are_contacts_and_parts_do_not_matter_to_each_other(seed, frames) -> None:
    rng = np.random.default_rng(seed)
    touching = rng.random((frames, 3)) < 0.9
    speeds = rng.gamma(1.0, SLIDING_M_S, (frames, 3))
    found = sliding_frames(touching, speeds, RATE_HZ)
    assert not (found & ~touching).any()
    turned = sliding_frames(touching[:, ::-1], speeds[:, ::-1], RATE_HZ)
    np.testing.assert_array_equal(turned, found[:, ::-1])
    back = sliding_frames(touching[::-1], speeds[::-1], RATE_HZ)
    assert abs(int(back.sum()) - int(found.sum())) <= 0.1 * touching.size + 4


@pytest.mark.parametrize("rate_hz", [50.0, 200.0])
def test_the_rate_changes_little(rate_hz) -> None:
    times = np.arange(0.0, 3.0, 1.0 / rate_hz)
    speeds = np.where((times > 1.0) & (times < 2.0), 1.5, 0.1)
    found = times[slides(speeds, rate_hz=rate_hz)]
    assert abs(found[0] - 1.0) < 0.05 and abs(found[-1] - 2.0) < 0.05
