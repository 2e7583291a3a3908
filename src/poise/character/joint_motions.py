"""The words of anatomy as turns: which axis and which way flexion goes, for each role.

Turns are those of `anatomical_axes`: about left, up and forward, right-handed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from poise.arrays import Array
from poise.character.anatomical_axes import FORWARD, LEFT, UP

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
