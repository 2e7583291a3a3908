"""The update of linear measurements against the textbook's gain."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from poise.solvers.unscented_update import DEPENDENT, NOT_FINITE, linear_update


def updated(
    slopes: Array, center: Array, goals: Array, deviations: Array, noise: Array
) -> tuple[int, Array]:
    rows, size = slopes.shape
    step = np.full(size, 7.0)
    left_out = linear_update(
        size, rows, center, np.ascontiguousarray(slopes * deviations), deviations, goals, noise,
        DEPENDENT, step, np.zeros((rows, rows)), np.zeros(2 * rows),
    )  # fmt: skip
    return left_out, step


@pytest.mark.parametrize("seed", range(8))
def test_the_step_is_the_textbooks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows, size = int(rng.integers(1, 12)), 20
    slopes, center, goals = (
        rng.normal(size=(rows, size)),
        rng.normal(size=rows),
        rng.normal(size=rows),
    )
    deviations, noise = np.exp(rng.normal(size=size)), np.abs(rng.normal(size=rows)) * (seed % 2)
    left_out, step = updated(slopes, center, goals, deviations, noise)
    prior = np.diag(deviations**2)
    gain = prior @ slopes.T @ np.linalg.inv(slopes @ prior @ slopes.T + np.diag(noise))
    assert left_out == 0
    np.testing.assert_allclose(step, gain @ (goals - center), rtol=1e-8, atol=1e-9)


def test_rows_that_say_the_same_count_once() -> None:
    slopes = np.array([[1.0, 2.0, 0.0], [1.0, 2.0, 0.0], [0.0, 1e-18, 1e-18]])
    left_out, step = updated(
        slopes, np.zeros(3), np.array([1.0, 1.0, 5.0]), np.ones(3), np.zeros(3)
    )
    assert left_out == 2
    np.testing.assert_allclose(step, [0.2, 0.4, 0.0], atol=1e-12)


def test_what_is_not_finite_moves_nothing() -> None:
    for bad in (np.nan, np.inf):
        left_out, step = updated(
            np.ones((1, 2)), np.array([bad]), np.zeros(1), np.ones(2), np.zeros(1)
        )
        assert left_out == NOT_FINITE and (step == 0.0).all()
