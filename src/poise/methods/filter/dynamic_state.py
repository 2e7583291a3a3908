"""A moving pose inside the compiled loops: its state, and the same state one number on.

A frame's state has three numbers for each coordinate of the pose: place, velocity, acceleration.
Sigma points differ in one of them, and all go through inverse dynamics together, as if they were
frames of a clip: the kernel works on several at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import inner_borrowing
from poise.ik.packed import BALL, TRANSLATION, Blocks, Tree, Work
from poise.ik.posing import take_step, turned_rotation
from poise.mechanics.newton_euler import SCRATCH


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
    scratch: Array


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


def make_batch(width: int, joints: int) -> Batch:
    """Scratch for a state of so many coordinates."""
    count = 1 + 6 * width
    return Batch(
        np.zeros((count, joints, 4)), np.zeros((count, joints, 3)), np.zeros((count, joints, 3)),
        np.zeros((count, 3)), np.zeros((count, 3)), np.zeros((count, joints, 3)),
        np.zeros((count, 3)), np.zeros((count, 3)), np.zeros(joints * SCRATCH),
    )  # fmt: skip


@inner_borrowing
def spread_state(
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
def move_state(
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
