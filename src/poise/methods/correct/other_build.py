"""A motion on a body of another build, as a correction may start from it.

Joints turn as they did. The root's way is that of a body with such legs: shorter by as much as its
legs are, over the ground and along it, so that planted feet stay planted as nearly as other legs
can. A body that lies keeps its height, since its trunk is no thinner for having shorter legs.

Hands of longer arms reach into the ground; getting them out of it, and keeping what touched
touching, is the correction's work.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import SIDES, Character, contact_radii_m
from poise.environment import Ground
from poise.errors import BadValue
from poise.motion import Clip


def on_other_build(clip: Clip, character: Character, body: Character, ground: Ground) -> Clip:
    """The clip on another build of its own body.

    Args:
        clip: the motion.
        character: whose it is.
        body: the same joints with other lengths (see `with_arms_and_legs`).
        ground: the floor, which both stand on.

    Raises:
        BadValue: other joints.
    """
    if body.skeleton.joint_names != clip.skeleton.joint_names:
        raise BadValue("body", "the joints of the clip with other lengths", body.name)
    ratio = leg_m(body) / leg_m(character)
    rest = contact_radii_m(character)["pelvis"]  # as low as a pelvis gets
    roots = clip.root_positions_m
    floor = ground.heights_m(roots)
    over = roots[:, 1] - floor - rest
    moved = roots[0] + ratio * (roots - roots[0])
    moved[:, 1] = ground.heights_m(moved) + rest + np.where(over > 0.0, ratio, 1.0) * over
    said = f"on another build; legs {ratio:.2f} times as long"
    return replace(clip, skeleton=body.skeleton, root_positions_m=moved, source=None).noted(said)


def leg_m(character: Character) -> float:
    """Hip to ankle along the bones, mean of both sides."""
    if character.roles is None:
        raise BadValue("character", "one with roles (see complete_character)", character.name)
    skeleton, joint = character.skeleton, character.roles.joint
    places = skeleton.rest_positions_m
    lengths = [
        np.linalg.norm(places[skeleton.index(joint(a))] - places[skeleton.index(joint(b))])
        for side in SIDES
        for a, b in ((f"{side}_hip", f"{side}_knee"), (f"{side}_knee", f"{side}_ankle"))
    ]
    return float(sum(lengths)) / len(SIDES)
