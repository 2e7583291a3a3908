"""What a joint can have of a rotation: all of it, the part about its axis, or none."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.skeleton import Skeleton


def allowed_turn(
    skeleton: Skeleton, joint: int, turn_wxyz: Array, *, within_limits: bool = False
) -> Array:
    """(..., 4) the nearest local rotation that the kind of a joint can have.

    Args:
        skeleton: whose joint.
        joint: which.
        turn_wxyz: (..., 4) local rotations.
        within_limits: a hinge also stops at the ends of its range.
    """
    kind, rest = skeleton.kinds[joint], skeleton.rest_wxyz[joint]
    if kind == "ball":
        return turn_wxyz
    if kind == "fixed":
        return np.broadcast_to(rest, turn_wxyz.shape)
    axis = skeleton.hinge_axes[joint]
    angle = rotations.twist_angle(rotations.multiply(rotations.conjugate(rest), turn_wxyz), axis)
    if within_limits:
        low, high = skeleton.limits_rad[joint, 0]
        angle = np.clip(angle_near_range(angle, low, high), low, high)
    return rotations.multiply(rest, rotations.from_axis_angle(axis, angle))


def angle_near_range(angle_rad: Array, low_rad: float, high_rad: float) -> Array:
    """The same angles, counted from the middle of a range: the ends of it are ends."""
    bounded = np.isfinite(low_rad) and np.isfinite(high_rad)
    middle = 0.5 * (low_rad + high_rad) if bounded else 0.0
    return middle + (np.asarray(angle_rad) - middle + np.pi) % (2.0 * np.pi) - np.pi
