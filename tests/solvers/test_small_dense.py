"""Small linear algebra inside compiled loops, against NumPy and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from poise.solvers.small_dense import add_scaled, add_to_normal, dot, factor_upper, solve_factored
from tests.called_from_python import from_python

SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 13, 30, 54]
"""Around the panels of four, and up to a whole body."""


def positive(size: int, condition: float, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    q, _ = np.linalg.qr(random.normal(size=(size, size)))
    return (q * np.geomspace(1.0, 1.0 / condition, size)) @ q.T


@pytest.mark.parametrize("size", [0, 1, 2, 7, 16, 33])
def test_a_scalar_product_looks_at_the_first_numbers_only(size: int) -> None:
    random = np.random.default_rng(size)
    a, b = random.normal(size=(2, size + 3))
    assert from_python(dot)(a, b, size) == pytest.approx(a[:size] @ b[:size], abs=1e-13)


def test_adding_a_multiple_leaves_what_is_beyond_alone() -> None:
    target, source = np.arange(5.0), np.full(5, 10.0)
    from_python(add_scaled)(target, 0.5, source, 3)
    np.testing.assert_array_equal(target, [5.0, 6.0, 7.0, 3.0, 4.0])


@pytest.mark.parametrize("count", [0, 1, 2, 3, 4, 5, 6, 7, 11])
def test_normal_equations_are_added_in_the_upper_triangle(count: int) -> None:
    random = np.random.default_rng(count)
    rows, errors = random.normal(size=(12, 8)), random.normal(size=12)
    rows[random.random(rows.shape) < 0.5] = 0.0  # zeros are skipped
    normal, x = random.normal(size=(9, 9)), random.normal(size=9)
    before, x_before = normal.copy(), x.copy()
    add_to_normal(rows, count, errors, 8, normal, x)
    used = rows[:count]
    upper = np.triu_indices(8)
    np.testing.assert_allclose(normal[upper], (before[:8, :8] + used.T @ used)[upper], atol=1e-13)
    np.testing.assert_allclose(x[:8], x_before[:8] + used.T @ errors[:count], atol=1e-13)
    lower = np.tril_indices(9, -1)
    np.testing.assert_array_equal(normal[lower], before[lower])
    np.testing.assert_array_equal(normal[:, 8], before[:, 8])
    assert x[8] == x_before[8]


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("condition", [1.0, 1e3, 1e8])
def test_factor_and_solution_are_those_of_scipy(size: int, condition: float) -> None:
    a, b = positive(size, condition, size), np.random.default_rng(1).normal(size=size)
    room = np.full((size + 2, size + 3), 7e7)
    room[:size, :size] = np.triu(a)
    least = factor_upper(room, size, 0.0)
    upper = scipy.linalg.cholesky(a)
    rounding = 1e-14 * condition
    np.testing.assert_allclose(np.triu(room[:size, :size]), upper, atol=10 * rounding + 1e-14)
    assert least == pytest.approx(np.diag(upper).min() ** 2, rel=10 * rounding)
    assert (room[size:] == 7e7).all() and (room[:, size:] == 7e7).all()
    x = np.append(b, 7e7)
    solve_factored(room, x, size)
    np.testing.assert_allclose(a @ x[:size], b, atol=1e-12 * np.abs(x[:size]).max())
    np.testing.assert_allclose(x[:size], scipy.linalg.solve(a, b, assume_a="pos"), rtol=rounding)
    assert x[size] == 7e7


@pytest.mark.parametrize("size", SIZES[1:])
def test_pivots_below_the_floor_are_raised_and_the_least_is_told(size: int) -> None:
    random = np.random.default_rng(size)
    rows = random.normal(size=(size - 1, size))
    a = rows.T @ rows
    least = factor_upper(a, size, 1e-6)
    assert abs(least) < 1e-10
    assert np.diag(a).min() == pytest.approx(1e-3)
    x = random.normal(size=size)
    solve_factored(a, x, size)
    assert np.isfinite(x).all()


@given(
    arrays(np.float64, st.tuples(st.integers(1, 9), st.integers(1, 9)),
           elements=st.floats(-1e3, 1e3)),
    st.floats(1e-14, 1.0),
)  # fmt: skip
def test_whatever_the_rows_a_floor_keeps_the_answer_finite(rows: np.ndarray, floor: float) -> None:
    size = rows.shape[1]
    normal, x = np.zeros((size, size)), np.zeros(size)
    add_to_normal(rows, len(rows), np.ones(len(rows)), size, normal, x)
    # Relative to the matrix, as all callers have it: below its rounding a floor is none.
    factor_upper(normal, size, floor * max(1.0, float(np.diag(normal).max())))
    solve_factored(normal, x, size)
    assert np.isfinite(normal).all() and np.isfinite(x).all()
