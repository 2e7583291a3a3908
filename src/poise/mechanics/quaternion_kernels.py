"""Rotations and vectors as scalars, compiled into the kernels that call it.

Quaternions, rotation matrices, and the exponential map from rotation vectors with its derivatives.
Scalars in, tuples of scalars out: the compiler keeps them in registers, and a loop over lanes that
calls them still becomes packed instructions.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined

Vector = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]
Matrix = tuple[float, float, float, float, float, float, float, float, float]

_SMALL = 1e-8
"""Angles, or sines, below which the first term of a series is exact to rounding."""
_SMALL_BOW = 0.03
"""The same for three terms, of one minus cosine."""


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
def turn(w: float, x: float, y: float, z: float, vx: float, vy: float, vz: float) -> Vector:
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


@inlined
def normalized(w: float, x: float, y: float, z: float) -> Quaternion:
    """The unit quaternion of the same direction."""
    norm = 1.0 / np.sqrt(w * w + x * x + y * y + z * z)
    return w * norm, x * norm, y * norm, z * norm


@inlined
def carried(
    up: Quaternion, place: Vector, offset: Vector, q: Quaternion
) -> tuple[Quaternion, Vector]:
    """Rotation and origin of a joint in the world, from its parent's: forward kinematics."""
    w, x, y, z = up
    ox, oy, oz = turn(w, x, y, z, offset[0], offset[1], offset[2])
    moved = place[0] + ox, place[1] + oy, place[2] + oz
    return multiply(w, x, y, z, q[0], q[1], q[2], q[3]), moved


@inlined
def product(a: Matrix, b: Matrix) -> Matrix:
    """The matrix product A B."""
    return (
        a[0] * b[0] + a[1] * b[3] + a[2] * b[6],
        a[0] * b[1] + a[1] * b[4] + a[2] * b[7],
        a[0] * b[2] + a[1] * b[5] + a[2] * b[8],
        a[3] * b[0] + a[4] * b[3] + a[5] * b[6],
        a[3] * b[1] + a[4] * b[4] + a[5] * b[7],
        a[3] * b[2] + a[4] * b[5] + a[5] * b[8],
        a[6] * b[0] + a[7] * b[3] + a[8] * b[6],
        a[6] * b[1] + a[7] * b[4] + a[8] * b[7],
        a[6] * b[2] + a[7] * b[5] + a[8] * b[8],
    )


@inlined
def turned(r: Matrix, x: float, y: float, z: float) -> Vector:
    """R v."""
    return (
        r[0] * x + r[1] * y + r[2] * z,
        r[3] * x + r[4] * y + r[5] * z,
        r[6] * x + r[7] * y + r[8] * z,
    )


@inlined
def turned_back(r: Matrix, x: float, y: float, z: float) -> Vector:
    """Rᵀ v."""
    return (
        r[0] * x + r[3] * y + r[6] * z,
        r[1] * x + r[4] * y + r[7] * z,
        r[2] * x + r[5] * y + r[8] * z,
    )


@inlined
def exponential(x: float, y: float, z: float) -> Quaternion:
    """The quaternion of a rotation vector."""
    angle = np.sqrt(x * x + y * y + z * z)
    if angle < _SMALL:
        return 1.0, 0.5 * x, 0.5 * y, 0.5 * z
    s = np.sin(0.5 * angle) / angle
    return np.cos(0.5 * angle), s * x, s * y, s * z


@inlined
def logarithm(w: float, x: float, y: float, z: float) -> Vector:
    """The rotation vector, of at most half a turn, of a unit quaternion."""
    if w < 0.0:
        w, x, y, z = -w, -x, -y, -z
    sine = np.sqrt(x * x + y * y + z * z)
    if sine < _SMALL:
        return 2.0 * x, 2.0 * y, 2.0 * z
    scale = 2.0 * np.arctan2(sine, w) / sine
    return scale * x, scale * y, scale * z


@inlined
def exponential_rate(u: Vector, x: float, y: float, z: float) -> Vector:
    """The right Jacobian of the exponential map at u, times a vector: the turn in its own axes."""
    square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    if square < 1e-8:
        a, b = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    else:
        angle = np.sqrt(square)
        a, b = (1.0 - np.cos(angle)) / square, (angle - np.sin(angle)) / (square * angle)
    cx, cy, cz = cross(u[0], u[1], u[2], x, y, z)
    ex, ey, ez = cross(u[0], u[1], u[2], cx, cy, cz)
    return x - a * cx + b * ex, y - a * cy + b * ey, z - a * cz + b * ez


@inlined
def logarithm_rate(side: float, u: Vector, x: float, y: float, z: float) -> Vector:
    """(I − side/2 [u]× + c [u]×²) times a vector: how a rotation vector answers to a turn.

    With side 1 to one from the left, with −1 to one from the right.
    """
    square = u[0] * u[0] + u[1] * u[1] + u[2] * u[2]
    if square < 1e-4:
        c = 1.0 / 12.0 + square / 720.0
    else:
        angle = np.sqrt(square)
        c = 1.0 / square - (1.0 + np.cos(angle)) / (2.0 * angle * np.sin(angle))
    ax, ay, az = cross(u[0], u[1], u[2], x, y, z)
    bx, by, bz = cross(u[0], u[1], u[2], ax, ay, az)
    s = 0.5 * side
    return x - s * ax + c * bx, y - s * ay + c * by, z - s * az + c * bz


@inlined
def sine_and_bow(angle: float) -> tuple[float, float]:
    """Sine, and one minus cosine without the loss of it at small angles."""
    square = angle * angle
    if square < _SMALL_BOW * _SMALL_BOW:
        return (
            angle * (1.0 - square / 6.0 * (1.0 - square / 20.0 * (1.0 - square / 42.0))),
            0.5 * square * (1.0 - square / 12.0 * (1.0 - square / 30.0 * (1.0 - square / 56.0))),
        )
    half = np.sin(0.5 * angle)
    return np.sin(angle), 2.0 * half * half


@inlined
def moved_by(e: Vector, sine: float, bow: float, x: Vector) -> Vector:
    """(E − 1) x, where E turns about the unit vector e."""
    a, b, c = cross(e[0], e[1], e[2], x[0], x[1], x[2])
    u, v, w = cross(e[0], e[1], e[2], a, b, c)
    return sine * a + bow * u, sine * b + bow * v, sine * c + bow * w
