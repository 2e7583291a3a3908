"""How high each candidate's vertex is over the surface when it touches.

The paper sets heights to zero; joints lie inside the flesh, and would be pressed into the ground.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character, contact_points
from poise.contact import (
    HEIGHT_M,
    LARGEST_OFFSET_M,
    LEVEL_RANGE_M,
    FloorFit,
    foot_motion,
    foot_sites,
    weighted_quantile,
)
from poise.environment import Environment
from poise.mechanics import forward_kinematics
from poise.methods.correct.mesh import Mesh
from poise.motion import Clip

SOLES = ("toe", "heel")
"""Ends of the names of candidates that are soles."""


def rest_heights_m(mesh: Mesh, clip: Clip, character: Character, environment: Environment) -> Array:
    """(B,) the radius of flesh; of soles, the height over the floor at which they mostly stand.

    Skeletons know their soles only to a few centimetres, so a sole's vertex is put where it is seen
    to stand, over the floor that the feet show (all of the clip may be too high or too low; that
    is not the sole's). The detector's own levels are low quantiles, made to tell a lifted foot from
    a standing one; what a standing foot is to be put at is the median over the time in which it is
    still. Points that seem to stand below the floor are to stand on it.
    """
    rest = mesh.radius_m.copy()
    soles = [b for b, candidate in enumerate(mesh.candidates) if candidate.endswith(SOLES)]
    if not soles:
        return rest
    state = forward_kinematics(clip.skeleton, *clip.pose)
    feet = foot_motion(state, foot_sites(contact_points(character)), clip.rate_hz, environment)
    motion, heights = feet.motion, feet.motion.heights_m
    if floor_is_trusted(feet.floor):
        heights = heights - feet.floor.heights_m(motion.places_m)
    still = motion.stillness * (feet.clearances_m < HEIGHT_M) * (np.abs(heights) < LEVEL_RANGE_M)
    for b in soles:
        side, _, kind = mesh.candidates[b].partition("_")
        column = motion.names.index(f"{side}_{'ball' if kind == 'toe' else kind}")
        if still[:, column].sum() > 0.0:
            rest[b] = max(0.0, weighted_quantile(heights[:, column], still[:, column], 0.5))
    return rest


def floor_is_trusted(floor: FloorFit) -> bool:
    """Whether the feet show by how much all of a clip is too high or too low."""
    return floor.single and abs(floor.level_m) <= LARGEST_OFFSET_M
