from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.arrays import Array
from poise.constraints import kochanek_bartels
from poise.errors import BadShape, BadValue

POINTS = np.array([[0.0, 0.0, 1.0], [1.0, 2.0, 0.0], [3.0, -1.0, 0.5], [4.0, 0.0, 2.0]])


def slope(curve_at: Array, step: float) -> Array:
    return (curve_at[1:] - curve_at[:-1]) / step


def test_default_parameters_on_even_knots_are_catmull_rom() -> None:
    curve = kochanek_bartels([0, 1, 2, 3], POINTS)
    x = np.linspace(0, 1, 7)[:, None]
    a, b, c, d = POINTS
    between = 0.5 * (
        2 * b + (c - a) * x + (2 * a - 5 * b + 4 * c - d) * x**2 + (3 * b - a - 3 * c + d) * x**3
    )
    np.testing.assert_allclose(curve.at(1 + x[:, 0]), between, atol=1e-14)


def test_the_authors_formulas_for_tension_continuity_and_bias() -> None:
    t, c, b = 0.3, -0.4, 0.6
    curve = kochanek_bartels([0, 1, 2, 3], POINTS, tension=t, continuity=c, bias=b)
    before, after = POINTS[1] - POINTS[0], POINTS[2] - POINTS[1]
    arriving = (1 - t) / 2 * ((1 - c) * (1 + b) * before + (1 + c) * (1 - b) * after)
    leaving = (1 - t) / 2 * ((1 + c) * (1 + b) * before + (1 - c) * (1 - b) * after)
    np.testing.assert_allclose(curve.arriving[1], arriving, atol=1e-15)
    np.testing.assert_allclose(curve.leaving[1], leaving, atol=1e-15)
    step = 1e-6
    places = curve.at([1 - step, 1, 1 + step])
    np.testing.assert_allclose(slope(places, step), [arriving, leaving], atol=1e-4)


def test_on_uneven_knots_both_sides_have_the_speed_across_both_spans() -> None:
    knots = [0.0, 3.0, 4.0, 9.0]
    curve = kochanek_bartels(knots, POINTS)
    np.testing.assert_allclose(curve.leaving[1], (POINTS[2] - POINTS[0]) / 4, atol=1e-15)
    np.testing.assert_array_equal(curve.leaving, curve.arriving)


numbers = st.floats(-1, 1, allow_subnormal=False)


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(1, 30), numbers, numbers), min_size=1, max_size=8))
def test_every_point_is_passed_and_the_slope_never_jumps(rows: list[tuple[float, ...]]) -> None:
    spans, x, y = np.array(rows).T
    knots, points = np.cumsum(spans), np.stack([x, y], axis=1)
    curve = kochanek_bartels(knots, points, tension=0.2, bias=-0.3)
    np.testing.assert_array_equal(curve.at(knots), points)
    step = 1e-5
    for knot in knots[1:-1]:
        before, after = slope(curve.at([knot - step, knot, knot + step]), step)
        np.testing.assert_allclose(before, after, atol=1e-3)


def test_a_point_of_full_tension_is_left_and_reached_at_rest() -> None:
    curve = kochanek_bartels([0, 2, 3, 5], POINTS, tension=[0, 1, 0, 0], continuity=0.5, bias=0.5)
    assert not curve.leaving[1].any() and not curve.arriving[1].any()
    assert curve.leaving[2].any()


def test_given_end_tangents_are_kept() -> None:
    first, last = np.array([1.0, 0.0, -1.0]), np.array([0.0, 2.0, 0.0])
    curve = kochanek_bartels([0, 1, 3, 4], POINTS, first_tangent=first, last_tangent=last)
    step = 1e-7
    np.testing.assert_allclose(slope(curve.at([0, step]), step)[0], first, atol=1e-5)
    np.testing.assert_allclose(slope(curve.at([4 - step, 4]), step)[0], last, atol=1e-5)


def test_ends_without_a_tangent_are_parabolas() -> None:
    curve = kochanek_bartels([0, 1, 3, 4], POINTS)
    ends = np.stack([curve.at(np.linspace(0, 1, 5)), curve.at(np.linspace(3, 4, 5))])
    assert np.abs(np.diff(ends, 3, axis=1)).max() < 1e-14


def test_one_point_stays_and_two_points_make_a_line() -> None:
    np.testing.assert_array_equal(kochanek_bartels([5], POINTS[:1]).at([0, 5, 9]), POINTS[[0] * 3])
    line = kochanek_bartels([0, 2], POINTS[:2]).at([0, 0.5, 1, 2])
    np.testing.assert_allclose(line, POINTS[0] + np.outer([0, 0.25, 0.5, 1], POINTS[1] - POINTS[0]))


def test_it_stands_still_outside_its_knots() -> None:
    curve = kochanek_bartels([0, 1, 2, 3], POINTS)
    np.testing.assert_array_equal(curve.at([-7, 8]), POINTS[[0, -1]])


def test_bad_knots_say_so() -> None:
    with pytest.raises(BadValue, match="strictly increasing"):
        kochanek_bartels([0, 1, 1, 2], POINTS)
    with pytest.raises(BadValue, match="one or more"):
        kochanek_bartels([], np.zeros((0, 3)))
    with pytest.raises(BadShape, match="points"):
        kochanek_bartels([0, 1], POINTS)
