"""A figure that stands, and what can be done to it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character, contact_points
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples import human_skeleton

RATE_HZ = 100.0
FEET = ("left_foot", "right_foot")


def standing(frames: int = 40) -> tuple[Clip, Character, Environment]:
    """In the rest pose, on a floor that meets the lowest point of the soles."""
    skeleton = human_skeleton()
    character = complete_character(skeleton, mass_kg=70.0)
    clip = Clip(
        skeleton,
        RATE_HZ,
        np.tile(skeleton.offsets_m[0], (frames, 1)),
        np.tile(skeleton.rest_wxyz, (frames, 1, 1)),
    )
    soles = contact_points(character)["left_foot"]
    state = forward_kinematics(skeleton, *clip.pose)
    lowest = float(site_positions(state, soles)[0, :, 1].min())
    return clip, character, Environment.flat(lowest)


def schedule(frames: int, left: bool = True, right: bool = True) -> ContactSchedule:
    return ContactSchedule(FEET, np.tile([left, right], (frames, 1)), RATE_HZ)


def moved(clip: Clip, shift_m: Array) -> Clip:
    """The clip with its root displaced (F, 3)."""
    return replace(clip, root_positions_m=clip.root_positions_m + shift_m)


def turned(clip: Clip, angle_rad: float) -> Clip:
    """The clip in a world that is turned about +Y."""
    turn = rotations.from_axis_angle([0.0, 1.0, 0.0], angle_rad)
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(turn, q[:, 0])
    return replace(
        clip, rotations_wxyz=q, root_positions_m=rotations.rotate(turn, clip.root_positions_m)
    )
