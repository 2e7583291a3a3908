"""A band with a border, against the same matrix written out."""

from __future__ import annotations

import numpy as np
import pytest

from poise.solvers.bordered_band import solve_bordered


def matrix(width: int, blocks: int, reach: int, shared: int, seed: int = 0):
    rng = np.random.default_rng(seed)
    size = width * blocks
    whole = np.zeros((size + shared, size + shared))
    begins = np.sort(rng.integers(0, blocks, shared)) * width
    for block in range(blocks):
        columns = np.arange(block * width, min((block + reach) * width, size))
        also = size + np.flatnonzero(begins <= block * width)
        rows = rng.normal(size=(2 * len(columns), len(columns) + len(also)))
        every = np.concatenate([columns, also])
        whole[np.ix_(every, every)] += rows.T @ rows
    whole += 0.1 * np.eye(size + shared)
    band = np.zeros((size, width * reach))
    for j in range(size):
        last = min((j // width + reach) * width, size)
        band[j, : last - j] = whole[j, j:last]
    return whole, band, begins


@pytest.mark.parametrize("width", [3, 4, 7])
@pytest.mark.parametrize("shared", [0, 1, 9])
def test_it_solves_what_the_dense_solver_solves(width: int, shared: int) -> None:
    reach, blocks = 3, 8
    whole, band, begins = matrix(width, blocks, reach, shared)
    size = width * blocks
    right = np.random.default_rng(1).normal(size=size + shared)
    x, y = right[:size].copy(), right[size:].copy()
    border, corner = whole[:size, size:].copy(), whole[size:, size:].copy()
    assert solve_bordered(band, width, reach, border, begins, corner, x, y)
    wanted = np.linalg.solve(whole, right)
    np.testing.assert_allclose(np.concatenate([x, y]), wanted, rtol=0, atol=1e-9)


def test_a_corner_that_is_not_positive_definite_is_told() -> None:
    whole, band, begins = matrix(3, 6, 2, 2)
    border, corner = whole[:18, 18:].copy(), whole[18:, 18:] - 1e3 * np.eye(2)
    assert not solve_bordered(band, 3, 2, border, begins, corner, np.ones(18), np.ones(2))


def test_a_band_that_is_not_positive_definite_is_told() -> None:
    whole, band, begins = matrix(3, 6, 2, 2)
    band[4, 0] = -1.0
    border, corner = whole[:18, 18:].copy(), whole[18:, 18:].copy()
    assert not solve_bordered(band, 3, 2, border, begins, corner, np.ones(18), np.ones(2))
