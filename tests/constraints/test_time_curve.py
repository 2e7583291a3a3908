from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.constraints import TimeCurve
from poise.errors import BadShape, BadValue


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0.1, 9), st.floats(0, 9)), min_size=1, max_size=9))
def test_it_passes_its_corners_and_never_falls(steps: list[tuple[float, float]]) -> None:
    times, parameters = np.cumsum(np.array(steps), axis=0).T
    curve = TimeCurve(times, parameters)
    np.testing.assert_array_equal(curve.at(times), parameters)
    assert (np.diff(curve.at(np.linspace(times[0] - 1, times[-1] + 1, 200))) >= -1e-12).all()


def test_between_corners_it_is_linear_and_beyond_them_level() -> None:
    curve = TimeCurve(np.array([1.0, 3.0, 5.0]), np.array([0.0, 4.0, 4.0]))
    np.testing.assert_array_equal(curve.at([0, 1, 1.5, 2, 4, 9]), [0, 0, 1, 2, 4, 4])


def test_bad_corners_say_so() -> None:
    with pytest.raises(BadValue, match="times must be one or more, strictly increasing"):
        TimeCurve(np.array([1.0, 1.0]), np.array([0.0, 1.0]))
    with pytest.raises(BadValue, match="parameters must be never decreasing"):
        TimeCurve(np.array([1.0, 2.0]), np.array([1.0, 0.0]))
    with pytest.raises(BadShape, match="parameters"):
        TimeCurve(np.array([1.0, 2.0]), np.array([1.0]))
