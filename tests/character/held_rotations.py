"""Rotations made from the numbers of joint ranges, and held inside them: the other way round."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array
from poise.character import JointRanges
from poise.character.anatomical_axes import UP, AnatomicalAxes


def local_rotations(axes: AnatomicalAxes, turns_wxyz: ArrayLike) -> Array:
    """(..., J, 4) anatomical turns as local rotations."""
    q = rotations.multiply(turns_wxyz, rotations.conjugate(axes.own_wxyz))
    return rotations.multiply(axes.parent_wxyz, q)


def from_swing_and_twist(angles_rad: ArrayLike) -> Array:
    """(..., 4) the turns that `swing_and_twist` splits into these angles."""
    swing = np.array(angles_rad, dtype=np.float64)
    twist = rotations.from_axis_angle(np.eye(3)[UP], swing[..., UP])
    swing[..., UP] = 0.0
    return rotations.multiply(rotations.exp(swing), twist)


def clamped(ranges: JointRanges, rotations_wxyz: Array) -> Array:
    """(..., J, 4) the rotations with every angle inside its range; others stay as they are."""
    angles = ranges.angles(rotations_wxyz)
    inside = np.clip(angles, ranges.limits_rad[..., 0], ranges.limits_rad[..., 1])
    held = local_rotations(ranges.axes, from_swing_and_twist(inside))
    held = np.where(np.sum(held * rotations_wxyz, axis=-1, keepdims=True) < 0, -held, held)
    return np.where((inside == angles).all(axis=-1, keepdims=True), rotations_wxyz, held)
