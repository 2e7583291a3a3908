"""One step at one pose: errors, the wish, layers, limits.

Errors are shortened to a step's reach and damped in proportion to what is left of them: the damping
then stands for the curvature that a linear step ignores, so an unreachable goal ends in a stretched
limb that holds still, and a reachable one is met as fast as without damping.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik.crowded_layer import solve_crowded
from poise.ik.limits import drop_locked, keep_inside, lock_what_leaves, use_up_margins
from poise.ik.packed import (
    AIM,
    BALL,
    CENTER,
    TRANSLATION,
    TURN,
    Blocks,
    Knobs,
    Limits,
    Rig,
    Tasks,
    Tree,
    Work,
)
from poise.ik.posing import parent_turn, place_joints, take_step
from poise.ik.rows import write_task
from poise.mechanics import logarithm, multiply, turn
from poise.solvers import add_layer, add_wish, dot

_LOCK_ROUNDS = 10

_LONGEST_STEP_RAD = 0.5
"""No joint turns further than this in one iteration."""

_FADING_M, _FADING_RAD = 0.005, 0.05
"""Errors at which half of the wish is left to the joints that serve them."""


@inlined_borrowing
def evaluate_pose(f: int, count: int, rig: Rig, root: Array, local: Array) -> None:
    """Errors and rows at the pose."""
    tasks, work = rig.tasks, rig.work
    place_joints(rig.tree, f, root, local, work)
    work.crowded[1] = 0
    for i in range(count):
        t = work.active[i]
        without_rows = i < work.crowded[0] and tasks.kind[t] != CENTER
        work.misses[i] = write_task(
            rig.tree, rig.blocks, tasks, t, f, work.row_of[i], np.inf, np.inf, rig.width,
            without_rows, work,
        )  # fmt: skip


@inlined_borrowing
def are_met(count: int, layers: int, tasks: Tasks, knobs: Knobs, work: Work) -> bool:
    """Whether every task of the first `layers` layers is met, as last looked at."""
    for i in range(count):
        t = work.active[i]
        angular = tasks.kind[t] == TURN or tasks.kind[t] == AIM
        tolerance = knobs.tolerance_rad if angular else knobs.tolerance_m
        if tasks.layer[t] < layers and not work.misses[i] <= tolerance:
            return False
    return True


@inlined_borrowing
def fade(count: int, blocks: Blocks, tasks: Tasks, work: Work) -> None:
    """How much of the wish is left for each block: none where an unmet task recruits it.

    At full stretch a limb has no first-order way to its goal; nothing but this keeps the wish from
    bending it again, only for the task to stretch it back.
    """
    for b in range(len(blocks.kind)):
        work.faded[b] = work.controlled[b]
    for i in range(count):
        t = work.active[i]
        angular = tasks.kind[t] == TURN or tasks.kind[t] == AIM
        miss = work.misses[i] / (_FADING_RAD if angular else _FADING_M)
        share = 1.0 / (1.0 + miss * miss)
        for k in range(tasks.carry[t], tasks.carry[t + 1]):
            if tasks.carry_recruited[k]:
                b = tasks.carry_block[k]
                work.faded[b] = min(work.faded[b], share)


@inner_borrowing
def put_wish(
    tree: Tree, blocks: Blocks, knobs: Knobs, wished_root: Array, wished_local: Array,
    root: Array, local: Array, work: Work,
) -> float:  # fmt: skip
    """The optimization vector z: from the pose towards the original's, for controlled joints.

    Returns its largest number.
    """
    longest = 0.0
    for b in range(len(blocks.kind)):
        column = blocks.column[b]
        if blocks.kind[b] == TRANSLATION:
            gain = knobs.root_attraction * work.faded[b] / blocks.mobility[b]
            for c in range(3):
                work.wish[column + c] = gain * (wished_root[c] - root[c])
                longest = max(longest, abs(work.wish[column + c]))
            continue
        gain = knobs.attraction * work.faded[b] / blocks.mobility[b]
        j = blocks.joint[b]
        a, q = wished_local[j], local[j]
        if blocks.kind[b] == BALL:
            d = multiply(a[0], a[1], a[2], a[3], q[0], -q[1], -q[2], -q[3])
            x, y, z = logarithm(d[0], d[1], d[2], d[3])
            p = parent_turn(tree, j, work)
            x, y, z = turn(p[0], p[1], p[2], p[3], x, y, z)
            work.wish[column] = gain * x
            work.wish[column + 1] = gain * y
            work.wish[column + 2] = gain * z
            longest = max(longest, float(gain * (abs(x) + abs(y) + abs(z))))
        else:
            d = multiply(q[0], -q[1], -q[2], -q[3], a[0], a[1], a[2], a[3])
            x, y, z = logarithm(d[0], d[1], d[2], d[3])
            axis = blocks.axis
            work.wish[column] = gain * (x * axis[b, 0] + y * axis[b, 1] + z * axis[b, 2])
            longest = max(longest, abs(work.wish[column]))
    return float(longest)


@inner_borrowing
def solve_layers(
    f: int, count: int, layers: int,
    tree: Tree, blocks: Blocks, tasks: Tasks, knobs: Knobs, width: int,
    with_wish: bool, again: bool, work: Work,
) -> None:  # fmt: skip
    """The step through the first `layers` layers, and the wish in what they leave free.

    `again`: after new locks; greater layers that do not use the locked joints stay as solved.
    """
    step = work.step
    i = _untouched(count, layers, tasks, work) if again and not work.crowded[0] else 0
    rank = 0
    if i > 0:
        before = tasks.layer[work.active[i - 1]]
        rank = int(work.rank_after[before])
        _go_back_to(work.step_after[before], blocks, width, work)
    else:
        for c in range(width):
            step[c] = work.held[c]
    if work.crowded[0] and not _is_locked(work):
        if _solve_crowd(tree, blocks, tasks, knobs, width, work):
            return  # nothing is left for lesser layers, nor for the wish
    if work.crowded[0] and not work.crowded[1]:
        _write_crowd(f, tree, blocks, tasks, width, work)
    while i < count:
        layer = tasks.layer[work.active[i]]
        if layer >= layers:
            break
        end = i + 1
        while end < count and tasks.layer[work.active[end]] == layer:
            end += 1
        first, last = work.row_of[i], work.row_of[end]
        share, square = shortened(i, end, tasks, knobs, work), 0.0
        for k in range(first, last):
            error = share * work.errors[k]
            square += error * error
            work.remaining[k] = error - dot(work.full[k], step, width)
            for c in range(width):
                work.rows[k, c] = work.full[k, c]
        _keep_recruited(i, end, blocks, tasks, work)
        rank = add_layer(
            work.rows[first:last], last - first, work.remaining[first:last], width,
            work.calm[layer] * knobs.lever_m * np.sqrt(square), step, work.basis, work.ends, rank,
            work.matrix, work.vector,
        )  # fmt: skip
        work.rank_after[layer] = rank
        for c in range(width):
            work.step_after[layer, c] = step[c]
        i = end
    if with_wish:
        _add_wish(blocks, knobs, width, rank, work)


@inlined_borrowing
def shortened(first: int, end: int, tasks: Tasks, knobs: Knobs, work: Work) -> float:
    """The share of a layer's errors that one step goes for: its longest is as long as allowed.

    One share for the whole layer, or far goals would weigh less than their weight.
    """
    share = 1.0
    for i in range(first, end):
        kind = tasks.kind[work.active[i]]
        most = knobs.turn_rad if kind == TURN or kind == AIM else knobs.reach_m
        if work.misses[i] > most:
            share = min(share, most / work.misses[i])
    return share


@inlined_borrowing
def _untouched(count: int, layers: int, tasks: Tasks, work: Work) -> int:
    """How many of the active tasks stand in layers before the first that a new lock touches."""
    start = 0
    for i in range(count):
        t = work.active[i]
        if tasks.layer[t] >= layers:
            return start
        if i > 0 and tasks.layer[t] != tasks.layer[work.active[i - 1]]:
            start = i
        for k in range(tasks.carry[t], tasks.carry[t + 1]):
            if work.newly[tasks.carry_block[k]]:
                return start
    return start


@inlined_borrowing
def _go_back_to(solved: Array, blocks: Blocks, width: int, work: Work) -> None:
    """Take up a step where greater layers left it, with what the new locks dictate."""
    for c in range(width):
        work.step[c] = solved[c]
    for b in range(len(blocks.kind)):
        if work.newly[b]:
            size = 3 if blocks.kind[b] == BALL else 1
            for c in range(blocks.column[b], blocks.column[b] + size):
                work.step[c] = work.held[c]


@inlined_borrowing
def _is_locked(work: Work) -> bool:
    for b in range(len(work.locks)):
        if work.locks[b]:
            return True
    return False


@inlined_borrowing
def _solve_crowd(
    tree: Tree, blocks: Blocks, tasks: Tasks, knobs: Knobs, width: int, work: Work
) -> bool:
    square, end = 0.0, work.crowded[0]
    share = shortened(0, end, tasks, knobs, work)
    for k in range(work.row_of[end]):
        work.errors[k] *= share
        square += work.errors[k] * work.errors[k]
    layer = tasks.layer[work.active[0]]
    damping = work.calm[layer] * knobs.lever_m * np.sqrt(square)
    return solve_crowded(tree, blocks, tasks, end, width, damping, work)


@inner_borrowing
def _write_crowd(f: int, tree: Tree, blocks: Blocks, tasks: Tasks, width: int, work: Work) -> None:
    """The rows that were left out, where they are needed after all."""
    for i in range(work.crowded[0]):
        t = work.active[i]
        write_task(tree, blocks, tasks, t, f, work.row_of[i], np.inf, np.inf, width, False, work)
    work.crowded[1] = 1


@inlined_borrowing
def _keep_recruited(first: int, end: int, blocks: Blocks, tasks: Tasks, work: Work) -> None:
    """Blank the columns a task may not use, and the directions that are held at a limit."""
    for i in range(first, end):
        t = work.active[i]
        for k in range(tasks.carry[t], tasks.carry[t + 1]):
            b = tasks.carry_block[k]
            if tasks.carry_recruited[k] and work.locks[b] == 0:
                continue
            column = blocks.column[b]
            size = 3 if blocks.kind[b] <= BALL else 1
            for r in range(work.row_of[i], work.row_of[i + 1]):
                if not tasks.carry_recruited[k]:
                    for c in range(column, column + size):
                        work.rows[r, c] = 0.0
                else:
                    drop_locked(blocks, b, work.rows[r], work)


@inlined_borrowing
def _add_wish(blocks: Blocks, knobs: Knobs, width: int, rank: int, work: Work) -> None:
    for b in range(len(blocks.kind)):
        column = blocks.column[b]
        if blocks.kind[b] == TRANSLATION:
            if knobs.root_attraction == 0.0:  # the paper leaves the root's translation out of z
                for c in range(column, column + 3):
                    work.wish[c] = work.step[c]
        elif work.locks[b]:
            drop_locked(blocks, b, work.wish, work)
            size = 3 if blocks.kind[b] == BALL else 1
            for c in range(column, column + size):
                work.wish[c] += work.held[c]
    share = work.relax[0] / work.calm[len(work.calm) - 1]
    add_wish(work.wish, share, width, work.step, work.basis, work.ends, rank, work.left)


@inlined_borrowing
def unlock(width: int, work: Work) -> None:
    """Hold no joint at a limit, before a step is found."""
    for b in range(len(work.locks)):
        work.locks[b] = 0
    for l in range(len(work.locked)):
        work.locked[l] = 0
    for c in range(width):
        work.held[c] = 0.0


@inlined_borrowing
def _measure_turns(blocks: Blocks, local: Array, work: Work) -> None:
    """How far each joint is from where it was before the move."""
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != TRANSLATION:
            square, j = 0.0, blocks.joint[b]
            for c in range(4):
                square += (local[j, c] - work.before[j, c]) ** 2
            work.turned[b] = 2.0 * np.sqrt(square)


@inner_borrowing
def move(
    tree: Tree, blocks: Blocks, limits: Limits, root: Array, local: Array, work: Work
) -> float:
    """Take the step, shortened if it is wild; returns how far the pose went (radians, metres)."""
    longest = 0.0
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != TRANSLATION:
            size = 3 if blocks.kind[b] == BALL else 1
            for c in range(blocks.column[b], blocks.column[b] + size):
                longest = max(longest, abs(work.step[c]) * blocks.mobility[b])
            j = blocks.joint[b]
            for c in range(4):
                work.before[j, c] = local[j, c]
    share = 1.0 if longest <= _LONGEST_STEP_RAD else _LONGEST_STEP_RAD / longest
    take_step(tree, blocks, root, local, share, work)
    _measure_turns(blocks, local, work)
    use_up_margins(limits, work)
    keep_inside(limits, blocks, work, local, False)
    # What a limit took back does not count, or a goal beyond it would never come to rest.
    _measure_turns(blocks, local, work)
    gone = 0.0
    for b in range(len(blocks.kind)):
        if blocks.kind[b] == TRANSLATION:
            for c in range(blocks.column[b], blocks.column[b] + 3):
                gone = max(gone, abs(share * work.step[c]) * blocks.mobility[b])
        else:
            gone = max(gone, work.turned[b])
    return gone


@inner_borrowing
def find_step(
    f: int, count: int, layers: int, with_wish: bool, tree: Tree, blocks: Blocks, tasks: Tasks,
    limits: Limits, knobs: Knobs, width: int, local: Array, work: Work,
) -> None:  # fmt: skip
    """Solve the layers, and again for every limit that the step would break."""
    unlock(width, work)
    for i in range(_LOCK_ROUNDS):
        solve_layers(f, count, layers, tree, blocks, tasks, knobs, width, with_wish, i > 0, work)
        if not lock_what_leaves(tree, blocks, limits, local, work):
            break
