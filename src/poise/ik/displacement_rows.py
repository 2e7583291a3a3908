"""Rows of displacements: how far unknowns are from the original, and joints beyond their range.

An unknown is how far a joint is turned from the original, in the frame of its parent, or how far
the root is moved.
"""

from __future__ import annotations

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.ik.limits import limited_numbers
from poise.ik.packed import ANGLE, BALL, TRANSLATION, Blocks, Limits, Tree, Work
from poise.ik.posing import parent_turn
from poise.mechanics import exponential, logarithm, multiply, normalized, turn

_DIFFERENCE_RAD = 1e-5
"""To either side, for slopes of limited numbers."""


@inlined_borrowing
def into_parents(blocks: Blocks, tree: Tree, rows: int, work: Work) -> None:
    """Columns about world axes become columns about the axes of the joint's parent."""
    for b in range(len(blocks.kind)):
        if blocks.kind[b] == BALL:
            q = parent_turn(tree, blocks.joint[b], work)
            c = blocks.column[b]
            for k in range(rows):
                x, y, z = work.full[k, c], work.full[k, c + 1], work.full[k, c + 2]
                x, y, z = turn(q[0], -q[1], -q[2], -q[3], x, y, z)
                work.full[k, c], work.full[k, c + 1], work.full[k, c + 2] = x, y, z


@inner_borrowing
def add_row(band: Array, right: Array, start: int, row: Array, error: float, weight: float,
    width: int, used: Indices,
) -> float:  # fmt: skip
    """One row of a least-squares problem; returns what its error costs."""
    count = 0
    for i in range(width):
        if row[i] != 0.0:
            used[count] = i
            count += 1
    for a in range(count):
        i = used[a]
        scaled = weight * row[i]
        right[start + i] += scaled * error
        for b in range(a, count):
            j = used[b]
            band[start + i, j - i] += scaled * row[j]
    return weight * error * error


@inner_borrowing
def put_displacement(
    blocks: Blocks, root0: Array, local0: Array, root: Array, local: Array, displaced: Array
) -> None:
    """How far each unknown of a pose is from where it was."""
    for b in range(len(blocks.kind)):
        c, j = blocks.column[b], blocks.joint[b]
        if blocks.kind[b] == TRANSLATION:
            for k in range(3):
                displaced[c + k] = root[k] - root0[k]
        elif blocks.kind[b] == BALL:
            q, o = local[j], local0[j]
            d = multiply(q[0], q[1], q[2], q[3], o[0], -o[1], -o[2], -o[3])
            displaced[c], displaced[c + 1], displaced[c + 2] = logarithm(d[0], d[1], d[2], d[3])
        else:
            q, o = local[j], local0[j]
            d = multiply(o[0], -o[1], -o[2], -o[3], q[0], q[1], q[2], q[3])
            x, y, z = logarithm(d[0], d[1], d[2], d[3])
            a = blocks.axis[b]
            displaced[c] = x * a[0] + y * a[1] + z * a[2]


@inner_borrowing
def put_ranges(
    limits: Limits, blocks: Blocks, width: int, start: int, weight: float, local: Array,
    shifts: Array, forced: Indices, slopes: bool, row: Array, used: Indices, band: Array,
    right: Array,
) -> float:  # fmt: skip
    """Rows of the numbers that, with their shifts (L, 3), are beyond their limits.

    Those that are forced (L, 3), to their upper limit (1) or lower one (−1), have a row though they
    are inside, which costs nothing.
    """
    cost = 0.0
    for l in range(len(limits.block)):
        b = limits.block[l]
        j, c = blocks.joint[b], blocks.column[b]
        q = local[j]
        n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
        numbers = 1 if limits.kind[l] == ANGLE else 3
        for m in range(numbers):
            shifted = n[m] + shifts[l, m]
            over = max(shifted - limits.high[l, m], 0.0) + min(shifted - limits.low[l, m], 0.0)
            beyond = over != 0.0
            if not beyond:
                if forced[l, m] == 0:
                    continue
                over = shifted - (limits.high[l, m] if forced[l, m] > 0 else limits.low[l, m])
            cost += weight * over * over * beyond
            if not slopes:
                continue
            for i in range(width):
                row[i] = 0.0
            size = 3 if blocks.kind[b] == BALL else 1
            for k in range(size):
                high = _turned_number(limits, blocks, l, b, k, m, q, _DIFFERENCE_RAD)
                low = _turned_number(limits, blocks, l, b, k, m, q, -_DIFFERENCE_RAD)
                row[c + k] = (high - low) / (2.0 * _DIFFERENCE_RAD)
            add_row(band, right, start, row, -over, weight, width, used)
    return cost


@inner_borrowing
def _turned_number(
    limits: Limits, blocks: Blocks, l: int, b: int, k: int, m: int, q: Array, angle: float
) -> float:
    """A limited number after a turn about the k-th axis of a block."""
    if blocks.kind[b] == BALL:
        e = exponential(angle * (k == 0), angle * (k == 1), angle * (k == 2))
        p = multiply(e[0], e[1], e[2], e[3], q[0], q[1], q[2], q[3])
    else:
        a = blocks.axis[b]
        e = exponential(angle * a[0], angle * a[1], angle * a[2])
        p = multiply(q[0], q[1], q[2], q[3], e[0], e[1], e[2], e[3])
    return limited_numbers(limits, l, p[0], p[1], p[2], p[3])[m]


@borrowing
def take_steps(
    blocks: Blocks, width: int, steps: Array, share: float, roots: Array, locals_: Array
) -> None:
    """Move a motion by a share of the steps (F · W)."""
    for f in range(len(roots)):
        for b in range(len(blocks.kind)):
            at, j = f * width + blocks.column[b], blocks.joint[b]
            if blocks.kind[b] == TRANSLATION:
                for k in range(3):
                    roots[f, k] += share * steps[at + k]
                continue
            q = locals_[f, j]
            if blocks.kind[b] == BALL:
                x, y, z = float(steps[at]), float(steps[at + 1]), float(steps[at + 2])
                e = exponential(share * x, share * y, share * z)
                r = multiply(e[0], e[1], e[2], e[3], q[0], q[1], q[2], q[3])
            else:
                a, angle = blocks.axis[b], share * float(steps[at])
                e = exponential(angle * a[0], angle * a[1], angle * a[2])
                r = multiply(q[0], q[1], q[2], q[3], e[0], e[1], e[2], e[3])
            q[0], q[1], q[2], q[3] = normalized(r[0], r[1], r[2], r[3])
