"""Goals that are linear in the coefficients, whose best answers are known by other means."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.optimize import minimize

from poise.arrays import Array
from poise.methods.pattern.goals import POINT, Goal

IDENTITY = np.array([[1.0, 0.0, 0.0, 0.0]])


def linear_goal(
    rows: Array, goal: Array, priority: int = 1, weight: float = 1.0, axes: str = "xyz"
) -> Goal:
    """A root that coefficients (m,) move by rows (3, m), from the origin to a place."""
    nothing, count = np.zeros((1, 3)), rows.shape[1]
    return Goal(
        "linear", POINT, 0, priority, float(np.sqrt(weight)), tuple("xyz".index(a) for a in axes),
        np.eye(3), nothing, IDENTITY, nothing, np.zeros((count, 1, 3)), np.zeros(3),
        np.ascontiguousarray(rows.T), np.zeros(3), np.asarray(goal, dtype=np.float64),
    )  # fmt: skip


def weighted_error(goals: Sequence[Goal], change: Array) -> float:
    """Root of the sum of squares of what is missing, times weights."""
    return float(np.sqrt(sum(np.sum((goal.weight * goal.look(change)[0]) ** 2) for goal in goals)))


def least_in_ball(
    goals: Sequence[Goal], home: Array, deviations: Array, radius: float,
    starts: Sequence[Array] = (), exact: Sequence[Goal] = (),
) -> tuple[float, Array]:  # fmt: skip
    """The least weighted error, and the change, by sequential quadratic programming.

    Args:
        goals: whose errors are weighed.
        home: (m,) where the search starts, in deviations.
        deviations: (m,) of the population.
        radius: of the ball about the mean that may not be left.
        starts: further changes to start from.
        exact: goals that are met exactly.
    """
    limits: list[dict[str, object]] = [
        {"type": "eq", "fun": lambda x, g=g: 10.0 * g.look(x * deviations)[0][list(g.axes)]}
        for g in exact
    ]
    if np.isfinite(radius):
        limits.append({"type": "ineq", "fun": lambda x: radius**2 - (home + x) @ (home + x)})

    def squares(x: Array) -> float:
        return weighted_error(goals, x * deviations) ** 2

    found = [
        minimize(
            squares, start / deviations, method="SLSQP", constraints=limits,
            options={"maxiter": 500, "ftol": 1e-15},
        )
        for start in (np.zeros(len(home)), -home * deviations, *starts)
    ]  # fmt: skip
    fine = [
        each for each in found
        if np.linalg.norm(home + each.x) <= radius + 1e-6
        and all(np.linalg.norm(g.look(each.x * deviations)[0]) < 1e-6 for g in exact)
    ]  # fmt: skip
    best = min(fine, key=lambda each: each.fun)
    return float(np.sqrt(max(best.fun, 0.0))), np.asarray(best.x) * deviations
