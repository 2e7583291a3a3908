"""Normal equations of a whole clip: the tasks of every frame, and what neighbours share.

An unknown is how far a joint is turned from the original, in the frame of its parent, or how far
the root is moved. Frames are tied by what velocity and acceleration of these displacements cost,
so the equations are a band of three blocks of unknowns.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.ik import (
    ANGLE,
    BALL,
    CENTER,
    TRANSLATION,
    Blocks,
    Limits,
    PoseArrays,
    Rig,
    Tasks,
    Work,
    add_row,
    evaluate_pose,
    gather,
    into_parents,
    limited_numbers,
    put_displacement,
    put_ranges,
)
from poise.mechanics import logarithm, multiply, turn

REACH = 3
"""Blocks of the band: a frame and the two after it, which an acceleration ties."""

SOFT_SPEED = 0.03
"""Share of a speed limit over which its hinge is smooth."""


class Price(NamedTuple):
    """What displacements cost, and what missing a task does."""

    stiffness: Array
    """(W,) of each unknown: what all of the next three are multiplied by."""
    place: float
    """Of a displacement."""
    velocity: float
    """Of its change from frame to frame."""
    acceleration: Array
    """(F, W) of its second difference, by the frame in the middle."""
    tail: Array
    """(3, W) beyond the ends of the clip: of the displacement there squared, of its product with
    the next one's, and of the next one's squared (see `likeness.tail_of`)."""
    hard: float
    """Of a task of the first layer."""
    wish: float
    """Of the others."""
    center: float
    """Of what the second difference of a wished centre of mass is off by."""
    range: float
    """Of a joint beyond its range."""
    speed: float
    """Of a joint that turns too far from one frame to the next."""
    farthest: Array
    """(J,) radians that are not too far."""


class Equations(NamedTuple):
    """The normal equations, and scratch."""

    band: Array
    """(F · W, 3 W) as `poise.solvers.banded_cholesky` takes it."""
    right: Array
    """(F · W,)"""
    displaced: Array
    """(F, W) how far each unknown is from the original."""
    center_rows: Array
    """(F, 3, W) how the centre of mass moves with them."""
    center_errors: Array
    """(F, 4) how far it is from its goal, and the goal's weight (0: none)."""
    row: Array
    """(3 W,)"""
    used: Indices
    """(3 W,)"""
    beyond: Array
    """(L, 3) zeros: joint ranges are not shifted here."""
    foreseen: Indices
    """(F, L, 3) numbers that a step would take beyond their limits, upper (1) or lower (−1)."""
    tied_rows: Array
    """(T, 3, W) rows of tied tasks in the last frame that had them, and"""
    tied_errors: Array
    """(T, 3) their errors."""
    tied_frame: Indices
    """(T,) that frame."""
    shifts: Array
    """(F, K) multipliers of hard rows over their weight, in the order of a frame's rows, and"""
    errors: Array
    """(F, K) the errors themselves."""
    costs: Array
    """(F,) out: cost by frame; rows over several frames count for the first one."""


@inlined_borrowing
def smooth_hinge(x: float, soft: float) -> tuple[float, float, float]:
    """x² for a positive number and 0 for a negative one, with a curvature that does not jump.

    Newton's method sees a bound before it is reached. Returns the share of the curvature, the error
    that gives the slope as curvature × error, and the value; for x > −soft.
    """
    if x >= soft:
        return 1.0, x, x * x + soft * soft / 3.0
    ahead = x + soft
    return 0.5 * ahead / soft, 0.5 * ahead, ahead * ahead * ahead / (6.0 * soft)


@borrowing
def put_frames(
    first: int, stop: int, rig: Rig, limits: Limits, price: Price, original: PoseArrays,
    poses: PoseArrays, slopes: bool, equations: Equations, misses: Array,
) -> float:  # fmt: skip
    """Fill the equations of frames `first` to `stop` (exclusive), and the errors of their tasks.

    Rows that reach beyond these frames are left out. Without `slopes` only errors and costs are
    put. Returns the cost.
    """
    blocks, tasks, width, work = rig.blocks, rig.tasks, rig.width, rig.work
    roots, locals_ = poses.roots, poses.locals
    band, right, displaced = equations.band, equations.right, equations.displaced
    row, used, costs = equations.row, equations.used, equations.costs
    if slopes:
        band[first * width : stop * width] = 0.0
        right[first * width : stop * width] = 0.0
    for f in range(first, stop):
        costs[f] = 0.0
        put_displacement(
            blocks, original.roots[f], original.locals[f], roots[f], locals_[f], displaced[f]
        )
    _put_ties(first, stop, price, width, displaced, slopes, band, right, costs)
    last = len(roots) - 1
    if first == 0 and stop > 1:
        _put_tail(0, 1, price, width, displaced, slopes, band, right, costs)
    if stop == last + 1 and first < last:
        _put_tail(last, last - 1, price, width, displaced, slopes, band, right, costs)
    if price.speed > 0.0:
        _put_speeds(
            first, stop, price, blocks, width, locals_, slopes, row, used, band, right, costs
        )
    equations.center_errors[:] = 0.0
    equations.tied_frame[:] = -REACH
    work.crowded[0] = 0
    kept = -1
    for f in range(first, stop):
        cost = 0.0
        count = gather(tasks, f, work)
        evaluate_pose(f, count, rig, roots[f], locals_[f])
        if slopes:
            into_parents(blocks, rig.tree, int(work.row_of[count]), work)
        for i in range(count):
            t = work.active[i]
            misses[f, t] = work.misses[i]
            if tasks.kind[t] == CENTER and tasks.layer[t] > 0:
                _keep_center(f, t, kept, int(work.row_of[i]), tasks, width, work, equations)
                kept = t
                continue
            weight = price.hard if tasks.layer[t] == 0 else price.wish
            if tasks.tied[t]:
                cost += _put_tie(f, t, int(work.row_of[i]), tasks, width, weight, slopes, work,
                                 equations, misses)  # fmt: skip
                continue
            for k in range(work.row_of[i], work.row_of[i + 1]):
                error = work.errors[k]
                if tasks.layer[t] == 0 and tasks.side[t] == 0:
                    equations.errors[f, k] = error
                    error += equations.shifts[f, k]
                # One-sided tasks ask for nothing on the right side.
                if tasks.side[t] == 0 or tasks.side[t] * error < 0.0:
                    if slopes:
                        add_row(band, right, f * width, work.full[k], error, weight, width, used)
                    cost += weight * error * error
        if price.range > 0.0:
            cost += put_ranges(
                limits, blocks, width, f * width, price.range, locals_[f], equations.beyond,
                equations.foreseen[f], slopes, row, used, band, right,
            )  # fmt: skip
        costs[f] += cost
    _put_center_accelerations(first, stop, price.center, width, slopes, equations)
    total = 0.0
    for f in range(first, stop):
        total += costs[f]
    return total


@borrowing
def foresee_ranges(
    first: int, stop: int, limits: Limits, blocks: Blocks, locals_: Array, foreseen: Indices
) -> int:
    """Note the numbers of a motion that are beyond their limits; returns how many are new."""
    count = 0
    for f in range(first, stop):
        for l in range(len(limits.block)):
            q = locals_[f, blocks.joint[limits.block[l]]]
            n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
            for m in range(1 if limits.kind[l] == ANGLE else 3):
                if foreseen[f, l, m] != 0:
                    continue
                if n[m] > limits.high[l, m]:
                    foreseen[f, l, m] = 1
                elif n[m] < limits.low[l, m]:
                    foreseen[f, l, m] = -1
                count += foreseen[f, l, m] != 0
    return count


@inner_borrowing
def _put_tie(
    f: int, t: int, first: int, tasks: Tasks, width: int, weight: float, slopes: bool,
    work: Work, equations: Equations, misses: Array,
) -> float:  # fmt: skip
    """Rows over two frames: a point moves between them as its goal does."""
    rows, errors, row = equations.tied_rows, equations.tied_errors, equations.row
    follows = equations.tied_frame[t] == f - 1
    cost, square = 0.0, 0.0
    for k in range(tasks.rows[t]):
        error = work.errors[first + k]
        if follows:
            step = error - errors[t, k]
            if tasks.layer[t] == 0:
                equations.errors[f, first + k] = step
            shifted = step + equations.shifts[f, first + k] * (tasks.layer[t] == 0)
            if slopes:
                for n in range(width):
                    row[n] = -rows[t, k, n]
                    row[width + n] = work.full[first + k, n]
                add_row(
                    equations.band, equations.right, (f - 1) * width, row, shifted, weight,
                    2 * width, equations.used,
                )  # fmt: skip
            cost += weight * shifted * shifted
            square += step * step
        errors[t, k] = error
        for n in range(width if slopes else 0):
            rows[t, k, n] = work.full[first + k, n]
    equations.tied_frame[t] = f
    misses[f, t] = np.sqrt(square) / max(tasks.scale[t], 1e-300)
    return cost


@inlined_borrowing
def _keep_center(
    f: int, t: int, before: int, first: int, tasks: Tasks, width: int, work: Work,
    equations: Equations,
) -> None:  # fmt: skip
    """Axes that a centre is not about have no error and an empty row, which ask for nothing."""
    scale, k = tasks.scale[t], first
    weight = scale * scale
    for c in range(3):
        equations.center_errors[f, c] = 0.0
        equations.center_rows[f, c] = 0.0
        if tasks.axes[t, c]:
            equations.center_errors[f, c] = work.errors[k] / scale
            for n in range(width):
                equations.center_rows[f, c, n] = work.full[k, n] / scale
            k += 1
        # No acceleration is across frames that are about different axes.
        if before >= 0 and tasks.axes[t, c] != tasks.axes[before, c]:
            weight = 0.0
    equations.center_errors[f, 3] = weight


@inner_borrowing
def _put_center_accelerations(
    first: int, stop: int, weight: float, width: int, slopes: bool, equations: Equations
) -> None:
    """Rows over three frames: the centre's second difference is its goal's."""
    rows, errors, row = equations.center_rows, equations.center_errors, equations.row
    for f in range(first + 1, stop - 1):
        if errors[f - 1, 3] == 0.0 or errors[f, 3] == 0.0 or errors[f + 1, 3] == 0.0:
            continue
        for c in range(3):
            error = errors[f - 1, c] - 2.0 * errors[f, c] + errors[f + 1, c]
            equations.costs[f - 1] += weight * errors[f, 3] * error * error
            if not slopes:
                continue
            for n in range(width):
                row[n] = rows[f - 1, c, n]
                row[width + n] = -2.0 * rows[f, c, n]
                row[2 * width + n] = rows[f + 1, c, n]
            add_row(
                equations.band, equations.right, (f - 1) * width, row, error,
                weight * errors[f, 3], REACH * width, equations.used,
            )  # fmt: skip


@inner_borrowing
def _put_ties(
    first: int, stop: int, price: Price, width: int, displaced: Array, slopes: bool, band: Array,
    right: Array, costs: Array,
) -> None:  # fmt: skip
    if not slopes:
        _cost_ties(first, stop, price, width, displaced, costs)
        return
    for f in range(first, stop):
        cost = 0.0
        for i in range(width):
            s = price.stiffness[i]
            at = f * width + i
            w = s * price.place
            band[at, 0] += w
            right[at] -= w * displaced[f, i]
            cost += w * displaced[f, i] ** 2
            if f + 1 < stop:
                w = s * price.velocity
                d = displaced[f + 1, i] - displaced[f, i]
                band[at, 0] += w
                band[at, width] -= w
                band[at + width, 0] += w
                right[at] += w * d
                right[at + width] -= w * d
                cost += w * d * d
            if f + 2 < stop:
                w = s * price.acceleration[f + 1, i]
                d = displaced[f, i] - 2.0 * displaced[f + 1, i] + displaced[f + 2, i]
                band[at, 0] += w
                band[at, width] -= 2.0 * w
                band[at, 2 * width] += w
                band[at + width, 0] += 4.0 * w
                band[at + width, width] -= 2.0 * w
                band[at + 2 * width, 0] += w
                right[at] -= w * d
                right[at + width] += 2.0 * w * d
                right[at + 2 * width] -= w * d
                cost += w * d * d
        costs[f] += cost


@inner_borrowing
def _cost_ties(
    first: int, stop: int, price: Price, width: int, displaced: Array, costs: Array
) -> None:
    for f in range(first, stop):
        cost = 0.0
        for i in range(width):
            now, s = displaced[f, i], price.stiffness[i]
            cost += s * price.place * now * now
            if f + 1 < stop:
                after = displaced[f + 1, i]
                cost += s * price.velocity * (after - now) ** 2
                if f + 2 < stop:
                    bend = now - 2.0 * after + displaced[f + 2, i]
                    cost += s * price.acceleration[f + 1, i] * bend * bend
        costs[f] += cost


@inner_borrowing
def _put_tail(
    end: int, inner: int, price: Price, width: int, displaced: Array, slopes: bool, band: Array,
    right: Array, costs: Array,
) -> None:  # fmt: skip
    """What a displacement costs beyond the first or last frame, where it has to fade away."""
    for i in range(width):
        s, x, y = price.stiffness[i], displaced[end, i], displaced[inner, i]
        a, b, c = s * price.tail[0, i], s * price.tail[1, i], s * price.tail[2, i]
        costs[min(end, inner)] += a * x * x + 2.0 * b * x * y + c * y * y
        if slopes:
            band[end * width + i, 0] += a
            band[inner * width + i, 0] += c
            band[min(end, inner) * width + i, width] += b
            right[end * width + i] -= a * x + b * y
            right[inner * width + i] -= b * x + c * y


@inner_borrowing
def _put_speeds(
    first: int, stop: int, price: Price, blocks: Blocks, width: int, locals_: Array,
    slopes: bool, row: Array, used: Indices, band: Array, right: Array, costs: Array,
) -> None:  # fmt: skip
    """Rows over two frames: of joints that turn too far between them."""
    row[: 2 * width] = 0.0
    for b in range(len(blocks.kind)):
        if blocks.kind[b] == TRANSLATION:
            continue
        j, c = blocks.joint[b], blocks.column[b]
        soft = float(SOFT_SPEED * price.farthest[j])
        for f in range(first, stop - 1):
            q, p = locals_[f, j], locals_[f + 1, j]
            d = multiply(p[0], p[1], p[2], p[3], q[0], -q[1], -q[2], -q[3])
            x, y, z = logarithm(d[0], d[1], d[2], d[3])
            angle = np.sqrt(x * x + y * y + z * z)
            over = angle - price.farthest[j]
            if not over > -soft:
                continue
            share, error, value = smooth_hinge(over, soft)
            costs[f] += price.speed * value
            if not slopes:
                continue
            x, y, z = x / angle, y / angle, z / angle
            size = 3
            if blocks.kind[b] == BALL:
                row[width + c], row[width + c + 1], row[width + c + 2] = x, y, z
            else:
                a, size = blocks.axis[b], 1
                u, v, w = turn(q[0], q[1], q[2], q[3], a[0], a[1], a[2])
                row[width + c] = x * u + y * v + z * w
            for k in range(size):
                row[c + k] = -row[width + c + k]
            add_row(band, right, f * width, row, -error, share * price.speed, 2 * width, used)
            for k in range(size):
                row[c + k] = row[width + c + k] = 0.0
