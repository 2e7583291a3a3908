"""When a body sits: still, well above the floor, and not carried by what touches the floor.

A squat looks like sitting down to its hips' height. What tells them apart is statics: a body that
hardly accelerates must have its weight over what carries it, so that hips that rest while the
weight is beside the feet (or while the feet hang) rest on something that the place does not show.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import SIDES, Character, contact_points, contact_radii_m, stature_m
from poise.contact.detection import detect_contacts
from poise.contact.point_motion import smoothed
from poise.contact.schedule import intervals
from poise.contact.support_area import distance_to_support, support_area
from poise.contact.touching_points import touching_points
from poise.environment import Environment, Ground
from poise.errors import BadValue
from poise.mechanics import BodyState, center_of_mass, site_positions
from poise.motion import Clip

SLOW_M_S = 0.3
"""Hips that are faster do not rest. A sitter shifts about at half of this."""
CALM_M_S2 = 2.5
"""A quarter of gravity: beyond, the weight need not be over what carries it."""
BESIDE_M = 0.03
"""How far outside its support the weight must be: soles and masses are known no better."""
LOWEST = 0.1
"""Of the stature: seats lower than this are the floor."""
BENT = 0.8
"""Thighs of a sitter lie: knees are lower than hips by less than this share of the thighs, on
average. Who stands on tiptoe and sways has them upright."""
SHORTEST_S = 0.25


def seated_frames(
    clip: Clip, character: Character, ground: Ground, state: BodyState
) -> NDArray[np.bool_]:
    """(F,) whether the hips rest on something that is not the ground.

    Args:
        clip: at its right rate.
        character: with a body and roles.
        ground: the floor.
        state: the kinematics of the clip.
    """
    if character.body is None or character.roles is None:
        raise BadValue("character", "one with a body and roles (see complete_character)", None)
    floor = Environment((ground,))
    weight, _, acceleration = smoothed(center_of_mass(state, character.body), clip.rate_hz)
    hips, velocity, _ = smoothed(hips_m(state, character).mean(axis=1), clip.rate_hz)
    points = touching_points(state, character, detect_contacts(clip, character, floor), floor)
    beside = distance_to_support(support_area(points.places_m, points.touching), weight)
    alone = np.isnan(beside) | (beside > BESIDE_M)
    radius = contact_radii_m(character)["pelvis"]
    lowest = radius + LOWEST * stature_m(character.skeleton, character.roles)
    raised = hips[:, 1] - ground.heights_m(hips) > lowest
    slow = np.linalg.norm(velocity, axis=1) < SLOW_M_S
    calm = np.linalg.norm(acceleration, axis=1) < CALM_M_S2
    thighs = knees_m(state, character) - hips_m(state, character)
    drop = -thighs[..., 1].sum(axis=1) / np.linalg.norm(thighs, axis=-1).sum(axis=1)
    found = alone & raised & slow & calm & (drop < BENT)
    for first, stop in intervals(found):
        if stop - first < SHORTEST_S * clip.rate_hz:
            found[first:stop] = False
    return found


def hips_m(state: BodyState, character: Character) -> Array:
    """(F, 2, 3) the hip joints as points of the pelvis."""
    sites = contact_points(character)["pelvis"]
    columns = [sites.index(f"{side}_hip") for side in SIDES]
    return site_positions(state, sites)[:, columns]


def knees_m(state: BodyState, character: Character) -> Array:
    """(F, 2, 3) the knees."""
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    names, joints = character.skeleton.joint_names, character.roles.joints
    return state.positions_m[:, [names.index(joints[f"{side}_knee"]) for side in SIDES]]
