"""Forces eliminated by a barrier, against a general optimizer, differences and closed forms."""

from __future__ import annotations

import numba
import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from poise.arrays import Array
from poise.solvers import FORCE, Barrier, eliminate_forces, make_forces


@numba.njit
def _eliminate(
    b: Array, barrier: Barrier, generators: Array, caps: Array, y: Array, forces: Array,
    factor: Array,
) -> float:  # fmt: skip
    return eliminate_forces(b, barrier, 0, len(caps), generators, caps, y, forces, factor)


def eliminated(
    b: Array, barrier: Barrier, generators: Array, caps: Array, forces: Array | None = None
) -> tuple[float, Array, Array, Array]:
    """Value, gradient, Hessian and forces."""
    y, factor = np.zeros(6), np.zeros((6, 6))
    forces = make_forces(caps, barrier.mu) if forces is None else forces
    value = _eliminate(b, barrier, generators, caps, y, forces, factor)
    lower = np.tril(factor)
    return value, y, np.linalg.inv(lower @ lower.T), forces


def feet(seed: int, points: int = 5) -> tuple[Array, Array]:
    """Friction pyramids on level ground, and a wrench that they can nearly give."""
    rng = np.random.default_rng(seed)
    places = rng.normal(size=(points, 3)) * (0.1, 0.0, 0.2) - (0.0, 0.9, 0.0)
    sides = 0.7 * np.array([[1, 0, 0], [-1, 0, 0], [0, 0, 1], [0, 0, -1]]) + (0.0, 1.0, 0.0)
    generators = [[*side, *np.cross(place, side) / 1.7] for place in places for side in sides]
    wanted = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0]) + 0.05 * rng.normal(size=6)
    return np.array(generators), wanted


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize(("rho", "mu"), [(100.0, 1e-2), (900.0, 1e-4)])
def test_it_is_the_minimum_over_the_forces(seed: int, rho: float, mu: float) -> None:
    generators, b = feet(seed)
    caps = np.full(len(generators), 3.0)
    barrier = Barrier(rho, mu, 1e-3)
    value, _, _, forces = eliminated(b, barrier, generators, caps)

    def cost(g: Array) -> float:
        left = b - generators.T @ g
        bars = -mu * (np.log(g).sum() + np.log(caps - g).sum())
        return 0.5 * rho * float(left @ left) + 1e-3 * float(g.sum()) + float(bars)

    assert cost(forces[:, FORCE]) == pytest.approx(value, rel=1e-9)
    bounds = [(1e-12, 3.0 - 1e-12)] * len(caps)
    best = minimize(cost, np.full(len(caps), 0.05), bounds=bounds, tol=1e-14)
    assert value <= best.fun + 1e-7 * abs(best.fun)


@pytest.mark.parametrize("scale", [1.0, 10.0, 100.0])
def test_gradient_and_hessian_agree_with_differences(scale: float) -> None:
    generators, b = feet(3)
    caps, barrier = np.full(len(generators), 10.0), Barrier(300.0, 1e-3, 1e-3)
    b = scale * b
    _, y, hessian, _ = eliminated(b, barrier, generators, caps)
    step = 1e-5
    for c in range(6):
        e = step * (np.arange(6) == c)
        above, up, _, _ = eliminated(b + e, barrier, generators, caps)
        below, down, _, _ = eliminated(b - e, barrier, generators, caps)
        assert (above - below) / (2 * step) == pytest.approx(y[c], rel=1e-5, abs=1e-6)
        wanted = (up - down) / (2 * step)
        np.testing.assert_allclose(hessian[:, c], wanted, rtol=1e-3, atol=1e-3 * np.abs(y).max())


def test_a_thin_barrier_gives_the_forces_of_nonnegative_least_squares() -> None:
    generators, b = feet(5)
    b = b + np.array([0.5, 0.0, 0.0, 0.1, 0.0, 0.0])  # more than friction gives
    _, y, _, _ = eliminated(b, Barrier(900.0, 1e-9, 1e-9), generators, np.full(20, 1e3))
    _, left = nnls(generators.T, b)
    assert np.linalg.norm(y) / 900.0 == pytest.approx(left, rel=1e-4)


def test_in_flight_everything_is_left() -> None:
    b = np.arange(1.0, 7.0)
    value, y, hessian, _ = eliminated(b, Barrier(50.0, 1e-3, 1e-3), np.zeros((0, 6)), np.zeros(0))
    assert value == pytest.approx(25.0 * float(b @ b))
    np.testing.assert_allclose(y, 50.0 * b)
    np.testing.assert_allclose(hessian, 50.0 * np.eye(6), atol=1e-12)


def test_forces_stay_inside_their_bounds_however_much_is_asked() -> None:
    generators, _ = feet(1)
    caps = np.linspace(0.01, 2.0, len(generators))
    for b in (np.full(6, 1e3), np.full(6, -1e3), np.array([0.0, 40.0, 0.0, 0.0, 0.0, 0.0])):
        value, y, _, forces = eliminated(b, Barrier(900.0, 1e-4, 1e-3), generators, caps)
        assert np.isfinite(value) and np.isfinite(y).all()
        assert (forces[:, FORCE] > 0.0).all() and (forces[:, FORCE] <= caps).all()


def test_a_start_from_the_last_answer_gives_the_same() -> None:
    generators, b = feet(2)
    caps, barrier = np.full(len(generators), 10.0), Barrier(900.0, 1e-4, 1e-3)
    _, _, _, forces = eliminated(b, barrier, generators, caps)
    there = b + 0.2
    cold = eliminated(there, barrier, generators, caps)
    warm = eliminated(there, barrier, generators, caps, forces)
    assert warm[0] == pytest.approx(cold[0], rel=1e-8)
    np.testing.assert_allclose(warm[1], cold[1], rtol=1e-5, atol=1e-5)
