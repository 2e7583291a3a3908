"""The compiled loop of dynamic filtering: position, velocity and acceleration of every frame."""

from __future__ import annotations

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inner_borrowing
from poise.ik import Blocks, Limits, Tasks, Tree, Work, gather, place_joints, sample_task
from poise.methods.filter.dynamic_state import Batch, Motion, Segments, move_state
from poise.methods.filter.footing import LEAST_PUSH
from poise.methods.filter.kinematic_frames import ANALYTIC, FREE, Prior, Rows, holds
from poise.methods.filter.law_rows import (
    BALANCE,
    BALANCE_ROWS,
    FLIGHT,
    FLIGHT_ROWS,
    Demands,
    law_count,
    sample_laws,
)
from poise.methods.filter.law_slopes import Rates, differentiate_laws
from poise.methods.filter.range_rows import put_ranges, unlock
from poise.solvers import partial_update


@inner_borrowing
def sample_frame(
    f: int, way: int, count: int, near: float, limits: Limits,
    tree: Tree, blocks: Blocks, tasks: Tasks, width: int, work: Work,
    segments: Segments, lengths: Array, demands: Demands, motion: Motion, batch: Batch,
    rates: Rates, rows: Rows,
) -> int:  # fmt: skip
    """All rows of a frame at its sigma points: tasks, joints near their ends, laws.

    There are `count` gathered tasks; joints count that are `near` the ends of their ranges. Tasks
    move on circles, whose points are exact either way. Returns how many states rows depend on:
    rates count only where the laws ask for something.
    """
    place_joints(tree, f, motion.roots[f], motion.local[f], work)
    for i in range(count):
        sample_task(
            tree, blocks, tasks, work.active[i], f, work.row_of[i],
            lengths, width, work, rows.center, rows.plus, rows.minus,
        )  # fmt: skip
    unlock(limits, work)
    size = work.row_of[count] + put_ranges(
        limits, tree, blocks, width, lengths, work, motion.local[f],
        work.row_of[count], near, rows.center, rows.plus, rows.minus,
    )  # fmt: skip
    rows.short[0] = size
    if law_count(f, demands) == 0:
        return width
    for k in range(size):
        now = rows.center[k]
        for s in range(width, 3 * width):  # places do not depend on rates
            rows.plus[s, k] = now
        for s in range(width, 3 * width):
            rows.minus[s, k] = now
    if way == ANALYTIC:
        differentiate_laws(
            f, size, tree, blocks, width, work, segments, demands, motion, rates, lengths,
            rows.center, rows.plus, rows.minus,
        )  # fmt: skip
    else:
        sample_laws(
            f, size, blocks, width, segments, demands, motion, batch, lengths,
            rows.center, rows.plus, rows.minus,
        )  # fmt: skip
    return 3 * width


@inner_borrowing
def _put_goals(
    f: int, count: int, tasks: Tasks, noise: Array, demands: Demands, work: Work,
    rows: Rows,
) -> int:  # fmt: skip
    """Goals and noise of all rows; one-sided ones that hold are free. Returns how many."""
    for i in range(count):
        t = work.active[i]
        for k in range(work.row_of[i], work.row_of[i + 1]):
            rows.goals[k] = 0.0
            free = holds(tasks, t, k, rows)
            rows.noise[k] = FREE if free else tasks.scale[t] ** 2 * noise[t]
    k = work.row_of[count]
    while k < rows.short[0]:
        rows.goals[k], rows.noise[k] = 0.0, 0.0 if rows.center[k] > 0.0 else FREE
        k += 1
    kind = demands.kind[f]
    more = BALANCE_ROWS if kind == BALANCE else FLIGHT_ROWS if kind == FLIGHT else 0
    for i in range(more):
        rows.goals[k] = demands.goal[f, i] if kind == BALANCE else 0.0
        rows.noise[k] = demands.noise[kind]
        k += 1
    footing = demands.footing
    for i in range(footing.first[f], footing.first[f + 1]):
        push = footing.edge[i, 0] == 0.0 and footing.edge[i, 1] == 0.0
        rows.goals[k] = LEAST_PUSH if push else 0.0
        rows.noise[k] = FREE if rows.center[k] >= rows.goals[k] else demands.noise[BALANCE]
        k += 1
    strain = demands.strain
    for i in range(strain.first[f], strain.first[f + 1]):
        rows.goals[k] = min(max(rows.center[k], strain.low[i]), strain.high[i])
        rows.noise[k] = demands.noise[3] if rows.goals[k] != rows.center[k] else FREE
        k += 1
    return int(k)


@borrowing
def filter_dynamic_frames(
    first: int, last: int, way: int,
    tree: Tree, blocks: Blocks, tasks: Tasks, width: int, work: Work,
    segments: Segments, prior: Prior, noise: Array, demands: Demands,
    rows: Rows, batch: Batch, rates: Rates, step: Array, motion: Motion, dropped: Indices,
) -> None:  # fmt: skip
    """Filter frames `first` to `last` in place, each by itself.

    Args:
        first: a frame.
        last: included.
        way: `SAMPLED` or `ANALYTIC`.
        tree: the figure.
        blocks: the coordinates.
        tasks: kinematic constraints.
        width: n, how many coordinates a pose has.
        work: scratch.
        segments: the body.
        prior: (3n,) process noise of places, rates and their rates.
        noise: (T,) measurement variance of every task.
        demands: what the laws of motion ask.
        rows: scratch for 3n coordinates.
        batch: scratch of `SAMPLED`.
        rates: scratch of `ANALYTIC`.
        step: (3n,) scratch.
        motion: in and out.
        dropped: (F,) out: see `kinematic_frames`.
    """
    for f in range(first, last + 1):
        count = gather(tasks, f, work)
        dropped[f] = 0
        if count == 0 and law_count(f, demands) == 0:
            continue
        states = sample_frame(
            f, way, count, 0.0, prior.limits, tree, blocks, tasks, width, work,
            segments, prior.lengths, demands, motion, batch, rates, rows,
        )  # fmt: skip
        size = _put_goals(f, count, tasks, noise, demands, work, rows)
        dropped[f] = partial_update(
            states, size, width, int(rows.short[0]),
            rows.center, rows.plus, rows.minus, prior.deviations, prior.scale,
            prior.excess, rows.goals, rows.noise, prior.floor,
            step, rows.predicted, rows.halves, rows.matrix, rows.vector,
        )  # fmt: skip
        if dropped[f] < 0:
            continue
        for s in range(states, 3 * width):
            step[s] = 0.0
        move_state(f, tree, blocks, width, work, step, motion)
