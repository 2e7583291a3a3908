"""Joint torques within strength: a squared hinge on what is asked beyond it, one frame at a time.

A joint's torque is that of inverse dynamics less what the reaction forces on its subtree do for it.
The forces follow the wrench (`force_barrier`), so a torque feels a motion in three ways: through
its own dynamics, through the forces, and by the joint's axes and origin moving under them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik import BALL, TRANSLATION, Blocks, Tree, Work
from poise.mechanics import Segments, Vector, cross, joint_moment_rates, joint_moments, turn
from poise.physics.likeness_rows import smooth_hinge
from poise.physics.newton_euler_rows import FrameWork, Scale, Supports, over_frames
from poise.solvers import FORCE, RATE

NEAR = 0.9
"""Share of the strength that is used freely: beyond it costs."""
_SOFT = 0.05
"""Shares of the strength over which that begins to either side."""


class Strength(NamedTuple):
    """What joints can do, about axes in their own frames."""

    axes: Array
    """(J, 3, 3) row k: the k-th axis."""
    low: Array
    """(J, 3) and"""
    high: Array
    """(J, 3) largest torque about it in either direction; infinite where there is no limit."""
    limited: Indices
    """(J,) 1 where any is finite."""
    beyond: Indices
    """(F, J, 3) out: the sign of a torque beyond its limit at the motion last evaluated."""
    foreseen: Indices
    """(F, J, 3) the same where the last step would lead: such torques have rows before they are."""
    asked: Indices
    """(F,) 1 where limits hold."""
    severity: Array
    """(F, J) what torques count more, where a filter shows larger ones (see `second_look`)."""
    worst: Array
    """(F,) out: the largest torque there, in shares of its limit."""


class TorqueWork(NamedTuple):
    """Scratch of one frame."""

    loads: Array
    """(J, 6) what reaction forces do to a joint's subtree: force, moment about the reference."""
    moments: Array
    """(J, 3) joint moments without them."""
    moments_by: Array
    """(J, 3, 3 W)"""
    wanted: Indices
    """(J,)"""
    by: Array
    """(1, 3 W)"""
    row: Array
    """(1, 3 W)"""
    pull: Array
    """(6,)"""


def make_torque_work(joints: int, width: int) -> TorqueWork:
    """Scratch for a body of so many joints and unknowns."""
    return TorqueWork(
        np.zeros((joints, 6)), np.zeros((joints, 3)), np.zeros((joints, 3, 3 * width)),
        np.zeros(joints, dtype=np.int64), np.zeros((1, 3 * width)), np.zeros((1, 3 * width)),
        np.zeros(6),
    )  # fmt: skip


def strength_of(character: Character, frames: int) -> Strength:
    """Limits of a character: anatomical where it has them, else those of its freedoms.

    Limits of zero or less are left to the report: no motion keeps to them.
    """
    skeleton = character.skeleton
    count, hinges = skeleton.joint_count, skeleton.freedoms == 1
    if character.strength is not None:
        own = character.strength.axes.own_wxyz
        axes = rotations.rotate(own[:, None], np.tile(np.eye(3), (count, 1, 1)))
        limits = np.array(character.strength.limits_nm)
        along = skeleton.hinge_axes[hinges]
        # A hinge feels a torque only along itself, whatever anatomical axis it is near.
        axes[hinges] = np.einsum("jkc,jc->jk", axes[hinges], along)[..., None] * along[:, None]
    else:
        axes = np.tile(np.eye(3), (count, 1, 1))
        axes[hinges] = 0.0
        axes[hinges, 0] = skeleton.hinge_axes[hinges]
        largest = np.array(character.torque_limits_nm)
        largest[np.arange(3) >= skeleton.freedoms[:, None]] = np.inf
        limits = np.stack([-largest, largest], axis=-1)
    # What acts on the root is no muscle's.
    free = (skeleton.freedoms == 0) | (np.arange(count) == 0)
    limits[free] = (-np.inf, np.inf)
    low = np.where(limits[..., 0] < 0.0, limits[..., 0], -np.inf)
    high = np.where(limits[..., 1] > 0.0, limits[..., 1], np.inf)
    limited = (np.isfinite(low) | np.isfinite(high)).any(axis=1)
    return Strength(
        np.ascontiguousarray(axes), np.ascontiguousarray(low), np.ascontiguousarray(high),
        np.asarray(limited, dtype=np.int64), np.zeros((frames, count, 3), dtype=np.int64),
        np.zeros((frames, count, 3), dtype=np.int64), np.ones(frames, dtype=np.int64),
        np.ones((frames, count)), np.zeros(frames),
    )  # fmt: skip


@inner_borrowing
def put_loads(
    f: int, parents: Indices, supports: Supports, forces: Array, scale: Scale, work: TorqueWork
) -> None:
    """What the reaction forces do to every subtree."""
    for j in range(len(parents)):
        for c in range(6):
            work.loads[j, c] = 0.0
    for k in range(supports.first[f], supports.first[f + 1]):
        j, g = supports.joint[k], forces[k, FORCE]
        for c in range(6):
            unit = scale.weight_n if c < 3 else scale.weight_n * scale.length_m
            work.loads[j, c] += unit * g * supports.generators[k, c]
    for j in range(len(parents) - 1, 0, -1):
        for c in range(6):
            work.loads[parents[j], c] += work.loads[j, c]


@inlined_borrowing
def _carried(j: int, reference: Array, pose: Work, work: TorqueWork) -> Vector:
    """Moment of the reaction forces on a subtree about its joint, in world axes."""
    l, p = work.loads[j], pose.place[j]
    x, y, z = cross(p[0] - reference[0], p[1] - reference[1], p[2] - reference[2], l[0], l[1], l[2])
    return l[3] - x, l[4] - y, l[5] - z


@inner_borrowing
def put_torques(
    f: int, segments: Segments, tree: Tree, blocks: Blocks, width: int, scale: Scale,
    supports: Supports, forces: Array, strength: Strength, weight: float, slopes: bool,
    pose: Work, frame: FrameWork, work: TorqueWork, band: Array, right: Array,
) -> float:  # fmt: skip
    """Add the rows of one frame; returns what they cost.

    The frame's wrench has been put and explained, its rows are in `frame.rows`, its joints in
    `pose`.
    """
    if strength.asked[f] == 0:
        return 0.0
    put_loads(f, segments.parents, supports, forces, scale, work)
    joint_moments(frame.rates, work.moments)
    cost, any_beyond = 0.0, False
    strength.worst[f] = 0.0
    for j in range(len(work.wanted)):
        work.wanted[j] = 0
        if strength.limited[j] == 0:
            continue
        for k in range(3):
            share = _share(f, j, k, supports.reference[f], strength, pose, work)
            strength.beyond[f, j, k] = 0
            strength.worst[f] = max(strength.worst[f], abs(share) / strength.severity[f, j])
            if abs(share) > NEAR - _SOFT:
                _, _, value = smooth_hinge(abs(share) - NEAR, _SOFT)
                cost += weight * value
                strength.beyond[f, j, k] = 1 if share > 0.0 else -1
            if strength.beyond[f, j, k] != 0 or strength.foreseen[f, j, k] != 0:
                work.wanted[j] = 1
                any_beyond = True
    if not slopes or not any_beyond:
        return cost
    joint_moment_rates(segments.parents, blocks, width, work.wanted, frame.rates, work.moments_by)
    for j in range(len(work.wanted)):
        if work.wanted[j] == 0:
            continue
        for k in range(3):
            sign = strength.beyond[f, j, k]
            if sign == 0:
                sign = strength.foreseen[f, j, k]
            if sign != 0:
                torque = _share(f, j, k, supports.reference[f], strength, pose, work)
                share, error = 1.0, sign * torque - NEAR
                if error > -_SOFT:
                    share, error, _ = smooth_hinge(error, _SOFT)
                _add_row(
                    f, j, k, torque, sign * error, tree, blocks, width, scale, supports, forces,
                    strength, share * weight, pose, frame, work, band, right,
                )  # fmt: skip
    return cost


@inlined_borrowing
def _unit(f: int, j: int, k: int, share: float, strength: Strength) -> float:
    """One over the limit on the side that a torque is on."""
    return strength.severity[f, j] / (strength.high[j, k] if share > 0.0 else -strength.low[j, k])


@inlined_borrowing
def _share(
    f: int, j: int, k: int, reference: Array, strength: Strength, pose: Work, work: TorqueWork
) -> float:
    """A torque in shares of its limit, with its sign."""
    a, m, q = strength.axes[j, k], work.moments[j], pose.world[j]
    x, y, z = _carried(j, reference, pose, work)
    x, y, z = turn(q[0], -q[1], -q[2], -q[3], x, y, z)
    t = a[0] * (m[0] - x) + a[1] * (m[1] - y) + a[2] * (m[2] - z)
    return t * _unit(f, j, k, t, strength)


@inner_borrowing
def _add_row(
    f: int, j: int, k: int, torque: float, over: float, tree: Tree, blocks: Blocks, width: int,
    scale: Scale, supports: Supports, forces: Array, strength: Strength, weight: float, pose: Work,
    frame: FrameWork, work: TorqueWork, band: Array, right: Array,
) -> None:  # fmt: skip
    unit = _unit(f, j, k, torque, strength)
    a, q, reference = strength.axes[j, k], pose.world[j], supports.reference[f]
    by, row, m = work.by[0], work.row[0], work.moments_by[j]
    for s in range(3 * width):
        by[s] = unit * (a[0] * m[0, s] + a[1] * m[1, s] + a[2] * m[2, s])
    w = turn(q[0], q[1], q[2], q[3], a[0], a[1], a[2])
    _add_geometry(j, unit, w, _carried(j, reference, pose, work), tree, blocks, pose, work, by)
    over_frames(work.by, 1, blocks, tree, width, scale.rate_hz, frame.turns, work.row, pose)
    # Through the forces: dg = rate A·dy, dy = H dw, and dw is the frame's rows.
    pull = work.pull
    for c in range(6):
        pull[c] = 0.0
    p = pose.place[j]
    for g in range(supports.first[f], supports.first[f + 1]):
        if not _hangs_on(supports.joint[g], j, tree):
            continue
        e = supports.generators[g]
        x, y, z = cross(
            p[0] - reference[0], p[1] - reference[1], p[2] - reference[2], e[0], e[1], e[2]
        )
        length = scale.length_m
        share = w[0] * (length * e[3] - x) + w[1] * (length * e[4] - y) + w[2] * (length * e[5] - z)
        share *= -unit * scale.weight_n * forces[g, RATE]
        for c in range(6):
            pull[c] += share * e[c]
    _solve_factored(frame.factor, pull)
    for s in range(3 * width):
        total = row[s]
        for c in range(6):
            total += pull[c] * frame.rows[c, s]
        row[s] = total
    start = (f - 1) * width
    for i in range(3 * width):
        scaled = weight * row[i]
        if scaled == 0.0:
            continue
        right[start + i] -= scaled * over
        target = band[start + i]
        for n in range(i, 3 * width):
            target[n - i] += scaled * row[n]


@inlined_borrowing
def _solve_factored(factor: Array, x: Array) -> None:
    for i in range(6):
        total = x[i]
        for k in range(i):
            total -= factor[i, k] * x[k]
        x[i] = total / factor[i, i]
    for i in range(5, -1, -1):
        total = x[i]
        for k in range(i + 1, 6):
            total -= factor[k, i] * x[k]
        x[i] = total / factor[i, i]


@inlined_borrowing
def _hangs_on(joint: int, above: int, tree: Tree) -> bool:
    while joint > above:
        joint = tree.parents[joint]
    return joint == above


@inlined_borrowing
def _add_geometry(
    j: int, unit: float, w: Vector, g: Vector, tree: Tree, blocks: Blocks, pose: Work,
    work: TorqueWork, by: Array,
) -> None:  # fmt: skip
    """Minus what the forces' moment about the joint's axis gains as axis and origin move.

    The numbers of `by` are about world axes (a hinge: its own), as `over_frames` takes them.
    """
    l, p = work.loads[j], pose.place[j]
    # With e a turn at or above the joint: (e × w)·g = e·(w × g), and the origin carried along by
    # e × arm takes −w·((e × arm) × F) = −e·(arm × (F × w)).
    wg = cross(w[0], w[1], w[2], g[0], g[1], g[2])
    fw = cross(l[0], l[1], l[2], w[0], w[1], w[2])
    up = j
    while up >= 0:
        block = blocks.of_joint[up]
        if block >= 0:
            arm = p[0] - pose.place[up, 0], p[1] - pose.place[up, 1], p[2] - pose.place[up, 2]
            c = cross(arm[0], arm[1], arm[2], fw[0], fw[1], fw[2])
            d = wg[0] - c[0], wg[1] - c[1], wg[2] - c[2]
            column = blocks.column[block]
            if blocks.kind[block] == BALL:
                for i in range(3):
                    by[column + i] -= unit * d[i]
            else:
                q, a = pose.world[up], blocks.axis[block]
                e = turn(q[0], q[1], q[2], q[3], a[0], a[1], a[2])
                by[column] -= unit * (e[0] * d[0] + e[1] * d[1] + e[2] * d[2])
        up = tree.parents[up]
    if blocks.kind[0] == TRANSLATION:
        # The origin moves with the root: −w·(e × F) = −e·(F × w).
        for i in range(3):
            by[blocks.column[0] + i] += unit * fw[i]
