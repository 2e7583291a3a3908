"""Frozen arrays: copied, checked, and not to be written to."""

from __future__ import annotations

import numpy as np
import pytest

from poise.arrays import frozen_array, frozen_indices
from poise.errors import BadShape, BadValue


def test_a_frozen_array_is_a_copy_that_cannot_be_written() -> None:
    mine = np.zeros((2, 3))
    frozen = frozen_array("offsets", mine, (2, 3))
    mine[0, 0] = 5.0
    assert frozen[0, 0] == 0.0
    with pytest.raises(ValueError, match="read-only"):
        frozen[0, 0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        frozen_indices("parents", [0, 1], (2,))[0] = 3


def test_letters_stand_for_any_size_but_the_number_of_axes_is_fixed() -> None:
    assert frozen_array("x", np.zeros((7, 3)), ("F", 3)).shape == (7, 3)
    with pytest.raises(BadShape, match=r"x must have shape \(F, 3\), got \(7, 4\)"):
        frozen_array("x", np.zeros((7, 4)), ("F", 3))
    with pytest.raises(BadShape, match=r"x must have shape \(F,\), got \(7, 4\)"):
        frozen_array("x", np.zeros((7, 4)), ("F",))


def test_nan_is_refused_where_it_stands_and_infinity_only_where_allowed() -> None:
    with pytest.raises(BadValue, match=r"finite everywhere, got 'nan at index \(1,\)'"):
        frozen_array("x", [0.0, np.nan], (2,))
    assert np.isinf(frozen_array("limits", [np.inf], (1,), finite=False)).all()


def test_words_are_not_numbers() -> None:
    with pytest.raises(BadValue, match="x must be an array of numbers, got 'list'"):
        frozen_array("x", ["a", "b"], (2,))
