"""How one touching point answers a pull: the cheapest force inside its friction cone.

A point is pulled by w (one number along the normal, two along the tangents) and pays λ/2 |β − s|²
for its multipliers β, kept in the cone and under a ceiling on the normal force. The best β is the
projection of w/λ + s, seen through the basis, on that set. Besides β each function returns the
derivative of the force by the pull, times λ, as (nn, n1, n2, 11, 12, 22). Scalars in, scalars out.
"""

from __future__ import annotations

import math

from poise.compiled import inlined

Multipliers = tuple[float, float, float, float]
Stiffness = tuple[float, float, float, float, float, float]
Pull = tuple[float, float, float]

_SLOPE = math.sqrt(2.0)
"""Of the round cone in the space of its multipliers, whatever the friction coefficient."""


@inlined
def four_sided_pull(n: float, a: float, b: float, friction: float) -> Multipliers:
    """The pull along the basis n ± μ t₁, n ± μ t₂."""
    return n + friction * a, n - friction * a, n + friction * b, n - friction * b


@inlined
def four_sided_force(beta: Multipliers, friction: float) -> Pull:
    """Normal and tangential force of four multipliers."""
    p, q, r, s = beta
    return p + q + r + s, friction * (p - q), friction * (r - s)


@inlined
def four_sided(c: Multipliers, friction: float, ceiling: float) -> tuple[Multipliers, Stiffness]:
    """Project on β ≥ 0, Σβ ≤ ceiling (Lee & Lee, Eq. 13)."""
    p, q, r, s = c
    p, q, r, s = max(p, 0.0), max(q, 0.0), max(r, 0.0), max(s, 0.0)
    shift = 0.0
    capped = p + q + r + s > ceiling
    if capped:
        # Michelot: with the right members kept, all move down alike; those below zero leave.
        shift = (p + q + r + s - ceiling) / 4.0
        for _ in range(4):
            total, count = 0.0, 0.0
            for value in c:
                if value > shift:
                    total += value
                    count += 1.0
            if count > 0.0:
                shift = max(0.0, (total - ceiling) / count)
        p, q = max(c[0] - shift, 0.0), max(c[1] - shift, 0.0)
        r, s = max(c[2] - shift, 0.0), max(c[3] - shift, 0.0)
    on_p, on_q = 1.0 if p > 0.0 else 0.0, 1.0 if q > 0.0 else 0.0
    on_r, on_s = 1.0 if r > 0.0 else 0.0, 1.0 if s > 0.0 else 0.0
    count = on_p + on_q + on_r + on_s
    a, b = friction * (on_p - on_q), friction * (on_r - on_s)
    square = friction * friction
    nn, na, nb, ab = count, a, b, 0.0
    aa, bb = square * (on_p + on_q), square * (on_r + on_s)
    if capped and count > 0.0:
        nn, na, nb = 0.0, 0.0, 0.0
        aa, ab, bb = aa - a * a / count, -a * b / count, bb - b * b / count
    return (p, q, r, s), (nn, na, nb, aa, ab, bb)


@inlined
def round_pull(n: float, a: float, b: float, friction: float) -> Multipliers:
    """The pull on the multipliers (fₙ/2, f₁/√2μ, f₂/√2μ); the fourth is not used.

    With this scale λ|β|² costs what the four-sided cone's cheapest multipliers cost for a force
    well inside it.
    """
    return 2.0 * n, _SLOPE * friction * a, _SLOPE * friction * b, 0.0


@inlined
def round_force(beta: Multipliers, friction: float) -> Pull:
    """Normal and tangential force of the round cone's multipliers."""
    return 2.0 * beta[0], _SLOPE * friction * beta[1], _SLOPE * friction * beta[2]


@inlined
def round_cone(c: Multipliers, friction: float, ceiling: float) -> tuple[Multipliers, Stiffness]:
    """Project on |tangential| ≤ μ · normal ≤ μ · ceiling: the cone itself, the same all around."""
    n, a, b, _ = c
    side = math.sqrt(a * a + b * b)
    top = 0.5 * ceiling
    k = _SLOPE * friction
    if side <= _SLOPE * n and n <= top:  # inside
        return (n, a, b, 0.0), (4.0, 0.0, 0.0, k * k, 0.0, k * k)
    if _SLOPE * side <= -n:  # nothing to gain
        return (0.0, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    along = (n + _SLOPE * side) / 3.0 if side > _SLOPE * n else n
    if along > top:  # on the lid
        if side <= _SLOPE * top:
            return (top, a, b, 0.0), (0.0, 0.0, 0.0, k * k, 0.0, k * k)
        x, y, turn = a / side, b / side, _SLOPE * top / side
        beta = (top, _SLOPE * top * x, _SLOPE * top * y, 0.0)
        turn *= k * k
        return beta, (0.0, 0.0, 0.0, turn * y * y, -turn * x * y, turn * x * x)
    x, y = a / side, b / side  # on the mantle
    turn = _SLOPE * along / side
    beta = (along, _SLOPE * along * x, _SLOPE * along * y, 0.0)
    slide = 2.0 / 3.0 - turn
    na = 2.0 * k * _SLOPE / 3.0
    stiffness = (
        4.0 / 3.0,
        na * x,
        na * y,
        k * k * (turn + slide * x * x),
        k * k * slide * x * y,
        k * k * (turn + slide * y * y),
    )
    return beta, stiffness
