"""A first layer with more rows than unknowns, solved without its rows.

A body with a goal for every joint (retargeting, markers) has twice as many rows as unknowns. The
normal matrix JᵀJ of points and turns is then nothing but a mass matrix: every point counts as a
particle of its weight, every turn as a flywheel. It is summed up the tree like the inertias of the
composite-rigid-body algorithm, and Jᵀe like the forces of inverse dynamics: a few numbers per joint
instead of hundreds per task. Rows that fit neither (the centre of mass) are added as they are.
"""

from __future__ import annotations

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing
from poise.ik.packed import BALL, CENTER, POINT, TRANSLATION, Blocks, Tasks, Tree, Work
from poise.mechanics import Vector, cross, turn
from poise.solvers import add_scaled, add_to_normal, solve_normal

_PIVOT_FLOOR = 1e-14

_MASS, _H, _I, _FORCE, _MOMENT = 0, 1, 4, 10, 13
"""Columns of `work.sums`: mass, first moments, xx yy zz xy xz yz of the inertia, force, moment."""


@borrowing
def solve_crowded(
    tree: Tree, blocks: Blocks, tasks: Tasks, count: int, width: int, damping: float, work: Work
) -> bool:
    """Put the first layer's step into `work.step`; False when its rows do not span everything.

    The tasks of the layer are the first `count` active ones; their errors are up to date.
    """
    _sum_tasks(tasks, count, work)
    _sum_up(tree, work)
    _fill(tree, blocks, width, work)
    normal, x = work.matrix, work.vector
    for i in range(count):
        if tasks.kind[work.active[i]] == CENTER:
            add_to_normal(
                work.full[work.row_of[i] :], work.row_of[i + 1] - work.row_of[i],
                work.errors[work.row_of[i] :], width, normal, x,
            )  # fmt: skip
    largest = 0.0
    for c in range(width):
        largest = max(largest, normal[c, c])
    if not solve_normal(normal, x, width, damping, _PIVOT_FLOOR * largest):
        return False
    for c in range(width):
        work.step[c] = x[c]
    return True


@inlined_borrowing
def _sum_tasks(tasks: Tasks, count: int, work: Work) -> None:
    """Every task's particle or flywheel, and its error as a force or moment, on its joint.

    Places are taken from the root, so that a walk far from the origin loses no digits.
    """
    sums, world, place, errors = work.sums, work.world, work.place, work.errors
    for j in range(len(sums)):
        for c in range(sums.shape[1]):
            sums[j, c] = 0.0
    for i in range(count):
        t, row = work.active[i], work.row_of[i]
        if tasks.kind[t] == CENTER:
            continue
        j, scale = int(tasks.joint[t]), tasks.scale[t]
        weight = scale * scale
        ex, ey = float(scale * errors[row]), float(scale * errors[row + 1])
        ez = float(scale * errors[row + 2])
        s = sums[j]
        if tasks.kind[t] == POINT:
            o = tasks.offset[t]
            x, y, z = turn(world[j, 0], world[j, 1], world[j, 2], world[j, 3], o[0], o[1], o[2])
            x += place[j, 0] - place[0, 0]
            y += place[j, 1] - place[0, 1]
            z += place[j, 2] - place[0, 2]
            s[_MASS] += weight
            s[_H] += weight * x
            s[_H + 1] += weight * y
            s[_H + 2] += weight * z
            s[_I] += weight * (y * y + z * z)
            s[_I + 1] += weight * (x * x + z * z)
            s[_I + 2] += weight * (x * x + y * y)
            s[_I + 3] -= weight * x * y
            s[_I + 4] -= weight * x * z
            s[_I + 5] -= weight * y * z
            s[_FORCE] += ex
            s[_FORCE + 1] += ey
            s[_FORCE + 2] += ez
            m = cross(x, y, z, ex, ey, ez)
            s[_MOMENT] += m[0]
            s[_MOMENT + 1] += m[1]
            s[_MOMENT + 2] += m[2]
        else:
            for c in range(3):
                s[_I + c] += weight
            s[_MOMENT] += ex
            s[_MOMENT + 1] += ey
            s[_MOMENT + 2] += ez


@inlined_borrowing
def _sum_up(tree: Tree, work: Work) -> None:
    sums = work.sums
    for j in range(len(sums) - 1, 0, -1):
        add_scaled(sums[tree.parents[j]], 1.0, sums[j], sums.shape[1])


@inlined_borrowing
def _momentum(s: Array, w: Vector, v: Vector) -> tuple[Vector, Vector]:
    """Angular (about the root) and linear momentum of a subtree that turns by w and moves by v."""
    hx, hy, hz, m = s[_H], s[_H + 1], s[_H + 2], s[_MASS]
    l = cross(w[0], w[1], w[2], hx, hy, hz)
    a = cross(hx, hy, hz, v[0], v[1], v[2])
    return (
        (
            a[0] + s[_I] * w[0] + s[_I + 3] * w[1] + s[_I + 4] * w[2],
            a[1] + s[_I + 3] * w[0] + s[_I + 1] * w[1] + s[_I + 5] * w[2],
            a[2] + s[_I + 4] * w[0] + s[_I + 5] * w[1] + s[_I + 2] * w[2],
        ),
        (l[0] + m * v[0], l[1] + m * v[1], l[2] + m * v[2]),
    )


@inlined_borrowing
def _hinge_axis(blocks: Blocks, b: int, world: Array) -> Vector:
    j, a = blocks.joint[b], blocks.axis
    return turn(world[j, 0], world[j, 1], world[j, 2], world[j, 3], a[b, 0], a[b, 1], a[b, 2])


@inlined_borrowing
def _fill(tree: Tree, blocks: Blocks, width: int, work: Work) -> None:
    """JᵀJ in the upper triangle of `work.matrix`, Jᵀe in `work.vector`."""
    normal, x, sums, place = work.matrix, work.vector, work.sums, work.place
    for i in range(width):
        for k in range(i, width):
            normal[i, k] = 0.0
    moved = len(blocks.kind) > 0 and blocks.kind[0] == TRANSLATION
    for b in range(len(blocks.kind)):
        j, column, mobility = blocks.joint[b], blocks.column[b], blocks.mobility[b]
        s = sums[j]
        if blocks.kind[b] == TRANSLATION:
            for c in range(3):
                x[column + c] = mobility * s[_FORCE + c]
                normal[column + c, column + c] = mobility * mobility * s[_MASS]
            continue
        cx, cy, cz = (
            place[j, 0] - place[0, 0], place[j, 1] - place[0, 1], place[j, 2] - place[0, 2]
        )  # fmt: skip
        lever = cross(cx, cy, cz, s[_FORCE], s[_FORCE + 1], s[_FORCE + 2])
        gx, gy, gz = s[_MOMENT] - lever[0], s[_MOMENT + 1] - lever[1], s[_MOMENT + 2] - lever[2]
        axes = 3 if blocks.kind[b] == BALL else 1
        for a in range(axes):
            if axes == 3:
                w = (1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0)
            else:
                w = _hinge_axis(blocks, b, work.world)
            k = column + a
            x[k] = mobility * (w[0] * gx + w[1] * gy + w[2] * gz)
            v = cross(cx, cy, cz, w[0], w[1], w[2])
            big, l = _momentum(s, w, v)
            if moved:
                f = mobility * blocks.mobility[0]
                normal[0, k], normal[1, k], normal[2, k] = f * l[0], f * l[1], f * l[2]
            up = int(j)
            while up >= 0:
                o = int(blocks.of_joint[up])
                if o >= 0:
                    _put_pair(blocks, o, up, k, mobility * blocks.mobility[o], big, l, work)
                up = int(tree.parents[up])


@inlined_borrowing
def _put_pair(
    blocks: Blocks, o: int, joint: int, k: int, f: float, big: Vector, l: Vector, work: Work
) -> None:
    """Entries of a carrying block against column k: the moment about the carrier's origin."""
    place, normal, row = work.place, work.matrix, blocks.column[o]
    cx, cy, cz = (
        place[joint, 0] - place[0, 0],
        place[joint, 1] - place[0, 1],
        place[joint, 2] - place[0, 2],
    )
    m = cross(cx, cy, cz, l[0], l[1], l[2])
    x, y, z = f * (big[0] - m[0]), f * (big[1] - m[1]), f * (big[2] - m[2])
    if blocks.kind[o] == BALL:
        normal[row, k] = x  # below the diagonal too, for the block itself: not looked at
        normal[row + 1, k] = y
        normal[row + 2, k] = z
    else:
        e = _hinge_axis(blocks, o, work.world)
        normal[row, k] = e[0] * x + e[1] * y + e[2] * z
