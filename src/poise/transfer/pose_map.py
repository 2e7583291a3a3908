"""The poses of one body on another, whatever poses they rest in.

Every joint is turned in the world as its counterpart is, seen from the anatomical pose: standing
upright, limbs hanging, feet forward (`character.anatomical_axes`). A T-pose, an A-pose, arms that
hang and the zero pose of a robot are thereby the same. On one rig that rests alike, rotations mean
the same on both (`rests_alike`).
"""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, Roles, Skeleton, allowed_turn, anatomical_axes
from poise.mechanics import BodyState
from poise.transfer.correspondence import Correspondence

MOST_DEG = 30.0
"""Bones of one rig that point further apart at rest are another pose: arms down instead of out,
another axis up. How people are built makes less."""
_TELLING_DEG = 5.0
"""Smaller differences are not worth a word."""
_BONES = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
"""Not the feet: from ankle to toe goes steeper or flatter with the shape of a foot, and soles lie
flat all the same."""


def wanted_turns(
    state: BodyState, source: Character, target: Character, matches: Correspondence
) -> Array:
    """(F, J, 4) how the target's joints are to be turned in the world.

    Those that follow nothing are as their parents have them at rest.
    """
    assert source.roles is not None and target.roles is not None
    theirs = anatomical_axes(source.skeleton, source.roles).own_wxyz
    mine = anatomical_axes(target.skeleton, target.roles).own_wxyz
    frames = rotations.multiply(state.rotations_wxyz, theirs)
    skeleton = target.skeleton
    made = np.empty((state.frame_count, skeleton.joint_count, 4))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        first, second = matches.sources[joint]
        if first < 0:
            above = made[:, parent] if parent >= 0 else rotations.IDENTITY
            made[:, joint] = rotations.multiply(above, skeleton.standing.rest_wxyz[joint])
            continue
        turn = frames[:, first]
        if matches.shares[joint] > 0.0:
            share = np.full(len(turn), matches.shares[joint])
            turn = rotations.slerp(turn, frames[:, second], share)
        if matches.reasons[joint] in _BEYOND_ROLES:
            # Fingers rest in any shape: what counts is where their bones point.
            own, other = (
                _bone(c.skeleton, j, axes[j])
                for c, j, axes in ((target, joint, mine), (source, int(first), theirs))
            )
            if own is not None and other is not None:
                turn = rotations.multiply(turn, rotations.between_vectors(own, other))
        made[:, joint] = rotations.multiply(turn, rotations.conjugate(mine[joint]))
    return rotations.normalize(made)


_BEYOND_ROLES = ("name", "place", "given")


def _bone(skeleton: Skeleton, joint: int, own_wxyz: Array) -> Array | None:
    """(3,) where a joint's bone points, in its anatomical frame; None where it has none."""
    below = skeleton.offsets_m[skeleton.parents == joint]
    ends = skeleton.end_sites.offsets_m[skeleton.end_sites.joints == joint]
    ways = [way for way in (*below, *ends) if np.linalg.norm(way) > 1e-6]
    if not ways:
        return None
    return rotations.rotate(rotations.conjugate(own_wxyz), np.mean(ways, axis=0))


def freely_turned(world_wxyz: Array, skeleton: Skeleton) -> Array:
    """(..., J, 4) local rotations of joints that could turn freely."""
    above = world_wxyz[..., np.maximum(skeleton.parents, 0), :]
    local = rotations.multiply(rotations.conjugate(above), world_wxyz)
    local[..., 0, :] = world_wxyz[..., 0, :]
    return local


def local_turns(world_wxyz: Array, skeleton: Skeleton) -> Array:
    """(F, J, 4) local rotations that come as near to world ones as the joints can.

    A ball joint takes what its parent leaves over; a hinge the part of it about its axis.
    """
    local, world = np.empty_like(world_wxyz), np.empty_like(world_wxyz)
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = world[:, parent] if parent >= 0 else rotations.IDENTITY
        turn = rotations.multiply(rotations.conjugate(above), world_wxyz[:, joint])
        local[:, joint] = allowed_turn(skeleton, joint, turn, within_limits=True)
        world[:, joint] = rotations.multiply(above, local[:, joint])
    return rotations.normalize(local)


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
    lines["the way it faces"] = _forward_at_rest(skeleton, roles)
    lengths = {bone: float(np.linalg.norm(line)) for bone, line in lines.items()}
    return {bone: line / lengths[bone] for bone, line in lines.items() if lengths[bone] > 1e-6}


def _forward_at_rest(skeleton: Skeleton, roles: Roles) -> Array:
    """(3,) where the figure faces in its rest pose; the pelvis carries it."""
    if skeleton.rest_stands:
        return roles.forward
    pelvis = skeleton.index(roles.joint("pelvis"))
    back = rotations.conjugate(skeleton.standing.rest_world_wxyz[pelvis])
    return rotations.rotate(
        rotations.multiply(skeleton.rest_world_wxyz[pelvis], back), roles.forward
    )
