"""The five steps of section 4.2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.constraints import CurveEnd, PassPoint, ShapeCurve, shape_curve
from poise.errors import BadValue

START = CurveEnd(10, np.array([0.0, 1.0, 0.0]), np.array([0.01, 0.0, 0.02]))
END = CurveEnd(50, np.array([1.0, 1.0, 1.0]), np.array([0.0, -0.01, 0.03]))
coordinate = st.floats(-2, 2, allow_subnormal=False)


@st.composite
def passes(draw: st.DrawFn) -> list[PassPoint]:
    frames = sorted(draw(st.sets(st.integers(10, 50), min_size=1, max_size=8)))
    found: list[PassPoint] = []
    while frames:
        frame = frames.pop(0)
        until = frames.pop(0) if frames and draw(st.booleans()) else None
        place = draw(st.tuples(coordinate, coordinate, coordinate))
        found.append(PassPoint(frame, place, until))
    return found


def speeds_around(curve: ShapeCurve, time: float) -> tuple[np.ndarray, np.ndarray]:
    step = 1e-5
    before, here, after = curve.at([time - step, time, time + step])
    return (here - before) / step, (after - here) / step


@settings(deadline=None)
@given(passes())
def test_each_place_is_reached_at_its_frame(through: list[PassPoint]) -> None:
    curve = shape_curve(START, END, through)
    for point in through:
        np.testing.assert_allclose(curve.at([point.frame])[0], point.place_m, atol=1e-12)
    if through[0].frame > START.frame:
        np.testing.assert_array_equal(curve.at([START.frame])[0], START.place_m)
    if through[-1].last < END.frame:
        np.testing.assert_array_equal(curve.at([END.frame])[0], END.place_m)


@settings(deadline=None)
@given(passes())
def test_a_rest_is_exactly_still_and_the_timing_never_goes_back(through: list[PassPoint]) -> None:
    curve = shape_curve(START, END, through)
    for point in through:
        if point.until is not None:
            still = curve.at(np.linspace(point.frame, point.until, 9))
            np.testing.assert_array_equal(still, [point.place_m] * 9)
    assert (np.diff(curve.timing.at(np.linspace(10, 50, 321))) >= 0).all()


@settings(deadline=None)
@given(passes())
def test_the_velocity_never_jumps_at_default_parameters(through: list[PassPoint]) -> None:
    curve = shape_curve(START, END, through)
    for point in through:
        for time in {point.frame, point.last} - {START.frame, END.frame}:
            before, after = speeds_around(curve, time)
            np.testing.assert_allclose(before, after, atol=1e-3)


def test_it_leaves_and_rejoins_the_original_at_its_velocity() -> None:
    curve = shape_curve(START, END, [PassPoint(20, (0, 2, 0)), PassPoint(40, (1, 2, 0))])
    step = 1e-6
    leaving = (curve.at([10 + step]) - START.place_m)[0] / step
    arriving = (END.place_m - curve.at([50 - step]))[0] / step
    np.testing.assert_allclose(leaving, START.velocity_m, atol=1e-6)
    np.testing.assert_allclose(arriving, END.velocity_m, atol=1e-6)


def test_it_comes_to_rest_before_a_rest_and_starts_from_rest_after_it() -> None:
    curve = shape_curve(START, END, [PassPoint(20, (0, 2, 0), until=30)])
    step = 1e-4
    around = curve.at([20 - step, 20, 30, 30 + step])
    assert np.abs(around[[0, 2]] - around[[1, 3]]).max() / step < 1e-3
    assert np.abs(curve.at([25.0]) - curve.at([15.0])).max() > 0.1


def test_a_moment_of_rest_stops_where_a_passage_does_not() -> None:
    stopping = shape_curve(START, END, [PassPoint(30, (0, 2, 0), until=30)])
    passing = shape_curve(START, END, [PassPoint(30, (0, 2, 0))])
    assert np.abs(speeds_around(stopping, 30)).max() < 1e-4
    assert np.abs(speeds_around(passing, 30)).max() > 1e-2


def test_continuity_breaks_the_direction_where_it_is_asked_to() -> None:
    through = [PassPoint(25, (0, 2, 0), continuity=-1), PassPoint(35, (1, 2, 1))]
    curve = shape_curve(START, END, through)
    before, after = speeds_around(curve, 25)
    assert np.abs(before - after).max() > 0.05
    before, after = speeds_around(curve, 35)
    np.testing.assert_allclose(before, after, atol=1e-4)


def test_a_rest_over_the_whole_interval_is_a_constant() -> None:
    curve = shape_curve(START, END, [PassPoint(10, (0, 2, 0), until=50)])
    np.testing.assert_array_equal(curve.at([10, 33.3, 50]), [(0, 2, 0)] * 3)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"frame": -1}, "frame of 'pass point at frame -1' must be zero or more"),
        ({"frame": 1.5}, "must be a whole number"),
        ({"until": 3}, "until of 'pass point at frame 4' must be 4 or later"),
        ({"place_m": (0, 1)}, "place_m of 'pass point at frame 4' must be 3 numbers"),
        ({"place_m": (0, 1, float("nan"))}, "must be a finite number"),
        ({"tension": "tight"}, "tension of 'pass point at frame 4' must be a number"),
    ],
)
def test_bad_points_say_so(values: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue) as problem:
        PassPoint(**{"frame": 4, "place_m": (0, 1, 2), **values})  # type: ignore[arg-type]
    assert words in str(problem.value)


def test_points_that_say_the_same_are_equal() -> None:
    assert PassPoint(3, [0, 1, 2]) == PassPoint(3, (0.0, 1.0, 2.0))  # type: ignore[arg-type]
    assert len({PassPoint(3, (0, 1, 2)), PassPoint(3, (0.0, 1.0, 2.0))}) == 1
