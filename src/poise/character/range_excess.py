"""Excess of joint angles over their ranges and over what another motion reaches."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.anatomical_axes import UP
from poise.character.range_of_motion import JointRanges
from poise.character.skeleton import Skeleton

_TURN = 2.0 * np.pi


def range_excess_rad(
    skeleton: Skeleton,
    ranges: JointRanges | None,
    rotations_wxyz: Array,
    reference_wxyz: Array | None = None,
) -> Array:
    """(F, J) the largest angle beyond both the range and the reference; zero inside either.

    Hinges and balls keep to the limits of the skeleton, and to anatomical ranges where given. An
    angle counts from the nearer end of its range: half a turn is the same angle on both sides.

    Args:
        skeleton: whose.
        ranges: anatomical ranges, if known.
        rotations_wxyz: (F, J, 4) local rotations.
        reference_wxyz: (G, J, 4) local rotations of a motion that is allowed as it is.
    """
    found = _own_limits_excess(skeleton, rotations_wxyz, reference_wxyz)
    if ranges is None:
        return found
    low, high = _widened(
        ranges.limits_rad, None if reference_wxyz is None else ranges.angles(reference_wxyz)
    )
    angles = ranges.angles(rotations_wxyz)
    size = np.hypot(angles[..., 0], angles[..., 2])[..., None]
    # The same swing, said the long way round.
    other = angles * (1.0 - _TURN / np.maximum(size, 1e-9))
    other[..., UP] = angles[..., UP]
    ways = [_beyond(each, low, high) for each in (angles, other)]
    swings = [np.delete(way, UP, axis=-1).max(axis=-1) for way in ways]
    twist = angles[..., UP]
    twists = [_beyond(twist + turn, low[:, UP], high[:, UP]) for turn in (-_TURN, 0.0, _TURN)]
    anatomical = np.maximum(np.minimum(*swings), np.minimum.reduce(twists))
    return np.maximum(found, anatomical)


def _own_limits_excess(skeleton: Skeleton, q: Array, reference: Array | None) -> Array:
    """(F, J) beyond the limits that the skeleton's own file gives."""
    if not np.isfinite(skeleton.limits_rad).any():
        return np.zeros(q.shape[:2])
    low, high = _widened(
        skeleton.limits_rad, None if reference is None else _own_angles(skeleton, reference)
    )
    angles = _own_angles(skeleton, q)
    hinge = skeleton.freedoms == 1
    found = _beyond(angles, low, high)
    for turn in (-_TURN, _TURN):
        other = _beyond(angles + turn, low, high)
        found[:, hinge] = np.minimum(found[:, hinge], other[:, hinge])
    return np.asarray(found.max(axis=-1))


def _own_angles(skeleton: Skeleton, q: Array) -> Array:
    """(F, J, 3) turns from rest along the freedoms of joints; zero where there is none."""
    from_rest = rotations.multiply(rotations.conjugate(skeleton.rest_wxyz), q)
    angles = rotations.log(from_rest)
    hinge = skeleton.freedoms == 1
    along = np.einsum("fjk,jk->fj", angles[:, hinge], skeleton.hinge_axes[hinge])
    angles[:, hinge] = 0.0
    angles[:, hinge, 0] = along
    angles[:, skeleton.freedoms == 0] = 0.0
    return angles


def _widened(limits: Array, angles: Array | None) -> tuple[Array, Array]:
    low, high = limits[..., 0], limits[..., 1]
    if angles is None or not len(angles):
        return low, high
    return np.minimum(low, angles.min(axis=0)), np.maximum(high, angles.max(axis=0))


def _beyond(angles: Array, low: Array, high: Array) -> Array:
    return np.maximum(np.maximum(low - angles, angles - high), 0.0)
