"""Where a body is on another's path: places scale with the legs, soles are as high as they were."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import SIDES, Character, StandingFigure, contact_points
from poise.errors import BadValue
from poise.mechanics import BodyState, site_positions


def leg_ratio(source: Character, target: Character) -> float:
    """How many times as long the target's legs are."""
    return _figure(target).leg_m / _figure(source).leg_m


def _figure(character: Character) -> StandingFigure:
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    return StandingFigure(character.skeleton, character.roles)


def hip_joints(character: Character) -> Indices:
    """(2,) both hips: what lies between them is where a body is."""
    assert character.roles is not None
    roles, skeleton = character.roles, character.skeleton
    return np.array([skeleton.index(roles.joint(f"{side}_hip")) for side in SIDES], dtype=np.int64)


def scaled_m(places_m: Array, scale: float, about_m: Array) -> Array:
    """(..., 3) places so many times as far from a point."""
    return scale * (places_m - about_m) + about_m


def _sole_heights_m(state: BodyState, character: Character) -> dict[str, Array]:
    """(F,) the lowest point of each foot that has a sole, by its part."""
    return {
        part: site_positions(state, points)[..., 1].min(axis=1)
        for part, points in contact_points(character).items()
        if part.endswith("_foot")
    }


def lower_sole_m(state: BodyState, character: Character) -> Array:
    """(F,) the lowest point of both feet."""
    heights = _sole_heights_m(state, character)
    if heights:
        return np.min(list(heights.values()), axis=0)
    assert character.roles is not None
    index, joint = character.skeleton.index, character.roles.joint
    ankles = [index(joint(f"{side}_ankle")) for side in SIDES]
    return state.positions_m[:, ankles, 1].min(axis=1)


def touching_rise_m(
    state: BodyState, source: Character, made: BodyState, roots_m: Array, target: Character,
    touching: Mapping[str, NDArray[np.bool_]], scale: float, ground_m: float,
) -> float:  # fmt: skip
    """By how much a body is raised so that soles that touch are as high as the source's, scaled.

    `made` is the target's motion with its root at zero, and `roots_m` (F, 3) that root; places
    scale from the ground.
    """
    theirs, mine = _sole_heights_m(state, source), _sole_heights_m(made, target)
    apart: list[Array] = []
    for part, touches in touching.items():
        if part in theirs and part in mine:
            old, new = theirs[part][touches], mine[part][touches] + roots_m[touches, 1]
            apart.append(ground_m + scale * (old - ground_m) - new)
    found = np.concatenate(apart) if apart else np.zeros(0)
    return float(np.median(found)) if len(found) else 0.0


def standing_rise_m(source: Character, target: Character) -> float:
    """How much higher the root of one body stands than another's, both with straight legs.

    For streams, which have to know it before the first frame. A whole clip shows how far legs are
    bent in it; `onto_body` goes by that.
    """
    return _standing_root_m(target) - _standing_root_m(source)


def _standing_root_m(character: Character) -> float:
    """The root over the sole, the leg hanging straight down from the hip; mean of both legs."""
    figure = _figure(character)
    root = figure.figure.positions[0]
    heights = list[float]()
    for side in SIDES:
        hip, ankle = figure.place(f"{side}_hip"), figure.joints[f"{side}_ankle"]
        sole = sole_middle_m(character, ankle)
        # On a splayed leg the sole lies off the vertical; down is along the shank.
        shank = figure.figure.positions[ankle] - figure.place(f"{side}_knee")
        under = 0.0 if sole is None else float(sole @ shank / np.linalg.norm(shank))
        leg = figure.length(side, "hip", "knee", "ankle")
        heights.append(float((root - hip) @ figure.up) + leg + under)
    return float(np.mean(heights))


def sole_middle_m(character: Character, ankle: int) -> Array | None:
    """(3,) the middle of the sole as seen from the ankle, as the body stands; None without one."""
    skeleton = character.skeleton.standing
    for part, points in contact_points(character).items():
        under = [ankle in skeleton.ancestors(int(joint)) for joint in points.joints]
        if part.endswith("_foot") and all(under):
            places = skeleton.rest_positions_m[points.joints] + rotations.rotate(
                skeleton.rest_world_wxyz[points.joints], points.offsets_m
            )
            return places.mean(axis=0) - skeleton.rest_positions_m[ankle]
    return None
