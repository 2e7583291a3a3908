from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.constraints.shape_curve import smooth_keys


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 20), st.floats(-1, 1)), min_size=1, max_size=8))
def test_keys_are_met_and_never_overshot(rows: list[tuple[float, float]]) -> None:
    frames, values = np.cumsum([span for span, _ in rows]), np.array([[v] for _, v in rows])
    np.testing.assert_array_equal(smooth_keys(frames, values, frames), values)
    for a, b, low, high in zip(frames, frames[1:], values[:-1], values[1:], strict=False):
        between = smooth_keys(frames, values, np.linspace(a, b, 20))
        assert min(low, high) - 1e-12 <= between.min() and between.max() <= max(low, high) + 1e-12


def test_the_slope_does_not_jump_and_is_zero_at_the_ends_and_highs() -> None:
    frames = np.array([0.0, 10.0, 30.0, 40.0, 70.0])
    values = np.array([[0.0], [1.0], [1.5], [1.5], [-1.0]])
    step = 1e-5
    for frame in frames[1:-1]:
        a, b, c = smooth_keys(frames, values, np.array([frame - step, frame, frame + step]))
        np.testing.assert_allclose(b - a, c - b, atol=1e-8)
    ends = smooth_keys(frames, values, np.array([0, step, 70 - step, 70]))
    assert np.abs(ends[[1, 3]] - ends[[0, 2]]).max() / step < 1e-4
    level = smooth_keys(frames, values, np.linspace(30, 40, 11))
    np.testing.assert_array_equal(level, np.full((11, 1), 1.5))


def test_values_stay_beyond_the_outermost_keys() -> None:
    found = smooth_keys(np.array([3.0, 5.0]), np.array([[1.0], [2.0]]), np.array([0, 9]))
    np.testing.assert_array_equal(found, [[1.0], [2.0]])
