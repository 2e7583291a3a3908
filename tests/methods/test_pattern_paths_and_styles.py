"""Coefficients on their way from one goal to the next, and motions that lie close together."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.arrays import Array
from poise.methods.pattern.motion_space_ik import coefficient_path
from poise.methods.pattern.usual_events import styles_of

often = settings(max_examples=30, deadline=None, derandomize=True)
CHANGES = np.array([[1.0, -2.0], [3.0, 0.5], [-1.0, 4.0]])


def test_it_passes_through_goals_at_whole_frames() -> None:
    path = coefficient_path([10, 30, 75], CHANGES, 97)
    np.testing.assert_allclose(path[[10, 30, 75]], CHANGES, atol=1e-14)


def test_before_the_first_and_after_the_last_it_stays() -> None:
    path = coefficient_path([10, 30, 75], CHANGES, 97)
    np.testing.assert_array_equal(path[:10], np.repeat(CHANGES[:1], 10, axis=0))
    np.testing.assert_allclose(path[75:], np.repeat(CHANGES[2:], 22, axis=0), atol=1e-14)


def test_half_way_in_time_it_is_half_way() -> None:
    path = coefficient_path([10, 30], CHANGES[:2], 97)
    np.testing.assert_allclose(path[20], CHANGES[:2].mean(axis=0))


def test_it_goes_from_one_to_the_next_without_turning_back() -> None:
    path = coefficient_path([10, 60], CHANGES[:2], 97)
    assert (np.diff(path, axis=0) >= -1e-15).all()


def test_it_is_at_rest_at_every_goal() -> None:
    """Speed and acceleration vanish there: steps around a goal are of third order."""
    path = coefficient_path([10, 50, 90], CHANGES, 101)
    for frame in (10, 50, 90):
        assert np.abs(path[[frame - 1, frame + 1]] - path[frame]).max() < 6 * 10 * 40.0**-3
    assert np.abs(np.diff(path, 2, axis=0)).max() < 5.78 * 6.0 / 40.0**2


def test_one_goal_holds_everywhere() -> None:
    np.testing.assert_array_equal(coefficient_path([33], CHANGES[:1], 5)[:, 0], 1.0)


@often
@given(st.lists(st.integers(0, 96), min_size=2, max_size=6, unique=True))
def test_it_passes_through_goals_in_any_frames_and_never_leaves_what_they_span(
    frames: list[int],
) -> None:
    frames = sorted(frames)
    changes = np.random.default_rng(0).normal(size=(len(frames), 3))
    path = coefficient_path(frames, changes, 97)
    np.testing.assert_allclose(path[frames], changes, atol=1e-14)
    assert (path <= changes.max(axis=0) + 1e-12).all()
    assert (path >= changes.min(axis=0) - 1e-12).all()


# Styles


def clusters(centers: list[tuple[float, float]], count: int, spread: float, seed: int) -> Array:
    random = np.random.default_rng(seed)
    points = [np.array(c) + spread * random.normal(size=(count, 2)) for c in centers]
    return np.concatenate(points)


@pytest.mark.parametrize("seed", range(5))
def test_known_clusters_are_found(seed: int) -> None:
    centers = [(0.0, 0.0), (10.0, 1.0), (3.0, 9.0)]
    points, order = clusters(centers, 4, 0.5, seed), np.random.default_rng(seed).permutation(12)
    known = np.repeat(np.arange(3), 4)[order]
    found = styles_of(points[order])
    assert len(set(found.tolist())) == 3
    for i in range(12):
        for j in range(12):
            assert (found[i] == found[j]) == (known[i] == known[j])


def test_styles_are_numbered_in_the_order_in_which_they_come() -> None:
    order = [2, 0, 2, 0, 1, 1, 2, 0, 1]
    points = clusters([(0.0, 0.0), (-9.0, 9.0), (9.0, 9.0)], 3, 0.1, 0)[
        np.argsort(np.argsort(order))
    ]
    np.testing.assert_array_equal(styles_of(points), [0, 1, 0, 1, 2, 2, 0, 1, 2])


def test_only_the_first_two_coefficients_count() -> None:
    points = clusters([(0.0, 0.0), (10.0, 0.0)], 4, 0.5, 0)
    more = np.concatenate([points, 99.0 * np.random.default_rng(0).normal(size=(8, 3))], axis=1)
    np.testing.assert_array_equal(styles_of(more), styles_of(points))


def test_a_single_coefficient_is_enough() -> None:
    np.testing.assert_array_equal(styles_of(np.array([[0.0], [0.1], [5.0], [5.1]])), [0, 0, 1, 1])


@pytest.mark.parametrize("seed", range(8))
def test_one_blob_is_one_style(seed: int) -> None:
    points = np.random.default_rng(seed).normal(size=(30, 2))
    assert not styles_of(points).any()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_fewer_than_four_motions_have_one_style(count: int) -> None:
    points = np.array([[0.0, 0.0], [100.0, 0.0], [100.0, 1.0]])[:count]
    np.testing.assert_array_equal(styles_of(points), np.zeros(count))


def test_styles_do_not_depend_on_scale_or_mirror() -> None:
    points = clusters([(0.0, 0.0), (10.0, 1.0), (3.0, 9.0)], 4, 0.5, 3)
    for factor in (1e-6, 1e6, (-1.0, 1.0)):
        np.testing.assert_array_equal(styles_of(points * factor), styles_of(points))


def test_motions_that_are_all_the_same_in_two_coefficients_have_one_style() -> None:
    assert not styles_of(np.zeros((6, 2))).any()
