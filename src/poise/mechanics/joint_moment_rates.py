"""Exact derivatives of joint moments, for one frame: after `wrench_rates`, on its scratch.

A coordinate of joint j is felt in two ways, in the axes of the joint i that feels it (R, r: its
rotation and place; m, h, l, S, B: the sums over its subtree; see `inverse_dynamics_rates`):

- above j, what j's subtree asks for more: Rᵀ (δmoment − r × δforce);
- at j and below, what i's own subtree asks for under the motion that is laid over it. Its moment
  and its axes turn together, which changes no number:

      Rᵀ [(h − m r) × β + (tr S − h·r − S + h rᵀ) μ + 2 (tr B − l·r − B + l rᵀ) ν]

Both are one small matrix per joint (a map) times what `wrench_rates` kept per block. Everything
else is zero.
"""

from __future__ import annotations

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.mechanics.inverse_dynamics_rates import (
    BALL,
    BASE_RISE,
    LAID_SIZE,
    RESPONSE,
    TRANSLATION,
    TURNING,
    TURNING_RATE,
    Blocks,
    RateScratch,
)
from poise.mechanics.lanes import LANES
from poise.mechanics.quaternion_kernels import Matrix, Vector, cross, turned_back
from poise.mechanics.subtree_sums import (
    FIRST,
    FLOW,
    FORCE,
    MASS,
    MIXED,
    MOMENT,
    PLACE,
    SECOND,
    TURN,
    matrix_at,
    vector_at,
)
from poise.mechanics.triples import lanes_at, put_columns

# Where the parts of a joint's map start in its row, each 3 by 3: what multiplies μ, ν, β, δforce.
_OF_RATE, _OF_TURNING, _OF_BASE, _OF_FORCE = 0, 9, 18, 27


@inlined_borrowing
def _put_turned(
    maps: Array, j: int, start: int, r: Matrix, x: Vector, y: Vector, z: Vector
) -> None:
    """Rᵀ times the matrix with columns x, y and z."""
    a, b, c = turned_back(r, x[0], x[1], x[2])
    maps[j, start], maps[j, start + 3], maps[j, start + 6] = a, b, c
    a, b, c = turned_back(r, y[0], y[1], y[2])
    maps[j, start + 1], maps[j, start + 4], maps[j, start + 7] = a, b, c
    a, b, c = turned_back(r, z[0], z[1], z[2])
    maps[j, start + 2], maps[j, start + 5], maps[j, start + 8] = a, b, c


@inlined_borrowing
def _put_map(j: int, moving: Array, sums: Array, maps: Array) -> None:
    """A joint's map, once its subtree is summed."""
    r = matrix_at(moving, j, TURN)
    px, py, pz = vector_at(moving, j, PLACE)
    m = sums[j, MASS]
    hx, hy, hz = vector_at(sums, j, FIRST)
    lx, ly, lz = vector_at(sums, j, FLOW)
    sxx, syy, szz = vector_at(sums, j, SECOND)
    sxy, sxz, syz = vector_at(sums, j, SECOND + 3)
    b = matrix_at(sums, j, MIXED)
    t = sxx + syy + szz - (hx * px + hy * py + hz * pz)
    _put_turned(
        maps, j, _OF_RATE, r,
        (t - sxx + hx * px, hy * px - sxy, hz * px - sxz),
        (hx * py - sxy, t - syy + hy * py, hz * py - syz),
        (hx * pz - sxz, hy * pz - syz, t - szz + hz * pz),
    )  # fmt: skip
    t = 2.0 * (b[0] + b[4] + b[8] - (lx * px + ly * py + lz * pz))
    qx, qy, qz = px + px, py + py, pz + pz
    _put_turned(
        maps, j, _OF_TURNING, r,
        (t - 2.0 * b[0] + lx * qx, ly * qx - 2.0 * b[3], lz * qx - 2.0 * b[6]),
        (lx * qy - 2.0 * b[1], t - 2.0 * b[4] + ly * qy, lz * qy - 2.0 * b[7]),
        (lx * qz - 2.0 * b[2], ly * qz - 2.0 * b[5], t - 2.0 * b[8] + lz * qz),
    )  # fmt: skip
    gx, gy, gz = hx - m * px, hy - m * py, hz - m * pz
    _put_turned(maps, j, _OF_BASE, r, (0.0, gz, -gy), (-gz, 0.0, gx), (gy, -gx, 0.0))
    _put_turned(maps, j, _OF_FORCE, r, (0.0, -pz, py), (pz, 0.0, -px), (-py, px, 0.0))


@inlined_borrowing
def _row(table: Array, j: int, start: int, v: Vector) -> float:
    """The product of three neighbours and a vector of lanes."""
    return v[0] * table[j, start] + v[1] * table[j, start + 1] + v[2] * table[j, start + 2]


@inlined_borrowing
def _put_below(
    i: int, b: int, blocks: Blocks, width: int, scratch: RateScratch, out: Array
) -> None:
    """What joint i feels of a block at itself or above."""
    maps, laid = scratch.maps, scratch.laid
    whole, column = blocks.kind[b] == BALL, blocks.column[b]
    stride = 3 * width
    for section in range(3):
        start = (3 * b + section) * LAID_SIZE * LANES
        at = 3 * i * stride + section * width + column
        rate = lanes_at(laid, start, TURNING_RATE)
        base = lanes_at(laid, start, BASE_RISE)
        x = _row(maps, i, _OF_RATE, rate) + _row(maps, i, _OF_BASE, base)
        y = _row(maps, i, _OF_RATE + 3, rate) + _row(maps, i, _OF_BASE + 3, base)
        z = _row(maps, i, _OF_RATE + 6, rate) + _row(maps, i, _OF_BASE + 6, base)
        if section < 2:
            turning = lanes_at(laid, start, TURNING)
            x = x + _row(maps, i, _OF_TURNING, turning)
            y = y + _row(maps, i, _OF_TURNING + 3, turning)
            z = z + _row(maps, i, _OF_TURNING + 6, turning)
        put_columns(out, at, whole, x)
        put_columns(out, at + stride, whole, y)
        put_columns(out, at + 2 * stride, whole, z)


@inlined_borrowing
def _put_above(
    k: int, b: int, blocks: Blocks, width: int, scratch: RateScratch, out: Array
) -> None:
    """What joint k feels of a block below."""
    maps, laid = scratch.maps, scratch.laid
    r = matrix_at(scratch.moving, k, TURN)
    whole, column = blocks.kind[b] == BALL, blocks.column[b]
    stride = 3 * width
    for section in range(3):
        start = (3 * b + section) * LAID_SIZE * LANES
        at = 3 * k * stride + section * width + column
        force = lanes_at(laid, start, RESPONSE)
        moment = lanes_at(laid, start, RESPONSE + 3)
        x = moment[0] * r[0] + moment[1] * r[3] + moment[2] * r[6]
        y = moment[0] * r[1] + moment[1] * r[4] + moment[2] * r[7]
        z = moment[0] * r[2] + moment[1] * r[5] + moment[2] * r[8]
        put_columns(out, at, whole, x + _row(maps, k, _OF_FORCE, force))
        put_columns(out, at + stride, whole, y + _row(maps, k, _OF_FORCE + 3, force))
        put_columns(out, at + 2 * stride, whole, z + _row(maps, k, _OF_FORCE + 6, force))


@inner_borrowing
def joint_moment_rates(
    parents: Indices, blocks: Blocks, width: int, wanted: Indices,
    scratch: RateScratch, out: Array,
) -> None:  # fmt: skip
    """How the joint moments of `newton_euler` change, where `wanted`; after `wrench_rates`.

    Args:
        parents: (J,)
        blocks: the coordinates.
        width: n, how many there are.
        wanted: (J,) 0 for joints that nobody asks for: their rates are left as they are.
        scratch: as `wrench_rates` left it when told to `keep`.
        out: (J, 3, 3n) out, contiguous: by places, velocities and accelerations.
    """
    for i in range(len(parents)):
        if wanted[i] != 0:
            _put_map(i, scratch.moving, scratch.sums, scratch.maps)
            for r in range(3):
                for c in range(3 * width):
                    out[i, r, c] = 0.0
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != TRANSLATION:
            continue
        at = 2 * width + blocks.column[b]
        for i in range(len(parents)):
            if wanted[i] != 0:
                for r in range(3):
                    for c in range(3):
                        out[i, r, at + c] = scratch.maps[i, _OF_BASE + 3 * r + c]
    for i in range(len(parents)):
        own, k = blocks.of_joint[i], i
        while k >= 0:
            b = blocks.of_joint[k]
            if b >= 0 and wanted[i] != 0:
                _put_below(i, b, blocks, width, scratch, out)
            if k != i and own >= 0 and wanted[k] != 0:
                _put_above(k, own, blocks, width, scratch, out)
            k = int(parents[k])


@inlined_borrowing
def joint_moment(j: int, scratch: RateScratch) -> Vector:
    """A joint's moment itself, once subtrees are summed."""
    moving, sums = scratch.moving, scratch.sums
    px, py, pz = vector_at(moving, j, PLACE)
    fx, fy, fz = vector_at(sums, j, FORCE)
    nx, ny, nz = vector_at(sums, j, MOMENT)
    x, y, z = cross(px, py, pz, fx, fy, fz)
    return turned_back(matrix_at(moving, j, TURN), nx - x, ny - y, nz - z)


@inner_borrowing
def joint_moments(scratch: RateScratch, moments: Array) -> None:
    """(J, 3) the joint moments themselves, after `wrench_rates`."""
    for j in range(len(moments)):
        moments[j, 0], moments[j, 1], moments[j, 2] = joint_moment(j, scratch)
