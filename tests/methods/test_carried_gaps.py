"""Gaps between contacts in which the capture shows that something carries the body."""

from __future__ import annotations

import numpy as np

from poise.methods.correct.refine import LONGEST_GAP_S, close_carried_gaps

RATE_HZ = 100.0


def gap(first: int, stop: int) -> np.ndarray:
    """Left foot before a gap, right foot after it."""
    touching = np.zeros((60, 2), dtype=np.bool_)
    touching[:first, 0] = True
    touching[stop:, 1] = True
    return touching


def test_contacts_meet_in_a_gap_that_carries() -> None:
    touching = gap(20, 28)
    close_carried_gaps(touching, np.ones(60), RATE_HZ)
    assert touching.any(axis=1).all()
    assert touching[:24, 0].all() and not touching[24:, 0].any()
    assert touching[24:, 1].all() and not touching[:24, 1].any()


def test_flights_and_long_gaps_stay() -> None:
    falling = np.zeros(60)
    for touching, carried in (
        (gap(20, 28), falling),
        (gap(20, 20 + round(2 * LONGEST_GAP_S * RATE_HZ)), np.ones(60)),
    ):
        before = touching.copy()
        close_carried_gaps(touching, carried, RATE_HZ)
        assert (touching == before).all()


def test_gaps_at_the_ends_of_a_clip_stay() -> None:
    touching = np.zeros((60, 1), dtype=np.bool_)
    touching[10:50] = True
    close_carried_gaps(touching, np.ones(60), RATE_HZ)
    assert not touching[:10].any() and not touching[50:].any()
