"""Reaction forces of one frame, eliminated by a log barrier: what is left is a smooth cost of six.

Forces are sums g of generators A (friction pyramids at the touching points) inside their bounds
0 < g < c. How badly a wrench b is explained, at best,

    φ(b) = min over g of  ρ/2 ‖b − A g‖² + ε Σ g − μ Σ log g − μ Σ log (c − g)

is a smooth convex function of six numbers. Its gradient is y = ρ (b − A g), its Hessian
(I/ρ + A D⁻¹ Aᵀ)⁻¹ with D = z/g + v/(c − g), where z and v are the multipliers of the two bounds.
The minimum is found by primal-dual Newton steps, each with one 6 × 6 system whatever the number of
generators. Without generators (flight) φ is ρ/2 ‖b‖²: the same code.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing

_MOST_STEPS = 60
_WARM_STEPS = 12
"""A start from the last answer that takes longer is given up for one from the middle."""
_SETTLED = 1e-8
"""Of complementarity and stationarity, against the barrier's own size."""
_NOT_QUITE = 0.995
"""Share of the way to a bound that a step may go."""

FORCE, LEFT, LOWER, UPPER, RATE = 0, 1, 2, 3, 4
"""Columns of what is known of a generator: g, c − g, z, v and dg by its share of y."""

FORCE_SIZE = 5


class Barrier(NamedTuple):
    """Weights of the cost."""

    rho: float
    """Of what is not explained."""
    mu: float
    """Of the barrier."""
    effort: float
    """ε, what forces cost: parts that could push against each other without end do not."""


@inlined_borrowing
def _solve_six(h: Array, x: Array) -> None:
    """Cholesky of a positive definite 6 × 6, its lower triangle in place, and H x in `x` solved."""
    for j in range(6):
        for i in range(j, 6):
            total = h[i, j]
            for k in range(j):
                total -= h[i, k] * h[j, k]
            h[i, j] = math.sqrt(total) if i == j else total / h[j, j]
    for i in range(6):
        total = x[i]
        for k in range(i):
            total -= h[i, k] * x[k]
        x[i] = total / h[i, i]
    for i in range(5, -1, -1):
        total = x[i]
        for k in range(i + 1, 6):
            total -= h[k, i] * x[k]
        x[i] = total / h[i, i]


def make_forces(caps: Array, mu: float) -> Array:
    """(N, 5) forces to begin with: away from their bounds."""
    g = np.minimum(0.5 * caps, 0.2)
    known = np.zeros((len(caps), FORCE_SIZE))
    known[:, FORCE], known[:, LEFT] = g, caps - g
    known[:, LOWER], known[:, UPPER] = max(mu, 0.1) / g, max(mu, 0.1) / (caps - g)
    return known


@inner_borrowing
def start_forces(first: int, stop: int, caps: Array, mu: float, forces: Array) -> None:
    """Put forces where the iteration begins without an earlier answer: away from their bounds."""
    for k in range(first, stop):
        g = min(0.5 * caps[k], 0.2)
        forces[k, FORCE], forces[k, LEFT] = g, caps[k] - g
        forces[k, LOWER], forces[k, UPPER] = max(mu, 0.1) / g, max(mu, 0.1) / (caps[k] - g)


@inner_borrowing
def _target(first: int, stop: int, mu: float, share: float, forces: Array) -> float:
    """The barrier to aim at: the one asked for, or on the way to it."""
    if stop == first:
        return mu
    total = 0.0
    for k in range(first, stop):
        f = forces[k]
        total += f[FORCE] * f[LOWER] + f[LEFT] * f[UPPER]
    return max(mu, share * total / (2 * (stop - first)))


@inner_borrowing
def eliminate_forces(
    b: Array, barrier: Barrier, first: int, stop: int, generators: Array, caps: Array,
    y: Array, forces: Array, factor: Array,
) -> float:  # fmt: skip
    """φ(b); its gradient in `y`, and in `factor` the Cholesky factor of its inverse Hessian.

    Args:
        b: (6,) the wrench to explain.
        barrier: weights.
        first: generator, and
        stop: one past the last of this frame.
        generators: (N, 6)
        caps: (N,) the most that each may give.
        y: (6,) out: the gradient.
        forces: (N, 5) in: an answer to begin with, or as `start_forces` puts it; out: the answer.
        factor: (6, 6) out: L with L Lᵀ the inverse of the Hessian (lower triangle).
    """
    rho, mu = barrier.rho, barrier.mu
    step, share = 0, 0.1
    warm = _target(first, stop, mu, 0.5, forces) == mu
    while True:
        aim = _target(first, stop, mu, share, forces)
        error = _put_direction(b, barrier, aim, first, stop, generators, y, forces, factor)
        if (aim == mu and error <= _SETTLED) or step == _MOST_STEPS:
            break
        step += 1
        if warm and step == _WARM_STEPS:
            start_forces(first, stop, caps, mu, forces)
            continue
        length = _move(first, stop, aim, barrier.effort, generators, y, forces)
        share = 0.05 if length > 0.9 else (0.2 if length > 0.5 else 0.7)
    # At the answer y⁺ is y; what is asked for is the gradient at these forces.
    value = 0.0
    for i in range(6):
        left = b[i]
        for k in range(first, stop):
            left -= generators[k, i] * forces[k, FORCE]
        y[i] = rho * left
        value += 0.5 * rho * left * left
    for k in range(first, stop):
        f = forces[k]
        value += barrier.effort * f[FORCE] - mu * math.log(f[FORCE] * f[LEFT])
    return value


@inner_borrowing
def _put_direction(
    b: Array, barrier: Barrier, aim: float, first: int, stop: int, generators: Array, y: Array,
    forces: Array, factor: Array,
) -> float:  # fmt: skip
    """Where y goes, the factor, and how far the conditions are from being met."""
    rho = barrier.rho
    for i in range(6):
        y[i] = b[i]
        for j in range(6):
            factor[i, j] = 1.0 / rho if i == j else 0.0
    error = 0.0
    for k in range(first, stop):
        a, f = generators[k], forces[k]
        g, left, z, v = f[FORCE], f[LEFT], f[LOWER], f[UPPER]
        rate = 1.0 / (z / g + v / left)
        f[RATE] = rate
        error = max(error, abs(z * g - aim), abs(v * left - aim))
        used = g + rate * (aim / g - aim / left - barrier.effort)
        for i in range(6):
            y[i] -= a[i] * used
            scaled = rate * a[i]
            for j in range(i + 1):
                factor[i, j] += scaled * a[j]
    _solve_six(factor, y)
    # How far forces would move: what stationarity is off by, seen through the curvature.
    moves = 0.0
    for k in range(first, stop):
        a, f = generators[k], forces[k]
        s = aim / f[FORCE] - aim / f[LEFT] - barrier.effort
        for i in range(6):
            s += a[i] * y[i]
        moves = max(moves, abs(f[RATE] * s) / min(f[FORCE], f[LEFT]))
    return max(error / aim, moves)


@inner_borrowing
def _move(
    first: int, stop: int, aim: float, effort: float, generators: Array, y: Array, forces: Array
) -> float:
    """Step forces and multipliers, each as far as their bounds allow; returns the shorter share."""
    primal, dual = 1.0, 1.0
    for k in range(first, stop):
        f = forces[k]
        g, left, z, v = f[FORCE], f[LEFT], f[LOWER], f[UPPER]
        d = _change(k, aim, effort, generators, y, f)
        dz, dv = (aim - z * d) / g - z, (aim + v * d) / left - v
        if d < 0.0:
            primal = min(primal, -_NOT_QUITE * g / d)
        elif d > 0.0:
            primal = min(primal, _NOT_QUITE * left / d)
        if dz < 0.0:
            dual = min(dual, -_NOT_QUITE * z / dz)
        if dv < 0.0:
            dual = min(dual, -_NOT_QUITE * v / dv)
    for k in range(first, stop):
        f = forces[k]
        g, left, z, v = f[FORCE], f[LEFT], f[LOWER], f[UPPER]
        d = _change(k, aim, effort, generators, y, f)
        f[LOWER] = z + dual * ((aim - z * d) / g - z)
        f[UPPER] = v + dual * ((aim + v * d) / left - v)
        f[FORCE] = g + primal * d
        f[LEFT] = left - primal * d
    return min(primal, dual)


@inlined_borrowing
def _change(k: int, aim: float, effort: float, generators: Array, y: Array, f: Array) -> float:
    s = aim / f[FORCE] - aim / f[LEFT] - effort
    for i in range(6):
        s += generators[k, i] * y[i]
    return f[RATE] * s
