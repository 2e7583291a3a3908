"""Joint limits inside the loop: what a step would break is held at the limit, the rest goes on.

A rotation is brought inside its range by the split of `poise.character.range_of_motion` (swing and
twist about anatomical axes), by the components of its rotation vector, or by its angle about a
hinge. When a step would take one of these numbers beyond its limit, the number is locked: the part
of the step along its gradient ends at the limit, and the layers are solved again with what remains
of the joint's columns (Baerlocher and Boulic's clamping, for a ball's numbers as well as for single
axes).
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.ik.packed import ANGLE, BALL, SWING_TWIST, Blocks, Limits, Tree, Work
from poise.ik.posing import parent_turn, turned_rotation
from poise.mechanics import Quaternion, Vector, exponential, logarithm, multiply, turn


def widened(
    limits: Limits, blocks: Blocks, rotations_wxyz: Array, slack_rad: Array | None = None
) -> Limits:
    """Limits that hold a motion: where it goes further, that is how far joints may turn.

    Args:
        limits: of the joints.
        blocks: the unknowns.
        rotations_wxyz: (F, J, 4) the motion.
        slack_rad: (J,) by how much more each joint may turn.
    """
    low, high = limits.low.copy(), limits.high.copy()
    _widen(limits, blocks, rotations_wxyz, low, high)
    if slack_rad is not None:
        slack = slack_rad[blocks.joint[limits.block]][:, None]
        low, high = low - slack, high + slack
    return limits._replace(low=low, high=high)


@borrowing
def _widen(limits: Limits, blocks: Blocks, locals_: Array, low: Array, high: Array) -> None:
    for f in range(len(locals_)):
        for l in range(len(limits.block)):
            q = locals_[f, blocks.joint[limits.block[l]]]
            n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
            for c in range(3):
                low[l, c], high[l, c] = min(low[l, c], n[c]), max(high[l, c], n[c])


_SLACK_RAD = 1e-9
"""Rounding leaves rotations this far beyond the limit they were put on."""

_DIFFERENCE_RAD = 1e-6
_SAME_DIRECTION = 0.05
"""A limit whose gradient keeps less than this beside those already locked adds nothing."""


@inlined_borrowing
def _wrapped(angle: float) -> float:
    if angle > np.pi:
        return angle - 2.0 * np.pi
    if angle <= -np.pi:
        return angle + 2.0 * np.pi
    return angle


@inner_borrowing
def limited_numbers(limits: Limits, l: int, qw: float, qx: float, qy: float, qz: float) -> Vector:
    """The numbers of a local rotation that have limits; a hinge has one."""
    left, right = limits.left[l], limits.right[l]
    w, x, y, z = multiply(left[0], left[1], left[2], left[3], qw, qx, qy, qz)
    w, x, y, z = multiply(w, x, y, z, right[0], right[1], right[2], right[3])
    kind = limits.kind[l]
    if kind == SWING_TWIST:
        twist = _wrapped(2.0 * np.arctan2(y, w))
        s = multiply(w, x, y, z, np.cos(0.5 * twist), 0.0, -np.sin(0.5 * twist), 0.0)
        a, _, b = logarithm(s[0], s[1], s[2], s[3])
        return a, twist, b
    if kind == ANGLE:
        axis = limits.axis[l]
        angle = 2.0 * np.arctan2(x * axis[0] + y * axis[1] + z * axis[2], w)
        # A little beyond a range that ends near half a turn is not at its other end.
        middle = 0.5 * (limits.low[l, 0] + limits.high[l, 0])
        if not np.isfinite(middle):
            middle = 0.0
        turns = np.floor((angle - middle + np.pi) / (2.0 * np.pi))
        return angle - 2.0 * np.pi * turns, 0.0, 0.0
    return logarithm(w, x, y, z)


@inlined_borrowing
def _rotation_of(limits: Limits, l: int, a: float, b: float, c: float) -> Quaternion:
    """The local rotation with these numbers."""
    left, right = limits.left[l], limits.right[l]
    if limits.kind[l] == SWING_TWIST:
        s = exponential(a, 0.0, c)
        t = multiply(s[0], s[1], s[2], s[3], np.cos(0.5 * b), 0.0, np.sin(0.5 * b), 0.0)
    elif limits.kind[l] == ANGLE:
        axis = limits.axis[l]
        t = exponential(a * axis[0], a * axis[1], a * axis[2])
    else:
        t = exponential(a, b, c)
    q = multiply(left[0], -left[1], -left[2], -left[3], t[0], t[1], t[2], t[3])
    return multiply(q[0], q[1], q[2], q[3], right[0], -right[1], -right[2], -right[3])


@inlined_borrowing
def _beyond(limits: Limits, l: int, c: int, value: float) -> float:
    """How far a number is beyond its limit: negative below the lowest, zero inside."""
    low, high = limits.low[l, c], limits.high[l, c]
    if value < low - _SLACK_RAD:
        return value - low
    if value > high + _SLACK_RAD:
        return value - high
    return 0.0


@inlined_borrowing
def _margin(limits: Limits, l: int, n: Vector) -> float:
    """How far a joint may turn for sure without reaching a limit.

    A number changes at most as fast as the joint turns, but for the twist of a joint that is swung
    far: tan(swing / 2) times as fast.
    """
    nearest = np.inf
    for c in range(3):
        nearest = min(nearest, n[c] - limits.low[l, c], limits.high[l, c] - n[c])
    if limits.kind[l] == ANGLE:
        return min(n[0] - limits.low[l, 0], limits.high[l, 0] - n[0])
    swing = np.sqrt(n[0] * n[0] + n[2] * n[2])
    return 0.5 * nearest * max(0.0, np.cos(0.5 * swing))


@inner_borrowing
def keep_inside(limits: Limits, blocks: Blocks, work: Work, local: Array, everything: bool) -> None:
    """Bring controlled joints of a pose inside their ranges; all, or those that may have left."""
    for l in range(len(limits.block)):
        if work.controlled[limits.block[l]] and (everything or work.margin[l] <= 0.0):
            j = int(blocks.joint[limits.block[l]])
            n = limited_numbers(limits, l, local[j, 0], local[j, 1], local[j, 2], local[j, 3])
            a, b = _beyond(limits, l, 0, n[0]), _beyond(limits, l, 1, n[1])
            c = _beyond(limits, l, 2, n[2])
            if a != 0.0 or b != 0.0 or c != 0.0:
                q = _rotation_of(limits, l, n[0] - a, n[1] - b, n[2] - c)
                local[j, 0], local[j, 1], local[j, 2], local[j, 3] = q
            work.margin[l] = _margin(limits, l, n)


@inner_borrowing
def mark_moved_from_inside(
    limits: Limits, blocks: Blocks, work: Work, original: Array, local: Array
) -> None:
    """Count as controlled, too, the joints that left a rotation which is inside its range."""
    for l in range(len(limits.block)):
        j = blocks.joint[limits.block[l]]
        a, b = original[j], local[j]
        if a[0] != b[0] or a[1] != b[1] or a[2] != b[2] or a[3] != b[3]:
            n = limited_numbers(limits, l, a[0], a[1], a[2], a[3])
            inside = _beyond(limits, l, 0, n[0]) == 0.0 and _beyond(limits, l, 1, n[1]) == 0.0
            if inside and _beyond(limits, l, 2, n[2]) == 0.0:
                work.controlled[limits.block[l]] = 1


@inner_borrowing
def use_up_margins(limits: Limits, work: Work) -> None:
    """After a move: how far each joint went is taken from what it had left."""
    for l in range(len(limits.block)):
        work.margin[l] -= work.turned[limits.block[l]]


@inner_borrowing
def lock_what_leaves(tree: Tree, blocks: Blocks, limits: Limits, local: Array, work: Work) -> bool:
    """Lock the numbers that the step takes beyond a limit; returns whether any is new."""
    found = False
    for b in range(len(work.newly)):
        work.newly[b] = 0
    for l in range(len(limits.block)):
        b = limits.block[l]
        if not work.controlled[b]:
            continue
        j, column = int(blocks.joint[b]), int(blocks.column[b])
        size = 3 if blocks.kind[b] == BALL else 1
        length = 0.0
        for c in range(column, column + size):
            length += work.step[c] * work.step[c]
        if np.sqrt(length) * blocks.mobility[b] < work.margin[l]:
            continue
        w, x, y, z = turned_rotation(tree, blocks, b, local, work.step, 1.0, work)
        numbers = limited_numbers(limits, l, w, x, y, z)
        for c in range(3):
            over = _beyond(limits, l, c, numbers[c])
            if over == 0.0 or work.locked[l] & (1 << c):
                continue
            now = limited_numbers(limits, l, local[j, 0], local[j, 1], local[j, 2], local[j, 3])
            work.locked[l] |= 1 << c
            work.newly[b] = 1
            found = True
            to_go = numbers[c] - over - now[c]
            if blocks.kind[b] != BALL:
                work.locks[b] = 1
                work.held[column] = to_go / blocks.mobility[b]
            else:
                gx, gy, gz = _gradient(tree, limits, l, c, j, w, x, y, z, work)
                _lock_direction(work, b, column, gx, gy, gz, to_go / float(blocks.mobility[b]))
    return found


@inlined_borrowing
def _gradient(
    tree: Tree, limits: Limits, l: int, c: int, j: int,
    w: float, x: float, y: float, z: float, work: Work,
) -> Vector:  # fmt: skip
    """How a limited number answers to turns about world axes, by differences."""
    e = 0.5 * _DIFFERENCE_RAD
    base = limited_numbers(limits, l, w, x, y, z)[c]
    q = multiply(1.0, e, 0.0, 0.0, w, x, y, z)
    gx = limited_numbers(limits, l, q[0], q[1], q[2], q[3])[c] - base
    q = multiply(1.0, 0.0, e, 0.0, w, x, y, z)
    gy = limited_numbers(limits, l, q[0], q[1], q[2], q[3])[c] - base
    q = multiply(1.0, 0.0, 0.0, e, w, x, y, z)
    gz = limited_numbers(limits, l, q[0], q[1], q[2], q[3])[c] - base
    p = parent_turn(tree, j, work)
    s = 1.0 / _DIFFERENCE_RAD
    return turn(p[0], p[1], p[2], p[3], s * gx, s * gy, s * gz)


@inlined_borrowing
def _lock_direction(
    work: Work, b: int, column: int, gx: float, gy: float, gz: float, to_go: float
) -> None:
    """Hold a ball's step to g · step = `to_go`, beside what already holds it."""
    axes, count = work.lock_axes[b], work.locks[b]
    size = np.sqrt(gx * gx + gy * gy + gz * gz)
    held = work.held
    for i in range(count):
        s = gx * axes[i, 0] + gy * axes[i, 1] + gz * axes[i, 2]
        gx, gy, gz = gx - s * axes[i, 0], gy - s * axes[i, 1], gz - s * axes[i, 2]
        for c in range(3):
            to_go -= s * axes[i, c] * held[column + c]
    left = np.sqrt(gx * gx + gy * gy + gz * gz)
    if count == 3 or left < _SAME_DIRECTION * size:
        return
    axes[count, 0], axes[count, 1], axes[count, 2] = gx / left, gy / left, gz / left
    work.locks[b] = count + 1
    for c in range(3):
        held[column + c] += to_go / left * axes[count, c]


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
