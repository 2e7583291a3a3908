"""The root's Newton–Euler equations of a whole clip, as rows over three frames.

Velocities and accelerations are central differences of the frames themselves (`motion.derivatives`
without a cutoff). With increments δ about the axes of a joint's parent, a step between frames
a = log(qᵢ⁻¹ qᵢ₊₁) changes by K (δᵢ₊₁ − δᵢ), K = J⁻¹(a) Rᵢᵀ: both frames feel the same matrix.
So a row that is known by place, velocity and acceleration of one frame becomes a row over three.

The wrench is that which must come from outside, force in body weights and moment about a reference
point in body weight × length. Reaction forces are eliminated frame by frame (`force_barrier`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.ik import BALL, TRANSLATION, Blocks, PoseArrays, Tree, Work, parent_turn
from poise.mechanics import (
    FORCE,
    FrameMotion,
    RateScratch,
    Segments,
    cross,
    logarithm,
    logarithm_rate,
    make_rate_scratch,
    multiply,
    sum_subtrees,
    turn,
    wrench_rates,
)
from poise.solvers import Barrier, Six, eliminate_forces, six_product, take_six

STEPS = 3
"""Frames that an acceleration ties."""


class Supports(NamedTuple):
    """What can carry the body, frame after frame."""

    first: Indices
    """(F + 1,) where a frame's generators begin."""
    generators: Array
    """(N, 6) force of size one along the normal, and its moment about the reference point."""
    caps: Array
    """(N,) the most each can give, in body weights."""
    joint: Indices
    """(N,) the joint that each acts on."""
    reference: Array
    """(F, 3) the point that moments are about."""
    believed: Indices
    """(F,) 0 where nothing is said to touch though the capture shows that something carries: there
    the equations are not asked for."""
    usual: Array
    """(F, 6) the wrench of the motion to stay close to, moment about its centre of mass, and"""
    likeness: Array
    """(F, 6) what a wrench that differs from it by one costs."""


class Scale(NamedTuple):
    """Units of the rows."""

    weight_n: float
    length_m: float
    rate_hz: float


class Multipliers(NamedTuple):
    """What the equations of each frame have been pressed with so far."""

    wrench: Array
    """(F, 6) λ"""
    gradient: Array
    """(F, 6) y of the last evaluation: the next λ."""
    forces: Array
    """(N, 5) of every generator, see `force_barrier`: where the next elimination begins."""


class FrameWork(NamedTuple):
    """Scratch of one frame."""

    rates: RateScratch
    wrench: Array
    """(6,)"""
    by: Array
    """(6, 3 W) by place, velocity, acceleration."""
    rows: Array
    """(6, 3 W) over three frames."""
    acceleration: Array
    """(3,)"""
    omega: Array
    """(J, 3)"""
    alpha: Array
    """(J, 3)"""
    steps: Array
    """(2, J, 3) to this frame and from it."""
    turns: Array
    """(2, J, 9) K of both."""
    wanted: Array
    """(6,) wrench plus multiplier over ρ."""
    factor: Array
    """(6, 6) of `eliminate_forces`, and"""
    curvature: Array
    """(6, 6) Cholesky factor of the cost's Hessian by the wrench."""
    small: Array
    """(6, 6)"""


def make_frame_work(joints: int, width: int) -> FrameWork:
    """Scratch for a body of so many joints and unknowns."""
    return FrameWork(
        make_rate_scratch(joints, width), np.zeros(6), np.zeros((6, 3 * width)),
        np.zeros((6, 3 * width)), np.zeros(3), np.zeros((joints, 3)), np.zeros((joints, 3)),
        np.zeros((2, joints, 3)), np.zeros((2, joints, 9)), np.zeros(6),
        np.zeros((6, 6)), np.zeros((6, 6)), np.zeros((6, 6)),
    )  # fmt: skip


@inner_borrowing
def put_steps(f: int, side: int, locals_: Array, slopes: bool, work: FrameWork) -> None:
    """Steps from frame f to the next, and with `slopes` how they answer to increments."""
    for j in range(locals_.shape[1]):
        q, p = locals_[f, j], locals_[f + 1, j]
        d = multiply(q[0], -q[1], -q[2], -q[3], p[0], p[1], p[2], p[3])
        a = logarithm(d[0], d[1], d[2], d[3])
        for c in range(3):
            work.steps[side, j, c] = a[c]
        if slopes:
            k = work.turns[side, j]
            for c in range(3):
                x, y, z = turn(
                    q[0], -q[1], -q[2], -q[3], 1.0 * (c == 0), 1.0 * (c == 1), 1.0 * (c == 2)
                )
                x, y, z = logarithm_rate(1.0, a, x, y, z)
                k[c], k[3 + c], k[6 + c] = x, y, z


@inner_borrowing
def shift_steps(slopes: bool, work: FrameWork) -> None:
    """What led from the frame before leads to the next one's frame."""
    for j in range(work.steps.shape[1]):
        for c in range(3):
            work.steps[0, j, c] = work.steps[1, j, c]
        if slopes:
            for c in range(9):
                work.turns[0, j, c] = work.turns[1, j, c]


@inner_borrowing
def put_wrench(
    f: int, segments: Segments, blocks: Blocks, width: int, poses: PoseArrays, scale: Scale,
    supports: Supports, slopes: bool, keep: bool, work: FrameWork,
) -> None:  # fmt: skip
    """The wrench of frame f in `wrench`, and with `slopes` its rates in `by`.

    Steps to and from the frame have been put.
    """
    roots, rate = poses.roots, scale.rate_hz
    for j in range(work.steps.shape[1]):
        for c in range(3):
            before, after = work.steps[0, j, c], work.steps[1, j, c]
            work.omega[j, c] = 0.5 * rate * (after + before)
            work.alpha[j, c] = rate * rate * (after - before)
    for c in range(3):
        work.acceleration[c] = rate * rate * (
            roots[f + 1, c] - 2.0 * roots[f, c] + roots[f - 1, c]
        )  # fmt: skip
    motion = FrameMotion(work.acceleration, poses.locals[f], work.omega, work.alpha)
    if slopes:
        wrench_rates(segments, motion, blocks, width, keep, work.rates, work.wrench, work.by)
    else:
        sum_subtrees(segments, motion, work.rates.moving, work.rates.sums)
        for c in range(6):
            work.wrench[c] = work.rates.sums[0, FORCE + c]
    w, p = work.wrench, supports.reference[f]
    x, y, z = roots[f, 0] - p[0], roots[f, 1] - p[1], roots[f, 2] - p[2]
    a, b, c = cross(x, y, z, w[0], w[1], w[2])
    w[3], w[4], w[5] = w[3] + a, w[4] + b, w[5] + c
    if slopes:
        by = work.by
        for s in range(3 * width):
            a, b, c = cross(x, y, z, by[0, s], by[1, s], by[2, s])
            by[3, s] += a
            by[4, s] += b
            by[5, s] += c
        if blocks.kind[0] == TRANSLATION:
            at = blocks.column[0]
            by[4, at] -= w[2]
            by[5, at] += w[1]
            by[3, at + 1] += w[2]
            by[5, at + 1] -= w[0]
            by[3, at + 2] -= w[1]
            by[4, at + 2] += w[0]
    per_force = 1.0 / scale.weight_n
    per_moment = per_force / scale.length_m
    for c in range(6):
        unit = per_force if c < 3 else per_moment
        w[c] *= unit
        if slopes:
            for s in range(3 * width):
                work.by[c, s] *= unit


@inner_borrowing
def over_frames(
    by: Array, count: int, blocks: Blocks, tree: Tree, width: int, rate: float, turns: Array,
    rows: Array, work: Work,
) -> None:  # fmt: skip
    """Rows by place (about world axes), velocity and acceleration become rows over three frames."""
    half, square = 0.5 * rate, rate * rate
    for b in range(len(blocks.kind)):
        c, j, kind = blocks.column[b], blocks.joint[b], blocks.kind[b]
        if kind == BALL:
            q = parent_turn(tree, j, work)
            before, after = turns[0, j], turns[1, j]
            for k in range(count):
                h = by[k]
                px, py, pz = turn(q[0], -q[1], -q[2], -q[3], h[c], h[c + 1], h[c + 2])
                vx, vy, vz = half * h[width + c], half * h[width + c + 1], half * h[width + c + 2]
                m = 2 * width + c
                ax, ay, az = square * h[m], square * h[m + 1], square * h[m + 2]
                x, y, z = ax + vx, ay + vy, az + vz
                nx = after[0] * x + after[3] * y + after[6] * z
                ny = after[1] * x + after[4] * y + after[7] * z
                nz = after[2] * x + after[5] * y + after[8] * z
                x, y, z = ax - vx, ay - vy, az - vz
                bx = before[0] * x + before[3] * y + before[6] * z
                by_ = before[1] * x + before[4] * y + before[7] * z
                bz = before[2] * x + before[5] * y + before[8] * z
                r = rows[k]
                r[c], r[c + 1], r[c + 2] = bx, by_, bz
                r[width + c] = px - nx - bx
                r[width + c + 1] = py - ny - by_
                r[width + c + 2] = pz - nz - bz
                r[m], r[m + 1], r[m + 2] = nx, ny, nz
        else:
            for i in range(3 if kind == TRANSLATION else 1):
                for k in range(count):
                    h = by[k]
                    v, a = half * h[width + c + i], square * h[2 * width + c + i]
                    rows[k, c + i] = a - v
                    rows[k, width + c + i] = h[c + i] - 2.0 * a
                    rows[k, 2 * width + c + i] = a + v


@inlined_borrowing
def _minus(rows: Array, i: int) -> Six:
    return -rows[0, i], -rows[1, i], -rows[2, i], -rows[3, i], -rows[4, i], -rows[5, i]


@inner_borrowing
def _add_products(rows: Array, band: Array, start: int, total: int) -> None:
    """Add the products of six rows (already times the root of their weight) to the band.

    Their length is a multiple of three: three rows of the band share what is read of the six.
    """
    for i in range(0, total, 3):
        f, g, h = _minus(rows, i), _minus(rows, i + 1), _minus(rows, i + 2)
        band[start + i, 0] += six_product(f, f)
        band[start + i, 1] += six_product(f, g)
        band[start + i + 1, 0] += six_product(g, g)
        ahead = (
            rows[0, i + 2 :], rows[1, i + 2 :], rows[2, i + 2 :], rows[3, i + 2 :],
            rows[4, i + 2 :], rows[5, i + 2 :],
        )  # fmt: skip
        take_six(
            band[start + i, 2:], band[start + i + 1, 1:], band[start + i + 2], total - i - 2,
            f, g, h, ahead,
        )  # fmt: skip


@inlined_borrowing
def _add_scaled(target: Array, factor: float, source: Array, count: int) -> None:
    for i in range(count):
        target[i] += factor * source[i]


@inner_borrowing
def explain(
    f: int, barrier: Barrier, supports: Supports, multipliers: Multipliers, work: FrameWork
) -> float:
    """What the wrench of frame f costs: reaction forces cannot explain it, or it is unusual."""
    for c in range(6):
        work.wanted[c] = work.wrench[c] + multipliers.wrench[f, c] / barrier.rho
    cost = eliminate_forces(
        work.wanted, barrier, supports.first[f], supports.first[f + 1], supports.generators,
        supports.caps, multipliers.gradient[f], multipliers.forces, work.factor,
    )  # fmt: skip
    for c in range(6):
        cost += 0.5 * supports.likeness[f, c] * (work.wrench[c] - supports.usual[f, c]) ** 2
    return cost


@inner_borrowing
def put_curvature(extra: Array, work: FrameWork) -> None:
    """The factor N of (L Lᵀ)⁻¹ + diag(extra), from L."""
    factor, n = work.factor, work.curvature
    # Columns of L⁻¹, then the lower triangle of L⁻ᵀ L⁻¹.
    inverse = work.small
    for j in range(6):
        for i in range(j, 6):
            total = 1.0 if i == j else 0.0
            for k in range(j, i):
                total -= factor[i, k] * inverse[k, j]
            inverse[i, j] = total / factor[i, i]
    for j in range(6):
        for i in range(j, 6):
            total = extra[i] if i == j else 0.0
            for k in range(i, 6):
                total += inverse[k, i] * inverse[k, j]
            n[i, j] = total
    for j in range(6):
        for i in range(j, 6):
            total = n[i, j]
            for k in range(j):
                total -= n[i, k] * n[j, k]
            n[i, j] = np.sqrt(total) if i == j else total / n[j, j]


@inner_borrowing
def add_explained(
    f: int, width: int, supports: Supports, y: Array, work: FrameWork, band: Array, right: Array
) -> None:
    """Gradient and curvature of that cost, on the rows of the frame."""
    rows, n, start, total = work.rows, work.curvature, (f - 1) * width, 3 * width
    extra = supports.likeness[f]
    down = work.wanted
    for k in range(6):
        down[k] = y[k] + extra[k] * (work.wrench[k] - supports.usual[f, k])
    for k in range(6):
        _add_scaled(right[start : start + total], -down[k], rows[k], total)
    put_curvature(extra, work)
    # G = Nᵀ J, so that Gᵀ G = Jᵀ N Nᵀ J.
    for i in range(6):
        for s in range(total):
            rows[i, s] *= n[i, i]
        for k in range(i + 1, 6):
            _add_scaled(rows[i], n[k, i], rows[k], total)
    _add_products(rows, band, start, total)
