"""The spacetime problem at a motion: what it costs, and its normal equations.

Everything is a row: likeness and smoothness of the displacement from the guess, pseudo-balance,
and constraints, whose rows weigh much and are shifted by what earlier rounds left of them, which is
what multipliers do (`spacetime`). Frames share rows with the two after them; the control points of
momentum curves share rows with many frames and make the border.
"""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.ik import (
    ANGLE,
    BALL,
    TRANSLATION,
    Blocks,
    Limits,
    Rig,
    add_row,
    evaluate_pose,
    gather,
    into_parents,
    limited_numbers,
    put_displacement,
    put_ranges,
)
from poise.mechanics import logarithm_rate
from poise.methods.momentum.body_motion import (
    Ends,
    Poses,
    Segments,
    put_interval,
    put_pose,
)

REACH = 3


class Figure(NamedTuple):
    """The body, its unknowns and its tasks."""

    rig: Rig
    limits: Limits
    segments: Segments
    task_row: Indices
    """(T,) where the rows of each task begin among all of a frame."""
    stiffness: Array
    """(W,) what displacing each unknown costs."""
    inertia: Array
    """(W,) what velocity and acceleration of its displacement cost."""
    roots: Array
    """(F, 3) of the guess."""
    locals: Array
    """(F, J, 4) of the guess."""
    excess: Array
    """(F, W) second differences of the guess over frames f to f + 2 that the capture does not have:
    where an edit sets in. They are smoothed like those of the displacement."""


class Curves(NamedTuple):
    """Momentum as the unknown control points have it: values = basis · control + constant."""

    basis: Array
    """(F − 1, 6, S)"""
    constant: Array
    """(F − 1, 6)"""
    first: Indices
    """(F − 1,) the first control point that counts there."""
    stop: Indices
    """(F − 1,) the one after the last."""
    wanted: Array
    """(S,) what control points are weakly drawn to."""


class Balance(NamedTuple):
    """Rows about the centre of mass in one frame: its coordinate is a target plus an unknown."""

    frame: Indices
    axis: Indices
    column: Indices
    """Which shared unknown; −1 for none."""
    target: Array
    weight: Array


class Price(NamedTuple):
    """What is dear: all times the length of a frame."""

    place: float
    velocity: float
    acceleration: float
    hard: float
    """Of a task of the first layer, per metre squared."""
    wish: float
    """Of other tasks."""
    momentum: float
    """Per (m/s)²."""
    range: float
    """Of a joint beyond its range, per radian squared."""
    control: float
    """Of control points away from where they are drawn to."""
    rate: float
    """Frames a second."""


class Shifts(NamedTuple):
    """What earlier rounds left of each constraint, added up."""

    tasks: Array
    """(F, R)"""
    ranges: Array
    """(F, L, 3)"""
    momentum: Array
    """(F − 1, 6)"""


class Motion(NamedTuple):
    """Unknowns, and what earlier rounds left of the constraints."""

    roots: Array
    """(F, 3)"""
    locals: Array
    """(F, J, 4)"""
    control: Array
    """(S,)"""
    shifts: Shifts


class Forced(NamedTuple):
    """Inequalities that have rows though they are kept: the step without them would break them."""

    tasks: Indices
    """(F, R) 1 where it has."""
    ranges: Indices
    """(F, L, 3) 1 at the upper limit, −1 at the lower one."""


class System(NamedTuple):
    """The normal equations, and scratch."""

    band: Array
    right: Array
    border: Array
    corner: Array
    shared: Array
    displaced: Array
    """(F, W)"""
    row: Array
    used: Indices
    rows: Array
    """(6, 2 W)"""
    values: Array
    """(6,)"""
    jacobians: Array
    """(F, W, 3) of displacements, by turns about the parent's axes."""


@borrowing
def put_system(
    figure: Figure, curves: Curves, balance: Balance, price: Price, motion: Motion,
    forced: Forced, poses: Poses, ends: Ends, system: System, misses: Array, costs: Array,
) -> float:  # fmt: skip
    """Fill the equations; returns what the motion costs, and each kind of it in `costs` (5,)."""
    tree, blocks, width = figure.rig.tree, figure.rig.blocks, figure.rig.width
    roots, locals_, control = motion.roots, motion.locals, motion.control
    shifts, frames = motion.shifts, len(motion.roots)
    band, right = system.band, system.right
    band[:] = 0.0
    right[:] = 0.0
    system.border[:] = 0.0
    system.corner[:] = 0.0
    system.shared[:] = 0.0
    for f in range(frames):
        put_displacement(
            blocks, figure.roots[f], figure.locals[f], roots[f], locals_[f],
            system.displaced[f],
        )  # fmt: skip
        _put_jacobians(blocks, system.displaced[f], system.jacobians[f])
        put_pose(tree, blocks, figure.segments, f, roots[f], locals_[f], poses)
    costs[0] = _put_ties(figure, price, frames, width, system)
    costs[1] = _put_balance(balance, width, control, poses, system)
    for s in range(len(control)):
        system.corner[s, s] += price.control
        off = control[s] - curves.wanted[s]
        system.shared[s] -= price.control * off
        costs[1] += price.control * off * off
    costs[2] = _put_tasks(figure, price, motion, forced, system, misses)
    costs[3] = 0.0
    for f in range(frames):
        costs[3] += put_ranges(
            figure.limits, blocks, width, f * width, price.range, locals_[f],
            shifts.ranges[f], forced.ranges[f], True, system.row, system.used, band, right,
        )  # fmt: skip
    costs[4] = 0.0
    for f in range(frames - 1):
        put_interval(
            tree, blocks, figure.segments, f, locals_, price.rate, width, poses, ends, system.rows,
            system.values,
        )  # fmt: skip
        costs[4] += _put_momentum(f, curves, price, shifts, width, control, system)
    total = 0.0
    for c in range(5):
        total += costs[c]
    return total


@inlined_borrowing
def _put_jacobians(blocks: Blocks, displaced: Array, jacobians: Array) -> None:
    """Row k of a ball's three: how its k-th number answers to turns about its parent's axes."""
    for b in range(len(blocks.kind)):
        c = blocks.column[b]
        if blocks.kind[b] == TRANSLATION or blocks.kind[b] == BALL:
            u = (float(displaced[c]), float(displaced[c + 1]), float(displaced[c + 2]))
            for k in range(3):
                x, y, z = 1.0 * (k == 0), 1.0 * (k == 1), 1.0 * (k == 2)
                if blocks.kind[b] == BALL:
                    x, y, z = logarithm_rate(-1.0, u, x, y, z)
                jacobians[c + k, 0], jacobians[c + k, 1], jacobians[c + k, 2] = x, y, z
        else:
            jacobians[c, 0] = 1.0


@inner_borrowing
def _put_ties(figure: Figure, price: Price, frames: int, width: int, system: System) -> float:
    """Displacement, its velocity and its acceleration, each with its exact slopes."""
    cost, d = 0.0, system.displaced
    rate = price.rate
    blocks = figure.rig.blocks
    velocity, acceleration = price.velocity * rate**2, price.acceleration * rate**4
    for b in range(len(blocks.kind)):
        c = blocks.column[b]
        size = 3 if blocks.kind[b] <= BALL else 1
        heavy = float(figure.inertia[c])
        place = price.place * float(figure.stiffness[c])
        fast, rough = velocity * heavy, acceleration * heavy
        for f in range(frames):
            for k in range(c, c + size):
                value = d[f, k]
                cost += _add_tie(system, f, c, k, size, width, place, value, 1.0, 0.0, 0.0)
                if f + 1 < frames:
                    value = d[f + 1, k] - d[f, k]
                    cost += _add_tie(system, f, c, k, size, width, fast, value, -1.0, 1.0, 0.0)
                if f + 2 < frames:
                    value = d[f, k] - 2.0 * d[f + 1, k] + d[f + 2, k] + figure.excess[f, k]
                    cost += _add_tie(system, f, c, k, size, width, rough, value, 1.0, -2.0, 1.0)
    return cost


@inlined_borrowing
def _add_tie(
    system: System, f: int, c: int, k: int, size: int, width: int, weight: float, value: float,
    s0: float, s1: float, s2: float,
) -> float:  # fmt: skip
    """One row over up to three frames of one block."""
    jacobians = system.jacobians
    for m in range(3):
        sm = s0 if m == 0 else (s1 if m == 1 else s2)
        if sm == 0.0:
            continue
        for i in range(size):
            at = (f + m) * width + c + i
            left = weight * sm * jacobians[f + m, k, i]
            system.right[at] -= left * value
            for n in range(m, 3):
                sn = s0 if n == 0 else (s1 if n == 1 else s2)
                if sn == 0.0:
                    continue
                for j in range(i if n == m else 0, size):
                    column = (f + n) * width + c + j
                    system.band[at, column - at] += left * sn * jacobians[f + n, k, j]
    return weight * value * value


@inlined_borrowing
def _put_balance(
    balance: Balance, width: int, control: Array, poses: Poses, system: System
) -> float:
    cost = 0.0
    for r in range(len(balance.frame)):
        f, c, s, w = balance.frame[r], balance.axis[r], balance.column[r], balance.weight[r]
        off = poses.center[f, c] - balance.target[r]
        if s >= 0:
            off -= control[s]
            system.corner[s, s] += w
            system.shared[s] += w * off
            for n in range(width):
                system.border[f * width + n, s] -= w * poses.center_rows[f, c, n]
        cost += add_row(
            system.band, system.right, f * width, poses.center_rows[f, c], -off, w, width,
            system.used,
        )  # fmt: skip
    return cost


@inner_borrowing
def _put_tasks(
    figure: Figure, price: Price, motion: Motion, forced: Forced, system: System, misses: Array
) -> float:
    rig, shifts, cost = figure.rig, motion.shifts, 0.0
    tasks, width, work = rig.tasks, rig.width, rig.work
    roots, locals_ = motion.roots, motion.locals
    work.crowded[0] = 0
    for f in range(len(roots)):
        count = gather(tasks, f, work)
        evaluate_pose(f, count, rig, roots[f], locals_[f])
        into_parents(rig.blocks, rig.tree, int(work.row_of[count]), work)
        for i in range(count):
            t = work.active[i]
            misses[f, t] = work.misses[i]
            weight = price.hard if tasks.layer[t] == 0 else price.wish
            for k in range(work.row_of[i], work.row_of[i + 1]):
                at = figure.task_row[t] + k - work.row_of[i]
                error = work.errors[k] - shifts.tasks[f, at]
                broken = tasks.side[t] == 0 or tasks.side[t] * error < 0.0
                if broken or forced.tasks[f, at] != 0:
                    paid = add_row(
                        system.band, system.right, f * width, work.full[k], error, weight, width,
                        system.used,
                    )  # fmt: skip
                    cost += paid if broken else 0.0
    return cost


@inner_borrowing
def _put_momentum(
    f: int, curves: Curves, price: Price, shifts: Shifts, width: int, control: Array, system: System
) -> float:
    cost, w, rows = 0.0, price.momentum, system.rows
    first, stop = curves.first[f], curves.stop[f]
    start, size = f * width, 2 * width
    for c in range(6):
        basis = curves.basis[f, c]
        off = system.values[c] - curves.constant[f, c] + shifts.momentum[f, c]
        for s in range(first, stop):
            off -= basis[s] * control[s]
        cost += w * off * off
        row = rows[c]
        for i in range(size):
            scaled = w * row[i]
            if scaled == 0.0:
                continue
            system.right[start + i] -= scaled * off
            band = system.band[start + i]
            for j in range(i, size):
                band[j - i] += scaled * row[j]
            border = system.border[start + i]
            for s in range(first, stop):
                border[s] -= scaled * basis[s]
        for s in range(first, stop):
            scaled = w * basis[s]
            if scaled == 0.0:
                continue
            system.shared[s] += scaled * off
            for t in range(first, stop):
                system.corner[s, t] += scaled * basis[t]
    return cost


@borrowing
def put_left(
    figure: Figure, curves: Curves, price: Price, motion: Motion, poses: Poses, ends: Ends,
    system: System, left: Shifts,
) -> None:  # fmt: skip
    """What a motion leaves of every constraint, with the shifts: what they become by an update."""
    rig, shifts, control = figure.rig, motion.shifts, motion.control
    tree, blocks, tasks, width, work = rig.tree, rig.blocks, rig.tasks, rig.width, rig.work
    roots, locals_ = motion.roots, motion.locals
    limits, frames = figure.limits, len(roots)
    left.tasks[:] = 0.0
    work.crowded[0] = 0
    for f in range(frames):
        put_pose(tree, blocks, figure.segments, f, roots[f], locals_[f], poses)
        count = gather(tasks, f, work)
        evaluate_pose(f, count, rig, roots[f], locals_[f])
        for i in range(count):
            t = work.active[i]
            for k in range(work.row_of[i], work.row_of[i + 1]):
                at = figure.task_row[t] + k - work.row_of[i]
                error = work.errors[k] - shifts.tasks[f, at]
                wanted = tasks.side[t] == 0 or tasks.side[t] * error < 0.0
                if tasks.layer[t] == 0 and wanted:
                    left.tasks[f, at] = -error
        for l in range(len(limits.block)):
            q = locals_[f, blocks.joint[limits.block[l]]]
            n = limited_numbers(limits, l, q[0], q[1], q[2], q[3])
            for m in range(1 if limits.kind[l] == ANGLE else 3):
                shifted = n[m] + shifts.ranges[f, l, m]
                over = max(shifted - limits.high[l, m], 0.0) + min(shifted - limits.low[l, m], 0.0)
                left.ranges[f, l, m] = over
    for f in range(frames - 1):
        put_interval(
            tree, blocks, figure.segments, f, locals_, price.rate, width, poses, ends, system.rows,
            system.values,
        )  # fmt: skip
        for c in range(6):
            off = system.values[c] - curves.constant[f, c] + shifts.momentum[f, c]
            for s in range(curves.first[f], curves.stop[f]):
                off -= curves.basis[f, c, s] * control[s]
            left.momentum[f, c] = off
