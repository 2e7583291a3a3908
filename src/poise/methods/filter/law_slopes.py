"""Rows of the laws of motion for one frame by exact derivatives, in place of sigma points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import inner_borrowing
from poise.ik import BALL, TRANSLATION, Blocks, Rig, Work, hinge_axis
from poise.mechanics import (
    RateScratch,
    Segments,
    Vector,
    cross,
    joint_moment_rates,
    joint_moments,
    make_rate_scratch,
    turn,
    wrench_rates,
)
from poise.methods.filter.dynamic_state import Motion, frame_motion
from poise.methods.filter.law_rows import (
    BALANCE,
    BALANCE_ROWS,
    FLIGHT,
    FLIGHT_ROWS,
    Demands,
    Strain,
    ground_on,
)
from poise.solvers import Measurements


class Rates(NamedTuple):
    """Inverse dynamics of one frame and how it changes with the state: scratch."""

    scratch: RateScratch
    wrench: Array
    """(6,) force and moment on the root."""
    wrench_by: Array
    """(6, 3n)"""
    moments: Array
    """(J, 3)"""
    moments_by: Array
    """(J, 3, 3n)"""
    wanted: Indices
    """(J,)"""


def make_rates(joints: int, width: int) -> Rates:
    """Scratch for a pose of so many coordinates."""
    return Rates(
        make_rate_scratch(joints, width), np.zeros(6), np.zeros((6, 3 * width)),
        np.zeros((joints, 3)), np.zeros((joints, 3, 3 * width)),
        np.zeros(joints, dtype=np.int64),
    )  # fmt: skip


@inner_borrowing
def differentiate_laws(
    f: int, row: int, rig: Rig, segments: Segments, demands: Demands, motion: Motion,
    rates: Rates, lengths: Array, rows: Measurements,
) -> None:  # fmt: skip
    """Rows of a frame from `row` on, and what they would be at sigma points if they were linear.

    The joints are placed in the rig.
    """
    blocks, width, strain = rig.blocks, rig.width, demands.strain
    center, plus, minus = rows.center, rows.plus, rows.minus
    strained = strain.first[f + 1] > strain.first[f]
    wrench_rates(
        segments, frame_motion(f, motion), blocks, width, strained, rates.scratch, rates.wrench,
        rates.wrench_by,
    )  # fmt: skip
    kind, k = demands.kind[f], row
    if kind == BALANCE:
        _balance(f, k, blocks, width, demands, motion, rates, lengths, center, plus, minus)
        k += BALANCE_ROWS
    elif kind == FLIGHT:
        for c in range(FLIGHT_ROWS):
            center[k + c] = rates.wrench[c] / segments.mass + demands.shift[f, c]
            for s in range(3 * width):
                change = lengths[s] * rates.wrench_by[c, s] / segments.mass
                plus[s, k + c], minus[s, k + c] = center[k + c] + change, center[k + c] - change
        k += FLIGHT_ROWS
    if not strained:
        return
    for j in range(len(rates.wanted)):
        rates.wanted[j] = 0
    for i in range(strain.first[f], strain.first[f + 1]):
        rates.wanted[strain.joint[i]] = 1
    joint_moments(rates.scratch, rates.moments)
    joint_moment_rates(
        segments.parents, blocks, width, rates.wanted, rates.scratch, rates.moments_by
    )
    for i in range(strain.first[f], strain.first[f + 1]):
        _torque(f, i, k, rig, strain, rates, lengths, rows)
        k += 1


@inner_borrowing
def _balance(
    f: int, k: int, blocks: Blocks, width: int, demands: Demands, motion: Motion, rates: Rates,
    lengths: Array, center: Array, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """The zero-moment point, x and z: a moment over the force that presses."""
    w, by = rates.wrench, rates.wrench_by
    rise, up = motion.roots[f, 1] - demands.height[f], 1.0 / w[1]
    ahead, aside = (w[5] - rise * w[0]) * up, -(w[3] + rise * w[2]) * up
    center[k], center[k + 1] = motion.roots[f, 0] + ahead, motion.roots[f, 2] + aside
    for s in range(3 * width):
        x = (by[5, s] - rise * by[0, s] - ahead * by[1, s]) * up
        z = (-by[3, s] - rise * by[2, s] - aside * by[1, s]) * up
        if s < 3 and blocks.kind[0] == TRANSLATION:
            if s == 0:
                x += 1.0
            elif s == 1:
                x -= w[0] * up
                z -= w[2] * up
            else:
                z += 1.0
        plus[s, k], minus[s, k] = center[k] + lengths[s] * x, center[k] - lengths[s] * x
        plus[s, k + 1] = center[k + 1] + lengths[s] * z
        minus[s, k + 1] = center[k + 1] - lengths[s] * z


@inner_borrowing
def _torque(
    f: int, i: int, k: int, rig: Rig, strain: Strain, rates: Rates, lengths: Array,
    rows: Measurements,
) -> None:  # fmt: skip
    """One torque, less what the ground takes off it (see `law_rows`)."""
    blocks, width, work = rig.blocks, rig.width, rig.work
    center, plus, minus = rows.center, rows.plus, rows.minus
    j, axis = strain.joint[i], (strain.axis[i, 0], strain.axis[i, 1], strain.axis[i, 2])
    by = rates.wrench_by
    share, (fx, fy, fz), (mx, my, mz) = ground_on(f, j, strain, rates.wrench)
    q, place = work.world, work.place
    a = turn(q[j, 0], q[j, 1], q[j, 2], q[j, 3], axis[0], axis[1], axis[2])
    x = (place[j, 0] - place[0, 0], place[j, 1] - place[0, 1], place[j, 2] - place[0, 2])
    t = cross(x[0], x[1], x[2], fx, fy, fz)
    g = (mx - t[0], my - t[1], mz - t[2])
    m = rates.moments
    center[k] = (
        axis[0] * m[j, 0] + axis[1] * m[j, 1] + axis[2] * m[j, 2]
        - a[0] * g[0] - a[1] * g[1] - a[2] * g[2]
    )  # fmt: skip
    # A · (x × df) = (A × x) · df
    n = cross(a[0], a[1], a[2], x[0], x[1], x[2])
    b = rates.moments_by
    for s in range(3 * width):
        slope = axis[0] * b[j, 0, s] + axis[1] * b[j, 1, s] + axis[2] * b[j, 2, s]
        slope -= share * (
            a[0] * by[3, s] + a[1] * by[4, s] + a[2] * by[5, s]
            - n[0] * by[0, s] - n[1] * by[1, s] - n[2] * by[2, s]
        )  # fmt: skip
        plus[s, k], minus[s, k] = center[k] + lengths[s] * slope, center[k] - lengths[s] * slope
    if share == 0.0:
        return
    # Turning a joint at or above turns the joint's frame, and carries it along.
    ag = cross(a[0], a[1], a[2], g[0], g[1], g[2])
    fa = cross(fx, fy, fz, a[0], a[1], a[2])
    up = j
    while up >= 0:
        block = int(blocks.of_joint[up])
        if block >= 0:
            arm = (
                place[j, 0] - place[up, 0], place[j, 1] - place[up, 1], place[j, 2] - place[up, 2]
            )  # fmt: skip
            # slope = A·(e × g) + A·((e × arm) × f), both as something · e.
            c = cross(arm[0], arm[1], arm[2], fa[0], fa[1], fa[2])
            d = (c[0] - ag[0], c[1] - ag[1], c[2] - ag[2])
            _add_turn(block, k, d, blocks, work, lengths, plus, minus)
        up = rig.tree.parents[up]


@inner_borrowing
def _add_turn(
    block: int, k: int, d: Vector, blocks: Blocks, work: Work, lengths: Array,
    plus: Array, minus: Array,
) -> None:  # fmt: skip
    """Add slopes by the turns of a block, given as a vector in the world."""
    column = blocks.column[block]
    if blocks.kind[block] == BALL:
        for c in range(3):
            plus[column + c, k] += lengths[column + c] * d[c]
            minus[column + c, k] -= lengths[column + c] * d[c]
    else:
        e = hinge_axis(blocks, block, work)
        slope = e[0] * d[0] + e[1] * d[1] + e[2] * d[2]
        plus[column, k] += lengths[column] * slope
        minus[column, k] -= lengths[column] * slope
