"""How large a body is, by the measures that movements are scaled with."""

from __future__ import annotations

import numpy as np

from poise.character import Character, stature_m
from poise.errors import BadValue

BODY_SIZES = ("leg_length", "stature")


def body_size_m(character: Character, measure: str, asked_by: str) -> float:
    """The length of the longer leg from hip to ankle, or the stature."""
    roles = character.roles
    if roles is None:
        raise BadValue(
            f"character of '{asked_by}'", "one with roles (see complete_character)", character.name
        )
    skeleton = character.skeleton
    if measure == "stature":
        return stature_m(skeleton, roles)
    legs: list[float] = []
    for side in ("left", "right"):
        joints = [
            skeleton.index(roles.joint(f"{side}_{part}")) for part in ("hip", "knee", "ankle")
        ]
        bones = np.diff(skeleton.rest_positions_m[joints], axis=0)
        legs.append(float(np.linalg.norm(bones, axis=1).sum()))
    return max(legs)
