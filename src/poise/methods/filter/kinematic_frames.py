"""The compiled loop of kinematic filtering: every frame by itself, from its own input pose.

The prior's mean is the input (the paper's process model, Eq. 12), so a frame asks nothing of its
neighbours: frames can be filtered in any order, and as they come.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.ik import (
    AIM,
    BALL,
    POINT,
    TURN,
    Limits,
    Rig,
    Tasks,
    Work,
    evaluate_pose,
    gather,
    place_joints,
    sample_task,
    take_step,
)
from poise.methods.filter.curve_fit import KNOT_S, CurveFit
from poise.methods.filter.settings import Settings
from poise.methods.filter.strain import leaves_range, put_ranges, unlock
from poise.motion import Clip
from poise.solvers import Measurements, Spread, linear_update, unscented_update

SAMPLED, ANALYTIC = 0, 1
"""Sigma points, or the tasks' exact derivatives in their place."""


_MORE_UPDATES = 4
"""For joints that an update took beyond the end of their range."""

_FARTHEST = 0.5
"""Radians or metres that one update may move a coordinate: straight lines are not good for more."""

FREE = 1e30
"""Measurement variance of what holds already: such a row asks for nothing."""


class Prior(NamedTuple):
    """The distribution that a frame starts from, and how it is sampled."""

    deviations: Array
    """(W,) square roots of the process noise, one a coordinate."""
    lengths: Array
    """(W,) how far sigma points lie away: deviations times the square root of the spread."""
    spread: Spread
    floor: float
    """Rows that depend on others to this share are left out (see `unscented_update`)."""
    limits: Limits
    """How far joints may turn: no state lies beyond."""


def unlimited(prior: Prior) -> Prior:
    """Joints may turn as they like: of a stream nobody knows how far its own joints will."""
    limits = prior.limits
    free = np.full_like(limits.low, np.inf)
    return prior._replace(limits=limits._replace(low=-free, high=free))


class Noise(NamedTuple):
    """Variances of measurements."""

    near: Array
    """(T,) of every task; zero is hard."""
    far: float
    """What is added for goals further away than the next two, a tenth of it in every update and
    nothing in the last."""
    far_m: float
    far_rad: float


def make_rows(count: int, width: int) -> Measurements:
    """Scratch for at most so many rows and coordinates."""
    one, size = np.zeros(count), (max(width, 1), count)
    return Measurements(
        # All points of a row side by side: loops over them are the longest.
        one, np.zeros(size, order="F"), np.zeros(size, order="F"), one.copy(), one.copy(),
        one.copy(),
        np.zeros((count, 2 * max(width, 1))), np.zeros((count, count)), np.zeros(2 * count),
        np.zeros(1, dtype=np.int64),
    )  # fmt: skip


@inlined_borrowing
def holds(tasks: Tasks, t: int, k: int, rows: Measurements) -> bool:
    """Whether a row of a one-sided task is on its side."""
    return tasks.side[t] != 0 and tasks.side[t] * rows.center[k] <= 0.0


@borrowing
def filter_frames(
    first: int, last: int, way: int, updates: int, rig: Rig, prior: Prior, noise: Noise,
    rows: Measurements, roots: Array, locals_: Array, misses: Array, dropped: Indices,
) -> None:  # fmt: skip
    """Filter frames `first` to `last` in place.

    Args:
        first: a frame.
        last: included.
        way: `SAMPLED` or `ANALYTIC`.
        updates: how often a frame is updated, each time from where the last one left it.
        rig: the figure, its coordinates and what is measured.
        prior: process noise and spread.
        noise: of the measurements.
        rows: scratch.
        roots: (F, 3) in and out.
        locals_: (F, J, 4) in and out.
        misses: (F, T) out, errors in metres and radians.
        dropped: (F,) out, how many rows depended on others in the last update; negative: why the
            update failed (see `unscented_update`), and the pose is as it was before it.
    """
    tree, blocks, tasks, width, work = rig.tree, rig.blocks, rig.tasks, rig.width, rig.work
    for f in range(first, last + 1):
        count = gather(tasks, f, work)
        dropped[f] = 0
        if count == 0:
            continue
        root, local = roots[f], locals_[f]
        unlock(prior.limits, work)
        u, total = 0, updates
        while u < total:
            if way == ANALYTIC:
                work.crowded[0] = 0
                _evaluate_pose(f, count, rig, root, local)
                _put_derivatives(count, rig, prior, rows)
            else:
                place_joints(tree, f, root, local, work)
                for i in range(count):
                    sample_task(
                        rig, work.active[i], f, work.row_of[i], prior.lengths, rows.center,
                        rows.plus, rows.minus,
                    )  # fmt: skip
            soften = 0.1**u if u < updates - 1 else 0.0
            for i in range(count):
                t, square = work.active[i], 0.0
                for k in range(work.row_of[i], work.row_of[i + 1]):
                    square += rows.center[k] ** 2
                angular = tasks.kind[t] == TURN or tasks.kind[t] == AIM
                limit = tasks.scale[t] * (noise.far_rad if angular else noise.far_m)
                added = soften * noise.far if square > limit * limit else 0.0
                for k in range(work.row_of[i], work.row_of[i + 1]):
                    rows.noise[k] = tasks.scale[t] ** 2 * (noise.near[t] + added)
                    if holds(tasks, t, k, rows):
                        rows.noise[k] = FREE
            size = work.row_of[count]
            size += put_ranges(
                prior.limits, tree, blocks, width, prior.lengths, work, local,
                work.row_of[count], rows.center, rows.plus, rows.minus,
            )  # fmt: skip
            for k in range(work.row_of[count], size):
                rows.noise[k] = 0.0
            if way == ANALYTIC:
                _spread_ranges(int(work.row_of[count]), size, width, prior, rows)
                dropped[f] = linear_update(
                    width, size, rows.center, rows.halves, prior.deviations,
                    rows.goals, rows.noise, prior.floor, work.step, rows.matrix, rows.vector,
                )  # fmt: skip
            else:
                dropped[f] = unscented_update(
                    width, size, rows, prior.deviations, prior.spread, prior.floor, work.step
                )
            if dropped[f] < 0:
                break
            farthest = 0.0
            for c in range(width):
                farthest = max(farthest, abs(work.step[c]))
            take_step(tree, blocks, root, local, min(1.0, _FARTHEST / max(farthest, 1e-300)), work)
            u += 1
            if u == total and total < updates + _MORE_UPDATES:
                total += int(leaves_range(prior.limits, blocks, local, work))
        work.crowded[0] = _plain(count, tasks, work)  # their derivatives are not needed now
        _evaluate_pose(f, count, rig, root, local)
        for i in range(count):
            misses[f, work.active[i]] = work.misses[i]


@inner_borrowing
def _evaluate_pose(f: int, count: int, rig: Rig, root: Array, local: Array) -> None:
    """Compiled once for both of its callers."""
    evaluate_pose(f, count, rig, root, local)


@inlined_borrowing
def _plain(count: int, tasks: Tasks, work: Work) -> int:
    """How many of the first active tasks are points or turns, whose errors need no rows."""
    for i in range(count):
        kind = tasks.kind[work.active[i]]
        if kind != POINT and kind != TURN:
            return i
    return count


@inlined_borrowing
def _put_derivatives(count: int, rig: Rig, prior: Prior, rows: Measurements) -> None:
    """What is missing to the goals, and what a deviation of each coordinate changes of it."""
    blocks, tasks, width, work = rig.blocks, rig.tasks, rig.width, rig.work
    for k in range(work.row_of[count]):
        rows.center[k] = -work.errors[k]
        spread, full = rows.halves[k], work.full[k]
        for c in range(width):
            spread[c] = prior.deviations[c] * full[c]
    for i in range(count):
        t = work.active[i]
        for n in range(tasks.carry[t], tasks.carry[t + 1]):
            if tasks.carry_recruited[n]:
                continue
            b = tasks.carry_block[n]
            size = 3 if blocks.kind[b] <= BALL else 1
            for c in range(blocks.column[b], blocks.column[b] + size):
                for k in range(work.row_of[i], work.row_of[i + 1]):
                    rows.halves[k, c] = 0.0


@inlined_borrowing
def _spread_ranges(first: int, size: int, width: int, prior: Prior, rows: Measurements) -> None:
    """The same of joints at the ends of their ranges, from their sigma points."""
    per = 0.5 / np.sqrt(prior.spread.scale)
    for k in range(first, size):
        for c in range(width):
            rows.halves[k, c] = per * (rows.plus[c, k] - rows.minus[c, k])


# The least-squares filter on what a kinematic round added (section 6, its footnote).
#
# Frames are filtered one by one, and far goals or ranges of joints may tell neighbours apart.
# There are no velocities to fit in a kinematic round; those of what was added serve, by
# differences.
def smoothed(before: Clip, after: Clip, settings: Settings) -> Clip:
    """`after`, with a curve in the place of what it has more than `before`."""
    frames, rate = before.frame_count, before.rate_hz
    if frames < 3:
        return after
    back = rotations.conjugate(before.rotations_wxyz)
    turns = rotations.log(rotations.multiply(back, after.rotations_wxyz))
    shifts = after.root_positions_m - before.root_positions_m
    added = np.concatenate([shifts, turns.reshape(frames, -1)], axis=1)
    fit = CurveFit(frames, rate, knot_s=max(settings.knot_s, KNOT_S), beta=settings.beta)
    speed: Array = np.gradient(added, axis=0) * rate
    curve, _, _ = fit.fit(added, speed, np.gradient(speed, axis=0) * rate)
    turned = rotations.exp(curve[:, 3:].reshape(turns.shape))
    return replace(
        after,
        root_positions_m=before.root_positions_m + curve[:, :3],
        rotations_wxyz=rotations.continuous(rotations.multiply(before.rotations_wxyz, turned)),
    )
