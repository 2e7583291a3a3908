"""Where points and joints of the original are, in the world or seen from another joint."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints.scene import Scene

WORLD = -1
"""Stands for the world where a joint could be the reference."""


def point_path(
    scene: Scene, joint: int, offset_m: Array, first: int, last: int, reference: int = WORLD
) -> Array:
    """(n, 3) a point in frames `first` to `last`, in the frame of `reference`."""
    frames = slice(first, last + 1)
    places = scene.state.positions_m[frames, joint]
    if offset_m.any():
        places = places + rotations.rotate(scene.state.rotations_wxyz[frames, joint], offset_m)
    if reference == WORLD:
        return places
    frame = rotations.conjugate(scene.state.rotations_wxyz[frames, reference])
    return rotations.rotate(frame, places - scene.state.positions_m[frames, reference])


def turn_path(scene: Scene, joint: int, first: int, last: int, reference: int = WORLD) -> Array:
    """(n, 4) the rotations of a joint's frame, relative to that of `reference`."""
    frames = slice(first, last + 1)
    turns = scene.state.rotations_wxyz[frames, joint]
    if reference == WORLD:
        return turns
    frame = rotations.conjugate(scene.state.rotations_wxyz[frames, reference])
    return rotations.multiply(frame, turns)


def blended(original: Array, goals: Array, shares: Array) -> Array:
    """(n, 3) the share of the way from the original to the goals.

    Exactly the original at share 0 and the goal at share 1.
    """
    share = shares[:, None]
    return np.where(share == 1.0, goals, original + share * (goals - original))


def blended_turns(original: Array, goals: Array, shares: Array) -> Array:
    """(n, 4) the same for rotations, along the shorter arc."""
    if (shares == 1.0).all():
        return np.broadcast_to(goals, original.shape)
    share = shares[:, None]
    between = rotations.slerp(original, goals, shares)
    return np.where(share == 1.0, goals, np.where(share == 0.0, original, between))
