"""The damped descent on a chain of springs, whose answer is known, and on functions that resist."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest

from poise.arrays import Array
from poise.solvers import DampedNewton, NormalEquations
from poise.solvers.damped_newton import FARTHEST

FRAMES, WIDTH = 12, 2


@dataclass(eq=False)
class Springs:
    """Σ |x_f − goal|² + stiff |x_{f+1} − x_f|², and a number that every frame shares."""

    goals: Array
    """(F, W)"""
    stiff: float = 3.0
    shared: bool = False
    bend: float = 0.0
    """Of a residual x + bend x³ in place of x: Gauss–Newton overshoots."""
    evaluated: list[float] = field(default_factory=list)
    equations: NormalEquations = field(init=False)

    def __post_init__(self) -> None:
        size, count = self.goals.size, int(self.shared)
        self.equations = NormalEquations(
            np.empty((size, 2 * WIDTH)), np.empty(size), np.ones(size), WIDTH, 2,
            np.empty((size, count)), np.zeros(count, dtype=np.int64), np.empty((count, count)),
            np.empty(count),
        )  # fmt: skip

    def residuals(self, at: Array) -> tuple[Array, Array]:
        """Rows and their derivatives (rows, size + shared)."""
        size = self.goals.size
        x, common = at[:size], at[size:].sum()
        ties = np.eye(size, len(at))
        rows = [x + self.bend * x**3 + common - self.goals.ravel()]
        slopes = [ties * (1.0 + 3.0 * self.bend * x**2)[:, None]]
        slopes[0][:, size:] = 1.0
        rows.append(np.sqrt(self.stiff) * (x[WIDTH:] - x[:-WIDTH]))
        slopes.append(np.sqrt(self.stiff) * (ties[WIDTH:] - ties[:-WIDTH]))
        return np.concatenate(rows), np.concatenate(slopes)

    def evaluate(self, at: Array) -> float:
        size, e = self.goals.size, self.equations
        rows, slopes = self.residuals(at)
        square = slopes.T @ slopes
        for j in range(size):
            wide = min(e.band.shape[1], size - j)
            e.band[j] = 0.0
            e.band[j, :wide] = square[j, j : j + wide]
        e.right[:] = -(slopes.T @ rows)[:size]
        e.border[:], e.corner[:] = square[:size, size:], square[size:, size:]
        e.shared[:] = -(slopes.T @ rows)[size:]
        self.evaluated.append(float(rows @ rows))
        return self.evaluated[-1]

    def moved(self, at: Array, share: float) -> Array:
        return at + share * np.concatenate([self.equations.right, self.equations.shared])

    def retried(self, tried: Array, at: Array) -> bool:
        return False


def goals(size: float = 1.0) -> Array:
    return size * np.random.default_rng(0).normal(size=(FRAMES, WIDTH))


@pytest.mark.parametrize("shared", [False, True])
def test_it_comes_to_the_least_squares(shared: bool) -> None:
    springs = Springs(goals(), shared=shared)
    newton = DampedNewton(springs, np.zeros(FRAMES * WIDTH + shared))
    newton.descend(60, 1e-14)
    rows, slopes = springs.residuals(newton.at)
    assert newton.definite and np.abs(slopes.T @ rows).max() < 1e-6
    assert newton.cost == pytest.approx(float(rows @ rows))


def test_no_step_is_longer_than_allowed_and_no_cost_rises() -> None:
    springs = Springs(goals(20.0), bend=0.3)
    newton = DampedNewton(springs, np.zeros(FRAMES * WIDTH))
    costs = [newton.cost]
    for _ in range(40):
        before = newton.at
        newton.advance()
        assert np.abs(newton.at - before).max() <= FARTHEST * (1.0 + 1e-12)
        costs.append(newton.cost)
    assert (np.diff(costs) <= 0.0).all() and costs[-1] < 0.5 * costs[0]


class Refusing(Springs):
    """Everything but the start costs more."""

    retries = 0

    def evaluate(self, at: Array) -> float:
        return super().evaluate(at) + (1e6 if at.any() else 0.0)

    def retried(self, tried: Array, at: Array) -> bool:
        self.retries += 1
        self.evaluate(at)
        return self.retries <= 2


def test_what_does_not_help_is_taken_back_and_damped_more() -> None:
    springs = Refusing(goals())
    newton = DampedNewton(springs, np.zeros(FRAMES * WIDTH))
    dampings = list[float]()
    for _ in range(4):
        assert newton.advance() is None
        dampings.append(newton.damping)
    assert not newton.at.any() and not newton.free
    # Twice it was tried again with equations that know more, and only then damped.
    assert dampings == [1.0, 1.0, 8.0, 64.0]


def test_a_step_that_promises_next_to_nothing_is_not_taken() -> None:
    springs = Springs(goals())
    newton = DampedNewton(springs, np.zeros(FRAMES * WIDTH))
    assert newton.advance(worth=1e9) == 0.0
    assert not newton.at.any() and len(springs.evaluated) == 1


def test_equations_without_a_solution_are_said() -> None:
    springs = Springs(goals())
    newton = DampedNewton(springs, np.zeros(FRAMES * WIDTH), damping=-1e3)
    newton.descend(5, 1e-9)
    assert not newton.definite and newton.step == np.inf
