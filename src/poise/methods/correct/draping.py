"""A level motion put on uneven ground: every place is raised by what lies below it.

A walk that was captured on a floor is to go over a hill. Raised as a whole with its root, its
planted feet would climb with it; draped, each place goes up by the height of the terrain under
itself, over the floor under itself, so that what stood on the floor stands on the hill and what
stood still stands still. Bones come out a little longer or shorter on a slope (by its tangent
squared over two: one in a hundred at 8 degrees), which the correction sets right.

Contacts are found in the level motion on its own floor; they are the same on the hill.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.arrays import Array
from poise.constraints import rise_to_surface_m
from poise.environment import ConvexPart, Environment, Ground
from poise.errors import BadValue
from poise.motion import Clip

_FAR_UP_M = 1e3
"""From here, all ground is below."""


def rises_m(places_m: Array, level: Ground, place: Environment) -> Array:
    """(...) how much higher the ground of a place is than a floor, over and under points (..., 3).

    Things that stand on the ground do not count: a table does not raise who sits at it.
    """
    solid = tuple(s for s in place.surfaces if not isinstance(s, ConvexPart))
    if not solid:
        raise BadValue("environment", "a ground or a height field to stand on", "parts only")
    above = np.array(places_m, dtype=np.float64).reshape(-1, 3)
    above[:, 1] = _FAR_UP_M
    heights = _FAR_UP_M + rise_to_surface_m(Environment(solid), above)
    return (heights - level.heights_m(above)).reshape(np.shape(places_m)[:-1])


def draped_places_m(places_m: Array, level: Ground, place: Environment) -> Array:
    """Places (..., 3) over a floor, put over the ground of another place."""
    draped = np.array(places_m, dtype=np.float64)
    draped[..., 1] += rises_m(places_m, level, place)
    return draped


def raised_clip(clip: Clip, level: Ground, place: Environment) -> Clip:
    """The clip with its root raised by the terrain under it: poses for a draped motion to start at.

    On level ground at another height, the clip as it is on that ground.
    """
    raised = draped_places_m(clip.root_positions_m, level, place)
    return replace(clip, root_positions_m=raised, source=None).noted("put on uneven ground")
