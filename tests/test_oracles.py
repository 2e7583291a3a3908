"""The judges themselves: they must convict the guilty and name the place."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import Array
from tests.oracles import assert_is_derivative

MATRIX = np.arange(6.0).reshape(2, 3)


def curved(step: Array) -> Array:
    return np.sin(MATRIX @ step)


def test_a_true_derivative_passes() -> None:
    assert_is_derivative(curved, MATRIX)


def test_a_wrong_sign_is_named_by_row_and_direction() -> None:
    wrong = MATRIX.copy()
    wrong[1, 2] = -5.0
    with pytest.raises(
        AssertionError, match="row 1, direction 2: differences say 5, the code says -5"
    ):
        assert_is_derivative(curved, wrong)


def test_nan_is_no_derivative() -> None:
    with pytest.raises(AssertionError, match="direction 1"):
        assert_is_derivative(curved, np.where(MATRIX == 4.0, np.nan, MATRIX))
