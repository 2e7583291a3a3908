"""The factor of a band of blocks against the dense one."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.solvers.banded_cholesky import (
    factor_and_solve,
    factor_band,
    refactor_band,
    solve_band,
    solve_band_three,
)

REACH = 4


def made(blocks: int, width: int, seed: int = 0) -> tuple[Array, Array]:
    """A positive definite matrix whose blocks couple as far as `REACH`, and its band."""
    rng, size = np.random.default_rng(seed), blocks * width
    dense = np.zeros((size, size))
    for k in range(max(blocks - REACH + 1, 1)):
        part = slice(k * width, min(k + REACH, blocks) * width)
        rows = rng.normal(size=(3, part.stop - part.start))
        dense[part, part] += rows.T @ rows
    dense += np.diag(rng.uniform(0.5, 1.0, size))
    band = np.zeros((size, width * REACH))
    for j in range(size):
        count = min(width * REACH, size - j)
        band[j, :count] = dense[j : j + count, j]
    return dense, band


@pytest.mark.parametrize("width", [1, 3, 8, 13, 27])
@pytest.mark.parametrize("blocks", [1, 3, 4, 9])
def test_solutions_are_those_of_the_dense_matrix(blocks: int, width: int) -> None:
    dense, band = made(blocks, width)
    right = np.random.default_rng(1).normal(size=len(dense))
    x = right.copy()
    assert factor_band(band, width, REACH)
    solve_band(band, width, REACH, x)
    expected = np.linalg.solve(dense, right)
    assert x == pytest.approx(expected, rel=1e-10, abs=1e-10 * float(np.abs(expected).max()))


@pytest.mark.parametrize("width", [1, 3, 8, 13, 27])
@pytest.mark.parametrize("blocks", [1, 4, 9])
def test_factor_and_solution_in_one_pass_are_those_of_two(blocks: int, width: int) -> None:
    _, band = made(blocks, width)
    right = np.random.default_rng(1).normal(size=len(band))
    factor, x, expected = band.copy(), right.copy(), right.copy()
    assert factor_and_solve(factor, width, REACH, x)
    assert factor_band(band, width, REACH)
    solve_band(band, width, REACH, expected)
    assert np.array_equal(factor, band)
    assert x == pytest.approx(expected, rel=1e-10, abs=1e-10 * float(np.abs(expected).max()))


def test_one_pass_refuses_what_is_not_positive_definite() -> None:
    _, band = made(6, 5)
    band[17, 0] = -1.0
    assert not factor_and_solve(band, 5, REACH, np.ones(len(band)))


@pytest.mark.parametrize("spoilt", [-1.0, 0.0, np.nan, np.inf])
def test_what_is_not_positive_definite_is_refused(spoilt: float) -> None:
    _, band = made(6, 5)
    band[17, 0] = spoilt
    assert not factor_band(band, 5, REACH)


@pytest.mark.parametrize("width", [1, 3, 8, 13])
@pytest.mark.parametrize("blocks", [1, 4, 9])
def test_three_right_sides_are_solved_as_one_by_one(blocks: int, width: int) -> None:
    _, band = made(blocks, width)
    right = np.random.default_rng(1).normal(size=(3, len(band)))
    together = right.copy()
    assert factor_band(band, width, REACH)
    solve_band_three(band, width, REACH, together)
    for k in range(3):
        solve_band(band, width, REACH, right[k])
    assert together == pytest.approx(right, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("width", [1, 3, 8, 13])
@pytest.mark.parametrize("block", [0, 1, 2, 5, 8])
def test_what_changed_from_a_block_on_is_factored_from_there(block: int, width: int) -> None:
    _, band = made(9, width)
    factor = band.copy()
    assert factor_band(factor, width, REACH)
    rng = np.random.default_rng(2)
    band[block * width :, 0] += rng.uniform(0.0, 1.0, len(band) - block * width)
    again = band.copy()
    assert factor_band(again, width, REACH)
    assert refactor_band(band, factor, width, REACH, block)
    assert factor == pytest.approx(again, rel=1e-12, abs=1e-12)


def test_factoring_again_says_when_the_matrix_is_not_positive_definite() -> None:
    _, band = made(6, 5)
    factor = band.copy()
    assert factor_band(factor, 5, REACH)
    band[20, 0] = -1.0
    assert not refactor_band(band, factor, 5, REACH, 4)
