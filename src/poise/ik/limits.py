"""Joint limits inside the loop: what a step would break is held at the limit, the rest goes on.

A rotation is brought inside its range by the split of `poise.character.range_of_motion` (swing and
twist about anatomical axes), by the components of its rotation vector, or by its angle about a
hinge. When a step would leave the range, the direction in which it leaves is locked: the step's
part along it ends at the limit, and the layers are solved again with what remains of the joint's
columns (Baerlocher and Boulic's clamping, for directions of a ball as well as for single axes).
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing
from poise.ik.packed import ANGLE, BALL, SWING_TWIST, Blocks, Limits, Tree, Work
from poise.ik.posing import exponential, logarithm, parent_turn, turned_rotation
from poise.mechanics.quaternion_kernels import Quaternion, multiply, turn

_SLACK_RAD = 1e-9
"""Rounding leaves rotations this far beyond the limit they were put on."""


@inlined_borrowing
def _wrapped(angle: float) -> float:
    if angle > np.pi:
        return angle - 2.0 * np.pi
    if angle <= -np.pi:
        return angle + 2.0 * np.pi
    return angle


@inlined_borrowing
def _inside(value: float, low: float, high: float) -> float:
    return min(max(value, low), high)


@borrowing
def inside_range(
    limits: Limits, l: int, qw: float, qx: float, qy: float, qz: float
) -> tuple[bool, Quaternion]:
    """Whether a local rotation is outside its range, and the rotation inside it."""
    left, right, low, high = limits.left[l], limits.right[l], limits.low[l], limits.high[l]
    w, x, y, z = multiply(left[0], left[1], left[2], left[3], qw, qx, qy, qz)
    w, x, y, z = multiply(w, x, y, z, right[0], right[1], right[2], right[3])
    kind = limits.kind[l]
    if kind == SWING_TWIST:
        twist = _wrapped(2.0 * np.arctan2(y, w))
        s = multiply(w, x, y, z, np.cos(0.5 * twist), 0.0, -np.sin(0.5 * twist), 0.0)
        a, _, b = logarithm(s[0], s[1], s[2], s[3])
        a1, b1 = _inside(a, low[0], high[0]), _inside(b, low[2], high[2])
        twist1 = _inside(twist, low[1], high[1])
        off = max(abs(a1 - a), abs(b1 - b), abs(twist1 - twist))
        s = exponential(a1, 0.0, b1)
        half = 0.5 * twist1
        t = multiply(s[0], s[1], s[2], s[3], np.cos(half), 0.0, np.sin(half), 0.0)
    elif kind == ANGLE:
        axis = limits.axis[l]
        angle = _wrapped(2.0 * np.arctan2(x * axis[0] + y * axis[1] + z * axis[2], w))
        angle1 = _inside(angle, low[0], high[0])
        off = abs(angle1 - angle)
        t = exponential(angle1 * axis[0], angle1 * axis[1], angle1 * axis[2])
    else:
        a, c, b = logarithm(w, x, y, z)
        a1, b1 = _inside(a, low[0], high[0]), _inside(b, low[2], high[2])
        c1 = _inside(c, low[1], high[1])
        off = max(abs(a1 - a), abs(b1 - b), abs(c1 - c))
        t = exponential(a1, c1, b1)
    if off <= _SLACK_RAD:
        return False, (qw, qx, qy, qz)
    q = multiply(left[0], -left[1], -left[2], -left[3], t[0], t[1], t[2], t[3])
    return True, multiply(q[0], q[1], q[2], q[3], right[0], -right[1], -right[2], -right[3])


@borrowing
def keep_inside(limits: Limits, blocks: Blocks, controlled: Array, local: Array) -> None:
    """Bring every controlled joint of a pose inside its range."""
    for l in range(len(limits.block)):
        if controlled[limits.block[l]]:
            j = blocks.joint[limits.block[l]]
            outside, q = inside_range(
                limits, l, local[j, 0], local[j, 1], local[j, 2], local[j, 3]
            )
            if outside:
                local[j, 0], local[j, 1], local[j, 2], local[j, 3] = q


@borrowing
def lock_what_leaves(
    tree: Tree, blocks: Blocks, limits: Limits, local: Array, work: Work
) -> bool:
    """Lock the directions in which the step leaves a range; returns whether any is new."""
    found = False
    for l in range(len(limits.block)):
        b = limits.block[l]
        if not work.controlled[b]:
            continue
        j, column = blocks.joint[b], blocks.column[b]
        w, x, y, z = turned_rotation(tree, blocks, b, local, work.step, 1.0, work)
        outside, held = inside_range(limits, l, w, x, y, z)
        if not outside:
            continue
        d = multiply(
            held[0], held[1], held[2], held[3],
            local[j, 0], -local[j, 1], -local[j, 2], -local[j, 3],
        )  # fmt: skip
        v = logarithm(d[0], d[1], d[2], d[3])
        scale = 1.0 / blocks.mobility[b]
        if blocks.kind[b] == BALL:
            p = parent_turn(tree, j, work)
            v = turn(p[0], p[1], p[2], p[3], v[0], v[1], v[2])
            if _lock_direction(work, b, column, v[0] * scale, v[1] * scale, v[2] * scale):
                found = True
        else:
            # The axis is the same in the joint's frame and in its parent's rest frame.
            own = multiply(
                local[j, 0], -local[j, 1], -local[j, 2], -local[j, 3],
                held[0], held[1], held[2], held[3],
            )  # fmt: skip
            v = logarithm(own[0], own[1], own[2], own[3])
            a = blocks.axis
            work.held[column] = scale * (v[0] * a[b, 0] + v[1] * a[b, 1] + v[2] * a[b, 2])
            if work.locks[b] == 0:
                work.locks[b] = 1
                found = True
    return found


@inlined_borrowing
def _lock_direction(
    work: Work, b: int, column: int, hx: float, hy: float, hz: float
) -> bool:  # fmt: skip
    """Lock a ball along what its step loses at the limit; (hx, hy, hz) is the step that is left."""
    step, axes, count = work.step, work.lock_axes[b], work.locks[b]
    nx, ny, nz = step[column] - hx, step[column + 1] - hy, step[column + 2] - hz
    size = np.sqrt(nx * nx + ny * ny + nz * nz)
    for i in range(count):
        s = nx * axes[i, 0] + ny * axes[i, 1] + nz * axes[i, 2]
        nx, ny, nz = nx - s * axes[i, 0], ny - s * axes[i, 1], nz - s * axes[i, 2]
    left = np.sqrt(nx * nx + ny * ny + nz * nz)
    if count == 3 or size < _SLACK_RAD or left < 0.05 * size:
        return False
    axes[count, 0], axes[count, 1], axes[count, 2] = nx / left, ny / left, nz / left
    work.locks[b] = count + 1
    for c in range(3):
        work.held[column + c] = 0.0
    for i in range(count + 1):
        s = hx * axes[i, 0] + hy * axes[i, 1] + hz * axes[i, 2]
        for c in range(3):
            work.held[column + c] += s * axes[i, c]
    return True


@inlined_borrowing
def drop_locked(blocks: Blocks, b: int, vector: Array, work: Work) -> None:
    """Take the locked directions of a block out of a row."""
    column = blocks.column[b]
    if blocks.kind[b] != BALL:
        vector[column] = 0.0
        return
    for i in range(work.locks[b]):
        n = work.lock_axes[b, i]
        s = vector[column] * n[0] + vector[column + 1] * n[1] + vector[column + 2] * n[2]
        for c in range(3):
            vector[column + c] -= s * n[c]
