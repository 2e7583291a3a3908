"""Gaps between contacts in which the capture shows that something carries the body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import samples
from poise.contact.finding import LONGEST_GAP_S, without_carried_gaps

RATE_HZ = 100.0
CLIP = replace(samples.standing().clip.sliced(0, 60), rate_hz=RATE_HZ, source=None)


def gap(first: int, stop: int) -> np.ndarray:
    """Left foot before a gap, right foot after it."""
    touching = np.zeros((60, 2), dtype=np.bool_)
    touching[:first, 0] = True
    touching[stop:, 1] = True
    return touching


def test_contacts_meet_in_a_gap_that_carries() -> None:
    touching = without_carried_gaps(gap(20, 28), np.ones(60), CLIP)
    assert touching.any(axis=1).all()
    assert touching[:24, 0].all() and not touching[24:, 0].any()
    assert touching[24:, 1].all() and not touching[:24, 1].any()


def test_flights_and_long_gaps_stay() -> None:
    falling = np.zeros(60)
    for touching, carried in (
        (gap(20, 28), falling),
        (gap(20, 20 + round(2 * LONGEST_GAP_S * RATE_HZ)), np.ones(60)),
    ):
        assert (without_carried_gaps(touching, carried, CLIP) == touching).all()


def test_gaps_at_the_ends_of_a_clip_stay() -> None:
    touching = np.zeros((60, 1), dtype=np.bool_)
    touching[10:50] = True
    found = without_carried_gaps(touching, np.ones(60), CLIP)
    assert not found[:10].any() and not found[50:].any()
