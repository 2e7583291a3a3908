"""The words of anatomy as turns: which axis and which way flexion goes, for each role.

Turns are those of `anatomical_axes`: about left, up and forward, right-handed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character.anatomical_axes import FORWARD, LEFT, UP
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


MOTIONS = (
    "flexion",
    "extension",
    "abduction",
    "adduction",
    "inward_rotation",
    "outward_rotation",
)
"""For trunk and head, abduction bends to the left and adduction to the right, inward rotation turns
to the right and outward to the left. For the ankle, flexion raises the toes, abduction is eversion
and adduction inversion; for the toes, flexion curls them."""

_FLEXION_ABOUT_LEFT = {
    "trunk": 1, "neck": 1, "collar": -1, "shoulder": -1, "elbow": -1, "wrist": -1,
    "hip": -1, "knee": 1, "ankle": -1, "toe": 1,
}  # fmt: skip
"""The sign of flexion as a turn about the axis to the left: a thigh swings forward about -left."""

_TRUNK_KINDS = {"spine": "trunk", "chest": "trunk", "neck": "neck", "head": "neck"}


def role_kind(role: str) -> str | None:
    """The row a role has in tables of joints: "left_knee" is a "knee"; the pelvis has none."""
    if role in _TRUNK_KINDS:
        return _TRUNK_KINDS[role]
    side, _, part = role.partition("_")
    return part if side in ("left", "right") else None


def joint_motions(role: str) -> dict[str, tuple[int, int]]:
    """For each motion of a role's joint: the anatomical axis and the sign of the turn."""
    kind = role_kind(role) or "trunk"
    flexion = _FLEXION_ABOUT_LEFT[kind]
    # A left limb abducts about +forward and turns inward about -up; a right one mirrors it.
    mirror = -1 if role.startswith("right_") else 1
    out = -mirror if kind in _TRUNK_KINDS.values() else mirror
    return {
        "flexion": (LEFT, flexion),
        "extension": (LEFT, -flexion),
        "abduction": (FORWARD, out),
        "adduction": (FORWARD, -out),
        "inward_rotation": (UP, -mirror),
        "outward_rotation": (UP, mirror),
    }


def bounds(role: str, values: Mapping[str, float]) -> Array:
    """(3, 2) lowest and highest along left, up, forward, from a value for each motion."""
    limits = np.zeros((3, 2))
    for motion, (axis, sign) in joint_motions(role).items():
        limits[axis, 0 if sign < 0 else 1] = sign * values[motion]
    return limits
