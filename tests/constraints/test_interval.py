from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.constraints import Interval
from poise.errors import BadValue


@settings(deadline=None)
@given(st.integers(0, 50), st.integers(0, 40), st.integers(0, 40), st.integers(0, 40))
def test_shares_rise_to_one_and_fall_back(first: int, full: int, rise: int, fall: int) -> None:
    interval = Interval(first, first + rise + full + fall, rise, fall)
    shares = interval.shares()
    assert len(shares) == len(interval) == len(interval.frames)
    assert (np.diff(shares[: rise + 1]) > 0).all()
    assert (np.diff(shares[len(shares) - fall - 1 :]) < 0).all()
    assert (shares[rise : rise + full + 1] == 1.0).all()
    assert shares[0] == (0.0 if rise else 1.0)
    assert shares[-1] == (0.0 if fall else 1.0)


def test_easing_begins_and_ends_without_speed_or_acceleration() -> None:
    shares = Interval(0, 2000, 1000, 1000).shares()
    speed, acceleration = np.diff(shares), np.diff(shares, 2)
    assert np.abs(speed[[0, 999, 1000, -1]]).max() < 1e-5 * np.abs(speed).max()
    assert np.abs(acceleration[[0, 998, 1000, -1]]).max() < 2e-2 * np.abs(acceleration).max()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ((5, 4), "interval must be a first frame from 0 to the last, got (5, 4)."),
        ((-1, 4), "interval must be a first frame from 0 to the last, got (-1, 4)."),
        ((0, 4, -1), "easing must be zero frames or more, got (-1, 0)."),
        (
            (0, 4, 3, 2),
            "easing must be shorter together than the interval (4 frames), got (3, 2).",
        ),
        ((0.5, 4), "first of an interval must be a whole number of frames, got 0.5."),
        ((0, True), "last of an interval must be a whole number of frames, got True."),
        ((0, 4, "1"), "ease_in of an interval must be a whole number of frames, got '1'."),
    ],
)
def test_bad_intervals_say_so(values: tuple[int, ...], message: str) -> None:
    with pytest.raises(BadValue) as problem:
        Interval(*values)
    assert str(problem.value) == message


def test_an_interval_outside_the_clip_names_the_constraint() -> None:
    Interval(0, 9).check_inside(10, "reach")
    with pytest.raises(BadValue) as problem:
        Interval(3, 10).check_inside(10, "reach")
    assert str(problem.value) == (
        "interval of 'reach' must be inside the clip (0 to 9), got 'frames 3 to 10'."
    )
