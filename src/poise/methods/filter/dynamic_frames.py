"""The compiled loop of dynamic filtering: position, velocity and acceleration of every frame.

A frame's state has three numbers for each coordinate of the pose. Its sigma points differ in one of
them, and all go through inverse dynamics together, as if they were frames of a clip: the kernel
works on several at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import compiled, inner_borrowing
from poise.ik.frame_loop import gather
from poise.ik.packed import BALL, TRANSLATION, Blocks, Tasks, Tree, Work
from poise.ik.posing import place_joints, take_step, turned_rotation
from poise.ik.sampled_rows import sample_task
from poise.mechanics.newton_euler import newton_euler
from poise.methods.filter.kinematic_frames import Prior, Rows
from poise.solvers.unscented_update import unscented_update

NO_DYNAMICS, BALANCE, FLIGHT = 0, 1, 2
"""What the laws of motion ask in a frame."""

BALANCE_ROWS, FLIGHT_ROWS = 2, 6


class Segments(NamedTuple):
    """The body, as inverse dynamics takes it."""

    parents: Indices
    constants: Array
    slots: Indices
    moving: Array
    gravity: Array
    mass: float


class Batch(NamedTuple):
    """One row a sigma point: the state, and the forces it asks for."""

    local: Array
    """(M, J, 4)"""
    omega: Array
    """(M, J, 3)"""
    alpha: Array
    root: Array
    """(M, 3)"""
    root_acceleration: Array
    moments: Array
    """(M, J, 3) out"""
    force: Array
    """(M, 3) out, on the root"""
    moment: Array


class Motion(NamedTuple):
    """A clip with its derivatives, in place."""

    roots: Array
    """(F, 3)"""
    root_velocities: Array
    root_accelerations: Array
    local: Array
    """(F, J, 4)"""
    omega: Array
    """(F, J, 3)"""
    alpha: Array


class Demands(NamedTuple):
    """What the laws of motion ask, frame by frame."""

    kind: Indices
    """(F,) `NO_DYNAMICS`, `BALANCE` or `FLIGHT`."""
    goal: Array
    """(F, 2) x and z of the zero-moment point."""
    height: Array
    """(F,) of the ground."""
    noise: Array
    """(3,) measurement variance by kind."""


def make_batch(width: int, joints: int) -> Batch:
    """Scratch for a state of so many coordinates."""
    count = 1 + 6 * width
    return Batch(
        np.zeros((count, joints, 4)), np.zeros((count, joints, 3)), np.zeros((count, joints, 3)),
        np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, joints, 3)),
        np.zeros((count, 3)), np.zeros((count, 3)),
    )  # fmt: skip


@inner_borrowing
def _spread(
    f: int, tree: Tree, blocks: Blocks, width: int, lengths: Array, work: Work,
    motion: Motion, batch: Batch, one: Array,
) -> None:  # fmt: skip
    """The state of a frame in every row, and in each but the first one number changed."""
    joints = len(tree.parents)
    for r in range(len(batch.root)):
        for c in range(3):
            batch.root[r, c] = motion.roots[f, c]
            batch.root_acceleration[r, c] = motion.root_accelerations[f, c]
        for j in range(joints):
            for c in range(4):
                batch.local[r, j, c] = motion.local[f, j, c]
            for c in range(3):
                batch.omega[r, j, c] = motion.omega[f, j, c]
                batch.alpha[r, j, c] = motion.alpha[f, j, c]
    for c in range(width):
        one[c] = 0.0
    for b in range(len(blocks.kind)):
        j = blocks.joint[b]
        for number in range(3 if blocks.kind[b] <= BALL else 1):
            column = blocks.column[b] + number
            for side in range(2):
                sign = 1.0 if side == 0 else -1.0
                place = 1 + 2 * column + side
                speed = 1 + 2 * (width + column) + side
                rate = 1 + 2 * (2 * width + column) + side
                slow, quick = sign * lengths[width + column], sign * lengths[2 * width + column]
                if blocks.kind[b] == TRANSLATION:
                    batch.root[place, number] += sign * lengths[column]
                    batch.root_acceleration[rate, number] += quick
                    continue
                one[column] = sign * lengths[column]
                q = turned_rotation(tree, blocks, b, motion.local[f], one, 1.0, work)
                one[column] = 0.0
                for c in range(4):
                    batch.local[place, j, c] = q[c]
                for c in range(3):
                    share = blocks.axis[b, c]
                    if blocks.kind[b] == BALL:
                        share = 1.0 if c == number else 0.0
                    batch.omega[speed, j, c] += share * slow
                    batch.alpha[rate, j, c] += share * quick


@inner_borrowing
def _put_laws(kind: int, height: float, mass: float, batch: Batch, r: int, out: Array) -> None:
    """What a row of the batch gives for the zero-moment point, or for what flight leaves none of.

    The force and the moment that the root would need: in flight both are zero, which is Eq. 11
    with the dots put back (see the reading notes) and with the segments' own inertia.
    """
    force, moment = batch.force[r], batch.moment[r]
    if kind == BALANCE:
        rise = batch.root[r, 1] - height
        out[0] = batch.root[r, 0] + (moment[2] - rise * force[0]) / force[1]
        out[1] = batch.root[r, 2] - (moment[0] + rise * force[2]) / force[1]
    else:
        for c in range(3):
            out[c] = force[c] / mass
            out[3 + c] = moment[c] / mass


@inner_borrowing
def _put_rows(
    f: int, count: int, tree: Tree, blocks: Blocks, tasks: Tasks, width: int, work: Work,
    prior: Prior, noise: Array, rows: Rows,
) -> int:  # fmt: skip
    """Kinematic rows of all sigma points; returns how many rows there are."""
    for i in range(count):
        t = work.active[i]
        sample_task(
            tree, blocks, tasks, t, f, work.row_of[i],
            prior.lengths, width, work, rows.center, rows.plus, rows.minus,
        )  # fmt: skip
        for k in range(work.row_of[i], work.row_of[i + 1]):
            rows.noise[k] = tasks.scale[t] ** 2 * noise[t]
            rows.goals[k] = 0.0
            for s in range(width, 3 * width):  # places do not depend on rates
                rows.plus[s, k] = rows.center[k]
                rows.minus[s, k] = rows.center[k]
    return int(work.row_of[count])


@inner_borrowing
def _move(
    f: int, tree: Tree, blocks: Blocks, width: int, work: Work, step: Array, motion: Motion
) -> None:
    """Add a step of the state."""
    for c in range(width):
        work.step[c] = step[c]
    take_step(tree, blocks, motion.roots[f], motion.local[f], 1.0, work)
    for b in range(len(blocks.kind)):
        j = blocks.joint[b]
        for number in range(3 if blocks.kind[b] <= BALL else 1):
            column = blocks.column[b] + number
            speed, rate = step[width + column], step[2 * width + column]
            if blocks.kind[b] == TRANSLATION:
                motion.root_velocities[f, number] += speed
                motion.root_accelerations[f, number] += rate
            elif blocks.kind[b] == BALL:
                motion.omega[f, j, number] += speed
                motion.alpha[f, j, number] += rate
            else:
                for c in range(3):
                    motion.omega[f, j, c] += blocks.axis[b, c] * speed
                    motion.alpha[f, j, c] += blocks.axis[b, c] * rate


@compiled
def filter_dynamic_frames(
    first: int, last: int,
    tree: Tree, blocks: Blocks, tasks: Tasks, width: int, work: Work,
    segments: Segments, prior: Prior, noise: Array, demands: Demands,
    rows: Rows, batch: Batch, step: Array, motion: Motion, dropped: Indices,
) -> None:  # fmt: skip
    """Filter frames `first` to `last` in place, each by itself.

    Args:
        first: a frame.
        last: included.
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
        batch: scratch.
        step: (3n,) scratch.
        motion: in and out.
        dropped: (F,) out: see `kinematic_frames`.
    """
    for f in range(first, last + 1):
        count = gather(tasks, f, work)
        kind = demands.kind[f]
        dropped[f] = 0
        if count == 0 and kind == NO_DYNAMICS:
            continue
        place_joints(tree, f, motion.roots[f], motion.local[f], work)
        size = _put_rows(f, count, tree, blocks, tasks, width, work, prior, noise, rows)
        states = width
        if kind != NO_DYNAMICS:
            states = 3 * width
            _spread(f, tree, blocks, width, prior.lengths, work, motion, batch, step)
            newton_euler(
                0, len(batch.root), segments.parents, segments.constants,
                segments.slots, segments.moving, segments.gravity,
                batch.local, batch.omega, batch.root_acceleration, batch.alpha,
                batch.moments, batch.force, batch.moment,
            )  # fmt: skip
            more = BALANCE_ROWS if kind == BALANCE else FLIGHT_ROWS
            height, mass = demands.height[f], segments.mass
            _put_laws(kind, height, mass, batch, 0, rows.center[size:])
            for s in range(states):
                _put_laws(kind, height, mass, batch, 1 + 2 * s, rows.plus[s, size:])
                _put_laws(kind, height, mass, batch, 2 + 2 * s, rows.minus[s, size:])
            for k in range(more):
                rows.goals[size + k] = demands.goal[f, k] if kind == BALANCE else 0.0
                rows.noise[size + k] = demands.noise[kind]
            size += more
        dropped[f] = unscented_update(
            states, size, rows.center, rows.plus, rows.minus, prior.deviations,
            prior.scale, prior.excess, rows.goals, rows.noise, prior.floor,
            step, rows.predicted, rows.halves, rows.matrix, rows.vector,
        )  # fmt: skip
        if dropped[f] < 0:
            continue
        for s in range(states, 3 * width):
            step[s] = 0.0
        _move(f, tree, blocks, width, work, step, motion)
