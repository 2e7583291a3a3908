"""Which joint of one body stands for which of another, and whether their rest poses agree."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.character import REQUIRED_ROLES, SIDES, Character
from poise.errors import BadValue

MOST_DEG = 10.0
"""Bones of two rest poses that point further apart than this are another pose: arms down instead
of out, legs together instead of astride, another axis up."""

MOST_OF_ONE_RIG_DEG = 30.0
"""The same for two bodies on one rig, which differ by how people are built."""

TELLING_DEG = 5.0
"""Smaller differences are not worth a word."""

_BONES = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
"""Not the feet: from ankle to toe goes steeper or flatter with the shape of a foot, and soles lie
flat all the same."""

_MOST_NAMES = 8


@dataclass(frozen=True, eq=False)
class Counterparts:
    """For every joint of a body, one of another."""

    of: Indices
    """(J,) joint of the other, -1 where it has none."""
    same_frames: bool
    """Whether both have the same joints with the same frames, so that rotations are the same
    numbers."""
    notes: tuple[str, ...]


def counterparts(character: Character, body: Character) -> Counterparts:
    """Joints of `character` for those of `body`: by role, else by name.

    Raises:
        BadValue: a body that lacks a part, or that rests in another pose.
    """
    theirs, mine = character.skeleton, body.skeleton
    if character.roles is None or body.roles is None:
        raise BadValue("body", "one with roles, like the clip's (see complete_character)", None)
    one_rig = theirs.joint_names == mine.joint_names
    one_rig = one_rig and np.array_equal(theirs.parents, mine.parents)
    notes = _compare_rest_poses(character, body, MOST_OF_ONE_RIG_DEG if one_rig else MOST_DEG)
    if one_rig:
        same = bool(np.abs(theirs.rest_wxyz - mine.rest_wxyz).max() < 1e-9)
        same &= theirs.kinds == mine.kinds
        return Counterparts(np.arange(mine.joint_count), same, notes)
    role_of = {name: role for role, name in body.roles.joints.items()}
    named = {name: i for i, name in enumerate(theirs.joint_names)}
    taken = set(character.roles.joints.values())
    found = np.full(mine.joint_count, -1, dtype=np.int64)
    for joint, name in enumerate(mine.joint_names):
        role = role_of.get(name, "")
        if role in character.roles.joints:
            found[joint] = theirs.index(character.roles.joints[role])
        elif name not in taken:
            found[joint] = named.get(name, -1)
    missing = [r for r in REQUIRED_ROLES if found[mine.index(body.roles.joint(r))] < 0]
    if missing:
        raise BadValue("body", "one whose parts the clip has too", f"no {', '.join(missing)}")
    if found[0] < 0:
        raise BadValue(
            "body", f"one whose root is the pelvis or is called '{theirs.joint_names[0]}'",
            mine.joint_names[0],
        )  # fmt: skip
    rest = [name for name, other in zip(mine.joint_names, found, strict=True) if other < 0]
    if rest:
        notes = (*notes, f"no counterpart in the clip, left at rest: {_listed(rest)}")
    used = set(found.tolist())
    unused = [name for i, name in enumerate(theirs.joint_names) if i not in used]
    if unused:
        notes = (*notes, f"no counterpart in the body, passed over: {_listed(unused)}")
    return Counterparts(found, False, notes)


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _compare_rest_poses(character: Character, body: Character, most_deg: float) -> tuple[str, ...]:
    """A word on bones that differ somewhat; an error on those that differ too much."""
    theirs, mine = _rest_directions(character), _rest_directions(body)
    angles = {
        bone: float(np.degrees(np.arccos(np.clip(theirs[bone] @ mine[bone], -1.0, 1.0))))
        for bone in theirs
        if bone in mine
    }
    worst = max(angles, key=lambda bone: angles[bone])
    if angles[worst] > most_deg:
        raise BadValue(
            "body",
            "one that rests in the pose of the clip's skeleton (give it that rest pose, or put the "
            "motion on it with retarget, which takes any)",
            f"{worst} points {angles[worst]:.0f} degrees elsewhere",
        )
    if angles[worst] > TELLING_DEG:
        return (
            f"rest poses differ by up to {angles[worst]:.0f} degrees ({worst}): so do the poses",
        )
    return ()


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
