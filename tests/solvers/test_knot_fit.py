"""Splines with fitted knots: exact where they must be, and knots where a curve bends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.solvers.knot_fit import FittedSpline, basis_of, fit_knots

TIMES = np.linspace(0.2, 1.1, 91)


def jolt(times: Array, at: float = 0.5) -> Array:
    """At rest, a sharp rise, at rest again."""
    return np.tanh((times - at) / 0.03)


def left(spline: FittedSpline, times: Array, values: Array) -> float:
    return float(np.sqrt(np.mean((spline(times) - values) ** 2)))


@pytest.mark.parametrize("interior", [0, 1, 4, 9])
@pytest.mark.parametrize("slopes", [(None, None), (-3.0, None), (None, 7.0), (4.0, -2.0)])
def test_ends_and_slopes_are_exact(
    interior: int, slopes: tuple[float | None, float | None]
) -> None:
    values = jolt(TIMES)
    spline = fit_knots(TIMES, values, interior, *slopes)
    ends = TIMES[[0, -1]]
    np.testing.assert_allclose(spline(ends), values[[0, -1]], atol=1e-12)
    for wanted, found in zip(slopes, spline(ends, 1), strict=True):
        if wanted is not None:
            assert found == pytest.approx(wanted, abs=1e-9)


def test_a_spline_that_has_such_knots_comes_back() -> None:
    knots = np.concatenate([np.full(4, 0.2), [0.45, 0.5, 0.55, 0.9], np.full(4, 1.1)])
    truth = BSpline(knots, np.array([0.0, 0.3, 1.0, -2.0, 3.0, 0.5, 0.2, 0.0]), 3)
    values = np.asarray(truth(TIMES))
    spline = fit_knots(TIMES, values, 4, float(truth(0.2, 1)), float(truth(1.1, 1)), least_gap=0.02)
    assert left(spline, TIMES, values) < 2e-3 * np.abs(values).max()


@pytest.mark.parametrize("at", [0.4, 0.65, 0.9])
def test_knots_go_where_the_curve_bends(at: float) -> None:
    values = jolt(TIMES, at)
    fitted = fit_knots(TIMES, values, 6, 0.0, 0.0, least_gap=0.01)
    inside = fitted.knots[4:-4]
    assert np.sum(np.abs(inside - at) < 0.12) >= 4
    even = np.concatenate([np.full(4, 0.2), np.linspace(0.2, 1.1, 8)[1:-1], np.full(4, 1.1)])
    basis = basis_of(even, TIMES)
    best = values - basis @ np.linalg.lstsq(basis, values, rcond=None)[0]
    assert left(fitted, TIMES, values) < 0.35 * float(np.sqrt(np.mean(best**2)))


@pytest.mark.parametrize("least", [0.0, 0.05, 0.9 / 6])
def test_knots_keep_their_distance(least: float) -> None:
    spline = fit_knots(TIMES, jolt(TIMES), 5, least_gap=least)
    assert np.diff(spline.knots[3:-3]).min() >= least - 1e-9
    assert spline.knots[0] == TIMES[0] and spline.knots[-1] == pytest.approx(TIMES[-1])


def test_derivatives_are_those_of_differences() -> None:
    spline = fit_knots(TIMES, jolt(TIMES), 6)
    inside, h = TIMES[5:-5], 1e-6
    differences = (spline(inside + h) - spline(inside - h)) / (2.0 * h)
    np.testing.assert_allclose(spline(inside, 1), differences, rtol=1e-5, atol=1e-5)


def test_scales_and_shifts_change_the_curve_alike() -> None:
    values = jolt(TIMES)
    one = fit_knots(TIMES, values, 5, 0.0, 0.0)
    other = fit_knots(TIMES, 80.0 * values + 300.0, 5, 0.0, 0.0)
    np.testing.assert_allclose(other(TIMES), 80.0 * one(TIMES) + 300.0, atol=80.0 * 2e-3)


def test_a_straight_line_is_met_whatever_the_knots() -> None:
    spline = fit_knots(TIMES, 3.0 * TIMES - 1.0, 4, 3.0, 3.0)
    assert left(spline, TIMES, 3.0 * TIMES - 1.0) < 1e-9


def test_what_cannot_be_is_refused() -> None:
    values = jolt(TIMES)
    with pytest.raises(BadShape, match="values"):
        fit_knots(TIMES, values[:-1], 3)
    with pytest.raises(BadValue, match="at least 9"):
        fit_knots(TIMES[:8], values[:8], 5)
    with pytest.raises(BadValue, match="rising"):
        fit_knots(TIMES[::-1], values, 3)
    with pytest.raises(BadValue, match="least_gap"):
        fit_knots(TIMES, values, 3, least_gap=1.0)
    with pytest.raises(BadValue, match="numbers"):
        fit_knots(TIMES, np.where(TIMES > 0.5, np.nan, values), 3)
    with pytest.raises(BadValue, match="interior"):
        fit_knots(TIMES, values, -1)
