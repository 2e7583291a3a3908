"""A goal in motion space, compiled: where a point is for given coefficients, and Eq. 11.

The Jacobian follows the chain rule through the constrained frame alone. A coefficient moves the
rotation vectors of the joints on the way from the root to the point; the exponential map's own
Jacobian makes turns of them, and every turn swings the point about its joint.
"""

from __future__ import annotations

from poise.arrays import Array
from poise.compiled import borrowing
from poise.mechanics import (
    Vector,
    cross,
    exponential,
    exponential_rate,
    logarithm,
    multiply,
    turn,
)

POINT, TURN = 0, 1


@borrowing
def goal_rows(
    change: Array, offsets_m: Array, mean: Array, vectors: Array, slices: Array,
    root_m: Array, root_slices: Array, point_m: Array, kind: int, goal: Array,
    placed: Array, rows: Array,
) -> Vector:  # fmt: skip
    """What is missing to a goal, and how it changes with the coefficients.

    Returns the way from where it is to the goal, in metres or as a rotation vector.

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
        placed: (c, 10) scratch: where joints are, how they are turned, their rotation vectors.
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
        placed[c, 0], placed[c, 1], placed[c, 2] = px, py, pz
        placed[c, 3], placed[c, 4], placed[c, 5], placed[c, 6] = w, x, y, z
        placed[c, 7], placed[c, 8], placed[c, 9] = vx, vy, vz
    if kind == POINT:
        ox, oy, oz = turn(w, x, y, z, point_m[0], point_m[1], point_m[2])
        px, py, pz = px + ox, py + oy, pz + oz
        error = goal[0] - px, goal[1] - py, goal[2] - pz
    else:
        gw, gx, gy, gz = multiply(goal[0], goal[1], goal[2], goal[3], w, -x, -y, -z)
        error = logarithm(gw, gx, gy, gz)
    for i in range(count):
        sx, sy, sz = 0.0, 0.0, 0.0
        if kind == POINT:
            sx, sy, sz = root_slices[i, 0], root_slices[i, 1], root_slices[i, 2]
        for c in range(chain):
            p = placed[c]
            tx, ty, tz = exponential_rate(
                (p[7], p[8], p[9]), slices[i, c, 0], slices[i, c, 1], slices[i, c, 2]
            )
            tx, ty, tz = turn(p[3], p[4], p[5], p[6], tx, ty, tz)
            if kind == POINT:
                tx, ty, tz = cross(tx, ty, tz, px - p[0], py - p[1], pz - p[2])
            sx, sy, sz = sx + tx, sy + ty, sz + tz
        rows[0, i], rows[1, i], rows[2, i] = sx, sy, sz
    return error
