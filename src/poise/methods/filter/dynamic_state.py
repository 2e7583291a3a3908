"""A moving pose inside the compiled loops: its state, and the same state a step on.

A frame's state has three numbers for each coordinate of the pose: place, velocity, acceleration.
Sigma points differ in one of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik import BALL, TRANSLATION, Rig, take_step
from poise.mechanics import (
    FrameMotion,
    PointForces,
    PointScratch,
    make_point_forces,
    make_point_scratch,
)


class Batch(NamedTuple):
    """Inverse dynamics of one frame and at its sigma points: scratch."""

    scratch: PointScratch
    forces: PointForces
    wanted: Indices
    """(J,)"""


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


@inlined_borrowing
def frame_motion(f: int, motion: Motion) -> FrameMotion:
    """One frame, as inverse dynamics takes it."""
    return FrameMotion(
        motion.root_accelerations[f], motion.local[f], motion.omega[f], motion.alpha[f]
    )


def make_batch(width: int, joints: int) -> Batch:
    """Scratch for a pose of so many coordinates."""
    return Batch(
        make_point_scratch(joints, width), make_point_forces(joints, width),
        np.zeros(joints, dtype=np.int64),
    )  # fmt: skip


@inner_borrowing
def move_state(f: int, rig: Rig, step: Array, motion: Motion) -> None:
    """Add a step of the state."""
    blocks, width, work = rig.blocks, rig.width, rig.work
    for c in range(width):
        work.step[c] = step[c]
    take_step(rig.tree, blocks, motion.roots[f], motion.local[f], 1.0, work)
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
