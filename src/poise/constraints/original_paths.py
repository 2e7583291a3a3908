"""Where points and joints of the original are, in the world or seen from another joint."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints.naming import find_joint
from poise.constraints.scene import Scene

WORLD = -1
"""Stands for the world where a joint could be the reference."""


def point_path(scene: Scene, point: str, first: int, last: int, reference: int = WORLD) -> Array:
    """(n, 3) a named point in frames `first` to `last`, in the frame of `reference`."""
    sites = scene.character.sites.names
    if point not in sites:
        return joint_path(scene, find_joint(scene.character, point), first, last, reference)
    places = scene.site_places_m[first : last + 1, sites.index(point)]
    return _seen_from(scene, reference, first, last, places)


def joint_path(scene: Scene, joint: int, first: int, last: int, reference: int = WORLD) -> Array:
    """(n, 3) the origin of a joint, in the frame of `reference`."""
    places = scene.state.positions_m[first : last + 1, joint]
    return _seen_from(scene, reference, first, last, places)


def _seen_from(scene: Scene, reference: int, first: int, last: int, places: Array) -> Array:
    if reference == WORLD:
        return places
    frames = slice(first, last + 1)
    frame = rotations.conjugate(scene.state.rotations_wxyz[frames, reference])
    return rotations.rotate(frame, places - scene.state.positions_m[frames, reference])


def turn_path(scene: Scene, joint: int, first: int, last: int, reference: int = WORLD) -> Array:
    """(n, 4) the rotations of a joint's frame, relative to that of `reference`."""
    frames = slice(first, last + 1)
    if reference != WORLD and scene.character.skeleton.parents[joint] == reference:
        return scene.clip.rotations_wxyz[frames, joint]
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
    """(..., n, 4) the same for rotations, along the shorter arc.

    The weights of the great circle, in fewer steps than through rotation vectors: this is on the
    way to every solve.
    """
    goals = np.broadcast_to(goals, original.shape)
    if (shares == 1.0).all():
        return goals
    cosine = np.einsum("...i,...i->...", original, goals)
    angle = np.maximum(np.arccos(np.minimum(np.abs(cosine), 1.0)), _LEAST_ARC)
    sine = np.sin(angle)
    stay = np.sin((1.0 - shares) * angle) / sine
    go = np.copysign(np.sin(shares * angle) / sine, cosine)
    between = stay[..., None] * original + go[..., None] * goals
    share = shares[:, None]
    return np.where(share == 1.0, goals, np.where(share == 0.0, original, between))


_LEAST_ARC = 1e-7
"""Shorter arcs are straight to rounding, and their weights the same as at this length."""
