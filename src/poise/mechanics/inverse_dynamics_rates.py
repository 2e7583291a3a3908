"""Exact derivatives of inverse dynamics, for one frame: how the root's wrench changes.

All in world axes, places ρ and velocities ρ̇ relative to the root joint's origin.

A coordinate of joint j changes how its subtree is carried and nothing else. To first order every
such change is: the subtree turns with e about the joint (places only), and a further motion is laid
over it, with angular velocity ν, its rate μ and an acceleration β of the point at the root:

    δa(ρ) = β + μ × ρ + 2 ν × ρ̇        for every point ρ of the subtree

With Ω and Λ the angular velocity and acceleration of the parent (p) and of the joint itself (j), a
and v the joint's acceleration and velocity, r its place:

    place          ν = Ωp × e       μ = Λp × e + Ωp × ν      β = a × e + r × μ + 2 v × ν
    velocity       ν = e            μ = (Ωp + Ωj) × e        β = r × μ + 2 v × ν
    acceleration   ν = 0            μ = e                    β = r × μ

(a place turns the joint with its numbers ω and α held; seen from the turned subtree the parent
turns back, hence the first line). Integrated over the subtree, with mass m and moments
h = ∫ ρ dm, l = ∫ ρ̇ dm, S = ∫ ρ ρᵀ dm, B = ∫ ρ̇ ρᵀ dm:

    δforce  = m β + μ × h + 2 ν × l
    δmoment = h × β + (tr S − S) μ + 2 (tr B − B) ν

So a coordinate costs the same on any tree, and sums over subtrees are all that is needed. What the
motion laid over does to the joints inside the subtree is in `joint_moment_rates`.

The three columns of a ball joint stand in the lanes of one number (see `triples`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.mechanics.lanes import LANES, load
from poise.mechanics.quaternion_kernels import Vector, cross, turned
from poise.mechanics.subtree_sums import (
    FIRST,
    FLOW,
    FORCE,
    MASS,
    MIXED,
    MOMENT,
    MOVING_SIZE,
    PLACE,
    RISE,
    SECOND,
    SPIN,
    SPIN_RATE,
    SUMS_SIZE,
    TURN,
    VELOCITY,
    FrameMotion,
    Segments,
    matrix_at,
    sum_subtrees,
    vector_at,
)
from poise.mechanics.triples import put_columns, spread, store_lanes

TRANSLATION, BALL, HINGE = 0, 1, 2
"""Kinds of blocks of coordinates: the root's translation, a ball joint, a hinge."""

# Where the numbers of a block start in each of its rows of `laid` (place, velocity, acceleration):
TURNING_RATE, TURNING, BASE_RISE = 0, 3, 6
"""μ, ν and β, and after them the response in force and moment."""

RESPONSE = 9

LAID_SIZE = 15


class Blocks(NamedTuple):
    """The coordinates of a pose, and the unknowns of inverse kinematics.

    Turns about world axes (a hinge: about its own), and the root's translation.
    """

    kind: Indices
    """(B,)"""
    joint: Indices
    """(B,)"""
    column: Indices
    """(B,) where its coordinates begin."""
    axis: Array
    """(B, 3) of hinges, in the joint's frame."""
    mobility: Array
    """(B,) how readily it moves: its columns are multiplied by this."""
    of_joint: Indices
    """(J,) the block of each joint, -1 for joints that have none."""


class RateScratch(NamedTuple):
    """Scratch of one thread, and after a call the frame's state."""

    moving: Array
    """(J + 1, 24) see `subtree_sums`; the last row is padding."""
    sums: Array
    """(J, 28)"""
    laid: Array
    """(n, 3, 15, LANES): the motion laid over by each block, and the response to it."""
    maps: Array
    """(J, 36) see `joint_moment_rates`."""
    units: Array
    """(3, LANES) ones on the diagonal."""


def make_rate_scratch(joints: int, width: int) -> RateScratch:
    """Scratch for a tree of so many joints and a pose of so many coordinates."""
    return RateScratch(
        # Lanes are read past the end of a joint's numbers: the last one needs room.
        np.zeros((joints + 1, MOVING_SIZE)), np.zeros((joints, SUMS_SIZE)),
        np.zeros((max(width, 1), 3, LAID_SIZE, LANES)), np.zeros((joints, 36)),
        np.eye(3, LANES),
    )  # fmt: skip


@inlined_borrowing
def _respond(
    j: int, rate: Vector, turning: Vector, base: Vector, sums: Array
) -> tuple[Vector, Vector]:
    """Force and moment that a subtree asks for more under a motion laid over it."""
    x, y, z = rate
    u, v, w = turning
    bx, by, bz = base
    m = sums[j, MASS]
    hx, hy, hz = vector_at(sums, j, FIRST)
    lx, ly, lz = vector_at(sums, j, FLOW)
    lx, ly, lz = lx + lx, ly + ly, lz + lz
    sxx, syy, szz = vector_at(sums, j, SECOND)
    sxy, sxz, syz = vector_at(sums, j, SECOND + 3)
    b = matrix_at(sums, j, MIXED)
    xx, yy, zz = b[0] + b[0], b[4] + b[4], b[8] + b[8]
    force = (
        bx * m + y * hz - z * hy + v * lz - w * ly,
        by * m + z * hx - x * hz + w * lx - u * lz,
        bz * m + x * hy - y * hx + u * ly - v * lx,
    )
    u2, v2, w2 = u + u, v + v, w + w
    moment = (
        bz * hy - by * hz + x * (syy + szz) - y * sxy - z * sxz
        + u * (yy + zz) - v2 * b[1] - w2 * b[2],
        bx * hz - bz * hx + y * (sxx + szz) - x * sxy - z * syz
        + v * (xx + zz) - u2 * b[3] - w2 * b[5],
        by * hx - bx * hy + z * (sxx + syy) - x * sxz - y * syz
        + w * (xx + yy) - u2 * b[6] - v2 * b[7],
    )  # fmt: skip
    return force, moment


@inlined_borrowing
def put_wrench(
    out: Array, stride: int, column: int, whole: bool, force: Vector, moment: Vector
) -> None:
    """A block's columns."""
    put_columns(out, column, whole, force[0])
    put_columns(out, stride + column, whole, force[1])
    put_columns(out, 2 * stride + column, whole, force[2])
    put_columns(out, 3 * stride + column, whole, moment[0])
    put_columns(out, 4 * stride + column, whole, moment[1])
    put_columns(out, 5 * stride + column, whole, moment[2])


@inlined_borrowing
def keep_laid(
    row: int, rate: Vector, turning: Vector, base: Vector, force: Vector, moment: Vector,
    laid: Array,
) -> None:  # fmt: skip
    """What joint moments need of a block (see `joint_moment_rates`, `joint_moment_points`)."""
    start = row * LAID_SIZE * LANES
    store_lanes(laid, start + TURNING_RATE * LANES, rate)
    store_lanes(laid, start + TURNING * LANES, turning)
    store_lanes(laid, start + BASE_RISE * LANES, base)
    store_lanes(laid, start + RESPONSE * LANES, force)
    store_lanes(laid, start + (RESPONSE + 3) * LANES, moment)


@inlined_borrowing
def block_axes(b: int, blocks: Blocks, scratch: RateScratch) -> tuple[Vector, Vector]:
    """The world axes that a block's rates are about, and those that its places turn about."""
    j, moving, units = blocks.joint[b], scratch.moving, scratch.units
    if blocks.kind[b] == BALL:
        # A joint's own axes are the columns of its rotation: its rows, one entry a lane.
        start = j * MOVING_SIZE + TURN
        own = load(moving, start), load(moving, start + 3), load(moving, start + 6)
        return own, (load(units, 0), load(units, LANES), load(units, 2 * LANES))
    x, y, z = turned(
        matrix_at(moving, j, TURN), blocks.axis[b, 0], blocks.axis[b, 1], blocks.axis[b, 2]
    )
    own = spread(x), spread(y), spread(z)
    return own, own


@inlined_borrowing
def _base(j: int, rate: Vector, turning: Vector, moving: Array) -> Vector:
    """β of a motion about the joint's origin: r × μ + 2 v × ν."""
    px, py, pz = vector_at(moving, j, PLACE)
    vx, vy, vz = vector_at(moving, j, VELOCITY)
    x, y, z = cross(px, py, pz, rate[0], rate[1], rate[2])
    u, v, w = cross(vx + vx, vy + vy, vz + vz, turning[0], turning[1], turning[2])
    return x + u, y + v, z + w


@inlined_borrowing
def _turn_block(
    b: int, up: int, blocks: Blocks, width: int, keep: bool, scratch: RateScratch, out: Array
) -> None:
    """All columns of a ball joint or a hinge."""
    moving, sums, laid = scratch.moving, scratch.sums, scratch.laid
    j, column, stride = blocks.joint[b], blocks.column[b], 3 * width
    whole = blocks.kind[b] == BALL
    none = spread(0.0)
    e, d = block_axes(b, blocks, scratch)
    ux, uy, uz = 0.0, 0.0, 0.0
    lx, ly, lz = 0.0, 0.0, 0.0
    if up >= 0:
        ux, uy, uz = vector_at(moving, up, SPIN)
        lx, ly, lz = vector_at(moving, up, SPIN_RATE)
    wx, wy, wz = vector_at(moving, j, SPIN)

    still = none, none, none
    base = _base(j, e, still, moving)
    force, moment = _respond(j, e, still, base, sums)
    put_wrench(out, stride, 2 * width + column, whole, force, moment)
    if keep:
        keep_laid(3 * b + 2, e, still, base, force, moment, laid)

    rate = cross(ux + wx, uy + wy, uz + wz, e[0], e[1], e[2])
    base = _base(j, rate, e, moving)
    force, moment = _respond(j, rate, e, base, sums)
    put_wrench(out, stride, width + column, whole, force, moment)
    if keep:
        keep_laid(3 * b + 1, rate, e, base, force, moment, laid)

    s = blocks.mobility[b]
    x, y, z = d[0] * s, d[1] * s, d[2] * s
    turning = cross(ux, uy, uz, x, y, z)
    rx, ry, rz = cross(lx, ly, lz, x, y, z)
    cx, cy, cz = cross(ux, uy, uz, turning[0], turning[1], turning[2])
    rate = rx + cx, ry + cy, rz + cz
    ax, ay, az = vector_at(moving, j, RISE)
    rx, ry, rz = cross(ax, ay, az, x, y, z)
    cx, cy, cz = _base(j, rate, turning, moving)
    base = rx + cx, ry + cy, rz + cz
    force, moment = _respond(j, rate, turning, base, sums)
    # The subtree's own wrench turns with it, about the joint: e × f, and e × n + (r × e) × f.
    fx, fy, fz = vector_at(sums, j, FORCE)
    nx, ny, nz = vector_at(sums, j, MOMENT)
    px, py, pz = vector_at(moving, j, PLACE)
    rx, ry, rz = cross(x, y, z, fx, fy, fz)
    force = force[0] + rx, force[1] + ry, force[2] + rz
    rx, ry, rz = cross(x, y, z, nx, ny, nz)
    cx, cy, cz = cross(px, py, pz, x, y, z)
    cx, cy, cz = cross(cx, cy, cz, fx, fy, fz)
    moment = moment[0] + rx + cx, moment[1] + ry + cy, moment[2] + rz + cz
    put_wrench(out, stride, column, whole, force, moment)
    if keep:
        keep_laid(3 * b, rate, turning, base, force, moment, laid)


@inner_borrowing
def translate_block(column: int, width: int, sums: Array, out: Array) -> None:
    """The columns of the root's translation: only its acceleration is felt."""
    for r in range(6):
        for c in range(3):
            out[r, column + c] = 0.0
            out[r, width + column + c] = 0.0
            out[r, 2 * width + column + c] = 0.0
    hx, hy, hz = vector_at(sums, 0, FIRST)
    at = 2 * width + column
    for c in range(3):
        out[c, at + c] = sums[0, MASS]
    out[3, at + 1], out[3, at + 2] = -hz, hy
    out[4, at], out[4, at + 2] = hz, -hx
    out[5, at], out[5, at + 1] = -hy, hx


@inner_borrowing
def wrench_rates(
    segments: Segments, motion: FrameMotion, blocks: Blocks, width: int, keep: bool,
    scratch: RateScratch, wrench: Array, out: Array,
) -> None:  # fmt: skip
    """The root's force and moment of one frame, in world axes, and how they change.

    They are those of `newton_euler`. The coordinates are those of `poise.ik`: a place turns a joint
    about world axes (a hinge: its own) while ω and α stay the same numbers in the joint's frame; a
    velocity adds to ω along the joint's own axes, an acceleration to α (the translation's: to the
    root's acceleration).

    Args:
        segments: the body.
        motion: of the frame.
        blocks: the coordinates.
        width: n, how many there are.
        keep: fill the scratch for `joint_moment_rates`.
        scratch: see `make_rate_scratch`.
        wrench: (6,) out, force and moment.
        out: (6, 3n) out, contiguous: by places, velocities and accelerations.
    """
    sum_subtrees(segments, motion, scratch.moving, scratch.sums)
    for c in range(6):
        wrench[c] = scratch.sums[0, FORCE + c]
    for b in range(len(blocks.kind)):
        if blocks.kind[b] == TRANSLATION:
            translate_block(blocks.column[b], width, scratch.sums, out)
        else:
            up = int(segments.parents[blocks.joint[b]])
            _turn_block(b, up, blocks, width, keep, scratch, out)
