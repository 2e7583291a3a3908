"""The inner loops of inverse dynamics: recursive Newton-Euler on blocks of frames.

Every quantity lives in its joint's own frame, and each number below stands for `LANES` frames at
once (see `lanes` and `blocks`).

Per joint, with A = [α]× + ω ωᵀ − |ω|² (what an acceleration field does to a point r: A r), the
segment's mass m, first moment h = m c and second moment S = ∫ r rᵀ dm about the joint's origin:

    force = m a + A h            moment = h × a + ∫ r × (A r) dm = h × a + axial(A S)

which needs half the products of the usual form with an inertia about the centre.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import compiled, inlined
from poise.mechanics.lanes import LANES, prefetch, store
from poise.mechanics.quaternion_kernels import Matrix, Vector, cross, matrix, turned_back
from poise.mechanics.subtree_sums import (
    block_start,
    block_step,
    gather_quaternion,
    gather_vector,
    load_vector,
    put_moving,
    put_offsets,
    scatter_vector,
    store_vector,
)

CONSTANTS = 13
"""Columns of the table of constants: offset 3, mass, first moment 3, second moment 6."""

ROWS = 27
"""Rotation 9, angular velocity, angular and origin acceleration, force, moment, offset: 3 each."""

_OFFSET_ROW = 24

# Where they start in a joint's scratch.
_W, _D, _A, _F, _N, _O = (row * LANES for row in (9, 12, 15, 18, 21, _OFFSET_ROW))
_SPAN = ROWS * LANES


class Moving(NamedTuple):
    """Frames of a motion, as flat arrays."""

    local: Array
    omega: Array
    root_a: Array
    alpha: Array


class Asked(NamedTuple):
    """What the motion asks for: filled."""

    moments: Array
    root_force: Array
    root_moment: Array


@compiled
def newton_euler(
    first: int, last: int,
    parents: Indices, constants: Array, slots: Indices, moving: Array, gravity: Array,
    local: Array, omega: Array, root_a: Array, alpha: Array,
    moments: Array, root_force: Array, root_moment: Array,
) -> None:  # fmt: skip
    """Joint moments, and root force and moment in world axes, for frames `first` to `last`.

    Python hands over plain arrays: unpacking groups of them would cost as much as one frame.
    """
    s = np.empty(len(parents) * _SPAN)
    motion = Moving(local, omega, root_a, alpha)
    out = Asked(moments, root_force, root_moment)
    put_offsets(constants, s, _OFFSET_ROW, ROWS)
    step = block_step(last)
    for f in range(first, last, LANES if step else 1):
        start = block_start(f, last, step)
        put_moving(slots, moving, start, step, s, _OFFSET_ROW, ROWS)
        _block(start, step, parents, constants, gravity, motion, out, s)


@compiled
def _block(
    f: int, step: int, parents: Indices, constants: Array, gravity: Array, motion: Moving,
    out: Asked, s: Array,
) -> None:  # fmt: skip
    local, omega, alpha, moments = motion.local, motion.omega, motion.alpha, out.moments
    count = len(parents)
    four, three = 4 * count * step, 3 * count * step
    q, v = 4 * count * f, 3 * count * f
    w, d = gather_vector(omega, v, three), gather_vector(alpha, v, three)
    px, py, pz = gather_vector(motion.root_a, 3 * f, 3 * step)
    p = (px - gravity[0], py - gravity[1], pz - gravity[2])
    r = _matrix(local, q, four)
    _segment(constants, 0, r, w, d, turned_back(r, p[0], p[1], p[2]), s)
    for j in range(1, count):
        # A block's share of an array is contiguous. Each turn fetches a joint's share of the next
        # block: without it the processor waits for memory a third of the time.
        ahead = count * (f + LANES) + LANES * j
        prefetch(local, 4 * ahead, 2)
        prefetch(omega, 3 * ahead, 2)
        prefetch(alpha, 3 * ahead, 2)
        prefetch(moments, 3 * ahead, 2)
        r = _matrix(local, q + 4 * j, four)
        w = gather_vector(omega, v + 3 * j, three)
        d = gather_vector(alpha, v + 3 * j, three)
        _outward(constants, j, r, w, d, s, parents[j] * _SPAN)
    for j in range(count - 1, 0, -1):
        n = load_vector(s, j * _SPAN + _N)
        scatter_vector(moments, v + 3 * j, three, n)
        _inward(n, s, parents[j] * _SPAN, j * _SPAN)
    n = load_vector(s, _N)
    scatter_vector(moments, v, three, n)
    scatter_vector(out.root_moment, 3 * f, 3 * step, _turn(s, 0, n))
    scatter_vector(out.root_force, 3 * f, 3 * step, _turn(s, 0, load_vector(s, _F)))


@inlined
def _outward(k: Array, j: int, r: Matrix, w: Vector, d: Vector, s: Array, up: int) -> None:
    """Velocities and accelerations from a parent to its child, and what the child's motion asks."""
    ux, uy, uz = load_vector(s, up + _W)
    vx, vy, vz = load_vector(s, up + _D)
    ax, ay, az = load_vector(s, up + _A)
    ox, oy, oz = load_vector(s, j * _SPAN + _O)
    # Acceleration of the joint's origin, still in the parent's frame: a + α × o + ω × (ω × o).
    cx, cy, cz = cross(ux, uy, uz, ox, oy, oz)
    ax = ax + vy * oz - vz * oy + uy * cz - uz * cy
    ay = ay + vz * ox - vx * oz + uz * cx - ux * cz
    az = az + vx * oy - vy * ox + ux * cy - uy * cx
    bx, by, bz = turned_back(r, ux, uy, uz)
    vx, vy, vz = turned_back(r, vx, vy, vz)
    wx, wy, wz = w
    # The joint's own frame turns with its parent while its numbers change: ω_parent × ω_joint.
    dx = vx + d[0] + by * wz - bz * wy
    dy = vy + d[1] + bz * wx - bx * wz
    dz = vz + d[2] + bx * wy - by * wx
    a = turned_back(r, ax, ay, az)
    _segment(k, j, r, (bx + wx, by + wy, bz + wz), (dx, dy, dz), a, s)


@inlined
def _segment(k: Array, j: int, r: Matrix, w: Vector, d: Vector, a: Vector, s: Array) -> None:
    """Force and moment about the joint's origin that a segment's motion asks for, to scratch."""
    wx, wy, wz = w
    dx, dy, dz = d
    ax, ay, az = a
    here = j * _SPAN
    # Whole indices, here and in all kernels: a view of a row would count references, atomically.
    m, hx, hy, hz = k[j, 3], k[j, 4], k[j, 5], k[j, 6]
    sxx, syy, szz = k[j, 7], k[j, 8], k[j, 9]
    sxy, sxz, syz = k[j, 10], k[j, 11], k[j, 12]
    for c in range(9):
        store(s, here + c * LANES, r[c])
    store_vector(s, here + _W, w)
    store_vector(s, here + _D, d)
    store_vector(s, here + _A, a)
    xx, yy, zz = wx * wx, wy * wy, wz * wz
    xy, xz, yz = wx * wy, wx * wz, wy * wz
    # A without its diagonal.
    axy, axz = xy - dz, xz + dy
    ayx, ayz = xy + dz, yz - dx
    azx, azy = xz - dy, yz + dx
    fx = ax * m - (yy + zz) * hx + axy * hy + axz * hz
    fy = ay * m + ayx * hx - (xx + zz) * hy + ayz * hz
    fz = az * m + azx * hx + azy * hy - (xx + yy) * hz
    store_vector(s, here + _F, (fx, fy, fz))
    # The part −|ω|² of A is a multiple of the identity: S is symmetric, so it has no axial part.
    nx = az * hy - ay * hz + azx * sxy + azy * syy + (zz - yy) * syz - ayx * sxz - ayz * szz
    ny = ax * hz - az * hx + axy * syz + axz * szz + (xx - zz) * sxz - azx * sxx - azy * sxy
    nz = ay * hx - ax * hy + ayx * sxx + ayz * sxz + (yy - xx) * sxy - axy * syy - axz * syz
    store_vector(s, here + _N, (nx, ny, nz))


@inlined
def _inward(n: Vector, s: Array, up: int, here: int) -> None:
    """A joint's force and moment on to its parent."""
    fx, fy, fz = _turn(s, here, load_vector(s, here + _F))
    nx, ny, nz = _turn(s, here, n)
    ox, oy, oz = load_vector(s, here + _O)
    gx, gy, gz = load_vector(s, up + _F)
    store_vector(s, up + _F, (gx + fx, gy + fy, gz + fz))
    gx, gy, gz = load_vector(s, up + _N)
    gx = gx + nx + oy * fz - oz * fy
    gy = gy + ny + oz * fx - ox * fz
    gz = gz + nz + ox * fy - oy * fx
    store_vector(s, up + _N, (gx, gy, gz))


@inlined
def _matrix(local: Array, start: int, stride: int) -> Matrix:
    w, x, y, z = gather_quaternion(local, start, stride)
    return matrix(w, x, y, z)


@inlined
def _turn(s: Array, here: int, v: Vector) -> Vector:
    """From a joint's frame to its parent's."""
    x, y, z = v
    a, b, c = load_vector(s, here)
    d, e, f = load_vector(s, here + 3 * LANES)
    g, h, i = load_vector(s, here + 6 * LANES)
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z
