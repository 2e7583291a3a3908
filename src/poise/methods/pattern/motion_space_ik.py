"""Inverse kinematics in the space of a pattern's coefficients (section 4.2, Algorithm 1).

The paper damps with one number, ξ = 10, which makes a step harmless by making it small: hundreds to
tens of thousands of iterations. Here coefficients are counted in deviations of the population, so
that a step of one is as likely in any direction, and the damping follows the error: λ is the error
over the population's radius R. A step is then never longer than R/2, and as the error vanishes so
does the damping: the last steps are Newton's. Steps are kept inside the population, a ball of
radius R about the mean, exactly: the best step inside it, not one cut short.

`fixed` and `none` are the paper's own: plain coefficients, no bound.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

import numpy as np

from poise.arrays import Array
from poise.methods.pattern.goals import POINT, TURN_M, Goal

Damping = Literal["adaptive", "fixed", "none"]
Ending = Literal["met", "outside", "stuck", "out_of_iterations"]

_STUCK = 1e-7
"""A step this short, in deviations, changes nothing any more."""
_LEAST_DAMPING = 1e-10
"""Of the steepest row's square: keeps what no row sees where it is."""
_SAME_RANK = 1e-6
_NEWTON_STEPS = 100
_PATIENCE, _PROGRESS = 5, 1e-6
"""So many iterations that together lessen the error by less than this share lead nowhere."""
_CALMER, _BOLDER = 8.0, 0.5


@dataclass(frozen=True, eq=False)
class Solved:
    """Coefficients that were found."""

    change: Array
    """(m,) of the coefficients α."""
    ending: Ending
    """`outside`: the goal is beyond the population, at whose edge the search ended. `stuck`: no
    step brings it nearer."""
    iterations: int
    errors_m: tuple[float, ...]
    """The weighted error before each iteration, and at the end."""
    deviations: float
    """How far from the mean it ended."""


@dataclass(frozen=True)
class Rules:
    """How to search."""

    tolerance_m: float
    tolerance_rad: float
    iterations: int
    damping: Damping = "adaptive"
    damping_m: float = 0.1
    """ξ of the paper, for `fixed`."""
    radius: float = np.inf
    """The population's, in deviations."""


def solve(goals: Sequence[Goal], start: Array, deviations: Array, rules: Rules) -> Solved:
    """The smallest change of coefficients (m,) that meets goals, which are in order of priority.

    `deviations` (m,) are those of the population along each.
    """
    if rules.damping != "adaptive":
        return _as_printed(goals, start, deviations, rules)
    home = start / deviations
    radius = max(rules.radius, float(np.linalg.norm(home)))
    scale = radius if np.isfinite(radius) else max(float(np.linalg.norm(home)), np.sqrt(len(home)))
    at, factor = home.copy(), 1.0
    looked = _look(goals, (at - home) * deviations, deviations)
    seen = [looked.errors]
    for iteration in range(rules.iterations + 1):
        if looked.met(rules):
            return _ended(at, home, deviations, "met", iteration, seen)
        if iteration == rules.iterations:
            break
        while True:
            step = _step(looked, at, home, radius, scale, factor)
            tried = _look(goals, (at + step - home) * deviations, deviations)
            short = float(np.linalg.norm(step)) < _STUCK or _at_rest(seen, rules)
            if short or tried.is_no_worse_than(looked, rules):
                break
            factor *= _CALMER
        if short:
            edge = float(np.linalg.norm(at)) > radius * (1.0 - 1e-6)
            ending: Ending = "outside" if edge else "stuck"
            return _ended(at, home, deviations, ending, iteration, seen)
        factor = max(factor * _BOLDER, 1.0)
        at, looked = at + step, tried
        seen.append(looked.errors)
    return _ended(at, home, deviations, "out_of_iterations", rules.iterations, seen)


def _at_rest(seen: list[Array], rules: Rules) -> bool:
    """Whether the last few iterations changed no layer's error."""
    few = seen[-_PATIENCE:]
    if len(few) < _PATIENCE:
        return False
    changed = np.ptp(few, axis=0)
    return bool((changed <= _PROGRESS * np.maximum(few[0], rules.tolerance_m)).all())


@dataclass(frozen=True, eq=False)
class _Looked:
    """Errors and rows of all goals, layer by layer, weighted."""

    layers: list[tuple[Array, Array]]
    missing: list[tuple[int, float]]
    """Kind and unweighted error of every goal."""

    @property
    def errors(self) -> Array:
        """(L,) of the layers."""
        return np.array([float(np.linalg.norm(error)) for error, _ in self.layers])

    def is_no_worse_than(self, before: _Looked, rules: Rules) -> bool:
        """Whether no layer is worse, but for what greater layers gain; what is met may move."""
        met = 0.5 * rules.tolerance_m
        for now, was in zip(self.errors.tolist(), before.errors.tolist(), strict=True):
            if now > max(was * (1.0 + 1e-9), met):
                return False
            if now < was * (1.0 - 1e-6) and was > met:
                return True  # a greater layer comes nearer: lesser ones have to wait
        return True

    def met(self, rules: Rules) -> bool:
        return all(
            error <= (rules.tolerance_m if kind == POINT else rules.tolerance_rad)
            for kind, error in self.missing
        )


def _look(goals: Sequence[Goal], change: Array, scales: Array) -> _Looked:
    layers: list[tuple[Array, Array]] = []
    missing: list[tuple[int, float]] = []
    for _, layer in groupby(goals, key=lambda goal: goal.priority):
        errors, rows, group = list[Array](), list[Array](), list(layer)
        most = max(goal.weight / (1.0 if goal.kind == POINT else TURN_M) for goal in group)
        for goal in group:
            error, row = goal.look(change)
            missing.append((goal.kind, float(np.linalg.norm(error))))
            weight = goal.weight / most  # weights count against others of the layer
            errors.append(weight * error)
            rows.append(weight * row * scales)
        layers.append((np.concatenate(errors), np.concatenate(rows)))
    return _Looked(layers, missing)


def _step(
    looked: _Looked, at: Array, home: Array, radius: float, scale: float, factor: float
) -> Array:  # fmt: skip
    """One damped step of all layers, each in what the greater ones leave free.

    A layer moves along its own rows; what no layer needs goes back home. Only the ball makes a
    layer move anything else: at its edge there must be room.
    """
    free, step = np.eye(len(at)), np.zeros(len(at))
    for error, rows in looked.layers:
        if not free.shape[1]:
            return step
        narrowed = rows @ free
        left = error - rows @ step
        steepest = float(np.linalg.norm(narrowed, 2))
        if steepest <= _SAME_RANK * float(np.linalg.norm(rows, 2)) or steepest == 0.0:
            continue
        damping = factor * min(float(np.linalg.norm(left)) / scale, steepest) ** 2
        damping = max(damping, _LEAST_DAMPING * steepest**2)
        normal = narrowed.T @ narrowed + damping * np.eye(free.shape[1])
        here = free.T @ (at + step)
        # In u = here + y, the ball is one about the origin: H u = g + H here.
        wanted = narrowed.T @ left + normal @ here
        step = step + free @ (_inside(normal, wanted, _room(at + step, here, radius)) - here)
        free = free @ _null_space(narrowed)
    if free.shape[1]:
        here = free.T @ (at + step)
        back = here + (free.T @ home - here) / factor
        room, far = _room(at + step, here, radius), float(np.linalg.norm(back))
        step = step + free @ (back * (min(room / far, 1.0) if far > 0.0 else 1.0) - here)
    return step


def _room(at: Array, here: Array, radius: float) -> float:
    """The ball's radius in a space in which `at` has the coordinates `here`."""
    beyond = float(at @ at - here @ here)
    return float(np.sqrt(max(radius**2 - beyond, 0.0)))


def _inside(normal: Array, wanted: Array, radius: float) -> Array:
    """The u with least uᵀHu/2 - gᵀu inside a ball: (H + μ) u = g with the right μ.

    1/|u| is almost a straight line in μ: Newton's method on it comes from below and never
    overshoots (Moré and Sorensen).
    """
    values, turns = np.linalg.eigh(normal)
    turned = turns.T @ wanted
    made = turned / values
    length = float(np.sqrt(made @ made))
    if not np.isfinite(radius) or length <= radius:
        return turns @ made
    if radius == 0.0:
        return np.zeros(len(wanted))
    more = 0.0
    for _ in range(_NEWTON_STEPS):
        if length <= radius * (1.0 + 1e-13):
            break
        bend = float(made @ (made / (values + more)))
        more += length**2 / bend * (length - radius) / radius
        made = turned / (values + more)
        length = float(np.sqrt(made @ made))
    return turns @ (made * min(radius / length, 1.0))


def _null_space(rows: Array) -> Array:
    """(n, k) an orthonormal basis of what rows (r, n) do not see."""
    _, values, turns = np.linalg.svd(rows)
    rank = int((values > _SAME_RANK * max(values[0], 1e-30)).sum()) if len(values) else 0
    return turns[rank:].T


def _as_printed(goals: Sequence[Goal], start: Array, deviations: Array, rules: Rules) -> Solved:
    """Algorithm 1 of the paper: Δα = Jᵀ(JJᵀ + ξ²)⁻¹ Δx, all goals alike."""
    damping = rules.damping_m**2 if rules.damping == "fixed" else 0.0
    change, plain, seen = np.zeros(len(start)), np.ones(len(start)), list[Array]()
    ending: Ending = "out_of_iterations"
    iteration = 0
    for iteration in range(rules.iterations + 1):
        looked = _look(goals, change, plain)
        seen.append(looked.errors)
        if looked.met(rules):
            ending = "met"
            break
        if iteration == rules.iterations:
            break
        error = np.concatenate([each for each, _ in looked.layers])
        rows = np.concatenate([each for _, each in looked.layers])
        if damping > 0.0:
            change = change + rows.T @ np.linalg.solve(
                rows @ rows.T + damping * np.eye(len(rows)), error
            )
        else:
            change = change + np.linalg.pinv(rows) @ error
    far = float(np.linalg.norm((start + change) / deviations))
    return Solved(change, ending, iteration, _whole(seen), far)


def _ended(
    at: Array, home: Array, deviations: Array, ending: Ending, iterations: int, seen: list[Array]
) -> Solved:  # fmt: skip
    change = (at - home) * deviations
    return Solved(change, ending, iterations, _whole(seen), float(np.linalg.norm(at)))


def _whole(seen: list[Array]) -> tuple[float, ...]:
    """Errors of all layers together."""
    return tuple(float(np.linalg.norm(errors)) for errors in seen)


def coefficient_path(frames: Sequence[int], changes: Array, frame_count: int) -> Array:
    """(F, m) the change of coefficients in every frame, from changes (k, m) in k ascending ones.

    It stays what the first and the last ask for before and after them, and goes from one to the
    next as 6x⁵ - 15x⁴ + 10x³, whose speed and acceleration vanish at both ends.
    """
    if len(frames) == 1:
        return np.repeat(changes, frame_count, axis=0)
    knots = np.array(frames, dtype=np.float64)
    at = np.clip(np.arange(frame_count, dtype=np.float64), knots[0], knots[-1])
    piece = np.clip(np.searchsorted(knots, at, "right") - 1, 0, len(knots) - 2)
    x = ((at - knots[piece]) / (knots[piece + 1] - knots[piece]))[:, None]
    share = x**3 * (x * (6.0 * x - 15.0) + 10.0)
    return (1.0 - share) * changes[piece] + share * changes[piece + 1]
