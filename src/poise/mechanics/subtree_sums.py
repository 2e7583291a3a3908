"""Motion of all joints in one frame, and sums over their subtrees: what derivatives are made of.

All in world axes. Places ρ and velocities ρ̇ are relative to the root joint's origin, so that sums
of segments are sums of numbers. A subtree has mass m, first moment h = ∫ ρ dm, flow l = ∫ ρ̇ dm,
second moment S = ∫ ρ ρᵀ dm and mixed moment B = ∫ ρ̇ ρᵀ dm, and asks for a force and a moment about
the root's origin.
"""

from __future__ import annotations

from typing import NamedTuple

from poise.arrays import Array, Indices
from poise.compiled import inlined, inlined_borrowing, inner_borrowing
from poise.mechanics.lanes import (
    LANES,
    gather,
    gather_pair,
    load,
    scatter,
    scatter_pair,
    store,
)
from poise.mechanics.quaternion_kernels import (
    Matrix,
    Quaternion,
    Vector,
    cross,
    matrix,
    product,
    turned,
)


# Blocks of `LANES` frames: vectors between the callers' arrays, the scratch and registers.
#
# The callers' arrays are C-contiguous, frame after frame, and addressed by flat indices; the
# scratch is flat, one row of lanes per number, `span` numbers per joint. When the last block is
# not full it starts earlier and repeats frames that are done; fewer frames than a block holds go
# one by one, the same frame in every lane (`step` 0). Either way each frame meets the same
# instructions, so its bits do not depend on its place in the batch.
@inlined
def block_step(last: int) -> int:
    """How far apart the lanes' frames are: 1, or 0 if the whole batch is smaller than a block."""
    return 1 if last >= LANES else 0


@inlined
def block_start(f: int, last: int, step: int) -> int:
    """Where the block for frame `f` starts."""
    return min(f, last - LANES) if step else f


@inlined
def put_offsets(offsets: Array, s: Array, row: int, span: int) -> None:
    """The joints' constant offsets to row `row` of their scratch, the same in every lane."""
    for j in range(len(offsets)):
        for c in range(3):
            for l in range(LANES):
                s[(j * span + row + c) * LANES + l] = offsets[j, c]


@inlined
def put_moving(
    slots: Indices, moving: Array, start: int, step: int, s: Array, row: int, span: int
) -> None:
    """The offsets that vary, for the block that starts at frame `start`."""
    if moving.shape[1] == 0:
        return
    for j in range(len(slots)):
        if slots[j] >= 0:
            for l in range(LANES):
                for c in range(3):
                    value = moving[start + step * l, slots[j], c]
                    s[(j * span + row + c) * LANES + l] = value


@inlined
def gather_quaternion(array: Array, start: int, stride: int) -> Quaternion:
    """One quaternion per lane, `stride` apart."""
    w, x = gather_pair(array, start, stride)
    y, z = gather_pair(array, start + 2, stride)
    return w, x, y, z


@inlined
def gather_vector(array: Array, start: int, stride: int) -> Vector:
    """One vector per lane, `stride` apart."""
    x, y = gather_pair(array, start, stride)
    return x, y, gather(array, start + 2, stride)


@inlined
def scatter_quaternion(array: Array, start: int, stride: int, q: Quaternion) -> None:
    """One quaternion per lane, `stride` apart."""
    scatter_pair(array, start, stride, q[0], q[1])
    scatter_pair(array, start + 2, stride, q[2], q[3])


@inlined
def scatter_vector(array: Array, start: int, stride: int, v: Vector) -> None:
    """One vector per lane, `stride` apart."""
    scatter_pair(array, start, stride, v[0], v[1])
    scatter(array, start + 2, stride, v[2])


@inlined
def load_vector(s: Array, start: int) -> Vector:
    """Three rows of scratch."""
    return load(s, start), load(s, start + LANES), load(s, start + 2 * LANES)


@inlined
def store_vector(s: Array, start: int, v: Vector) -> None:
    """To three rows of scratch."""
    store(s, start, v[0])
    store(s, start + LANES, v[1])
    store(s, start + 2 * LANES, v[2])


@inlined
def load_quaternion(s: Array, start: int) -> Quaternion:
    """Four rows of scratch."""
    return (
        load(s, start),
        load(s, start + LANES),
        load(s, start + 2 * LANES),
        load(s, start + 3 * LANES),
    )


@inlined
def store_quaternion(s: Array, start: int, q: Quaternion) -> None:
    """To four rows of scratch."""
    store_vector(s, start, (q[0], q[1], q[2]))
    store(s, start + 3 * LANES, q[3])


# Where the numbers of a joint start in its row of `moving`:
TURN, SPIN, SPIN_RATE, RISE, PLACE, VELOCITY = 0, 9, 12, 15, 18, 21
"""Rotation; angular velocity, its rate; acceleration (less gravity), place and velocity of the
origin."""

MOVING_SIZE = 24

# and in its row of `sums`:
MASS, FIRST, FLOW, SECOND, MIXED, FORCE, MOMENT = 0, 1, 4, 7, 13, 22, 25
"""m, h, l, S (xx yy zz xy xz yz), B; force and moment."""

SUMS_SIZE = 28
"""Whole lanes."""


class Segments(NamedTuple):
    """A body, as inverse dynamics of one frame takes it."""

    parents: Indices
    """(J,)"""
    constants: Array
    """(J, 13) see `segment_constants`."""
    gravity: Array
    """(3,)"""
    mass: float
    """Of all."""


class FrameMotion(NamedTuple):
    """How a body moves in one frame, as inverse dynamics takes it."""

    root_acceleration: Array
    """(3,)"""
    local: Array
    """(J, 4)"""
    omega: Array
    """(J, 3)"""
    alpha: Array
    """(J, 3)"""


@inlined_borrowing
def vector_at(table: Array, row: int, start: int) -> Vector:
    """Three neighbours."""
    return table[row, start], table[row, start + 1], table[row, start + 2]


@inlined_borrowing
def _put(table: Array, row: int, start: int, v: Vector) -> None:
    table[row, start], table[row, start + 1], table[row, start + 2] = v


@inlined_borrowing
def matrix_at(table: Array, row: int, start: int) -> Matrix:
    """Nine neighbours."""
    return (
        table[row, start], table[row, start + 1], table[row, start + 2],
        table[row, start + 3], table[row, start + 4], table[row, start + 5],
        table[row, start + 6], table[row, start + 7], table[row, start + 8],
    )  # fmt: skip


@inlined_borrowing
def _carry(j: int, up: int, k: Array, motion: FrameMotion, moving: Array) -> None:
    """A joint's motion from its parent's."""
    local, omega, alpha = motion.local, motion.omega, motion.alpha
    r = matrix_at(moving, up, TURN)
    ux, uy, uz = vector_at(moving, up, SPIN)
    dx, dy, dz = vector_at(moving, up, SPIN_RATE)
    ax, ay, az = vector_at(moving, up, RISE)
    px, py, pz = vector_at(moving, up, PLACE)
    vx, vy, vz = vector_at(moving, up, VELOCITY)
    ox, oy, oz = turned(r, k[j, 0], k[j, 1], k[j, 2])
    _put(moving, j, PLACE, (px + ox, py + oy, pz + oz))
    cx, cy, cz = cross(ux, uy, uz, ox, oy, oz)
    _put(moving, j, VELOCITY, (vx + cx, vy + cy, vz + cz))
    ex, ey, ez = cross(dx, dy, dz, ox, oy, oz)
    cx, cy, cz = cross(ux, uy, uz, cx, cy, cz)
    _put(moving, j, RISE, (ax + ex + cx, ay + ey + cy, az + ez + cz))
    r = product(r, matrix(local[j, 0], local[j, 1], local[j, 2], local[j, 3]))
    for c in range(9):
        moving[j, TURN + c] = r[c]
    wx, wy, wz = turned(r, omega[j, 0], omega[j, 1], omega[j, 2])
    bx, by, bz = turned(r, alpha[j, 0], alpha[j, 1], alpha[j, 2])
    cx, cy, cz = cross(ux, uy, uz, wx, wy, wz)
    _put(moving, j, SPIN, (ux + wx, uy + wy, uz + wz))
    _put(moving, j, SPIN_RATE, (dx + bx + cx, dy + by + cy, dz + bz + cz))


@inlined_borrowing
def _is_empty(j: int, k: Array) -> bool:
    """Whether a joint carries no segment: half of a recorded skeleton's do not."""
    return k[j, 3] == 0.0 and k[j, 7] == 0.0 and k[j, 8] == 0.0 and k[j, 9] == 0.0


@inlined_borrowing
def _weigh(j: int, k: Array, moving: Array, sums: Array) -> None:
    """A segment's own share of the sums."""
    r = matrix_at(moving, j, TURN)
    wx, wy, wz = vector_at(moving, j, SPIN)
    dx, dy, dz = vector_at(moving, j, SPIN_RATE)
    ax, ay, az = vector_at(moving, j, RISE)
    px, py, pz = vector_at(moving, j, PLACE)
    vx, vy, vz = vector_at(moving, j, VELOCITY)
    m = k[j, 3]
    hx, hy, hz = turned(r, k[j, 4], k[j, 5], k[j, 6])
    # The second moment about the joint's origin, in world axes: R S Rᵀ.
    s = k[j, 7], k[j, 10], k[j, 11], k[j, 10], k[j, 8], k[j, 12], k[j, 11], k[j, 12], k[j, 9]
    t = product(r, s)
    sxx = t[0] * r[0] + t[1] * r[1] + t[2] * r[2]
    syy = t[3] * r[3] + t[4] * r[4] + t[5] * r[5]
    szz = t[6] * r[6] + t[7] * r[7] + t[8] * r[8]
    sxy = t[0] * r[3] + t[1] * r[4] + t[2] * r[5]
    sxz = t[0] * r[6] + t[1] * r[7] + t[2] * r[8]
    syz = t[3] * r[6] + t[4] * r[7] + t[5] * r[8]
    # A = [Λ]× + Ω Ωᵀ without its multiple of the identity, as in `newton_euler`.
    axx, ayy, azz = wx * wx, wy * wy, wz * wz
    axy, axz, ayz = wx * wy - dz, wx * wz + dy, wy * wz - dx
    ayx, azx, azy = wx * wy + dz, wx * wz - dy, wy * wz + dx
    fx = m * ax - (ayy + azz) * hx + axy * hy + axz * hz
    fy = m * ay + ayx * hx - (axx + azz) * hy + ayz * hz
    fz = m * az + azx * hx + azy * hy - (axx + ayy) * hz
    _put(sums, j, FORCE, (fx, fy, fz))
    nx = hy * az - hz * ay + azx * sxy + azy * syy + (azz - ayy) * syz - ayx * sxz - ayz * szz
    ny = hz * ax - hx * az + axy * syz + axz * szz + (axx - azz) * sxz - azx * sxx - azy * sxy
    nz = hx * ay - hy * ax + ayx * sxx + ayz * sxz + (ayy - axx) * sxy - axy * syy - axz * syz
    ex, ey, ez = cross(px, py, pz, fx, fy, fz)
    _put(sums, j, MOMENT, (nx + ex, ny + ey, nz + ez))
    # About the root: h + m r, and so on.
    gx, gy, gz = hx + m * px, hy + m * py, hz + m * pz
    cx, cy, cz = cross(wx, wy, wz, hx, hy, hz)
    sums[j, MASS] = m
    _put(sums, j, FIRST, (gx, gy, gz))
    _put(sums, j, FLOW, (m * vx + cx, m * vy + cy, m * vz + cz))
    _put(sums, j, SECOND, (sxx + px * (gx + hx), syy + py * (gy + hy), szz + pz * (gz + hz)))
    _put(
        sums,
        j,
        SECOND + 3,
        (sxy + px * gy + hx * py, sxz + px * gz + hx * pz, syz + py * gz + hy * pz),
    )
    _put(sums, j, MIXED, (
        vx * gx + cx * px + wy * sxz - wz * sxy,
        vx * gy + cx * py + wy * syz - wz * syy,
        vx * gz + cx * pz + wy * szz - wz * syz,
    ))  # fmt: skip
    _put(sums, j, MIXED + 3, (
        vy * gx + cy * px + wz * sxx - wx * sxz,
        vy * gy + cy * py + wz * sxy - wx * syz,
        vy * gz + cy * pz + wz * sxz - wx * szz,
    ))  # fmt: skip
    _put(sums, j, MIXED + 6, (
        vz * gx + cz * px + wx * sxy - wy * sxx,
        vz * gy + cz * py + wx * syy - wy * sxy,
        vz * gz + cz * pz + wx * syz - wy * sxz,
    ))  # fmt: skip


@inner_borrowing
def sum_subtrees(segments: Segments, motion: FrameMotion, moving: Array, sums: Array) -> None:
    """Fill (J, 24) `moving` and (J, 28) `sums` from the state that `newton_euler` takes."""
    parents, constants, gravity = segments.parents, segments.constants, segments.gravity
    local, omega, alpha = motion.local, motion.omega, motion.alpha
    r = matrix(local[0, 0], local[0, 1], local[0, 2], local[0, 3])
    for c in range(9):
        moving[0, TURN + c] = r[c]
    _put(moving, 0, SPIN, turned(r, omega[0, 0], omega[0, 1], omega[0, 2]))
    _put(moving, 0, SPIN_RATE, turned(r, alpha[0, 0], alpha[0, 1], alpha[0, 2]))
    for c in range(3):
        moving[0, RISE + c] = motion.root_acceleration[c] - gravity[c]
        moving[0, PLACE + c] = 0.0
        moving[0, VELOCITY + c] = 0.0
    for j in range(len(parents)):
        if j > 0:
            _carry(j, parents[j], constants, motion, moving)
        if _is_empty(j, constants):
            for c in range(SUMS_SIZE):
                sums[j, c] = 0.0
        else:
            _weigh(j, constants, moving, sums)
    for j in range(len(parents) - 1, 0, -1):
        here, up = SUMS_SIZE * j, SUMS_SIZE * int(parents[j])
        for c in range(0, SUMS_SIZE, LANES):
            store(sums, up + c, load(sums, up + c) + load(sums, here + c))
