"""How far a motion goes on another body: places scale with the legs, and the hips go there."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.character import SIDES, Character, StandingFigure


def leg_ratio(source: Character, target: Character) -> float:
    """How many times as long the target's legs are."""
    assert source.roles is not None and target.roles is not None
    theirs, mine = (
        StandingFigure(each.skeleton, roles)
        for each, roles in ((source, source.roles), (target, target.roles))
    )
    return mine.leg_m / theirs.leg_m


def hip_joints(character: Character) -> Indices:
    """(2,) both hips: what lies between them is where a body is."""
    assert character.roles is not None
    roles, skeleton = character.roles, character.skeleton
    return np.array([skeleton.index(roles.joint(f"{side}_hip")) for side in SIDES], dtype=np.int64)


def scaled_m(places_m: Array, scale: float, about_m: Array) -> Array:
    """(..., 3) places so many times as far from a point."""
    return scale * (places_m - about_m) + about_m
