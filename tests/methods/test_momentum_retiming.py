"""Flights that last longer or shorter: time runs on, evenly where they begin and end."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from poise import rotations
from poise.contact import ContactSchedule
from poise.mechanics import forward_kinematics
from poise.methods.momentum.plan import Captured, captured
from poise.methods.momentum.retiming import (
    LONGEST,
    frame_times,
    retimed_clip,
    retimed_contacts,
    retimed_curves,
    retimed_stages,
)
from poise.methods.momentum.stages import FEWEST_FLIGHT_FRAMES, Stage
from tests.methods.leaping import FLIGHT, SETTINGS, jump

G = 9.81
HOPS = (
    Stage("ground", 0, 20, G), Stage("flight", 20, 32, G), Stage("ground", 32, 50, G),
    Stage("flight", 50, 58, G), Stage("ground", 58, 80, G),
)  # fmt: skip
COUNTS = [{1: count} for count in (4, 8, 11, 13, 24, int(LONGEST * 12))] + [
    {1: 16, 3: 5}, {1: 5, 3: int(LONGEST * 8)},
]  # fmt: skip


@cache
def base() -> Captured:
    return captured(jump(), SETTINGS)


def test_unchanged_counts_change_nothing() -> None:
    for counts in ({}, {1: 12}, {1: 12, 3: 8}):
        np.testing.assert_array_equal(frame_times(HOPS, counts), np.arange(80.0))
        assert retimed_stages(HOPS, counts) == HOPS
    clip = jump().clip
    assert retimed_clip(clip, np.arange(clip.frame_count, dtype=np.float64)) is clip


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_time_runs_on_and_every_frame_on_the_ground_is_there(counts: dict[int, int]) -> None:
    times, stages = frame_times(HOPS, counts), retimed_stages(HOPS, counts)
    more = sum(count - HOPS[i].frame_count for i, count in counts.items())
    assert len(times) == stages[-1].stop == 80 + more
    assert (np.diff(times) > 0.0).all()
    assert times[0] == 0.0 and times[-1] == 79.0
    for i, (old, new) in enumerate(zip(HOPS, stages, strict=True)):
        assert (new.kind, new.gravity_m_s2) == (old.kind, old.gravity_m_s2)
        assert new.frame_count == counts.get(i, old.frame_count)
        inside = times[new.first : new.stop]
        if i not in counts:
            np.testing.assert_array_equal(inside, np.arange(old.first, old.stop))
        else:
            assert (inside > old.first - 1).all() and (inside < old.stop).all()
    for a, b in pairwise(stages):
        assert a.stop == b.first


@pytest.mark.parametrize("counts", COUNTS, ids=str)
def test_flights_begin_and_end_at_the_pace_of_the_clip(counts: dict[int, int]) -> None:
    times, stages = frame_times(HOPS, counts), retimed_stages(HOPS, counts)
    for i in counts:
        # From the last frame on the ground to the first one after it, a cubic.
        first, last = stages[i].first - 1, stages[i].stop
        x = np.arange(first, last + 1.0) - first
        cubic = np.polynomial.Polynomial.fit(x, times[first : last + 1], 3)
        np.testing.assert_allclose(cubic(x), times[first : last + 1], atol=1e-9)
        np.testing.assert_allclose(cubic.deriv()(x[[0, -1]]), 1.0, atol=1e-8)
        # Over a flight of as many frames it would be a straight line: the same time on both sides.
        middle = 0.5 * (times[first] + times[last])
        np.testing.assert_allclose(
            times[first : last + 1] + times[first : last + 1][::-1], 2.0 * middle, atol=1e-9
        )


def test_flights_at_the_ends_stay_inside_the_clip() -> None:
    stages = (Stage("flight", 0, 10, G), Stage("ground", 10, 30, G), Stage("flight", 30, 40, G))
    times = frame_times(stages, {0: 20, 2: 20})
    assert len(times) == 60 and times.min() >= 0.0 and times.max() <= 39.0
    assert (np.diff(times) >= 0.0).all()
    np.testing.assert_array_equal(times[20:40], np.arange(10, 30))


@pytest.mark.parametrize("count", [FEWEST_FLIGHT_FRAMES, 9, 15, int(LONGEST * 12)])
def test_poses_on_the_ground_keep_their_bits_and_flights_go_between(count: int) -> None:
    clip, stages = jump().clip, base().stages
    times = frame_times(stages, {1: count})
    made, new = retimed_clip(clip, times), retimed_stages(stages, {1: count})
    assert made.frame_count == len(times) == clip.frame_count + count - stages[1].frame_count
    for old, now in zip(stages, new, strict=True):
        if old.kind == "ground":
            a, b = slice(old.first, old.stop), slice(now.first, now.stop)
            np.testing.assert_array_equal(made.root_positions_m[b], clip.root_positions_m[a])
            turns = made.rotations_wxyz[b]
            gap = np.abs(np.sum(turns * clip.rotations_wxyz[a], axis=-1))
            np.testing.assert_allclose(gap, 1.0, atol=1e-12)
    # What a straight way between frames has, and a little more where it bends.
    low = np.minimum(np.floor(times).astype(np.int64), clip.frame_count - 2)
    share = (times - low)[:, None]
    straight = rotations.slerp(clip.rotations_wxyz[low], clip.rotations_wxyz[low + 1], share)
    assert np.degrees(rotations.angle_between(made.rotations_wxyz, straight)).max() < 3.0
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    path = (1.0 - share[..., None]) * places[low] + share[..., None] * places[low + 1]
    gaps = forward_kinematics(clip.skeleton, *made.pose).positions_m - path
    assert np.linalg.norm(gaps, axis=-1).max() < 0.03


@pytest.mark.parametrize("count", [FEWEST_FLIGHT_FRAMES, 9, 15, int(LONGEST * 12)])
def test_nothing_touches_in_a_retimed_flight_and_all_else_as_before(count: int) -> None:
    contacts, stages = base().contacts, base().stages
    times, new = frame_times(stages, {1: count}), retimed_stages(stages, {1: count})
    found = retimed_contacts(contacts, times)
    assert found.frame_count == len(times) and found.parts == contacts.parts
    assert not found.touching[new[1].first : new[1].stop].any()
    for i in (0, 2):
        np.testing.assert_array_equal(
            found.touching[new[i].first : new[i].stop],
            contacts.touching[stages[i].first : stages[i].stop],
        )


def test_slides_are_retimed_with_what_touches() -> None:
    touching = np.ones((80, 2), dtype=np.bool_)
    touching[20:32] = touching[50:58] = False
    sliding = touching & (np.arange(80) >= 40)[:, None]
    contacts = ContactSchedule(("left_foot", "right_foot"), touching, 30.0, sliding)
    times = frame_times(HOPS, {1: 20})
    found = retimed_contacts(contacts, times)
    assert found.sliding is not None
    np.testing.assert_array_equal(found.sliding[40:], sliding[32:])
    assert not found.sliding[:40].any()


def test_curves_of_later_stages_begin_later_and_are_the_same() -> None:
    fitted, stages = base().fitted, base().stages
    new = retimed_stages(stages, {1: 20})
    found = retimed_curves(fitted, new)
    assert set(found) == set(fitted) == {0, 2}
    later = 20 - (FLIGHT[1] - FLIGHT[0])
    assert (found[0].first, found[2].first) == (0, fitted[2].first + later)
    for i, each in found.items():
        assert each.stage == new[i] and each.curves is fitted[i].curves
        assert each.sample_count == fitted[i].sample_count
