"""Anatomical axes in the frames of joints, whatever those frames are and however the figure rests.

In the anatomical pose a figure stands upright with legs and arms hanging straight down and feet
forward. There, every joint's anatomical frame stands along the body: left, up, forward. Limbs that
rest otherwise (a T-pose, splayed legs) are brought there by the smallest turn of each bone.

The anatomical turn of a joint is its local rotation seen in these frames: identity in the
anatomical pose, a turn about `left` for flexion, about `up` for twisting and about `forward` for
abduction and bending aside.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations
from poise.arrays import Array, frozen_array
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Skeleton
from poise.character.standing_figure import StandingFigure

LEFT, UP, FORWARD = 0, 1, 2
"""Positions of the anatomical axes in the last axis of arrays."""

_HANGING = (("hip", "knee"), ("knee", "ankle"), ("shoulder", "elbow"), ("elbow", "wrist"))
"""Bones that point straight down in the anatomical pose, from the trunk outward."""


@dataclass(frozen=True, eq=False)
class AnatomicalAxes:
    """For each joint, anatomical axes in its own frame and in its parent's."""

    own_wxyz: Array
    """(J, 4) maps left, up, forward to the joint's frame."""
    parent_wxyz: Array
    """(J, 4) the same axes in the anatomical pose, in the parent's frame (the root's: world)."""

    def __post_init__(self) -> None:
        own = frozen_array("own_wxyz", self.own_wxyz, ("J", 4))
        parent = frozen_array("parent_wxyz", self.parent_wxyz, (len(own), 4))
        object.__setattr__(self, "own_wxyz", own)
        object.__setattr__(self, "parent_wxyz", parent)

    def turns(self, rotations_wxyz: ArrayLike) -> Array:
        """(..., J, 4) local rotations as anatomical turns."""
        q = rotations.multiply(rotations_wxyz, self.own_wxyz)
        return rotations.multiply(rotations.conjugate(self.parent_wxyz), q)

    def torques(self, torques_nm: ArrayLike) -> Array:
        """(..., J, 3) torques in joint frames, as components about left, up, forward."""
        return rotations.rotate(rotations.conjugate(self.own_wxyz), torques_nm)


def anatomical_axes(skeleton: Skeleton, roles: Roles) -> AnatomicalAxes:
    """The anatomical axes of a recognised figure."""
    figure = StandingFigure(skeleton, roles)
    body = rotations.from_matrix(figure.body_axes)
    turn = _turns_to_anatomical_pose(figure)
    world = rotations.multiply(turn, figure.skeleton.rest_world_wxyz)
    own = rotations.multiply(rotations.conjugate(world), body)
    parent = np.empty_like(own)
    parent[0] = body
    above = skeleton.parents[1:]
    parent[1:] = rotations.multiply(rotations.conjugate(world[above]), body)
    return AnatomicalAxes(rotations.normalize(own), rotations.normalize(parent))


def _turns_to_anatomical_pose(figure: StandingFigure) -> Array:
    """(J, 4) the world turn of every joint from the figure's pose to the anatomical one."""
    skeleton, joints = figure.skeleton, figure.joints
    turn = np.tile(rotations.IDENTITY, (skeleton.joint_count, 1))
    hanging = {
        joints[f"{side}_{top}"]: joints[f"{side}_{bottom}"]
        for side in SIDES
        for top, bottom in _HANGING
        if {f"{side}_{top}", f"{side}_{bottom}"} <= joints.keys()
    }
    feet = {
        joints[f"{side}_ankle"]: joints[f"{side}_toe"]
        for side in SIDES
        if {f"{side}_ankle", f"{side}_toe"} <= joints.keys()
    }
    places = figure.figure.positions
    forearms = {
        joints[f"{side}_elbow"]: _tip(skeleton, joints[f"{side}_elbow"])
        for side in SIDES
        if f"{side}_elbow" in joints and f"{side}_wrist" not in joints
    }
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            turn[joint] = turn[parent]
        if joint in hanging:
            bone = places[hanging[joint]] - places[joint]
            turn[joint] = _aligned(turn[joint], bone, -figure.up)
        if joint in forearms:
            bone = rotations.rotate(skeleton.rest_world_wxyz[joint], forearms[joint])
            turn[joint] = _aligned(turn[joint], bone, -figure.up)
        if joint in feet:
            turn[joint] = _foot_turn(figure, turn[joint], places[feet[joint]] - places[joint])
    return turn


def _tip(skeleton: Skeleton, joint: int) -> Array:
    """(3,) the farthest end of the bone of a joint, in its frame; zero where it shows none."""
    ends = skeleton.end_sites
    mine = ends.offsets_m[ends.joints == joint]
    if len(mine) == 0:
        return np.zeros(3)
    return mine[int(np.linalg.norm(mine, axis=1).argmax())]


def _aligned(start: Array, bone: Array, wanted: Array) -> Array:
    """The turn that brings a bone along `wanted`, the smallest one after `start`."""
    turned = rotations.rotate(start, bone)
    if np.linalg.norm(turned) < 1e-9:
        return start
    return rotations.multiply(rotations.between_vectors(turned, wanted), start)


def _foot_turn(figure: StandingFigure, shank: Array, bone: Array) -> Array:
    """The turn of a foot whose shank turns by `shank`.

    It leans aside with the shank, whose plane it shares, and points forward; but it does not pitch
    with it, because the sole is level in a standing pose however the knee is bent.
    """
    lean = rotations.from_axis_angle(
        figure.forward, rotations.twist_angle(shank, figure.forward)[None]
    )[0]
    leaning = rotations.rotate(lean, bone)
    level = leaning - (leaning @ figure.up) * figure.up
    if np.linalg.norm(level) < 0.1 * np.linalg.norm(leaning):
        return lean
    return rotations.multiply(rotations.between_vectors(level, figure.forward), lean)
