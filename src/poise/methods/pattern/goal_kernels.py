"""A goal in motion space, compiled: where a point is for given coefficients, and Eq. 11.

The Jacobian follows the chain rule through the constrained frame alone. A coefficient moves the
rotation vectors of the joints on the way from the root to the point; the exponential map's own
Jacobian makes turns of them, and every turn swings the point about its joint.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing
from poise.mechanics import Vector, cross, multiply, turn
from poise.methods.pattern.vector_kernels import exponential, logarithm

POINT, TURN = 0, 1


@inlined_borrowing
def _turned_by_change(
    vx: float, vy: float, vz: float, dx: float, dy: float, dz: float
) -> Vector:  # fmt: skip
    """The right Jacobian of the exponential map at v, times d: the turn in the joint's own axes."""
    angle2 = vx * vx + vy * vy + vz * vz
    if angle2 < 1e-8:
        a, b = 0.5 - angle2 / 24.0, 1.0 / 6.0 - angle2 / 120.0
    else:
        angle = np.sqrt(angle2)
        a, b = (1.0 - np.cos(angle)) / angle2, (angle - np.sin(angle)) / (angle2 * angle)
    cx, cy, cz = cross(vx, vy, vz, dx, dy, dz)
    ex, ey, ez = cross(vx, vy, vz, cx, cy, cz)
    return dx - a * cx + b * ex, dy - a * cy + b * ey, dz - a * cz + b * ez


@borrowing
def goal_rows(
    change: Array, offsets_m: Array, mean: Array, vectors: Array, slices: Array,
    root_m: Array, root_slices: Array, point_m: Array, kind: int, goal: Array,
    joints: Array, turns: Array, error: Array, rows: Array,
) -> None:  # fmt: skip
    """What is missing to a goal, and how it changes with the coefficients.

    Args:
        change: (m,) of the coefficients.
        offsets_m: (c, 3) of the chain's joints in their parents' frames; the root's is not read.
        mean: (c, 4) the mean motion's rotations of the chain in this frame.
        vectors: (c, 3) the clip's rotation vectors about them.
        slices: (m, c, 3) how those change with the coefficients.
        root_m: (3,) where the root is.
        root_slices: (m, 3) how that changes.
        point_m: (3,) the point in the last joint's frame.
        kind: POINT or TURN.
        goal: (3,) a place, or (4,) a rotation.
        joints: (c, 3) scratch: where joints are.
        turns: (c, 7) scratch: how they are turned, and their rotation vectors.
        error: (3,) filled: from where it is to the goal, in metres or as a rotation vector.
        rows: (3, m) filled.
    """
    chain, count = len(mean), len(change)
    px, py, pz = root_m[0], root_m[1], root_m[2]
    for i in range(count):
        px += change[i] * root_slices[i, 0]
        py += change[i] * root_slices[i, 1]
        pz += change[i] * root_slices[i, 2]
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for c in range(chain):
        if c > 0:
            ox, oy, oz = turn(w, x, y, z, offsets_m[c, 0], offsets_m[c, 1], offsets_m[c, 2])
            px, py, pz = px + ox, py + oy, pz + oz
        vx, vy, vz = vectors[c, 0], vectors[c, 1], vectors[c, 2]
        for i in range(count):
            vx += change[i] * slices[i, c, 0]
            vy += change[i] * slices[i, c, 1]
            vz += change[i] * slices[i, c, 2]
        ew, ex, ey, ez = exponential(vx, vy, vz)
        w, x, y, z = multiply(w, x, y, z, mean[c, 0], mean[c, 1], mean[c, 2], mean[c, 3])
        w, x, y, z = multiply(w, x, y, z, ew, ex, ey, ez)
        joints[c, 0], joints[c, 1], joints[c, 2] = px, py, pz
        turns[c, 0], turns[c, 1], turns[c, 2], turns[c, 3] = w, x, y, z
        turns[c, 4], turns[c, 5], turns[c, 6] = vx, vy, vz
    if kind == POINT:
        ox, oy, oz = turn(w, x, y, z, point_m[0], point_m[1], point_m[2])
        px, py, pz = px + ox, py + oy, pz + oz
        error[0], error[1], error[2] = goal[0] - px, goal[1] - py, goal[2] - pz
    else:
        gw, gx, gy, gz = multiply(goal[0], goal[1], goal[2], goal[3], w, -x, -y, -z)
        error[0], error[1], error[2] = logarithm(gw, gx, gy, gz)
    for i in range(count):
        sx, sy, sz = 0.0, 0.0, 0.0
        if kind == POINT:
            sx, sy, sz = root_slices[i, 0], root_slices[i, 1], root_slices[i, 2]
        for c in range(chain):
            tx, ty, tz = _turned_by_change(
                turns[c, 4], turns[c, 5], turns[c, 6],
                slices[i, c, 0], slices[i, c, 1], slices[i, c, 2],
            )  # fmt: skip
            tx, ty, tz = turn(turns[c, 0], turns[c, 1], turns[c, 2], turns[c, 3], tx, ty, tz)
            if kind == POINT:
                tx, ty, tz = cross(
                    tx, ty, tz, px - joints[c, 0], py - joints[c, 1], pz - joints[c, 2]
                )
            sx, sy, sz = sx + tx, sy + ty, sz + tz
        rows[0, i], rows[1, i], rows[2, i] = sx, sy, sz
