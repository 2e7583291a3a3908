"""Whether two bodies are on one rig and rest alike, so that rotations mean the same on both."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import SIDES, Character

MOST_DEG = 30.0
"""Bones of one rig that point further apart at rest are another pose: arms down instead of out,
another axis up. How people are built makes less."""
_TELLING_DEG = 5.0
"""Smaller differences are not worth a word."""
_BONES = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
"""Not the feet: from ankle to toe goes steeper or flatter with the shape of a foot, and soles lie
flat all the same."""


def rests_alike(source: Character, target: Character) -> tuple[bool, tuple[str, ...]]:
    """Whether both have the same joints with the same frames at rest; a word on what differs."""
    theirs, mine = source.skeleton, target.skeleton
    if theirs.joint_names != mine.joint_names or theirs.kinds != mine.kinds:
        return False, ()
    if not np.array_equal(theirs.parents, mine.parents):
        return False, ()
    if not np.abs(theirs.rest_wxyz - mine.rest_wxyz).max() < 1e-9:
        return False, ()
    old, new = _rest_directions(source), _rest_directions(target)
    angles = {
        bone: float(np.degrees(np.arccos(np.clip(old[bone] @ new[bone], -1.0, 1.0))))
        for bone in old
        if bone in new
    }
    worst = max(angles, key=lambda bone: angles[bone])
    if angles[worst] > MOST_DEG:
        return False, ()
    if angles[worst] > _TELLING_DEG:
        said = f"rest poses differ by up to {angles[worst]:.0f} degrees ({worst}): so do the poses"
        return True, (said,)
    return True, ()


def _rest_directions(character: Character) -> dict[str, Array]:
    """(3,) unit vectors of bones in the rest pose, and where the figure faces."""
    skeleton, roles = character.skeleton, character.roles
    assert roles is not None
    places = {
        role: skeleton.rest_positions_m[skeleton.index(name)] for role, name in roles.joints.items()
    }
    lines = {
        f"{side} {upper} to {lower}": places[f"{side}_{lower}"] - places[f"{side}_{upper}"]
        for side in SIDES
        for upper, lower in _BONES
        if f"{side}_{upper}" in places and f"{side}_{lower}" in places
    }
    lines["trunk"] = sum(places[f"{s}_shoulder"] - places[f"{s}_hip"] for s in SIDES)
    lines["the way it faces"] = roles.forward
    lengths = {bone: float(np.linalg.norm(line)) for bone, line in lines.items()}
    return {bone: line / lengths[bone] for bone, line in lines.items() if lengths[bone] > 1e-6}
