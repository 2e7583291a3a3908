"""Values of several lanes: they move where they should and calculate lane by lane."""

from __future__ import annotations

import numpy as np
import pytest

from poise.compiled import compiled
from poise.mechanics.lanes import (
    LANES,
    gather,
    gather_pair,
    load,
    prefetch,
    scatter,
    scatter_pair,
    store,
)

STRIDE = 7


@compiled
def _arithmetic(a, b, out):
    x, y = load(a, 0), load(b, 0)
    store(out, 0, x * y - x + y)
    store(out, LANES, 2.0 * x - y * 0.5 + 3.0 - (1.0 - x))


@compiled
def _moves(a, out, stride):
    prefetch(a, 10_000_000, 2)
    x = gather(a, 1, stride)
    y, z = gather_pair(a, 2, stride)
    scatter(out, 3, stride, x)
    scatter_pair(out, 4, stride, y, z)


def test_arithmetic_is_lane_by_lane() -> None:
    rng = np.random.default_rng(12345)
    a, b, out = rng.normal(size=LANES), rng.normal(size=LANES), np.empty(2 * LANES)
    _arithmetic(a, b, out)
    np.testing.assert_allclose(out[:LANES], a * b - a + b, rtol=1e-15, atol=1e-15)
    np.testing.assert_allclose(out[LANES:], 3 * a - 0.5 * b + 2, rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("stride", (STRIDE, 0))
def test_gather_and_scatter_keep_lanes_apart(stride: int) -> None:
    a = np.arange(float(LANES * STRIDE + 8))
    out = np.full_like(a, -1.0)
    _moves(a, out, stride)
    expected = np.full_like(a, -1.0)
    for lane in range(LANES):
        at = lane * stride
        expected[at + 3] = a[at + 1]
        expected[at + 4], expected[at + 5] = a[at + 2], a[at + 3]
    np.testing.assert_array_equal(out, expected)


def test_two_dimensions_are_addressed_flat() -> None:
    a, out = np.arange(60.0).reshape(12, 5), np.zeros((12, 5))
    _moves(a, out, 5)
    assert out.reshape(-1)[3] == 1.0
