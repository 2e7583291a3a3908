"""Quaternion and vector arithmetic on scalars, compiled into the kernels that call it.

Scalars in, tuples of scalars out: the compiler keeps them in registers, and a loop over lanes that
calls them still becomes packed instructions.
"""

from __future__ import annotations

from poise.arrays import Array
from poise.compiled import inlined

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]


@inlined
def cross(ax: float, ay: float, az: float, bx: float, by: float, bz: float) -> Vector:
    """The vector product a × b."""
    return ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx


@inlined
def multiply(
    aw: float, ax: float, ay: float, az: float, bw: float, bx: float, by: float, bz: float
) -> Quaternion:
    """The quaternion product a ⊗ b: first b, then a."""
    return (
        aw * bw - ax * bx - ay * by - az * bz,
        aw * bx + ax * bw + ay * bz - az * by,
        aw * by - ax * bz + ay * bw + az * bx,
        aw * bz + ax * by - ay * bx + az * bw,
    )


@inlined
def turn(
    w: float, x: float, y: float, z: float, vx: float, vy: float, vz: float
) -> Vector:  # fmt: skip
    """The vector v turned by the unit quaternion (w, x, y, z)."""
    tx, ty, tz = 2.0 * (y * vz - z * vy), 2.0 * (z * vx - x * vz), 2.0 * (x * vy - y * vx)
    return (
        vx + w * tx + y * tz - z * ty,
        vy + w * ty + z * tx - x * tz,
        vz + w * tz + x * ty - y * tx,
    )


@inlined
def matrix(w: float, x: float, y: float, z: float) -> Matrix:
    """The rotation matrix of a unit quaternion, row by row."""
    x2, y2, z2 = x + x, y + y, z + z
    xx, yy, zz = x * x2, y * y2, z * z2
    xy, xz, yz = x * y2, x * z2, y * z2
    wx, wy, wz = w * x2, w * y2, w * z2
    return (
        1.0 - yy - zz, xy - wz, xz + wy,
        xy + wz, 1.0 - xx - zz, yz - wx,
        xz - wy, yz + wx, 1.0 - xx - yy,
    )  # fmt: skip


@inlined
def turn_row(rotations: Array, f: int, j: int, vx: float, vy: float, vz: float) -> Vector:
    """The vector v turned by entry (f, j) of an array of quaternions."""
    w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
    return turn(w, x, y, z, vx, vy, vz)


@inlined
def turn_row_back(rotations: Array, f: int, j: int, vx: float, vy: float, vz: float) -> Vector:
    """The vector v turned by the inverse of entry (f, j)."""
    w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
    return turn(w, -x, -y, -z, vx, vy, vz)


@inlined
def between(p: Array, f: int, a: int, b: int) -> Vector:
    """From joint a to joint b in frame f."""
    return p[f, b, 0] - p[f, a, 0], p[f, b, 1] - p[f, a, 1], p[f, b, 2] - p[f, a, 2]
