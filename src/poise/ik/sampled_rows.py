"""What tasks are about, at poses that differ in one coordinate: the sigma points of a filter.

A diagonal prior has sigma points that turn one joint about one axis, or shift the root. What a task
looks at then moves on a circle about that joint: no forward kinematics is needed for any of them.
"""

from __future__ import annotations

from typing import NamedTuple

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
    Rig,
    Tasks,
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
from poise.mechanics import (
    Quaternion,
    Vector,
    cross,
    logarithm,
    multiply,
    sine_and_bow,
    turn,
)

_SMALL_SINE = 0.1
"""Angles whose sine is smaller come from a series."""


class _Seen(NamedTuple):
    """What a task is about, at the pose itself."""

    here: Vector
    """Its point, or the centre of mass."""
    there: Vector
    """The point that a distance is to."""
    along: Vector
    """The direction that aims, and"""
    first: Vector
    second: Vector
    """two axes square to it."""
    missing: Quaternion
    """The turn that is missing to the goal."""
    share: float
    """One over the mass, of a centre."""


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
def _swept(a: Vector, arm: Vector) -> tuple[Vector, Vector]:
    """What sine, and one minus cosine, of an angle about an axis are multiplied by to move a point.

    They are the same for both directions, but for the sign of the first.
    """
    c = cross(a[0], a[1], a[2], arm[0], arm[1], arm[2])
    return c, cross(a[0], a[1], a[2], c[0], c[1], c[2])


@inlined_borrowing
def _moved(p: Vector, sine: float, bow: float, swept: tuple[Vector, Vector]) -> Vector:
    c, d = swept
    return (
        p[0] + sine * c[0] + bow * d[0],
        p[1] + sine * c[1] + bow * d[1],
        p[2] + sine * c[2] + bow * d[2],
    )


@inlined_borrowing
def _from(work: Work, joint: int, p: Vector) -> Vector:
    """A point as seen from a joint's place."""
    c = work.place
    return p[0] - c[joint, 0], p[1] - c[joint, 1], p[2] - c[joint, 2]


@inlined_borrowing
def _angle_per_sine(square: float) -> float:
    """An angle over its sine, from the square of the sine: a series, exact to rounding."""
    x = square
    return 1.0 + x * (1 / 6 + x * (3 / 40 + x * (5 / 112 + x * (35 / 1152 + x * (
        63 / 2816 + x * (231 / 13312 + x * (143 / 10240 + x * 6435 / 557056)
    ))))))  # fmt: skip


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
def _turn_value(tasks: Tasks, t: int, row: int, e: Quaternion, out: Array) -> None:
    """For a turn e that is missing to the goal."""
    square = e[1] * e[1] + e[2] * e[2] + e[3] * e[3]
    if square < _SMALL_SINE**2:
        f = 2.0 * _angle_per_sine(square) * (-1.0 if e[0] >= 0.0 else 1.0)
        _put(tasks, t, row, (f * e[1], f * e[2], f * e[3]), out)
    else:
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
    square = n[0] * n[0] + n[1] * n[1] + n[2] * n[2]
    cosine = u[0] * dx + u[1] * dy + u[2] * dz
    if square < _SMALL_SINE**2 and cosine > 0.0:
        f = _angle_per_sine(square)
    else:
        sine = np.sqrt(square)
        angle = np.arctan2(sine, cosine)
        f = angle / sine if sine > NEAR_M else 1.0
        if sine <= NEAR_M:  # looks straight away from it: either way round is right
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
    rig: Rig, t: int, frame: int, row: int, lengths: Array, center: Array, plus: Array,
    minus: Array,
) -> None:  # fmt: skip
    """What is missing to the goal (negative errors, scaled) at a pose and at its sigma points.

    Args:
        rig: the figure, whose joints are placed.
        t: which task.
        frame: of the clip.
        row: its first row.
        lengths: (W,) how far the sigma points lie from the pose, in radians or metres.
        center: (rows,) out, at the pose.
        plus: (W, rows) out, each coordinate a length on.
        minus: (W, rows) out, each coordinate a length back.
    """
    tasks, work = rig.tasks, rig.work
    goal = tasks.goals[tasks.goal[t] + frame - tasks.first[t]]
    kind, j = tasks.kind[t], tasks.joint[t]
    here, there, u = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    first, second = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    missing, share = (1.0, 0.0, 0.0, 0.0), 0.0
    if kind != CENTER and kind != TURN:
        here = point_place(work, j, tasks.offset, t)
    if kind == POINT:
        _point_value(tasks, t, goal, row, here, work, center)
    elif kind == TURN:
        q, r = world_turn(work, j), reference_turn(work, tasks.reference[t])
        missing = multiply(goal[0], goal[1], goal[2], goal[3], q[0], -q[1], -q[2], -q[3])
        w, x, y, z = missing
        e = multiply(w, x, y, z, r[0], -r[1], -r[2], -r[3])
        _turn_value(tasks, t, row, e, center)
    elif kind == AIM:
        q, own = world_turn(work, j), tasks.direction
        u = turn(q[0], q[1], q[2], q[3], own[t, 0], own[t, 1], own[t, 2])
        first, second = square_to(u[0], u[1], u[2])
        _aim_value(tasks, t, goal, row, here, u, first, second, center)
    elif kind == DISTANCE:
        there = point_place(work, tasks.reference[t], tasks.reference_offset, t)
        _distance_value(tasks, t, goal, row, here, there, center)
    else:
        share = 1.0 / sum_moments(rig.tree, tasks, t, work)
        m = work.moments
        here = (share * m[0, 0], share * m[0, 1], share * m[0, 2])
        _put(tasks, t, row, (here[0] - goal[0], here[1] - goal[1], here[2] - goal[2]), center)
    seen = _Seen(here, there, u, first, second, missing, share)
    for k in range(row, row + tasks.rows[t]):
        now = center[k]
        for c in range(rig.width):
            plus[c, k] = now
        for c in range(rig.width):
            minus[c, k] = now
    for k in range(tasks.carry[t], tasks.carry[t + 1]):
        if tasks.carry_recruited[k]:
            _sample_block(rig, t, k, goal, row, lengths, seen, plus, minus)


@inlined_borrowing
def _sample_block(
    rig: Rig, t: int, carry: int, goal: Array, row: int, lengths: Array, seen: _Seen, plus: Array,
    minus: Array,
) -> None:  # fmt: skip
    """The points of all coordinates of a block that moves a task."""
    blocks, tasks, work = rig.blocks, rig.tasks, rig.work
    b, sign = int(tasks.carry_block[carry]), float(tasks.carry_sign[carry])
    here, there, u = seen.here, seen.there, seen.along
    kind, jb = tasks.kind[t], int(blocks.joint[b])
    arm, other, balls = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), blocks.kind[b] <= BALL
    if kind == CENTER:
        # The subtree's mass, times its distance from the joint, over the whole mass.
        m, c = work.moments, work.place
        mass = m[jb, 3]
        arm = (
            seen.share * (m[jb, 0] - mass * c[jb, 0]),
            seen.share * (m[jb, 1] - mass * c[jb, 1]),
            seen.share * (m[jb, 2] - mass * c[jb, 2]),
        )
    elif kind == DISTANCE and sign < 0.0:
        arm = _from(work, jb, there)
    elif kind != TURN:
        arm = _from(work, jb, here)
    for number in range(3 if balls else 1):
        column = blocks.column[b] + number
        a = _axis(blocks, b, number, work)
        if blocks.kind[b] == TRANSLATION:
            length = float(lengths[column])
            _shift(tasks, t, goal, row, length, a, work, seen, plus[column])
            _shift(tasks, t, goal, row, -length, a, work, seen, minus[column])
            continue
        if kind == TURN:
            r = reference_turn(work, tasks.reference[t])
            sine, bow = sine_and_bow(0.5 * sign * float(lengths[column]))
            _turn_both(
                tasks, t, row, a, sine, 1.0 - bow, seen.missing, r, plus[column], minus[column]
            )
            continue
        # Turning the reference is, seen from it, turning the point the other way.
        sine, bow = sine_and_bow(float(lengths[column]) * (1.0 if kind == DISTANCE else sign))
        swept = _swept(a, arm)
        for side in range(2):
            out = plus[column] if side == 0 else minus[column]
            s = sine if side == 0 else -sine
            if kind == POINT:
                _point_value(tasks, t, goal, row, _moved(here, s, bow, swept), work, out)
            elif kind == AIM:
                other = _moved(u, s, bow, _swept(a, u))
                p = _moved(here, s, bow, swept)
                _aim_value(tasks, t, goal, row, p, other, seen.first, seen.second, out)
            elif kind == CENTER:
                p = _moved(here, s, bow, swept)
                _put(tasks, t, row, (p[0] - goal[0], p[1] - goal[1], p[2] - goal[2]), out)
            elif sign > 0.0:
                _distance_value(tasks, t, goal, row, _moved(here, s, bow, swept), there, out)
            else:
                _distance_value(tasks, t, goal, row, here, _moved(there, s, bow, swept), out)


@inlined_borrowing
def _shift(
    tasks: Tasks, t: int, goal: Array, row: int, length: float, a: Vector, work: Work,
    seen: _Seen, out: Array,
) -> None:  # fmt: skip
    """The root a length along an axis; what is seen from another joint moves with it."""
    kind, here = tasks.kind[t], seen.here
    p = here[0] + length * a[0], here[1] + length * a[1], here[2] + length * a[2]
    if kind == POINT:
        _point_value(tasks, t, goal, row, p, work, out)
    elif kind == AIM:
        _aim_value(tasks, t, goal, row, p, seen.along, seen.first, seen.second, out)
    elif kind == CENTER and tasks.point[t + 1] == tasks.point[t]:
        _put(tasks, t, row, (p[0] - goal[0], p[1] - goal[1], p[2] - goal[2]), out)


@inlined_borrowing
def _turn_both(
    tasks: Tasks, t: int, row: int, a: Vector, sine: float, cosine: float, missing: Quaternion,
    r: Quaternion, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """A joint turned on and back: with d = (c, s a), what is missing becomes A d* r*."""
    w, x, y, z = missing
    d = multiply(w, x, y, z, 0.0, a[0], a[1], a[2])
    if tasks.reference[t] >= 0:
        w, x, y, z = multiply(w, x, y, z, r[0], -r[1], -r[2], -r[3])
        d = multiply(d[0], d[1], d[2], d[3], r[0], -r[1], -r[2], -r[3])
    w, x, y, z = cosine * w, cosine * x, cosine * y, cosine * z
    d = sine * d[0], sine * d[1], sine * d[2], sine * d[3]
    _turn_value(tasks, t, row, (w - d[0], x - d[1], y - d[2], z - d[3]), plus)
    _turn_value(tasks, t, row, (w + d[0], x + d[1], y + d[2], z + d[3]), minus)
