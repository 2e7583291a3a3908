"""The compiled exponential map against `poise.rotations`, and its derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.mechanics import exponential, exponential_rate, logarithm, logarithm_rate
from tests.called_from_python import from_python
from tests.oracles import assert_is_derivative

exp, log = from_python(exponential), from_python(logarithm)
exp_rate, log_rate = from_python(exponential_rate), from_python(logarithm_rate)

ANGLES = (0.0, 1e-12, 0.9e-8, 1.1e-8, 1e-6, 0.99e-4, 1.01e-4, 0.0099, 0.0101, 0.3, 2.0, 3.1)
"""On both sides of where series end."""
SEEDS = range(3)


def vector(angle: float, seed: int) -> Array:
    direction = np.random.default_rng(seed).normal(size=3)
    return angle * direction / np.linalg.norm(direction)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_rotation_vector_comes_back(angle: float, seed: int) -> None:
    u = vector(angle, seed)
    np.testing.assert_allclose(exp(*u), rotations.exp(u), rtol=0.0, atol=2e-16)
    np.testing.assert_allclose(log(*exp(*u)), u, rtol=1e-14, atol=1e-300)
    np.testing.assert_allclose(log(*(-np.array(exp(*u)))), u, rtol=1e-14, atol=1e-300)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_logarithms_rate_is_its_derivative(angle: float, seed: int, side: float) -> None:
    """By a turn from the left (1) or from the right (-1)."""
    u = vector(angle, seed)
    rotation = rotations.exp(u)

    def turned(step: Array) -> Array:
        pair = (rotations.exp(step), rotation)
        return np.array(log(*rotations.multiply(*(pair if side > 0.0 else pair[::-1]))))

    columns = [log_rate(side, tuple(u), *axis) for axis in np.eye(3)]
    assert_is_derivative(turned, np.array(columns).T)


@pytest.mark.parametrize("angle", ANGLES)
@pytest.mark.parametrize("seed", SEEDS)
def test_the_exponentials_rate_is_the_other_way(angle: float, seed: int) -> None:
    u, v = vector(angle, seed), vector(1.0, seed + 10)
    turn = exp_rate(tuple(u), *v)
    np.testing.assert_allclose(log_rate(-1.0, tuple(u), *turn), v, rtol=0.0, atol=1e-12)
