"""The time of a clip and the time of a pattern: one map, there and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.interpolate import PchipInterpolator

from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.methods.motion_alignment import Warp

GOLF = Warp(np.array([0.0, 40.0, 54.0, 96.0]), np.array([7.0, 60.0, 71.0, 130.0]))
STEP = 1e-6
often = settings(max_examples=40, deadline=None, derandomize=True)


@st.composite
def warps(draw: st.DrawFn) -> Warp:
    """Two to six knots; no stretch is more than 30 times as fast as another."""
    count = draw(st.integers(1, 5))
    gaps = st.lists(st.floats(2.0, 60.0), min_size=count, max_size=count)
    firsts = st.floats(0.0, 50.0)
    normal, own = (draw(firsts) + np.concatenate([[0.0], np.cumsum(draw(gaps))]) for _ in range(2))
    return Warp(normal, own)


def between(knots: Array, count: int = 301) -> Array:
    return np.linspace(knots[0], knots[-1], count)


@often
@given(warps())
def test_it_goes_through_every_knot_both_ways(warp: Warp) -> None:
    np.testing.assert_allclose(warp.to_own(warp.normal), warp.own, atol=1e-11)
    np.testing.assert_allclose(warp.to_normal(warp.own), warp.normal, atol=1e-11)


@often
@given(warps())
def test_it_never_turns_back(warp: Warp) -> None:
    assert (np.diff(warp.to_own(between(warp.normal))) > 0).all()
    assert (np.diff(warp.to_normal(between(warp.own))) > 0).all()


@often
@given(warps())
def test_there_and_back_is_nowhere_else(warp: Warp) -> None:
    normal, own = between(warp.normal), between(warp.own)
    np.testing.assert_allclose(warp.to_normal(warp.to_own(normal)), normal, atol=1e-9)
    np.testing.assert_allclose(warp.to_own(warp.to_normal(own)), own, atol=1e-9)


@often
@given(warps())
def test_its_speed_is_continuous_at_the_knots(warp: Warp) -> None:
    inner = warp.normal[1:-1]
    before = (warp.to_own(inner) - warp.to_own(inner - STEP)) / STEP
    after = (warp.to_own(inner + STEP) - warp.to_own(inner)) / STEP
    np.testing.assert_allclose(before, after, rtol=1e-4, atol=1e-5)


@often
@given(warps())
def test_it_is_held_outside(warp: Warp) -> None:
    for far in (1e-9, 0.5, 1e6):
        np.testing.assert_array_equal(warp.to_own(warp.normal[[0]] - far), warp.own[:1])
        np.testing.assert_allclose(warp.to_own(warp.normal[[-1]] + far), warp.own[-1:], rtol=1e-15)
        np.testing.assert_allclose(warp.to_normal(warp.own[[0]] - far), warp.normal[:1], atol=1e-12)
        np.testing.assert_array_equal(warp.to_normal(warp.own[[-1]] + far), warp.normal[-1:])


@often
@given(st.floats(1.0, 300.0), st.floats(1.0, 300.0), st.floats(-20.0, 20.0))
def test_without_events_time_is_stretched_evenly(wide: float, own: float, first: float) -> None:
    warp = Warp(np.array([0.0, wide]), np.array([first, first + own]))
    x = np.linspace(0.0, 1.0, 57)
    np.testing.assert_allclose(warp.to_own(x * wide), first + x * own, atol=1e-11)
    np.testing.assert_allclose(warp.to_normal(first + x * own), x * wide, atol=1e-10)


def test_events_at_even_distances_stretch_time_evenly_too() -> None:
    warp = Warp(np.array([0.0, 10.0, 20.0, 50.0]), np.array([3.0, 8.0, 13.0, 28.0]))
    x = np.linspace(0.0, 50.0, 111)
    np.testing.assert_allclose(warp.to_own(x), 3.0 + 0.5 * x, atol=1e-12)


@often
@given(warps())
def test_between_inner_knots_it_is_the_monotone_cubic_of_fritsch_and_carlson(warp: Warp) -> None:
    if len(warp.normal) < 4:
        return  # SciPy has other slopes at the two ends
    x = between(warp.normal[1:-1])
    np.testing.assert_allclose(
        warp.to_own(x), PchipInterpolator(warp.normal, warp.own)(x), rtol=1e-9
    )


def test_a_stretch_beside_a_much_slower_one_never_turns_back() -> None:
    warp = Warp(np.array([0.0, 100.0, 101.0, 201.0]), np.array([0.0, 1.0, 300.0, 301.0]))
    assert (np.diff(warp.to_own(between(warp.normal, 20001))) > 0).all()
    own = between(warp.own, 501)
    np.testing.assert_allclose(warp.to_own(warp.to_normal(own)), own, atol=1e-9)


def test_one_number_is_as_good_as_many() -> None:
    assert float(GOLF.to_own(np.float64(54.0))) == pytest.approx(71.0, abs=1e-12)
    assert float(GOLF.to_normal(np.float64(71.0))) == pytest.approx(54.0, abs=1e-12)
    assert GOLF.to_own(np.zeros((2, 3))).shape == (2, 3)
    assert GOLF.to_normal(np.zeros((2, 3))).shape == (2, 3)


@pytest.mark.parametrize(
    "normal, own",
    [
        ([0.0], [0.0]),
        ([0.0, 0.0], [0.0, 1.0]),
        ([0.0, 5.0, 3.0], [0.0, 1.0, 2.0]),
        ([0.0, 5.0, 9.0], [0.0, 4.0, 4.0]),
        ([0.0, 5.0], [0.0, float("nan")]),
    ],
)
def test_knots_that_do_not_ascend_are_refused(normal: list[float], own: list[float]) -> None:
    with pytest.raises(BadValue):
        Warp(np.array(normal), np.array(own))


def test_knots_that_are_not_as_many_are_refused() -> None:
    with pytest.raises(BadShape, match="own knots"):
        Warp(np.array([0.0, 5.0, 9.0]), np.array([0.0, 4.0]))
