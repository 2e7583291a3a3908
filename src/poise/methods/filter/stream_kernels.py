"""One frame through the least-squares filter: `dynamic_round` and `rotation_fit`, compiled.

A frame of a stream is too small for array arithmetic: calling it would take most of the time.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inlined
from poise.mechanics import Quaternion, multiply
from poise.methods.filter.dynamic_state import Motion


@inlined
def _component_rates(
    q: Quaternion, wx: float, wy: float, wz: float, ax: float, ay: float, az: float
) -> tuple[Quaternion, Quaternion]:
    """q̇ and q̈ of a quaternion that turns with ω and ω̇ in its own frame."""
    first = multiply(q[0], q[1], q[2], q[3], 0.0, 0.5 * wx, 0.5 * wy, 0.5 * wz)
    spun = multiply(first[0], first[1], first[2], first[3], 0.0, 0.5 * wx, 0.5 * wy, 0.5 * wz)
    sped = multiply(q[0], q[1], q[2], q[3], 0.0, 0.5 * ax, 0.5 * ay, 0.5 * az)
    return first, (
        spun[0] + sped[0], spun[1] + sped[1], spun[2] + sped[2], spun[3] + sped[3],
    )  # fmt: skip


@borrowing
def put_added(before: Motion, after: Motion, rates: Array, added: Array) -> None:
    """What was added to a motion of one frame, in the components that are fitted.

    Args:
        before: the motion.
        after: the same with something added to it.
        rates: (2, J, 4) out: q̇ and q̈ before.
        added: (3, 3 + 4J) out: to places, velocities and accelerations of root and components.
    """
    for c in range(3):
        added[0, c] = after.roots[0, c] - before.roots[0, c]
        added[1, c] = after.root_velocities[0, c] - before.root_velocities[0, c]
        added[2, c] = after.root_accelerations[0, c] - before.root_accelerations[0, c]
    for j in range(before.local.shape[1]):
        q, w, a = before.local[0, j], before.omega[0, j], before.alpha[0, j]
        old = (q[0], q[1], q[2], q[3])
        first, second = _component_rates(old, w[0], w[1], w[2], a[0], a[1], a[2])
        p, w, a = after.local[0, j], after.omega[0, j], after.alpha[0, j]
        same = q[0] * p[0] + q[1] * p[1] + q[2] * p[2] + q[3] * p[3]
        side = -1.0 if same < 0.0 else 1.0
        new = (side * p[0], side * p[1], side * p[2], side * p[3])
        new_first, new_second = _component_rates(new, w[0], w[1], w[2], a[0], a[1], a[2])
        for c in range(4):
            rates[0, j, c] = first[c]
            rates[1, j, c] = second[c]
            added[0, 3 + 4 * j + c] = new[c] - old[c]
            added[1, 3 + 4 * j + c] = new_first[c] - first[c]
            added[2, 3 + 4 * j + c] = new_second[c] - second[c]


@borrowing
def add_fitted(rates: Array, fitted: Array, side: Array, motion: Motion) -> None:
    """Add what was fitted to a motion of one frame, in place; rotations go back to the sphere.

    Args:
        rates: (2, J, 4) q̇ and q̈ of the motion.
        fitted: (3, 3 + 4J) as `put_added` has it.
        side: (J, 4) the frame before, whose signs are kept; becomes this frame.
        motion: in and out.
    """
    for c in range(3):
        motion.roots[0, c] += fitted[0, c]
        motion.root_velocities[0, c] += fitted[1, c]
        motion.root_accelerations[0, c] += fitted[2, c]
    for j in range(motion.local.shape[1]):
        k = 3 + 4 * j
        q = motion.local[0, j]
        s = (q[0] + fitted[0, k], q[1] + fitted[0, k + 1], q[2] + fitted[0, k + 2],
             q[3] + fitted[0, k + 3])  # fmt: skip
        put_turning(
            s,
            (rates[0, j, 0] + fitted[1, k], rates[0, j, 1] + fitted[1, k + 1],
             rates[0, j, 2] + fitted[1, k + 2], rates[0, j, 3] + fitted[1, k + 3]),
            (rates[1, j, 0] + fitted[2, k], rates[1, j, 1] + fitted[2, k + 1],
             rates[1, j, 2] + fitted[2, k + 2], rates[1, j, 3] + fitted[2, k + 3]),
            motion.omega[0, j], motion.alpha[0, j],
        )  # fmt: skip
        length = np.sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3])
        same = side[j, 0] * s[0] + side[j, 1] * s[1] + side[j, 2] * s[2] + side[j, 3] * s[3]
        share = (-1.0 if same < 0.0 else 1.0) / length
        for c in range(4):
            q[c] = share * s[c]
            side[j, c] = q[c]


@borrowing
def put_rates(fitted: Array, motion: Motion) -> None:
    """Rates of a motion of one frame from smoothed values and rates (3, 3 + 4J) of its numbers."""
    for c in range(3):
        motion.root_velocities[0, c] = fitted[1, c]
        motion.root_accelerations[0, c] = fitted[2, c]
    for j in range(motion.local.shape[1]):
        k = 3 + 4 * j
        put_turning(
            (fitted[0, k], fitted[0, k + 1], fitted[0, k + 2], fitted[0, k + 3]),
            (fitted[1, k], fitted[1, k + 1], fitted[1, k + 2], fitted[1, k + 3]),
            (fitted[2, k], fitted[2, k + 1], fitted[2, k + 2], fitted[2, k + 3]),
            motion.omega[0, j], motion.alpha[0, j],
        )  # fmt: skip


@inlined
def put_turning(s: Quaternion, ds: Quaternion, dds: Quaternion, omega: Array, alpha: Array) -> None:
    """ω and ω̇, in its own frame, of the rotation s/|s| along a curve of quaternions."""
    squared = s[0] * s[0] + s[1] * s[1] + s[2] * s[2] + s[3] * s[3]
    first = multiply(s[0], -s[1], -s[2], -s[3], ds[0], ds[1], ds[2], ds[3])
    second = multiply(s[0], -s[1], -s[2], -s[3], dds[0], dds[1], dds[2], dds[3])
    for c in range(3):
        omega[c] = 2.0 * first[1 + c] / squared
        alpha[c] = 2.0 * second[1 + c] / squared - omega[c] * (2.0 * first[0] / squared)
