"""How the joints of a body are to be turned in one frame, all at once: `pose_map` for streams."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, anatomical_axes
from poise.mechanics import BodyState, forward_kinematics
from poise.transfer import Correspondence, wanted_turns


class StreamTurns:
    """`wanted_turns` of one frame, to rounding."""

    def __init__(self, source: Character, target: Character, matches: Correspondence) -> None:
        assert source.roles is not None and target.roles is not None
        self._theirs = anatomical_axes(source.skeleton, source.roles).own_wxyz
        follows = matches.sources[:, 0] >= 0
        self._joints = np.flatnonzero(follows)
        self._first, self._second = matches.sources[follows].T
        self._shares = matches.shares[follows]
        self._shared = bool(self._shares.any())
        skeleton = target.skeleton
        still = np.flatnonzero(~follows).tolist()
        self._still = [(j, int(skeleton.parents[j]), skeleton.rest_wxyz[j]) for j in still]
        self._made = np.empty((skeleton.joint_count, 4))
        # Whatever else `wanted_turns` does is one constant turn a joint: one frame shows it.
        state = standing(source)
        shown = wanted_turns(state, source, target, matches)[0, self._joints]
        found = self._followed(state.rotations_wxyz[0])
        self._own = rotations.multiply(rotations.conjugate(found), shown)

    def at(self, world_wxyz: Array) -> Array:
        """(J, 4) of the target in the world, from those of the source; to be read once."""
        made = self._made
        made[self._joints] = rotations.multiply(self._followed(world_wxyz), self._own)
        for joint, parent, rest in self._still:
            made[joint] = rest if parent < 0 else rotations.multiply(made[parent], rest)
        return rotations.normalize(made)

    def _followed(self, world_wxyz: Array) -> Array:
        frames = rotations.multiply(world_wxyz, self._theirs)
        turns = frames[self._first]
        return rotations.slerp(turns, frames[self._second], self._shares) if self._shared else turns


def standing(character: Character) -> BodyState:
    """One frame of the anatomical pose: upright, limbs hanging, feet forward."""
    assert character.roles is not None
    skeleton = character.skeleton
    own = anatomical_axes(skeleton, character.roles).own_wxyz
    turns = freely_turned(rotations.conjugate(own), character)
    return forward_kinematics(skeleton, np.zeros((1, 3)), turns[None])


def freely_turned(world_wxyz: Array, character: Character) -> Array:
    """(J, 4) local rotations of joints that could turn freely."""
    above = world_wxyz[np.maximum(character.skeleton.parents, 0)]
    local = rotations.multiply(rotations.conjugate(above), world_wxyz)
    local[0] = world_wxyz[0]
    return local
