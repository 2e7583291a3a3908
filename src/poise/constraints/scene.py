"""What constraints are read against: the original motion, whose it is, and where."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, stature_m
from poise.constraints.recruiting import find_joint
from poise.environment import Environment
from poise.errors import BadShape, BadValue
from poise.mechanics import BodyState, center_of_mass, forward_kinematics, site_positions
from poise.motion import Clip


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


FLAT = Environment.flat()
"""Level ground at height 0: one for all, so that edits can be seen to share it."""


@dataclass(frozen=True, eq=False)
class Scene:
    """The original motion, the body that moves, the place."""

    clip: Clip
    character: Character
    """On the clip's own skeleton."""
    environment: Environment = FLAT
    original: Clip | None = None
    """Where the original is not the clip: another body's motion, in the joints of this one."""

    def __post_init__(self) -> None:
        for clip in (self.clip, self.original):
            if clip and self.character.skeleton.joint_names != clip.skeleton.joint_names:
                raise BadShape(
                    "character",
                    f"the clip's {clip.skeleton.joint_count} joints",
                    (self.character.skeleton.joint_count,),
                )

    @cached_property
    def state(self) -> BodyState:
        """Where every joint of the original is."""
        clip = self.clip if self.original is None else self.original
        return forward_kinematics(self.character.skeleton, *clip.pose)

    @cached_property
    def site_places_m(self) -> Array:
        """(F, S, 3) where every site of the original is."""
        return site_positions(self.state, self.character.sites)

    @cached_property
    def centers_m(self) -> Array:
        """(F, 3) the original's centre of mass."""
        if self.character.body is None:
            raise BadValue("character", "one with a body (see complete_character)", "no masses")
        return center_of_mass(self.state, self.character.body)


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
