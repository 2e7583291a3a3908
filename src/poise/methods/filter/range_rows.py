"""Joints near the ends of their ranges, as rows that must not be positive.

A joint's numbers are those of `poise.ik.limits`: swing and twist about anatomical axes, the
components of a rotation vector, or the angle of a hinge.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inner_borrowing
from poise.ik import ANGLE, BALL, Blocks, Limits, Tree, Work, limited_numbers, turned_rotation

NEAR_RAD = 0.2
"""Numbers nearer to their limit than this are watched by coupled fits."""

_NOTICED_RAD = 1e-4


@borrowing
def count_near(limits: Limits, blocks: Blocks, locals_: Array, near: float) -> int:
    """How many rows `put_ranges` makes of a clip, at most."""
    count = 0
    for f in range(len(locals_)):
        for l in range(len(limits.block)):
            q = locals_[f, blocks.joint[limits.block[l]]]
            n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
            for c in range(1 if limits.kind[l] == ANGLE else 3):
                count += int(n[c] > limits.high[l, c] - near) + int(n[c] < limits.low[l, c] + near)
    return count


@inner_borrowing
def unlock(limits: Limits, work: Work) -> None:
    """Forget what was beyond its limit: a frame begins."""
    for l in range(len(limits.block)):
        work.locked[l] = 0


@inner_borrowing
def leaves_range(limits: Limits, blocks: Blocks, local: Array, work: Work) -> bool:
    """Whether a number is beyond its limit that was not held there yet."""
    for l in range(len(limits.block)):
        q = local[blocks.joint[limits.block[l]]]
        n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
        for c in range(3):
            beyond = max(n[c] - limits.high[l, c], limits.low[l, c] - n[c])
            if beyond > _NOTICED_RAD and work.locked[l] & (1 << c) == 0:
                return True
    return False


@inner_borrowing
def put_ranges(
    limits: Limits, tree: Tree, blocks: Blocks, width: int, lengths: Array, work: Work,
    local: Array, row: int, near: float, center: Array, plus: Array, minus: Array,
) -> int:  # fmt: skip
    """Rows from `row` on, at a pose and at its sigma points; returns how many there are.

    Joints are placed in `work`. Numbers that are beyond their limit are marked in `work.locked`,
    and marked ones have rows wherever they are.
    """
    k = row
    for s in range(width if len(limits.block) > 0 else 0):
        work.step[s] = 0.0
    for l in range(len(limits.block)):
        b = limits.block[l]
        q = local[blocks.joint[b]]
        now = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
        size = 3 if blocks.kind[b] == BALL else 1
        for c in range(1 if limits.kind[l] == ANGLE else 3):
            for side in range(2):
                sign = 1.0 if side == 0 else -1.0
                limit = limits.high[l, c] if side == 0 else limits.low[l, c]
                beyond = sign * (now[c] - limit)
                held = work.locked[l] & (1 << c) != 0
                nearer = sign * (2.0 * now[c] - limits.high[l, c] - limits.low[l, c]) >= 0.0
                if not (beyond > -near or (held and nearer)):
                    continue
                if beyond > 0.0:
                    work.locked[l] |= 1 << c
                center[k] = beyond
                for s in range(width):
                    plus[s, k], minus[s, k] = beyond, beyond
                for s in range(blocks.column[b], blocks.column[b] + size):
                    for way in range(2):
                        work.step[s] = lengths[s] if way == 0 else -lengths[s]
                        t = turned_rotation(tree, blocks, b, local, work.step, 1.0, work)
                        n = limited_numbers(limits, l, t[0], t[1], t[2], t[3])
                        if way == 0:
                            plus[s, k] = sign * (n[c] - limit)
                        else:
                            minus[s, k] = sign * (n[c] - limit)
                    work.step[s] = 0.0
                k += 1
    return k - row


def most_ranges(limits: Limits) -> int:
    """Rows that one frame has at most."""
    return int(np.isfinite(limits.low).sum() + np.isfinite(limits.high).sum())
