"""What tasks are about, at poses that differ in one coordinate: the sigma points of a filter.

A diagonal prior has sigma points that turn one joint about one axis, or shift the root. What a task
looks at then moves on a circle about that joint: no forward kinematics is needed for any of them.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik.packed import (
    AIM,
    BALL,
    CENTER,
    DISTANCE,
    POINT,
    TRANSLATION,
    TURN,
    Blocks,
    Tasks,
    Tree,
    Work,
)  # fmt: skip
from poise.ik.places import (
    NEAR_M,
    hinge_axis,
    point_place,
    reference_turn,
    square_to,
    sum_moments,
    world_turn,
)
from poise.ik.posing import exponential, logarithm
from poise.mechanics.quaternion_kernels import Quaternion, Vector, cross, multiply, turn


@inlined_borrowing
def _axis(blocks: Blocks, b: int, number: int, work: Work) -> Vector:
    """The world axis of a block's coordinate."""
    if blocks.kind[b] <= BALL:
        return (
            1.0 if number == 0 else 0.0,
            1.0 if number == 1 else 0.0,
            1.0 if number == 2 else 0.0,
        )
    return hinge_axis(blocks, b, work)


@inlined_borrowing
def _about(work: Work, joint: int, d: Quaternion, p: Vector) -> Vector:
    """A point turned about a joint's place."""
    c = work.place
    x, y, z = turn(
        d[0], d[1], d[2], d[3], p[0] - c[joint, 0], p[1] - c[joint, 1], p[2] - c[joint, 2]
    )
    return c[joint, 0] + x, c[joint, 1] + y, c[joint, 2] + z


@inlined_borrowing
def _put(tasks: Tasks, t: int, row: int, v: Vector, out: Array) -> None:
    """The components that count, scaled."""
    k = row
    for c in range(3):
        if tasks.axes[t, c]:
            out[k] = tasks.scale[t] * v[c]
            k += 1


@inlined_borrowing
def _point_value(
    tasks: Tasks, t: int, goal: Array, row: int, p: Vector, work: Work, out: Array
) -> None:
    x, y, z = p
    reference = tasks.reference[t]
    if reference >= 0:
        r, c = reference_turn(work, reference), work.place
        x, y, z = x - c[reference, 0], y - c[reference, 1], z - c[reference, 2]
        x, y, z = turn(r[0], r[1], r[2], r[3], x, y, z)
    _put(tasks, t, row, (x - goal[0], y - goal[1], z - goal[2]), out)


@inlined_borrowing
def _turn_value(
    tasks: Tasks, t: int, goal: Array, row: int, d: Quaternion, work: Work, out: Array
) -> None:
    """For the joint turned by d in the world."""
    r, q = reference_turn(work, tasks.reference[t]), world_turn(work, tasks.joint[t])
    q = multiply(d[0], d[1], d[2], d[3], q[0], q[1], q[2], q[3])
    q = multiply(r[0], r[1], r[2], r[3], q[0], q[1], q[2], q[3])
    e = multiply(goal[0], goal[1], goal[2], goal[3], q[0], -q[1], -q[2], -q[3])
    x, y, z = logarithm(e[0], e[1], e[2], e[3])
    _put(tasks, t, row, (-x, -y, -z), out)


@inlined_borrowing
def _aim_value(
    tasks: Tasks, t: int, goal: Array, row: int, p: Vector, u: Vector,
    first: Vector, second: Vector, out: Array,
) -> None:  # fmt: skip
    """The turn from the direction to the goal, along two axes that stay."""
    dx, dy, dz = goal[0] - p[0], goal[1] - p[1], goal[2] - p[2]
    far = max(np.sqrt(dx * dx + dy * dy + dz * dz), NEAR_M)
    dx, dy, dz = dx / far, dy / far, dz / far
    n = cross(u[0], u[1], u[2], dx, dy, dz)
    sine = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    angle = np.arctan2(sine, u[0] * dx + u[1] * dy + u[2] * dz)
    f = angle / sine if sine > NEAR_M else 1.0
    if sine <= NEAR_M and angle > 1.0:  # looks straight away from it: either way round is right
        n, f = first, angle
    f *= -tasks.scale[t]
    out[row] = f * (first[0] * n[0] + first[1] * n[1] + first[2] * n[2])
    out[row + 1] = f * (second[0] * n[0] + second[1] * n[1] + second[2] * n[2])


@inlined_borrowing
def _distance_value(
    tasks: Tasks, t: int, goal: Array, row: int, a: Vector, b: Vector, out: Array
) -> None:
    x, y, z = a[0] - b[0], a[1] - b[1], a[2] - b[2]
    out[row] = tasks.scale[t] * (np.sqrt(x * x + y * y + z * z) - goal[0])


@inner_borrowing
def sample_task(
    tree: Tree, blocks: Blocks, tasks: Tasks, t: int, frame: int, row: int,
    lengths: Array, width: int, work: Work,
    center: Array, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """What is missing to the goal (negative errors, scaled) at a pose and at its sigma points.

    Args:
        tree: the figure, whose joints are placed in `work`.
        blocks: the unknowns.
        tasks: all tasks.
        t: which.
        frame: of the clip.
        row: its first row.
        lengths: (W,) how far the sigma points lie from the pose, in radians or metres.
        width: W.
        work: scratch.
        center: (rows,) out, at the pose.
        plus: (W, rows) out, each coordinate a length on.
        minus: (W, rows) out, each coordinate a length back.
    """
    goal = tasks.goals[tasks.goal[t] + frame - tasks.first[t]]
    kind, j = tasks.kind[t], tasks.joint[t]
    here, there, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    first, second = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    still, share, points = (1.0, 0.0, 0.0, 0.0), 0.0, tasks.point[t + 1] - tasks.point[t]
    if kind != CENTER and kind != TURN:
        here = point_place(work, j, tasks.offset, t)
    if kind == POINT:
        _point_value(tasks, t, goal, row, here, work, center)
    elif kind == TURN:
        _turn_value(tasks, t, goal, row, still, work, center)
    elif kind == AIM:
        q, own = world_turn(work, j), tasks.direction
        u = turn(q[0], q[1], q[2], q[3], own[t, 0], own[t, 1], own[t, 2])
        first, second = square_to(u[0], u[1], u[2])
        _aim_value(tasks, t, goal, row, here, u, first, second, center)
    elif kind == DISTANCE:
        there = point_place(work, tasks.reference[t], tasks.reference_offset, t)
        _distance_value(tasks, t, goal, row, here, there, center)
    else:
        share = 1.0 / sum_moments(tree, tasks, t, work)
        m = work.moments
        here = (share * m[0, 0], share * m[0, 1], share * m[0, 2])
        _put(tasks, t, row, (here[0] - goal[0], here[1] - goal[1], here[2] - goal[2]), center)
    for c in range(width):
        for k in range(row, row + tasks.rows[t]):
            plus[c, k] = center[k]
            minus[c, k] = center[k]
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        if not tasks.carry_recruited[k]:
            continue
        jb, sign = int(blocks.joint[b]), float(tasks.carry_sign[k])
        for number in range(3 if blocks.kind[b] <= BALL else 1):
            column = blocks.column[b] + number
            a = _axis(blocks, b, number, work)
            for side in range(2):
                length = float(lengths[column]) * (1.0 if side == 0 else -1.0)
                out = plus[column] if side == 0 else minus[column]
                if blocks.kind[b] == TRANSLATION:
                    p = (
                        here[0] + length * a[0], here[1] + length * a[1], here[2] + length * a[2]
                    )  # fmt: skip
                    if kind == POINT:
                        _point_value(tasks, t, goal, row, p, work, out)
                    elif kind == AIM:
                        _aim_value(tasks, t, goal, row, p, u, first, second, out)
                    elif kind == CENTER and points == 0:
                        _put(tasks, t, row, (p[0] - goal[0], p[1] - goal[1], p[2] - goal[2]), out)
                    continue
                # Turning the reference is, seen from it, turning the point the other way.
                s = length if kind == DISTANCE else sign * length
                d = exponential(s * a[0], s * a[1], s * a[2])
                if kind == POINT:
                    _point_value(tasks, t, goal, row, _about(work, jb, d, here), work, out)
                elif kind == TURN:
                    _turn_value(tasks, t, goal, row, d, work, out)
                elif kind == AIM:
                    v = turn(d[0], d[1], d[2], d[3], u[0], u[1], u[2])
                    p = _about(work, jb, d, here)
                    _aim_value(tasks, t, goal, row, p, v, first, second, out)
                elif kind == DISTANCE:
                    if sign > 0.0:
                        _distance_value(tasks, t, goal, row, _about(work, jb, d, here), there, out)
                    else:
                        _distance_value(tasks, t, goal, row, here, _about(work, jb, d, there), out)
                else:
                    m, c = work.moments, work.place
                    mass = m[jb, 3]
                    x, y, z = (
                        m[jb, 0] - mass * c[jb, 0],
                        m[jb, 1] - mass * c[jb, 1],
                        m[jb, 2] - mass * c[jb, 2],
                    )
                    v = turn(d[0], d[1], d[2], d[3], x, y, z)
                    _put(
                        tasks, t, row,
                        (
                            here[0] + share * (v[0] - x) - goal[0],
                            here[1] + share * (v[1] - y) - goal[1],
                            here[2] + share * (v[2] - z) - goal[2],
                        ),
                        out,
                    )  # fmt: skip
