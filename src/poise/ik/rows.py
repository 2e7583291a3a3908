"""Errors and Jacobian rows of tasks at one pose.

An unknown is a turn about a world axis e through its joint's origin c (or a hinge's own axis), so a
point p that the joint carries moves by e × (p − c). Of two points, or of a point and the frame it
is relative to, a joint that carries both moves neither against the other: it has no column. The
centre of mass against the barycentre of points is a sum over a subtree in which every point
counts as a negative mass.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing
from poise.ik.packed import (
    AIM,
    BALL,
    CENTER,
    POINT,
    TRANSLATION,
    TURN,
    Blocks,
    Tasks,
    Tree,
    Work,
)
from poise.ik.places import (
    NEAR_M,
    hinge_axis,
    point_place,
    reference_turn,
    square_to,
    sum_moments,
    world_turn,
)
from poise.mechanics import Quaternion, cross, logarithm, multiply, turn


@inlined_borrowing
def write_task(
    tree: Tree, blocks: Blocks, tasks: Tasks, t: int, frame: int, row: int,
    reach: float, most_turn: float, width: int, without_rows: bool, work: Work,
) -> float:  # fmt: skip
    """Write the rows and errors of one task from `row` on; returns its whole error.

    Metres for points, distances and centres, radians for turns and aims. A point or turn may do
    `without_rows`.
    """
    if without_rows:
        goal = tasks.goals[tasks.goal[t] + frame - tasks.first[t]]
        if tasks.kind[t] == POINT:
            return _point_error(tasks, t, goal, row, reach, work)
        return _turn_error(tasks, t, goal, row, most_turn, work)
    for k in range(row, row + tasks.rows[t]):
        for c in range(width):
            work.full[k, c] = 0.0
    kind = tasks.kind[t]
    goal = tasks.goals[tasks.goal[t] + frame - tasks.first[t]]
    if kind == POINT:
        return _write_point(blocks, tasks, t, goal, row, reach, work)
    if kind == TURN:
        return _write_turn(blocks, tasks, t, goal, row, most_turn, work)
    if kind == CENTER:
        return _write_center(tree, blocks, tasks, t, goal, row, reach, work)
    if kind == AIM:
        return _write_aim(blocks, tasks, t, goal, row, most_turn, work)
    return _write_distance(blocks, tasks, t, goal, row, reach, work)


@inlined_borrowing
def _put_error(
    tasks: Tasks, t: int, row: int, longest: float, x: float, y: float, z: float, work: Work
) -> float:
    """Three components of an error along the axes that count; returns its length along them."""
    e = (x, y, z)
    square = 0.0
    for c in range(3):
        if tasks.axes[t, c]:
            square += e[c] * e[c]
    size = np.sqrt(square)
    scale = tasks.scale[t]
    if size > longest:
        scale *= longest / size
    k = row
    for c in range(3):
        if tasks.axes[t, c]:
            work.errors[k] = scale * e[c]
            k += 1
    return size


@inlined_borrowing
def _put_column(
    tasks: Tasks, t: int, row: int, column: int, x: float, y: float, z: float, work: Work
) -> None:
    v = (x, y, z)
    k = row
    for c in range(3):
        if tasks.axes[t, c]:
            work.full[k, column] = v[c]
            k += 1


@inlined_borrowing
def _put_lever(
    blocks: Blocks, tasks: Tasks, t: int, row: int, b: int, r: Quaternion,
    s: float, x: float, y: float, z: float, work: Work,
) -> None:  # fmt: skip
    """Columns e × v of a block for the lever v = (x, y, z), scaled, seen in the reference r."""
    column = blocks.column[b]
    if blocks.kind[b] == BALL:
        x, y, z = s * x, s * y, s * z
        if r[0] == 1.0:
            _put_column(tasks, t, row, column, 0.0, -z, y, work)
            _put_column(tasks, t, row, column + 1, z, 0.0, -x, work)
            _put_column(tasks, t, row, column + 2, -y, x, 0.0, work)
        else:
            v = turn(r[0], r[1], r[2], r[3], 0.0, -z, y)
            _put_column(tasks, t, row, column, v[0], v[1], v[2], work)
            v = turn(r[0], r[1], r[2], r[3], z, 0.0, -x)
            _put_column(tasks, t, row, column + 1, v[0], v[1], v[2], work)
            v = turn(r[0], r[1], r[2], r[3], -y, x, 0.0)
            _put_column(tasks, t, row, column + 2, v[0], v[1], v[2], work)
    else:
        e = hinge_axis(blocks, b, work)
        v = cross(e[0], e[1], e[2], s * x, s * y, s * z)
        v = turn(r[0], r[1], r[2], r[3], v[0], v[1], v[2])
        _put_column(tasks, t, row, column, v[0], v[1], v[2], work)


@inlined_borrowing
def _put_unit(
    blocks: Blocks, tasks: Tasks, t: int, row: int, b: int, r: Quaternion, s: float, work: Work
) -> None:
    """The three columns of the unit matrix, scaled: a translation, or a turn seen as a turn."""
    column = blocks.column[b]
    v = turn(r[0], r[1], r[2], r[3], s, 0.0, 0.0)
    _put_column(tasks, t, row, column, v[0], v[1], v[2], work)
    v = turn(r[0], r[1], r[2], r[3], 0.0, s, 0.0)
    _put_column(tasks, t, row, column + 1, v[0], v[1], v[2], work)
    v = turn(r[0], r[1], r[2], r[3], 0.0, 0.0, s)
    _put_column(tasks, t, row, column + 2, v[0], v[1], v[2], work)


@inlined_borrowing
def _point_error(
    tasks: Tasks, t: int, goal: Array, row: int, reach: float, work: Work
) -> float:  # fmt: skip
    x, y, z = point_place(work, tasks.joint[t], tasks.offset, t)
    reference = tasks.reference[t]
    if reference >= 0:
        r, c = reference_turn(work, reference), work.place
        x, y, z = x - c[reference, 0], y - c[reference, 1], z - c[reference, 2]
        x, y, z = turn(r[0], r[1], r[2], r[3], x, y, z)
    return _put_error(tasks, t, row, reach, goal[0] - x, goal[1] - y, goal[2] - z, work)


@inlined_borrowing
def _write_point(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, reach: float, work: Work
) -> float:
    size = _point_error(tasks, t, goal, row, reach, work)
    px, py, pz = point_place(work, tasks.joint[t], tasks.offset, t)
    r = reference_turn(work, tasks.reference[t])
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        s = tasks.carry_sign[k] * tasks.scale[t] * blocks.mobility[b]
        if blocks.kind[b] == TRANSLATION:
            _put_unit(blocks, tasks, t, row, b, r, s, work)
        else:
            j, c = blocks.joint[b], work.place
            _put_lever(
                blocks, tasks, t, row, b, r, s, px - c[j, 0], py - c[j, 1], pz - c[j, 2], work
            )
    return size


@inlined_borrowing
def _turn_error(
    tasks: Tasks, t: int, goal: Array, row: int, most: float, work: Work
) -> float:  # fmt: skip
    r = reference_turn(work, tasks.reference[t])
    q = world_turn(work, tasks.joint[t])
    q = multiply(r[0], r[1], r[2], r[3], q[0], q[1], q[2], q[3])
    d = multiply(goal[0], goal[1], goal[2], goal[3], q[0], -q[1], -q[2], -q[3])
    x, y, z = logarithm(d[0], d[1], d[2], d[3])
    return _put_error(tasks, t, row, most, x, y, z, work)


@inlined_borrowing
def _write_turn(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, most: float, work: Work
) -> float:
    size = _turn_error(tasks, t, goal, row, most, work)
    r = reference_turn(work, tasks.reference[t])
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        s = tasks.carry_sign[k] * tasks.scale[t] * blocks.mobility[b]
        if blocks.kind[b] == BALL:
            _put_unit(blocks, tasks, t, row, b, r, s, work)
        elif blocks.kind[b] != TRANSLATION:
            e = hinge_axis(blocks, b, work)
            v = turn(r[0], r[1], r[2], r[3], s * e[0], s * e[1], s * e[2])
            _put_column(tasks, t, row, int(blocks.column[b]), v[0], v[1], v[2], work)
    return size


@inlined_borrowing
def _write_center(
    tree: Tree, blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int,
    reach: float, work: Work,
) -> float:  # fmt: skip
    total = sum_moments(tree, tasks, t, work)
    moments, p, points = work.moments, work.place, tasks.point[t + 1] - tasks.point[t]
    share = 1.0 / total
    x, y, z = share * moments[0, 0], share * moments[0, 1], share * moments[0, 2]
    size = _put_error(tasks, t, row, reach, goal[0] - x, goal[1] - y, goal[2] - z, work)
    r = (1.0, 0.0, 0.0, 0.0)
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        s, j = share * tasks.scale[t] * blocks.mobility[b], blocks.joint[b]
        if blocks.kind[b] == TRANSLATION:
            if points == 0:
                _put_unit(blocks, tasks, t, row, b, r, tasks.scale[t] * blocks.mobility[b], work)
        else:
            m = moments[j, 3]
            x, y = moments[j, 0] - m * p[j, 0], moments[j, 1] - m * p[j, 1]
            z = moments[j, 2] - m * p[j, 2]
            _put_lever(blocks, tasks, t, row, b, r, s, x, y, z, work)
    return size


@inlined_borrowing
def _write_aim(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, most: float, work: Work
) -> float:
    """Two rows: turns of the direction square to itself, and what moving the eye does to them."""
    j = tasks.joint[t]
    px, py, pz = point_place(work, j, tasks.offset, t)
    q, own = world_turn(work, j), tasks.direction
    ux, uy, uz = turn(q[0], q[1], q[2], q[3], own[t, 0], own[t, 1], own[t, 2])
    dx, dy, dz = goal[0] - px, goal[1] - py, goal[2] - pz
    far = max(np.sqrt(dx * dx + dy * dy + dz * dz), NEAR_M)
    dx, dy, dz = dx / far, dy / far, dz / far
    first, second = square_to(ux, uy, uz)
    n = cross(ux, uy, uz, dx, dy, dz)
    sine = np.sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2])
    angle = np.arctan2(sine, ux * dx + uy * dy + uz * dz)
    f = min(angle, most) / sine if sine > NEAR_M else 1.0
    if sine <= NEAR_M and angle > 1.0:  # looks straight away from it: either way round is right
        n, f = first, min(angle, most)
    work.errors[row] = tasks.scale[t] * f * (first[0] * n[0] + first[1] * n[1] + first[2] * n[2])
    work.errors[row + 1] = (
        tasks.scale[t] * f * (second[0] * n[0] + second[1] * n[1] + second[2] * n[2])
    )
    for i in range(2):
        a = first if i == 0 else second
        # a · (ω + d × v / far) with v = ω × lever: the translation's part is a × d / far.
        m = cross(a[0], a[1], a[2], dx, dy, dz)
        mx, my, mz = m[0] / far, m[1] / far, m[2] / far
        for k in range(tasks.carry[t], tasks.carry[t + 1]):
            b = tasks.carry_block[k]
            s, column = tasks.scale[t] * blocks.mobility[b], blocks.column[b]
            if blocks.kind[b] == TRANSLATION:
                x, y, z = mx, my, mz
            else:
                jb, c = blocks.joint[b], work.place
                x, y, z = cross(px - c[jb, 0], py - c[jb, 1], pz - c[jb, 2], mx, my, mz)
                x, y, z = x + a[0], y + a[1], z + a[2]
            if blocks.kind[b] <= BALL:
                work.full[row + i, column] = s * x
                work.full[row + i, column + 1] = s * y
                work.full[row + i, column + 2] = s * z
            else:
                e = hinge_axis(blocks, b, work)
                work.full[row + i, column] = s * (e[0] * x + e[1] * y + e[2] * z)
    return angle


@inlined_borrowing
def _write_distance(
    blocks: Blocks, tasks: Tasks, t: int, goal: Array, row: int, reach: float, work: Work
) -> float:
    ax, ay, az = point_place(work, tasks.joint[t], tasks.offset, t)
    bx, by, bz = point_place(work, tasks.reference[t], tasks.reference_offset, t)
    ux, uy, uz = ax - bx, ay - by, az - bz
    far = np.sqrt(ux * ux + uy * uy + uz * uz)
    if far < NEAR_M:  # two points in one place: any direction parts them
        ux, uy, uz = 0.0, 1.0, 0.0
    else:
        ux, uy, uz = ux / far, uy / far, uz / far
    error = goal[0] - far
    work.errors[row] = tasks.scale[t] * min(max(error, -reach), reach)
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        b = tasks.carry_block[k]
        sign = tasks.carry_sign[k]
        s, column = sign * tasks.scale[t] * blocks.mobility[b], blocks.column[b]
        j, c = blocks.joint[b], work.place
        px, py, pz = (ax, ay, az) if sign > 0 else (bx, by, bz)
        x, y, z = cross(px - c[j, 0], py - c[j, 1], pz - c[j, 2], ux, uy, uz)
        if blocks.kind[b] == BALL:
            work.full[row, column] = s * x
            work.full[row, column + 1] = s * y
            work.full[row, column + 2] = s * z
        elif blocks.kind[b] != TRANSLATION:
            e = hinge_axis(blocks, b, work)
            work.full[row, column] = s * (e[0] * x + e[1] * y + e[2] * z)
    return abs(error)
