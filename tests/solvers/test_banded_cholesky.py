"""The factor of a band of blocks against the dense one."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.solvers.banded_cholesky import factor_band, solve_band

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


@pytest.mark.parametrize("spoilt", [-1.0, 0.0, np.nan, np.inf])
def test_what_is_not_positive_definite_is_refused(spoilt: float) -> None:
    _, band = made(6, 5)
    band[17, 0] = spoilt
    assert not factor_band(band, 5, REACH)
