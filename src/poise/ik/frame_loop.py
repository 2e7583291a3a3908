"""The compiled loop: frames, and the iterations of each.

Every frame starts from its original pose with the displacement of the frame before (or, as the
paper does, from the pose of the frame before), for the joints that constraints control. It then
iterates: errors and rows at the pose, one step through all layers, the pose a step on; steps that
did harm are taken back.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.ik.limits import keep_inside, mark_moved_from_inside
from poise.ik.packed import TRANSLATION, Blocks, Knobs, Limits, PoseArrays, Rig, Tasks, Work
from poise.ik.progress import (
    forget_progress,
    got_worse,
    relax,
    remember,
    stagnant,
    step_back,
    top_got_worse,
)
from poise.ik.step import are_met, evaluate_pose, fade, find_step, move, put_wish
from poise.mechanics import multiply, normalized

UNTOUCHED, MET, AT_REST, OUT_OF_ITERATIONS = 0, 1, 2, 3
"""How a frame ended."""

FROM_PREVIOUS, AS_GIVEN = 0, 1
"""Where a frame starts: carried over from the frame before, or at the pose the output holds."""


_FIRMER = 0.85
"""The slack that a bad step is allowed shrinks by this in every iteration."""

_POLISHING, _MENDING = 30, 3
"""Most iterations for greater layers without the lesser ones, at the end of a frame, and for the
greatest after a step that hurt it."""


@borrowing
def solve_frames(
    first: int, last: int, start: int, rig: Rig, limits: Limits, knobs: Knobs,
    original: PoseArrays, wished: PoseArrays, out: PoseArrays,
    misses: Array, iterations: Indices, status: Indices,
) -> None:  # fmt: skip
    """Solve frames `first` to `last` in order, going on from the output's frame before them."""
    blocks, tasks, work = rig.blocks, rig.tasks, rig.work
    for f in range(first, last + 1):
        count = gather(tasks, f, work)
        _find_crowd(tasks, count, rig.width, work)
        _mark_controlled(blocks, tasks, count, work)
        if start == FROM_PREVIOUS:
            _start(f, blocks, knobs, work, original, out)
        iterations[f] = 0
        if count == 0:
            status[f] = UNTOUCHED
            continue
        keep_inside(limits, blocks, work, out.locals[f], True)
        greatest = int(tasks.layer[work.active[0]])
        least = int(tasks.layer[work.active[count - 1]])
        layers, most, ended = len(tasks.kind), knobs.iterations, UNTOUCHED
        while True:
            now = _descend(
                f, count, layers, ended == UNTOUCHED, most, rig, limits, knobs, wished, out,
                iterations,
            )  # fmt: skip
            if ended == UNTOUCHED:
                ended = now
                if ended == MET or (greatest == least and _is_without_wish(knobs)):
                    break
                # Every layer but the least gets another go without the lesser ones and without the
                # wish: what they took from it on the way is given back.
                layers, most = greatest, _POLISHING
            if layers == max(least, greatest + 1):
                break
            layers += 1
        status[f] = MET if are_met(count, len(tasks.kind), tasks, knobs, work) else ended
        # Nothing that margins overlooked stays.
        keep_inside(limits, blocks, work, out.locals[f], True)
        for i in range(count):
            misses[f, work.active[i]] = work.misses[i]


@borrowing
def look_at_frames(first: int, last: int, rig: Rig, poses: PoseArrays, misses: Array) -> None:
    """The errors of poses as they are."""
    work = rig.work
    for f in range(first, last + 1):
        count = gather(rig.tasks, f, work)
        evaluate_pose(f, count, rig, poses.roots[f], poses.locals[f])
        for i in range(count):
            misses[f, work.active[i]] = work.misses[i]


@borrowing
def keep_frames_inside(
    first: int, last: int, blocks: Blocks, tasks: Tasks, limits: Limits, work: Work,
    originals: Array, locals_: Array,
) -> None:  # fmt: skip
    """Bring controlled joints back inside their ranges.

    And those that left an original which is inside, though no task holds them here: to clamp one
    whose original is not would tear it from the frames beside it.
    """
    for f in range(first, last + 1):
        _mark_controlled(blocks, tasks, gather(tasks, f, work), work)
        mark_moved_from_inside(limits, blocks, work, originals[f], locals_[f])
        keep_inside(limits, blocks, work, locals_[f], True)


@inlined_borrowing
def gather(tasks: Tasks, f: int, work: Work) -> int:
    """The tasks that have a goal in a frame, and where their rows begin."""
    count, row = 0, 0
    for t in range(len(tasks.kind)):
        if tasks.first[t] <= f <= tasks.last[t] and not np.isnan(
            tasks.goals[tasks.goal[t] + f - tasks.first[t], 0]
        ):
            work.active[count] = t
            work.row_of[count] = row
            row += tasks.rows[t]
            count += 1
    work.row_of[count] = row
    return count


@inlined_borrowing
def _find_crowd(tasks: Tasks, count: int, width: int, work: Work) -> None:
    """Whether the first layer has more rows than there are unknowns, and all of them plain."""
    work.crowded[0] = 0
    end = 0
    while end < count and tasks.layer[work.active[end]] == tasks.layer[work.active[0]]:
        if not tasks.plain[work.active[end]]:
            return
        end += 1
    if work.row_of[end] > width:
        work.crowded[0] = end


@inlined_borrowing
def _mark_controlled(blocks: Blocks, tasks: Tasks, count: int, work: Work) -> None:
    for b in range(len(blocks.kind)):
        work.controlled[b] = 0
    for i in range(count):
        t = work.active[i]
        for k in range(tasks.carry[t], tasks.carry[t + 1]):
            if tasks.carry_recruited[k]:
                work.controlled[tasks.carry_block[k]] = 1


@inner_borrowing
def _start(
    f: int, blocks: Blocks, knobs: Knobs, work: Work, original: PoseArrays, out: PoseArrays
) -> None:
    """Eq. 4: controlled joints go on from the frame before, all others are the original's."""
    roots, locals_, out_roots, out_locals = original.roots, original.locals, out.roots, out.locals
    for c in range(3):
        out_roots[f, c] = roots[f, c]
    for j in range(locals_.shape[1]):
        for c in range(4):
            out_locals[f, j, c] = locals_[f, j, c]
    if f == 0:
        return
    for b in range(len(blocks.kind)):
        if not work.controlled[b]:
            continue
        if blocks.kind[b] == TRANSLATION:
            for c in range(3):
                if knobs.carry_pose:
                    out_roots[f, c] = out_roots[f - 1, c]
                else:
                    out_roots[f, c] += out_roots[f - 1, c] - roots[f - 1, c]
            continue
        j = blocks.joint[b]
        o, i, q = out_locals[f - 1, j], locals_[f - 1, j], locals_[f, j]
        if knobs.carry_pose:
            for c in range(4):
                out_locals[f, j, c] = o[c]
        elif o[0] != i[0] or o[1] != i[1] or o[2] != i[2] or o[3] != i[3]:
            d = multiply(i[0], -i[1], -i[2], -i[3], o[0], o[1], o[2], o[3])
            r = multiply(q[0], q[1], q[2], q[3], d[0], d[1], d[2], d[3])
            r = normalized(r[0], r[1], r[2], r[3])
            for c in range(4):
                out_locals[f, j, c] = r[c]


@inlined_borrowing
def _is_without_wish(knobs: Knobs) -> bool:
    return knobs.attraction == 0.0 and knobs.root_attraction == 0.0


_JUDGED, _MENDED, _TAKEN_BACK = 0, 1, 2
"""What is still to be asked about a step: all; not whether it hurt the greatest layer; nothing."""


@inner_borrowing
def _descend(
    f: int, count: int, layers: int, with_wish: bool, most: int, rig: Rig, limits: Limits,
    knobs: Knobs, wished: PoseArrays, out: PoseArrays, iterations: Indices,
) -> int:  # fmt: skip
    """Iterate on the first `layers` layers; returns how it ended.

    A step that hurt the greatest layer is followed by a few for that layer alone, which undo what
    the others did to it. Every call of a large kernel stands here once: each further one would be
    compiled again.
    """
    tree, blocks, tasks, work = rig.tree, rig.blocks, rig.tasks, rig.work
    root, local = out.roots[f], out.locals[f]
    last_step, slack, done = np.inf, knobs.slack_m, 0
    top = int(tasks.layer[work.active[0]]) + 1
    # Nothing but itself can hurt a layer that is alone: no use in mending it by itself.
    alone = not with_wish or _is_without_wish(knobs)
    alone &= top >= min(layers, tasks.layer[work.active[count - 1]] + 1)
    mending, worst_before, calm, asked = 0, np.inf, 1.0, _JUDGED
    forget_progress(work)
    while True:
        evaluate_pose(f, count, rig, root, local)
        if mending > 0:
            worst = _worst(count, top, tasks, work)
            met = are_met(count, top, tasks, knobs, work)
            if mending < _MENDING and not met and worst <= 0.95 * worst_before:
                mending, worst_before = mending + 1, worst
            else:
                mending, asked = 0, _MENDED
                work.calm[top - 1] = calm
        elif asked == _JUDGED and not alone and top_got_worse(count, tasks, slack, work):
            mending, worst_before = 1, _worst(count, top, tasks, work)
            calm = work.calm[top - 1]
            work.calm[top - 1] = 1.0
        if mending == 0:
            met = are_met(count, layers, tasks, knobs, work)
            if asked != _TAKEN_BACK and got_worse(count, layers, tasks, slack, work):
                step_back(blocks, root, local, work)
                last_step, asked = np.inf, _TAKEN_BACK
                continue
            if asked != _TAKEN_BACK:
                if met and (last_step <= knobs.posture_tolerance_rad or not with_wish):
                    return MET
                if last_step <= knobs.settled_rad or stagnant(work):
                    return AT_REST
            if done == most:
                return OUT_OF_ITERATIONS
            fade(count, blocks, tasks, work)
            away = put_wish(
                tree, blocks, knobs, wished.roots[f], wished.locals[f], root, local, work
            )
            if done == 0 and met and away <= knobs.posture_tolerance_rad:
                return MET
            slack = max(_FIRMER * slack, 0.5 * knobs.tolerance_m)
        find_step(
            f, count, layers if mending == 0 else top, with_wish and mending == 0,
            tree, blocks, tasks, limits, knobs, rig.width, local, work,
        )  # fmt: skip
        if mending == 0:
            relax(rig.width, work)
            remember(blocks, root, local, work)
        gone = move(tree, blocks, limits, root, local, work)
        if mending == 0:
            last_step, done, asked = gone, done + 1, _JUDGED
            iterations[f] += 1


@inlined_borrowing
def _worst(count: int, layers: int, tasks: Tasks, work: Work) -> float:
    """The largest error of the first `layers` layers."""
    worst = 0.0
    for i in range(count):
        if tasks.layer[work.active[i]] < layers:
            worst = max(worst, work.misses[i])
    return worst
