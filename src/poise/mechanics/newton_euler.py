"""The inner loops of inverse dynamics: recursive Newton-Euler on blocks of frames.

Every quantity lives in its joint's own frame, and each number below stands for `LANES` frames at
once (see `lanes`). A block's scratch is one flat array, `ROWS` rows of lanes per joint.

Per joint, with A = [α]× + ω ωᵀ − |ω|² (what an acceleration field does to a point r: A r), the
segment's mass m, first moment h = m c and second moment S = ∫ r rᵀ dm about the joint's origin:

    force = m a + A h            moment = h × a + ∫ r × (A r) dm = h × a + axial(A S)

which needs half the products of the usual form with an inertia about the centre.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import compiled, inlined
from poise.mechanics.lanes import LANES, gather, load, scatter, store
from poise.mechanics.quaternion_kernels import Matrix, Vector, cross, matrix

CONSTANTS = 13
"""Columns of the table of constants: offset 3, mass, first moment 3, second moment 6."""

ROWS = 27
"""Rotation 9, angular velocity, angular and origin acceleration, force, moment, offset: 3 each."""

# Where they start in a joint's scratch.
_W, _D, _A, _F, _N, _O = (row * LANES for row in (9, 12, 15, 18, 21, 24))
_SPAN = ROWS * LANES


@compiled
def newton_euler(
    first: int, last: int,
    parents: Indices, constants: Array, slots: Indices, moving: Array, gravity: Array,
    local: Array, omega: Array, root_a: Array, alpha: Array,
    moments: Array, root_force: Array, root_moment: Array,
) -> None:  # fmt: skip
    """Joint moments, and root force and moment in world axes, for frames `first` to `last`.

    All but the tables are flat. When the last block is not full it starts earlier and repeats
    frames that are done; fewer frames than a block holds go one by one, the same in every lane.
    Either way every frame meets the same instructions, so its bits do not depend on its place.
    """
    count = len(parents)
    s = np.empty(count * _SPAN)
    for j in range(count):
        for c in range(3):
            for l in range(LANES):
                s[j * _SPAN + _O + c * LANES + l] = constants[j, c]
    step = 1 if last >= LANES else 0
    f = first
    while f < last:
        start = min(f, last - LANES) if step else f
        _load_moving(slots, moving, start, step, s)
        _block(
            start, step, parents, constants, gravity, local, omega, root_a, alpha,
            moments, root_force, root_moment, s,
        )  # fmt: skip
        f += LANES if step else 1


@inlined
def _load_moving(slots: Indices, moving: Array, start: int, step: int, s: Array) -> None:
    if moving.shape[1] == 0:
        return
    for j in range(1, len(slots)):
        if slots[j] >= 0:
            for l in range(LANES):
                for c in range(3):
                    s[j * _SPAN + _O + c * LANES + l] = moving[start + step * l, slots[j], c]


@compiled
def _block(
    f: int, step: int, parents: Indices, constants: Array, gravity: Array,
    local: Array, omega: Array, root_a: Array, alpha: Array,
    moments: Array, root_force: Array, root_moment: Array, s: Array,
) -> None:  # fmt: skip
    count = len(parents)
    four, three = 4 * count * step, 3 * count * step
    q, v = 4 * count * f, 3 * count * f
    r = _rotation(local, q, four)
    px = gather(root_a, 3 * f, 3 * step) - gravity[0]
    py = gather(root_a, 3 * f + 1, 3 * step) - gravity[1]
    pz = gather(root_a, 3 * f + 2, 3 * step) - gravity[2]
    w, d = _vector(omega, v, three), _vector(alpha, v, three)
    _segment(constants[0], r, w, d, _turn_back(r, px, py, pz), s, 0)
    for j in range(1, count):
        up, here = parents[j] * _SPAN, j * _SPAN
        r = _rotation(local, q + 4 * j, four)
        w = _vector(omega, v + 3 * j, three)
        d = _vector(alpha, v + 3 * j, three)
        _outward(constants[j], r, w, d, s, up, here)
    for j in range(count - 1, 0, -1):
        here = j * _SPAN
        n = _row(s, here + _N)
        _put(moments, v + 3 * j, three, n)
        _inward(n, s, parents[j] * _SPAN, here)
    n = _row(s, _N)
    _put(moments, v, three, n)
    _put(root_moment, 3 * f, 3 * step, _turn(s, 0, n))
    _put(root_force, 3 * f, 3 * step, _turn(s, 0, _row(s, _F)))


@inlined
def _outward(
    k: Array, r: Matrix, w: Vector, d: Vector, s: Array, up: int, here: int
) -> None:  # fmt: skip
    """Velocities and accelerations from a parent to its child, and what the child's motion asks."""
    ux, uy, uz = _row(s, up + _W)
    vx, vy, vz = _row(s, up + _D)
    ax, ay, az = _row(s, up + _A)
    ox, oy, oz = _row(s, here + _O)
    # Acceleration of the joint's origin, still in the parent's frame: a + α × o + ω × (ω × o).
    cx, cy, cz = cross(ux, uy, uz, ox, oy, oz)
    ax = ax + vy * oz - vz * oy + uy * cz - uz * cy
    ay = ay + vz * ox - vx * oz + uz * cx - ux * cz
    az = az + vx * oy - vy * ox + ux * cy - uy * cx
    bx, by, bz = _turn_back(r, ux, uy, uz)
    vx, vy, vz = _turn_back(r, vx, vy, vz)
    wx, wy, wz = w
    dx = vx + d[0] + by * wz - bz * wy
    dy = vy + d[1] + bz * wx - bx * wz
    dz = vz + d[2] + bx * wy - by * wx
    _segment(k, r, (bx + wx, by + wy, bz + wz), (dx, dy, dz), _turn_back(r, ax, ay, az), s, here)


@inlined
def _segment(
    k: Array, r: Matrix, w: Vector, d: Vector, a: Vector, s: Array, here: int
) -> None:  # fmt: skip
    """Force and moment about the joint's origin that a segment's motion asks for, to scratch."""
    wx, wy, wz = w
    dx, dy, dz = d
    ax, ay, az = a
    m, hx, hy, hz = k[3], k[4], k[5], k[6]
    sxx, syy, szz, sxy, sxz, syz = k[7], k[8], k[9], k[10], k[11], k[12]
    for c in range(9):
        store(s, here + c * LANES, r[c])
    _keep(s, here + _W, wx, wy, wz)
    _keep(s, here + _D, dx, dy, dz)
    _keep(s, here + _A, ax, ay, az)
    xx, yy, zz = wx * wx, wy * wy, wz * wz
    xy, xz, yz = wx * wy, wx * wz, wy * wz
    mxy, mxz = xy - dz, xz + dy
    myx, myz = xy + dz, yz - dx
    mzx, mzy = xz - dy, yz + dx
    fx = ax * m - (yy + zz) * hx + mxy * hy + mxz * hz
    fy = ay * m + myx * hx - (xx + zz) * hy + myz * hz
    fz = az * m + mzx * hx + mzy * hy - (xx + yy) * hz
    _keep(s, here + _F, fx, fy, fz)
    # The part −|ω|² of A is a multiple of the identity: S is symmetric, so it has no axial part.
    nx = az * hy - ay * hz + mzx * sxy + mzy * syy + (zz - yy) * syz - myx * sxz - myz * szz
    ny = ax * hz - az * hx + mxy * syz + mxz * szz + (xx - zz) * sxz - mzx * sxx - mzy * sxy
    nz = ay * hx - ax * hy + myx * sxx + myz * sxz + (yy - xx) * sxy - mxy * syy - mxz * syz
    _keep(s, here + _N, nx, ny, nz)


@inlined
def _inward(n: Vector, s: Array, up: int, here: int) -> None:
    """A joint's force and moment on to its parent."""
    fx, fy, fz = _turn(s, here, _row(s, here + _F))
    nx, ny, nz = _turn(s, here, n)
    ox, oy, oz = _row(s, here + _O)
    gx, gy, gz = _row(s, up + _F)
    _keep(s, up + _F, gx + fx, gy + fy, gz + fz)
    gx, gy, gz = _row(s, up + _N)
    gx = gx + nx + oy * fz - oz * fy
    gy = gy + ny + oz * fx - ox * fz
    gz = gz + nz + ox * fy - oy * fx
    _keep(s, up + _N, gx, gy, gz)


@inlined
def _rotation(q: Array, start: int, stride: int) -> Matrix:
    w, x = gather(q, start, stride), gather(q, start + 1, stride)
    y, z = gather(q, start + 2, stride), gather(q, start + 3, stride)
    return matrix(w, x, y, z)


@inlined
def _vector(array: Array, start: int, stride: int) -> Vector:
    return (
        gather(array, start, stride),
        gather(array, start + 1, stride),
        gather(array, start + 2, stride),
    )


@inlined
def _put(array: Array, start: int, stride: int, v: Vector) -> None:
    scatter(array, start, stride, v[0])
    scatter(array, start + 1, stride, v[1])
    scatter(array, start + 2, stride, v[2])


@inlined
def _row(s: Array, start: int) -> Vector:
    return load(s, start), load(s, start + LANES), load(s, start + 2 * LANES)


@inlined
def _keep(s: Array, start: int, x: float, y: float, z: float) -> None:
    store(s, start, x)
    store(s, start + LANES, y)
    store(s, start + 2 * LANES, z)


@inlined
def _turn(s: Array, here: int, v: Vector) -> Vector:
    """From a joint's frame to its parent's."""
    x, y, z = v
    a, b, c = _row(s, here)
    d, e, f = _row(s, here + 3 * LANES)
    g, h, i = _row(s, here + 6 * LANES)
    return a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z


@inlined
def _turn_back(r: Matrix, x: float, y: float, z: float) -> Vector:
    """From the parent's frame to the joint's."""
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
    )
