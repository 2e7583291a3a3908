"""Legs and arms in closed form: two bones of known length between two known ends."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array

_STRAIGHT = 1e-4
"""A limb is kept this share short of its length: a straight one tells no bend."""


def two_bones(
    start: Array, end: Array, pole: Array, lengths_m: tuple[float, float], *, bends_back: bool
) -> tuple[Array, Array]:
    """World rotations of an upper and a lower bone that both hang along -Y at rest.

    Args:
        start: (F, 3) hip or shoulder.
        end: (F, 3) ankle or wrist.
        pole: (F, 3) where knee or elbow points, not along the limb.
        lengths_m: of the two bones.
        bends_back: the lower bone folds backwards (a knee) or forwards (an elbow).

    An end out of reach is pointed at.

    Returns:
        (F, 4) of the upper bone and of the lower bone; both turn about the joint's own X axis.
    """
    upper, lower = lengths_m
    reach = end - start
    distance = np.linalg.norm(reach, axis=-1)
    along = reach / distance[:, None]
    distance = np.minimum(distance, (1.0 - _STRAIGHT) * (upper + lower))
    side = pole - np.sum(pole * along, axis=-1, keepdims=True) * along
    side = side / np.linalg.norm(side, axis=-1, keepdims=True)
    cosine = (upper**2 + distance**2 - lower**2) / (2.0 * upper * distance)
    sine = np.sqrt(np.maximum(1.0 - cosine**2, 0.0))
    bone = cosine[:, None] * along + sine[:, None] * side
    other = (distance[:, None] * along - upper * bone) / lower
    hinge = np.cross(side, along) if bends_back else np.cross(along, side)
    return _hanging(hinge, bone), _hanging(hinge, other)


def _hanging(hinge: Array, bone: Array) -> Array:
    """The rotation that brings X to the hinge and -Y along the bone."""
    axes = np.stack([hinge, -bone, np.cross(hinge, -bone)], axis=-1)
    return rotations.from_matrix(axes)
