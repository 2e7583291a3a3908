"""Inverse dynamics at all sigma points of one frame, each of which moves one coordinate.

What is in `inverse_dynamics_rates` to first order is here as it is, however far a point lies: the
sums over subtrees are enough for that too. All in world axes, places ρ and velocities ρ̇ relative
to the root joint's origin.

Seen from the subtree of joint j, a coordinate of j changes how the subtree is carried: with angular
velocity ν, μ and an acceleration β of the point at the root laid over what it does already,

    δa(ρ) = β + μ × ρ + 2 ν × ρ̇ + ν × (ν × ρ)        for every point ρ of the subtree.

E turns by the angle of a place about the joint; Ω and Λ are the angular velocity and acceleration
of the parent (p) and of the joint itself (j), a and v the joint's acceleration and velocity, r its
place, e the axis times the length of a sigma point:

    place          ν = (Eᵀ − 1) Ωp   μ = (Eᵀ − 1) Λp + Ωp × ν   β = (Eᵀ − 1) a + γ
    velocity       ν = e             μ = (Ωp + Ωj) × e           β = γ
    acceleration   ν = 0             μ = e                       β = γ

with γ = r × μ + 2 v × ν − ν × (ν × r). Over the subtree, with its sums m, h, l, S and B, that is

    δforce  = m β + μ × h + 2 ν × l + ν × (ν × h)
    δmoment = h × β + (tr S − S) μ + 2 (tr B − B) ν − ν × S ν

and a place turns all of it, old and new, by E about the joint. So a point costs the same on any
tree. Responses to accelerations are linear: the point on the other side needs no work.

The three columns of a ball joint stand in the lanes of one number (see `triples`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.mechanics.inverse_dynamics_rates import (
    BALL,
    LAID_SIZE,
    TRANSLATION,
    Blocks,
    RateScratch,
    block_axes,
    keep_laid,
    make_rate_scratch,
    put_wrench,
    translate_block,
)
from poise.mechanics.lanes import LANES, load
from poise.mechanics.quaternion_kernels import Vector, cross, moved_by, sine_and_bow
from poise.mechanics.subtree_sums import (
    FIRST,
    FLOW,
    FORCE,
    MASS,
    MIXED,
    MOMENT,
    PLACE,
    RISE,
    SECOND,
    SPIN,
    SPIN_RATE,
    VELOCITY,
    FrameMotion,
    Segments,
    matrix_at,
    sum_subtrees,
    vector_at,
)
from poise.mechanics.triples import spread

# Rows of a block in `laid`: places and velocities a length on and a length back, accelerations.
VARIANTS = 5

_SINE, _BOW, _SPEED, _RATE = 0, 1, 2, 3
"""Rows of `spans`: sine and one minus cosine of a block's places, and its other lengths."""


class PointScratch(NamedTuple):
    """Scratch of one thread."""

    state: RateScratch
    laid: Array
    """(n, 5, 15, LANES): the motion laid over at each point of a block, and the response to it."""
    spans: Array
    """(4, LANES) of the block in hand."""


class PointForces(NamedTuple):
    """What inverse dynamics gives at one frame's state, and by how much more at its points."""

    wrench: Array
    """(6,) force and moment on the root, in world axes."""
    plus: Array
    """(6, 3n) change where each coordinate is a length on."""
    minus: Array
    """(6, 3n) change where it is a length back."""
    moments: Array
    """(J, 3) in joint frames."""
    moments_plus: Array
    """(J, 3, 3n)"""
    moments_minus: Array


def make_point_scratch(joints: int, width: int) -> PointScratch:
    """Scratch for a tree of so many joints and a pose of so many coordinates."""
    return PointScratch(
        make_rate_scratch(joints, 0), np.zeros((max(width, 1), VARIANTS, LAID_SIZE, LANES)),
        np.zeros((4, LANES)),
    )  # fmt: skip


def make_point_forces(joints: int, width: int) -> PointForces:
    """Room for what comes out."""
    wrench, moments = np.zeros((6, 3 * width)), np.zeros((joints, 3, 3 * width))
    return PointForces(
        np.zeros(6), wrench, wrench.copy(), np.zeros((joints, 3)), moments, moments.copy()
    )


@inlined_borrowing
def _twice_turned(n: Vector, x: Vector) -> Vector:
    """ν × (ν × x)."""
    a, b, c = cross(n[0], n[1], n[2], x[0], x[1], x[2])
    return cross(n[0], n[1], n[2], a, b, c)


@inlined_borrowing
def respond(
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
    px, py, pz = v * hz - w * hy, w * hx - u * hz, u * hy - v * hx
    force = (
        bx * m + y * hz - z * hy + v * (lz + pz) - w * (ly + py),
        by * m + z * hx - x * hz + w * (lx + px) - u * (lz + pz),
        bz * m + x * hy - y * hx + u * (ly + py) - v * (lx + px),
    )
    u2, v2, w2 = u + u, v + v, w + w
    px, py, pz = (
        u * sxx + v * sxy + w * sxz,
        u * sxy + v * syy + w * syz,
        u * sxz + v * syz + w * szz,
    )
    moment = (
        bz * hy - by * hz + x * (syy + szz) - y * sxy - z * sxz
        + u * (yy + zz) - v2 * b[1] - w2 * b[2] - v * pz + w * py,
        bx * hz - bz * hx + y * (sxx + szz) - x * sxy - z * syz
        + v * (xx + zz) - u2 * b[3] - w2 * b[5] - w * px + u * pz,
        by * hx - bx * hy + z * (sxx + syy) - x * sxz - y * syz
        + w * (xx + yy) - u2 * b[6] - v2 * b[7] - u * py + v * px,
    )  # fmt: skip
    return force, moment


@inlined_borrowing
def _base(j: int, rate: Vector, turning: Vector, moving: Array) -> Vector:
    """γ: r × μ + 2 v × ν − ν × (ν × r)."""
    r, v = vector_at(moving, j, PLACE), vector_at(moving, j, VELOCITY)
    a = cross(r[0], r[1], r[2], rate[0], rate[1], rate[2])
    b = cross(v[0] + v[0], v[1] + v[1], v[2] + v[2], turning[0], turning[1], turning[2])
    c = _twice_turned(turning, r)
    return a[0] + b[0] - c[0], a[1] + b[1] - c[1], a[2] + b[2] - c[2]


@inlined_borrowing
def _put_spans(b: int, size: int, blocks: Blocks, width: int, lengths: Array, s: Array) -> None:
    column, mobility = blocks.column[b], blocks.mobility[b]
    for c in range(size):
        s[_SINE, c], s[_BOW, c] = sine_and_bow(mobility * lengths[column + c])
        s[_SPEED, c] = lengths[width + column + c]
        s[_RATE, c] = lengths[2 * width + column + c]


@inner_borrowing
def _place_points(
    b: int, up: int, row: int, sign: float, blocks: Blocks, width: int, keep: bool,
    e: Vector, scratch: PointScratch, out: Array,
) -> None:  # fmt: skip
    """A block's places, a length on or back."""
    moving, sums = scratch.state.moving, scratch.state.sums
    j = blocks.joint[b]
    sine, bow = load(scratch.spans, 0) * sign, load(scratch.spans, LANES)
    back = sine * -1.0
    none = spread(0.0)
    turning, rate = (none, none, none), (none, none, none)
    if up >= 0:
        p = vector_at(moving, up, SPIN)
        turning = moved_by(e, back, bow, p)
        x = moved_by(e, back, bow, vector_at(moving, up, SPIN_RATE))
        y = cross(p[0], p[1], p[2], turning[0], turning[1], turning[2])
        rate = x[0] + y[0], x[1] + y[1], x[2] + y[2]
    x = moved_by(e, back, bow, vector_at(moving, j, RISE))
    y = _base(j, rate, turning, moving)
    base = x[0] + y[0], x[1] + y[1], x[2] + y[2]
    force, moment = respond(j, rate, turning, base, sums)
    # All of the subtree's wrench turns about the joint.
    f, n, r = vector_at(sums, j, FORCE), vector_at(sums, j, MOMENT), vector_at(moving, j, PLACE)
    fx, fy, fz = force[0] + f[0], force[1] + f[1], force[2] + f[2]
    arm = cross(r[0], r[1], r[2], fx, fy, fz)
    x = moved_by(
        e,
        sine,
        bow,
        (moment[0] + n[0] - arm[0], moment[1] + n[1] - arm[1], moment[2] + n[2] - arm[2]),
    )
    y = moved_by(e, sine, bow, (fx, fy, fz))
    arm = cross(r[0], r[1], r[2], y[0], y[1], y[2])
    force = force[0] + y[0], force[1] + y[1], force[2] + y[2]
    moment = moment[0] + x[0] + arm[0], moment[1] + x[1] + arm[1], moment[2] + x[2] + arm[2]
    put_wrench(out, 3 * width, blocks.column[b], blocks.kind[b] == BALL, force, moment)
    if keep:
        keep_laid(row, rate, turning, base, force, moment, scratch.laid)


@inner_borrowing
def _rate_points(
    b: int, up: int, row: int, sign: float, blocks: Blocks, width: int, keep: bool,
    e: Vector, scratch: PointScratch, out: Array,
) -> None:  # fmt: skip
    """A block's velocities, a length on or back; e are the world's directions of its numbers."""
    moving, sums = scratch.state.moving, scratch.state.sums
    j, length = blocks.joint[b], load(scratch.spans, _SPEED * LANES) * sign
    e = e[0] * length, e[1] * length, e[2] * length
    wx, wy, wz = vector_at(moving, j, SPIN)
    if up >= 0:
        ux, uy, uz = vector_at(moving, up, SPIN)
        wx, wy, wz = wx + ux, wy + uy, wz + uz
    rate = cross(wx, wy, wz, e[0], e[1], e[2])
    base = _base(j, rate, e, moving)
    force, moment = respond(j, rate, e, base, sums)
    put_wrench(out, 3 * width, width + blocks.column[b], blocks.kind[b] == BALL, force, moment)
    if keep:
        keep_laid(row, rate, e, base, force, moment, scratch.laid)


@inner_borrowing
def _acceleration_points(
    b: int, row: int, blocks: Blocks, width: int, keep: bool,
    e: Vector, scratch: PointScratch, plus: Array, minus: Array,
) -> None:  # fmt: skip
    """A block's accelerations on both sides."""
    moving, sums = scratch.state.moving, scratch.state.sums
    j, length = blocks.joint[b], load(scratch.spans, _RATE * LANES)
    none = spread(0.0)
    still = none, none, none
    e = e[0] * length, e[1] * length, e[2] * length
    px, py, pz = vector_at(moving, j, PLACE)
    base = cross(px, py, pz, e[0], e[1], e[2])
    force, moment = respond(j, e, still, base, sums)
    whole, at = blocks.kind[b] == BALL, 2 * width + blocks.column[b]
    put_wrench(plus, 3 * width, at, whole, force, moment)
    back = force[0] * -1.0, force[1] * -1.0, force[2] * -1.0
    other = moment[0] * -1.0, moment[1] * -1.0, moment[2] * -1.0
    put_wrench(minus, 3 * width, at, whole, back, other)
    if keep:
        keep_laid(row, e, still, base, force, moment, scratch.laid)


@inner_borrowing
def _turn_block(
    b: int, up: int, blocks: Blocks, width: int, lengths: Array, keep: bool,
    scratch: PointScratch, out: PointForces,
) -> None:  # fmt: skip
    """All points of a ball joint or a hinge."""
    size = 3 if blocks.kind[b] == BALL else 1
    _put_spans(b, size, blocks, width, lengths, scratch.spans)
    own, about = block_axes(b, blocks, scratch.state)
    row = VARIANTS * b
    for side in range(2):
        sign, array = (1.0, out.plus) if side == 0 else (-1.0, out.minus)
        _place_points(b, up, row + side, sign, blocks, width, keep, about, scratch, array)
        _rate_points(b, up, row + 2 + side, sign, blocks, width, keep, own, scratch, array)
    _acceleration_points(b, row + 4, blocks, width, keep, own, scratch, out.plus, out.minus)


@inner_borrowing
def _translate_block(
    column: int, width: int, lengths: Array, sums: Array, plus: Array, minus: Array
) -> None:
    """The points of the root's translation: only its acceleration is felt."""
    translate_block(column, width, sums, plus)
    at = 2 * width + column
    for r in range(6):
        for c in range(3):
            plus[r, at + c] *= lengths[at + c]
            for section in range(3):
                k = section * width + column + c
                minus[r, k] = -plus[r, k]


@inner_borrowing
def points_of_wrench(
    segments: Segments, motion: FrameMotion, blocks: Blocks, width: int, lengths: Array,
    keep: bool, scratch: PointScratch, out: PointForces,
) -> None:  # fmt: skip
    """The root's force and moment of one frame, as `newton_euler` gives them, and at all points.

    Args:
        segments: the body.
        motion: of the frame.
        blocks: the coordinates, those of `wrench_rates`.
        width: n, how many there are.
        lengths: (3n,) how far the points lie away: places, velocities, accelerations.
        keep: fill the scratch for `points_of_moments`.
        scratch: see `make_point_scratch`.
        out: its first three are filled.
    """
    state = scratch.state
    sum_subtrees(segments, motion, state.moving, state.sums)
    for c in range(6):
        out.wrench[c] = state.sums[0, FORCE + c]
    for b in range(len(blocks.kind)):
        if blocks.kind[b] == TRANSLATION:
            _translate_block(blocks.column[b], width, lengths, state.sums, out.plus, out.minus)
        else:
            up = int(segments.parents[blocks.joint[b]])
            _turn_block(b, up, blocks, width, lengths, keep, scratch, out)
