"""Motions of other lengths and rates: the same moments fall together, and timing is put back."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.errors import BadValue
from poise.methods.pattern import Pattern
from poise.methods.pattern.placed import PlacedClip, place
from poise.motion import Clip
from tests.methods.swings import (
    HIT,
    apart_rad,
    changed,
    character,
    learned,
    rebuilt,
    retimed,
    swings,
    varied,
)

TIMES = ((80, 40, 30.0), (97, 54, 30.0), (160, 90, 60.0), (240, 141, 60.0))
"""Frames, hit and rate."""


@cache
def retimed_swings() -> tuple[Clip, ...]:
    return tuple(
        replace(
            retimed(clip, np.interp(np.arange(n), [0, h, n - 1], [0.0, HIT, 96.0]), rate),
            name=f"retimed {i}",
        )
        for i, (clip, (n, h, rate)) in enumerate(zip(swings(), TIMES, strict=False))
    )


@cache
def retimed_pattern() -> Pattern:
    return learned(retimed_swings(), events=[{"hit": h} for _, h, _ in TIMES])


def test_a_pattern_is_as_long_as_its_motions_on_average() -> None:
    """Eq. 13 and 14: mean duration and mean key frame, in frames of the first clip's rate."""
    p = retimed_pattern()
    seconds = np.mean([(n - 1) / rate for n, _, rate in TIMES])
    assert p.rate_hz == 30.0
    assert p.frame_count == round(float(seconds) * 30.0) + 1
    share = np.mean([h / (n - 1) for n, h, _ in TIMES])
    assert p.events == (("hit", round(float(share) * (p.frame_count - 1))),)


def test_events_fall_on_the_same_moment_in_every_example() -> None:
    p = retimed_pattern()
    ((_, hit),) = p.events
    for i, (_, own, _) in enumerate(TIMES):
        assert p.examples[i].warp.to_own(np.array([float(hit)]))[0] == pytest.approx(own, abs=1e-9)
        made, clip = rebuilt(p, i), retimed_swings()[i]
        apart = rotations.angle_between(made.rotations_wxyz[hit], clip.rotations_wxyz[own])
        assert apart.max() < 1e-7
        np.testing.assert_allclose(
            made.root_positions_m[hit], clip.root_positions_m[own], atol=1e-9
        )
        for a, b in ((0, 0), (-1, -1)):
            assert (
                rotations.angle_between(made.rotations_wxyz[a], clip.rotations_wxyz[b]).max() < 1e-7
            )


def test_the_same_motion_at_other_rates_and_lengths_has_the_same_coefficients() -> None:
    """Up to what frames do not show between each other."""
    clips = [varied(w, name=f"{i}") for i, w in enumerate(0.05 * np.eye(5))]
    fine = [
        replace(retimed(c, np.linspace(0.0, 96.0, 96 * k + 1), rate), name=c.name)
        for c, k, rate in zip(clips, (1, 2, 3, 2, 4), (30.0, 60.0, 90.0, 30.0, 240.0), strict=True)
    ]
    a, b = learned(clips), learned(fine)
    assert b.frame_count == round(float(np.mean([3.2, 3.2, 3.2, 6.4, 1.6])) * 30.0) + 1
    a_size, b_size = (np.linalg.norm(p.coefficients) for p in (a, b))
    np.testing.assert_allclose(b.shares, a.shares, atol=1e-3)
    cosine = np.sum(np.abs(a.coefficients * b.coefficients)) / (a_size * b_size)
    assert cosine > 0.999


def test_an_edited_clip_keeps_its_own_timing() -> None:
    p = retimed_pattern()
    for example in (0, 3):
        clip = retimed_swings()[example]
        at = place(p, clip, character(), 0.0)
        made = changed(at, 0.3 * p.deviations)
        assert made.frame_count == clip.frame_count and made.rate_hz == clip.rate_hz
        assert apart_rad(changed(at, np.zeros(3)), clip) < 1e-7
        # What is added at the hit is what the components have there.
        hit, own = p.events[0][1], TIMES[example][1]
        added = np.tensordot(0.3 * p.deviations, p.components, axes=1)[hit]
        np.testing.assert_allclose(at.displacement(0.3 * p.deviations)[own], added, atol=1e-9)


def test_a_clip_that_is_none_of_the_examples_needs_its_events_told() -> None:
    stranger = replace(retimed_swings()[0], name="stranger")
    with pytest.raises(BadValue, match="hit"):
        place(retimed_pattern(), stranger, character(), 0.0)
    at = place(retimed_pattern(), stranger, character(), 0.0, {"hit": TIMES[0][1]})
    known_at = place(retimed_pattern(), retimed_swings()[0], character(), 0.0)
    np.testing.assert_array_equal(at.coefficients, known_at.coefficients)


def test_only_the_span_between_two_events_counts() -> None:
    events = [{"begins": 20, "hit": HIT, "ends": 80}] * 3
    clips = swings()[:3]
    shaken = []
    for i, clip in enumerate(clips):
        turns = np.array(clip.rotations_wxyz)
        shake = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), np.float64(0.3 * (i + 1)))
        turns[:15, 9] = rotations.multiply(turns[:15, 9], shake)
        turns[90:, 9] = rotations.multiply(turns[90:, 9], shake)
        shaken.append(replace(clip, rotations_wxyz=turns))
    span = ("begins", "ends")
    a, b = (learned(c, events=events, span=span) for c in (clips, shaken))
    assert a.frame_count == 61 and a.events == (("begins", 0), ("hit", 34), ("ends", 60))
    np.testing.assert_array_equal(a.components, b.components)
    np.testing.assert_array_equal(a.coefficients, b.coefficients)


def spanned() -> tuple[Pattern, PlacedClip]:
    """From frame 20 to 80 of three swings, and the first of them in it."""
    p = learned(swings()[:3], events=[{"begins": 20, "ends": 80}] * 3, span=("begins", "ends"))
    return p, place(p, swings()[0], character(), 0.0)


def test_before_and_after_the_span_what_is_added_comes_to_rest() -> None:
    p, at = spanned()
    added = at.displacement(p.deviations)
    steps = np.abs(np.diff(added, axis=0)).max(axis=(1, 2))
    assert (np.diff(steps[:20]) > 0).all() and (np.diff(steps[80:]) < 0).all()
    assert steps[0] < 0.05 * steps[20] and steps[-1] < 0.1 * steps[79]
    assert steps.max() < 0.05


def test_at_the_ends_of_the_span_what_is_added_has_no_corner() -> None:
    p, at = spanned()
    bends = np.abs(np.diff(at.displacement(p.deviations), 2, axis=0)).max(axis=(1, 2))
    steps = np.abs(np.diff(at.displacement(p.deviations), axis=0)).max()
    assert max(bends[15:22].max(), bends[77:84].max()) < 0.3 * steps


@pytest.mark.parametrize("frame", [0, 15, 19, 81, 85, 96])
def test_beyond_the_span_a_goal_sees_what_is_added_there(frame: int) -> None:
    p, at = spanned()
    change = 0.5 * p.deviations
    added = np.tensordot(change, at.slices(frame, len(change)), axes=1)
    np.testing.assert_allclose(added, at.displacement(change)[frame], atol=1e-9)


@pytest.mark.parametrize("frame", [20, 21, 50, 80])
def test_within_the_span_a_goal_sees_what_is_added_there(frame: int) -> None:
    p, at = spanned()
    change = 0.5 * p.deviations
    added = np.tensordot(change, at.slices(frame, len(change)), axes=1)
    np.testing.assert_allclose(added, at.displacement(change)[frame], atol=1e-12)
