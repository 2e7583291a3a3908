"""The compiled loop of dynamic filtering: position, velocity and acceleration of every frame."""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inner_borrowing
from poise.ik import Limits, Rig, Tasks, Work, gather, place_joints, sample_task
from poise.mechanics import Segments
from poise.methods.filter.dynamic_state import Batch, Motion, move_state
from poise.methods.filter.kinematic_frames import ANALYTIC, FREE, Prior, holds
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
from poise.methods.filter.strain import put_ranges, unlock
from poise.solvers import Measurements, partial_update


class Laws(NamedTuple):
    """What the laws of motion ask of a body, and scratch."""

    segments: Segments
    demands: Demands
    batch: Batch
    """Of `SAMPLED`."""
    rates: Rates
    """Of `ANALYTIC`."""


@inner_borrowing
def sample_frame(
    f: int, way: int, count: int, limits: Limits, rig: Rig, lengths: Array,
    laws: Laws, motion: Motion, rows: Measurements,
) -> int:  # fmt: skip
    """All rows of a frame at its sigma points: tasks, joints beyond their ends, laws.

    There are `count` gathered tasks, which move on circles, whose points are exact either way.
    Returns how many states rows depend on: rates count only where the laws ask for something.
    """
    width, work = rig.width, rig.work
    place_joints(rig.tree, f, motion.roots[f], motion.local[f], work)
    for i in range(count):
        sample_task(
            rig, work.active[i], f, work.row_of[i], lengths, rows.center, rows.plus, rows.minus
        )
    unlock(limits, work)
    size = work.row_of[count] + put_ranges(
        limits, rig.tree, rig.blocks, width, lengths, work, motion.local[f],
        work.row_of[count], rows.center, rows.plus, rows.minus,
    )  # fmt: skip
    rows.narrow[0] = size
    if law_count(f, laws.demands) == 0:
        return width
    for k in range(size):
        now = rows.center[k]
        for s in range(width, 3 * width):  # places do not depend on rates
            rows.plus[s, k] = now
        for s in range(width, 3 * width):
            rows.minus[s, k] = now
    if way == ANALYTIC:
        differentiate_laws(
            f, size, rig, laws.segments, laws.demands, motion, laws.rates, lengths, rows
        )
    else:
        sample_laws(
            f, size, rig.blocks, width, laws.segments, laws.demands, motion, laws.batch, lengths,
            rows.center, rows.plus, rows.minus,
        )  # fmt: skip
    return 3 * width


@inner_borrowing
def _put_goals(
    f: int, count: int, tasks: Tasks, noise: Array, demands: Demands, work: Work,
    rows: Measurements,
) -> int:  # fmt: skip
    """Goals and noise of all rows; one-sided ones that hold are free. Returns how many."""
    for i in range(count):
        t = work.active[i]
        for k in range(work.row_of[i], work.row_of[i + 1]):
            rows.goals[k] = 0.0
            free = holds(tasks, t, k, rows)
            rows.noise[k] = FREE if free else tasks.scale[t] ** 2 * noise[t]
    k = work.row_of[count]
    while k < rows.narrow[0]:
        rows.goals[k], rows.noise[k] = 0.0, 0.0 if rows.center[k] > 0.0 else FREE
        k += 1
    kind = demands.kind[f]
    more = BALANCE_ROWS if kind == BALANCE else FLIGHT_ROWS if kind == FLIGHT else 0
    for i in range(more):
        rows.goals[k] = demands.goal[f, i] if kind == BALANCE else 0.0
        rows.noise[k] = demands.noise[kind]
        k += 1
    strain = demands.strain
    for i in range(strain.first[f], strain.first[f + 1]):
        rows.goals[k] = min(max(rows.center[k], strain.low[i]), strain.high[i])
        rows.noise[k] = demands.noise[3] if rows.goals[k] != rows.center[k] else FREE
        k += 1
    return int(k)


@borrowing
def filter_dynamic_frames(
    first: int, last: int, way: int, rig: Rig, prior: Prior, noise: Array, laws: Laws,
    rows: Measurements, step: Array, motion: Motion, dropped: Indices,
) -> None:  # fmt: skip
    """Filter frames `first` to `last` in place, each by itself.

    Args:
        first: a frame.
        last: included.
        way: `SAMPLED` or `ANALYTIC`.
        rig: the figure, its n coordinates and the kinematic constraints.
        prior: (3n,) process noise of places, rates and their rates.
        noise: (T,) measurement variance of every task.
        laws: of motion.
        rows: scratch for 3n coordinates.
        step: (3n,) scratch.
        motion: in and out.
        dropped: (F,) out: see `kinematic_frames`.
    """
    tasks, width, work, demands = rig.tasks, rig.width, rig.work, laws.demands
    for f in range(first, last + 1):
        count = gather(tasks, f, work)
        dropped[f] = 0
        if count == 0 and law_count(f, demands) == 0:
            continue
        states = sample_frame(f, way, count, prior.limits, rig, prior.lengths, laws, motion, rows)
        size = _put_goals(f, count, tasks, noise, demands, work, rows)
        dropped[f] = partial_update(
            states, size, width, rows, prior.deviations, prior.spread, prior.floor, step
        )
        if dropped[f] < 0:
            continue
        for s in range(states, 3 * width):
            step[s] = 0.0
        move_state(f, rig, step, motion)
