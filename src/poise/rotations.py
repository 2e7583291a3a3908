"""Rotations as unit quaternions, wxyz, over any leading axes.

A quaternion `q_a_b` maps coordinates in frame b to frame a: `rotate(q_a_b, v_b)` is `v_a`, and
`multiply(q_a_b, q_b_c)` is `q_a_c`. Angles are radians. These are the plain NumPy forms for
borders and set-up; the compiled loops of `mechanics` have their own scalar ones.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import BadValue

IDENTITY: Array = np.array([1.0, 0.0, 0.0, 0.0])
IDENTITY.flags.writeable = False

_SMALL_ANGLE = 1e-6
"""Below this, sin(x)/x is taken from its series: the next term is 1e-26."""

_GIMBAL_COSINE = 1e-9
"""Below this the two outer Euler axes coincide to within rounding and share one angle freely."""


_UNIT_ROUNDING = 4 * float(np.finfo(np.float64).eps)
"""How far from one the length of a freshly normalised quaternion may come out."""


def multiply(a: ArrayLike, b: ArrayLike) -> Array:
    """Quaternion product a ⊗ b: first b, then a."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    aw, ax, ay, az = a[..., 0], a[..., 1], a[..., 2], a[..., 3]
    bw, bx, by, bz = b[..., 0], b[..., 1], b[..., 2], b[..., 3]
    return np.stack(
        [
            aw * bw - ax * bx - ay * by - az * bz,
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
        ],
        axis=-1,
    )


def conjugate(q: ArrayLike) -> Array:
    """The inverse of a unit quaternion."""
    return np.asarray(q, dtype=np.float64) * np.array([1.0, -1.0, -1.0, -1.0])


def normalize(q: ArrayLike) -> Array:
    """Unit quaternions in the direction of `q`; a zero quaternion is an error."""
    q = np.asarray(q, dtype=np.float64)
    norm = np.linalg.norm(q, axis=-1, keepdims=True)
    if q.size and not (norm > 0).all():
        raise BadValue("quaternion", "non-zero", 0.0)
    # What is unit to rounding stays as it is, so that a second call changes no bit.
    return np.where(np.abs(norm - 1.0) <= _UNIT_ROUNDING, q, q / norm)


def rotate(q: ArrayLike, v: ArrayLike) -> Array:
    """Turn vectors `v` (..., 3) by unit quaternions `q` (..., 4)."""
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    w, u = q[..., :1], q[..., 1:]
    t = 2.0 * np.cross(u, v)
    return v + w * t + np.cross(u, t)


def exp(vector: ArrayLike) -> Array:
    """Rotation vector (axis times angle) to quaternion."""
    vector = np.asarray(vector, dtype=np.float64)
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    small = angle < _SMALL_ANGLE
    safe = np.where(small, 1.0, angle)
    scale = np.where(small, 0.5 - angle**2 / 48.0, np.sin(0.5 * safe) / safe)
    return np.concatenate([np.cos(0.5 * angle), scale * vector], axis=-1)


def log(q: ArrayLike) -> Array:
    """Quaternion to rotation vector with angle in [0, π]."""
    q = np.asarray(q, dtype=np.float64)
    q = np.where(q[..., :1] < 0, -q, q)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    small = sine < _SMALL_ANGLE
    safe = np.where(small, 1.0, sine)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    scale = np.where(small, 2.0 + sine**2 / 3.0, angle / safe)
    return scale * q[..., 1:]


def from_axis_angle(axis: ArrayLike, angle_rad: ArrayLike) -> Array:
    """Turn by `angle_rad` about a unit `axis`."""
    half = 0.5 * np.asarray(angle_rad, dtype=np.float64)[..., None]
    axis = np.asarray(axis, dtype=np.float64)
    half, axis = np.broadcast_arrays(half, axis)
    return np.concatenate([np.cos(half[..., :1]), np.sin(half) * axis], axis=-1)


def angle_between(a: ArrayLike, b: ArrayLike) -> Array:
    """The angle, 0 to π, of the smallest turn from `a` to `b`."""
    return np.linalg.norm(log(multiply(conjugate(a), b)), axis=-1)


def between_vectors(start: ArrayLike, end: ArrayLike) -> Array:
    """The smallest turn that brings the direction of `start` to that of `end`."""
    a = np.asarray(start, dtype=np.float64)
    b = np.asarray(end, dtype=np.float64)
    a = a / np.linalg.norm(a, axis=-1, keepdims=True)
    b = b / np.linalg.norm(b, axis=-1, keepdims=True)
    w = 1.0 + np.sum(a * b, axis=-1, keepdims=True)
    u = np.cross(a, b)
    # Opposite vectors: any perpendicular axis serves; take the one farthest from `a`.
    other = np.where(np.abs(a[..., :1]) < 0.6, np.array([1.0, 0, 0]), np.array([0, 1.0, 0]))
    opposite = w < 1e-12
    u = np.where(opposite, np.cross(a, other), u)
    w = np.where(opposite, 0.0, w)
    return normalize(np.concatenate([w, u], axis=-1))


def to_matrix(q: ArrayLike) -> Array:
    """Unit quaternions (..., 4) to rotation matrices (..., 3, 3)."""
    q = np.asarray(q, dtype=np.float64)
    w, x, y, z = q[..., 0], q[..., 1], q[..., 2], q[..., 3]
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def from_matrix(matrix: ArrayLike) -> Array:
    """Rotation matrices (..., 3, 3) to unit quaternions, accurate for every angle."""
    m = np.asarray(matrix, dtype=np.float64)
    # Four candidate columns of 4·q·qᵀ; the one with the largest diagonal loses no digits.
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = (
        m[..., 2, 1] - m[..., 1, 2],
        m[..., 0, 2] - m[..., 2, 0],
        m[..., 1, 0] - m[..., 0, 1],
    )
    xy, xz, yz = (
        m[..., 1, 0] + m[..., 0, 1],
        m[..., 0, 2] + m[..., 2, 0],
        m[..., 2, 1] + m[..., 1, 2],
    )
    candidates = np.stack(
        [
            np.stack([1 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    best = np.argmax(np.einsum("...ii->...i", candidates), axis=-1)
    return normalize(np.take_along_axis(candidates, best[..., None, None], axis=-2)[..., 0, :])


def from_xyzw(q: ArrayLike) -> Array:
    """Scalar-last quaternions (glTF, ROS, SciPy) to ours."""
    q = np.asarray(q, dtype=np.float64)
    return q[..., [3, 0, 1, 2]]


def to_xyzw(q: ArrayLike) -> Array:
    """Our quaternions to scalar-last ones."""
    q = np.asarray(q, dtype=np.float64)
    return q[..., [1, 2, 3, 0]]


def continuous(q: ArrayLike) -> Array:
    """The same rotations with signs chosen so that neighbours along axis 0 agree."""
    q = np.array(q, dtype=np.float64)
    if len(q) > 1:
        flips = np.where(np.sum(q[1:] * q[:-1], axis=-1) < 0, -1.0, 1.0)
        q[1:] *= np.cumprod(flips, axis=0)[..., None]
    return q


def slerp(a: ArrayLike, b: ArrayLike, share: ArrayLike) -> Array:
    """The rotation `share` of the way from `a` to `b` along the shorter arc."""
    turn = log(multiply(conjugate(a), b))
    return multiply(a, exp(np.asarray(share, dtype=np.float64)[..., None] * turn))


def twist_angle(q: ArrayLike, axis: ArrayLike) -> Array:
    """The angle of the part of `q` that turns about the unit `axis`, in (-π, π]."""
    q, axis = np.asarray(q, dtype=np.float64), np.asarray(axis, dtype=np.float64)
    along = np.sum(q[..., 1:] * axis, axis=-1)
    angle = 2.0 * np.arctan2(along, q[..., 0])
    return np.pi - np.mod(np.pi - angle, 2.0 * np.pi)


def from_euler(angles_rad: ArrayLike, axes: Sequence[int]) -> Array:
    """Turns about the axes in reading order, each in the frame the ones before it left.

    `from_euler([a, b, c], (2, 1, 0))` is Rz(a)·Ry(b)·Rx(c), the BVH channel order "Z Y X".
    Any number of axes, repeated or not.
    """
    angles = np.asarray(angles_rad, dtype=np.float64)
    q = np.broadcast_to(IDENTITY, (*angles.shape[:-1], 4))
    for column, axis in enumerate(axes):
        q = multiply(q, from_axis_angle(np.eye(3)[axis], angles[..., column]))
    return q


def to_euler(q: ArrayLike, axes: Sequence[int], near_rad: ArrayLike | None = None) -> Array:
    """The angles that `from_euler` would turn into `q`.

    Args:
        q: unit quaternions.
        axes: one, two or three different axes. With fewer than three, the part of `q` that these
            axes cannot express is dropped; compare with `from_euler` to learn how much.
        near_rad: of the equivalent triples (half-turn twins, whole turns, the free split at
            gimbal lock), return the one closest to this.
    """
    axes = tuple(axes)
    if len(axes) > 3 or len(set(axes)) != len(axes):
        raise BadValue("axes", "up to three different axes", axes)
    q = np.asarray(q, dtype=np.float64)
    near = None if near_rad is None else np.asarray(near_rad, dtype=np.float64)
    if len(axes) == 0:
        return np.zeros((*q.shape[:-1], 0))
    if len(axes) == 1:
        angles = twist_angle(q, np.eye(3)[axes[0]])[..., None]
        return angles if near is None else _whole_turns_near(angles, near)
    angles = _three_axis_angles(to_matrix(q), axes, near)
    if len(axes) == 2:
        angles = angles[..., :2]
    if near is None:
        return angles
    return _nearest_twin(angles, near)


def to_euler_continuous(q: ArrayLike, axes: Sequence[int]) -> Array:
    """Like `to_euler`, with each frame (axis 0) chosen near the one before it."""
    q = np.asarray(q, dtype=np.float64)
    angles = to_euler(q, axes)
    for frame in range(1, len(angles)):
        step = np.abs(angles[frame] - angles[frame - 1])
        if step.size and step.max() > 0.5:  # only a jump needs another look
            angles[frame] = to_euler(q[frame], axes, near_rad=angles[frame - 1])
    return angles


def _three_axis_angles(m: Array, axes: tuple[int, ...], near: Array | None) -> Array:
    i, j = axes[0], axes[1]
    k = 3 - i - j
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    cosine = np.hypot(m[..., i, i], m[..., i, j])
    locked = cosine < _GIMBAL_COSINE
    free = 0.0 if near is None else near[..., 0]
    a = np.where(locked, free, np.arctan2(-sign * m[..., j, k], m[..., k, k]))
    b = np.arctan2(sign * m[..., i, k], cosine)
    # The last angle from what the first leaves over: consistent with it even close to lock.
    sa, ca = sign * np.sin(a), np.cos(a)
    c = np.arctan2(
        sign * (ca * m[..., j, i] + sa * m[..., k, i]), ca * m[..., j, j] + sa * m[..., k, j]
    )
    return np.stack([a, b, c], axis=-1)


def _nearest_twin(angles: Array, near: Array) -> Array:
    direct = _whole_turns_near(angles, near)
    twin = angles + np.pi
    twin[..., 1] = np.pi - angles[..., 1]
    if angles.shape[-1] == 2:
        return direct  # the half-turn twin needs the third axis
    twin = _whole_turns_near(twin, near)
    closer = np.abs(twin - near).sum(axis=-1) < np.abs(direct - near).sum(axis=-1)
    return np.where(closer[..., None], twin, direct)


def _whole_turns_near(angles: Array, near: Array) -> Array:
    return angles + 2.0 * np.pi * np.round((near - angles) / (2.0 * np.pi))
