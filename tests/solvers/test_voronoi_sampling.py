"""Adaptive sampling on simplices: cells, determinism, and that it finds what is there."""

from __future__ import annotations

import numpy as np
import pytest

from poise.errors import BadValue
from poise.solvers.voronoi_sampling import VoronoiSampler, even_simplex_points, onto_simplex

TARGET = np.array([[0.7, 0.2, 0.1]])


def error(samples, target=TARGET):
    return 0.01 + np.linalg.norm(samples - target, axis=(1, 2)) ** 2


def searched(seed: int, target=TARGET, count: int = 100) -> VoronoiSampler:
    sampler = VoronoiSampler(len(target), seed=seed)
    first = sampler.first(count // 10)
    sampler.add(first, error(first, target))
    while len(sampler.samples) < count:
        new = sampler.next(min(10, count - len(sampler.samples)))
        sampler.add(new, error(new, target))
    return sampler


def test_even_points_lie_on_the_simplex_and_fill_it_evenly() -> None:
    points = even_simplex_points(3000, 2, 3)
    assert points.shape == (3000, 2, 3)
    assert (points >= 0).all() and np.abs(points.sum(axis=2) - 1).max() < 1e-12
    # Each part of an even distribution on the triangle has the mean 1/3 and the variance 1/18.
    assert np.abs(points.mean(axis=0) - 1 / 3).max() < 0.01
    assert np.abs(points.var(axis=0) - 1 / 18).max() < 0.003


def test_cells_of_three_corners_are_thirds() -> None:
    sampler = VoronoiSampler(1)
    sampler.add(np.eye(3)[:, None, :], np.ones(3))
    assert np.abs(sampler.volumes - 1 / 3).max() < 0.01
    # The cell of a corner reaches from it to where the other two are as near: 1/3 of its own part,
    # half of the others'.
    extents = sampler.extents(0)[0]
    assert extents[0] == pytest.approx(2 / 3, abs=0.03)
    assert extents[1:] == pytest.approx(0.5, abs=0.03)


def test_a_sample_on_top_of_another_has_hardly_a_cell() -> None:
    sampler = VoronoiSampler(1)
    sampler.add(np.array([[[0.4, 0.3, 0.3]], [[0.4, 0.3, 0.3]]]), np.ones(2))
    assert sampler.volumes[1] < 1e-3
    assert np.isfinite(sampler.extents(1)).all()
    assert np.isfinite(sampler.next(5)).all()


@pytest.mark.parametrize("keys", [1, 3])
def test_it_gathers_around_the_best_and_beats_random_ones(keys: int) -> None:
    target = np.tile(TARGET, (keys, 1))
    rng = np.random.default_rng(9)
    anywhere = [error(rng.dirichlet(np.ones(3), (100, keys)), target).min() for _ in range(20)]
    found = [searched(seed, target).errors.min() for seed in range(9)]
    assert np.median(found) - 0.01 < 0.8 * (np.median(anywhere) - 0.01)
    sampler = searched(0, target)
    near = np.linalg.norm(sampler.samples - target, axis=(1, 2))
    assert np.median(near[50:]) < np.median(near[:10])


def test_all_samples_are_weightings() -> None:
    samples = searched(3, np.tile(TARGET, (4, 1))).samples
    assert (samples >= 0).all()
    assert np.abs(samples.sum(axis=2) - 1).max() < 1e-12


def test_equal_seeds_give_equal_samples_and_others_do_not() -> None:
    assert (searched(1).samples == searched(1).samples).all()
    assert (searched(1).samples != searched(2).samples).any()


def test_the_nearest_point_of_the_simplex() -> None:
    rng = np.random.default_rng(8)
    grid = even_simplex_points(4000, 1, 3)[:, 0]
    for point in rng.normal(size=(20, 3)):
        found = onto_simplex(point)
        assert found.min() >= 0 and found.sum() == pytest.approx(1)
        assert np.linalg.norm(found - point) <= np.linalg.norm(grid - point, axis=1).min() + 1e-12


def test_errors_that_are_no_numbers_are_refused() -> None:
    with pytest.raises(BadValue, match="finite"):
        VoronoiSampler(1).add(TARGET[None], np.array([np.nan]))
