"""The poses of one body on another, whatever poses they rest in.

Every joint is turned in the world as its counterpart is, seen from the anatomical pose: standing
upright, limbs hanging, feet forward (`character.anatomical_axes`). A T-pose, an A-pose, arms that
hang and the zero pose of a robot are thereby the same.
"""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton, allowed_turn, anatomical_axes
from poise.mechanics import BodyState
from poise.transfer.correspondence import Correspondence


def wanted_turns(
    state: BodyState, source: Character, target: Character, matches: Correspondence
) -> Array:
    """(F, J, 4) how the target's joints are to be turned in the world.

    Those that follow nothing are as their parents have them at rest.

    Args:
        state: the source's motion.
        source: whose it is.
        target: who is to move like it.
        matches: which joint follows which.
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
            made[:, joint] = rotations.multiply(above, skeleton.rest_wxyz[joint])
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
