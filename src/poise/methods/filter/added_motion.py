"""A motion with something added to it: places, velocities and accelerations that belong together.

Every coordinate moves by a curve of its own: the root by a translation, a joint by a turn in its
own frame, q exp(δ). With e the quaternion of exp(δ), its angular velocity is u = 2 vec(e* ė), and
the sum turns with ω' = eᵀω + u and ω̇' = eᵀω̇ + eᵀω × u + u̇: exact, however large δ is.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing
from poise.ik import BALL, TRANSLATION, Blocks
from poise.mechanics import Quaternion, Vector, cross, multiply, normalized, turn
from poise.methods.filter.dynamic_state import Motion

_SMALL = 0.05
"""Squared angle below which a series is exact to rounding."""


@inlined_borrowing
def _half_sine(x: float) -> tuple[float, float, float]:
    """sin(θ/2)/θ and its first two derivatives by x = θ²."""
    if x < _SMALL:
        return (
            1 / 2 - x / 48 * (1 - x / 80 * (1 - x / 168 * (1 - x / 288))),
            -1 / 48 + x / 1920 * (1 - x / 112 * (1 - x / 216)),
            1 / 1920 - x / 107520 * (1 - x / 144),
        )
    angle = np.sqrt(x)
    sine, bent = np.sin(0.5 * angle), 0.5 * angle * np.cos(0.5 * angle) - np.sin(0.5 * angle)
    return (
        sine / angle,
        bent / (2 * x * angle),
        -sine / (16 * x * angle) - 3 * bent / (4 * x * x * angle),
    )


@inlined_borrowing
def _turn_and_rates(d: Vector, v: Vector, a: Vector) -> tuple[Quaternion, Vector, Vector]:
    """exp(δ), its angular velocity and acceleration in its own frame."""
    x = d[0] * d[0] + d[1] * d[1] + d[2] * d[2]
    x1 = 2 * (d[0] * v[0] + d[1] * v[1] + d[2] * v[2])
    x2 = 2 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + d[0] * a[0] + d[1] * a[1] + d[2] * a[2])
    s, sx, sxx = _half_sine(x)
    s1, s2 = sx * x1, sxx * x1 * x1 + sx * x2
    w, w1, w2 = np.cos(0.5 * np.sqrt(x)), -0.25 * s * x1, -0.25 * (s1 * x1 + s * x2)
    q = (w, s * d[0], s * d[1], s * d[2])
    first = multiply(
        w, -q[1], -q[2], -q[3],
        w1, s1 * d[0] + s * v[0], s1 * d[1] + s * v[1], s1 * d[2] + s * v[2],
    )  # fmt: skip
    second = multiply(
        w, -q[1], -q[2], -q[3],
        w2,
        s2 * d[0] + 2 * s1 * v[0] + s * a[0],
        s2 * d[1] + 2 * s1 * v[1] + s * a[1],
        s2 * d[2] + 2 * s1 * v[2] + s * a[2],
    )  # fmt: skip
    return (
        q,
        (2 * first[1], 2 * first[2], 2 * first[3]),
        (2 * second[1], 2 * second[2], 2 * second[3]),
    )


@borrowing
def add_motion(blocks: Blocks, added: Array, motion: Motion) -> None:
    """Add curves to a motion, in place.

    Args:
        blocks: the coordinates.
        added: (F, 3, n) value, first and second derivative of each coordinate: metres in the world,
            radians in the joint's own frame (a hinge: about its axis).
        motion: in and out.
    """
    for f in range(len(motion.roots)):
        for b in range(len(blocks.kind)):
            j, k = blocks.joint[b], blocks.column[b]
            if blocks.kind[b] == TRANSLATION:
                for c in range(3):
                    motion.roots[f, c] += added[f, 0, k + c]
                    motion.root_velocities[f, c] += added[f, 1, k + c]
                    motion.root_accelerations[f, c] += added[f, 2, k + c]
                continue
            if blocks.kind[b] == BALL:
                d = (added[f, 0, k], added[f, 0, k + 1], added[f, 0, k + 2])
                v = (added[f, 1, k], added[f, 1, k + 1], added[f, 1, k + 2])
                a = (added[f, 2, k], added[f, 2, k + 1], added[f, 2, k + 2])
            else:
                x, y, z = blocks.axis[b, 0], blocks.axis[b, 1], blocks.axis[b, 2]
                d = (x * added[f, 0, k], y * added[f, 0, k], z * added[f, 0, k])
                v = (x * added[f, 1, k], y * added[f, 1, k], z * added[f, 1, k])
                a = (x * added[f, 2, k], y * added[f, 2, k], z * added[f, 2, k])
            e, u, du = _turn_and_rates(d, v, a)
            q, w, al = motion.local, motion.omega, motion.alpha
            p = multiply(q[f, j, 0], q[f, j, 1], q[f, j, 2], q[f, j, 3], e[0], e[1], e[2], e[3])
            p = normalized(p[0], p[1], p[2], p[3])
            o = turn(e[0], -e[1], -e[2], -e[3], w[f, j, 0], w[f, j, 1], w[f, j, 2])
            g = turn(e[0], -e[1], -e[2], -e[3], al[f, j, 0], al[f, j, 1], al[f, j, 2])
            h = cross(o[0], o[1], o[2], u[0], u[1], u[2])
            for c in range(4):
                q[f, j, c] = p[c]
            for c in range(3):
                w[f, j, c] = o[c] + u[c]
                al[f, j, c] = g[c] + h[c] + du[c]
