"""What of an environment a picture shows: one floor, and triangles for everything else."""

from __future__ import annotations

import numpy as np

from poise.apps.render.figure import Figure
from poise.apps.render.ground import Plane, level_plane
from poise.arrays import Array
from poise.environment import Environment, Ground, surface_triangles

_AROUND_M = 2.0
"""How much of a place is drawn around the figure's way."""
_FLOOR_PERCENTILE = 10.0
"""Of the lowest point of the body over time: below it lie toes pushed into the floor and noise."""


def floor_of(environment: Environment | None, figure: Figure) -> Plane | None:
    """The floor to draw: the place's own, or where the body stands when no place is known.

    None where the place has no endless ground, only terrain or parts.
    """
    if environment is None:
        frames = np.unique(np.linspace(0, figure.clip.frame_count - 1, 60).astype(int))
        lows = [float(figure.posed(int(f))[0][:, 1].min()) for f in frames]
        return level_plane(float(np.percentile(lows, _FLOOR_PERCENTILE)))
    if not environment.grounds:
        return None
    ground = environment.grounds[0]
    return Plane(np.array([0.0, ground.height_m, 0.0]), ground.normal)


def parts_of(environment: Environment | None, figure: Figure) -> Array | None:
    """(T, 3, 3) corners of the triangles of terrain and parts; None when there are none."""
    if environment is None:
        return None
    solid = tuple(s for s in environment.surfaces if not isinstance(s, Ground))
    if not solid:
        return None
    roots = figure.clip.root_positions_m
    low, high = roots.min(axis=0), roots.max(axis=0)
    radius = 0.5 * float(np.ptp(roots[:, [0, 2]], axis=0).max()) + _AROUND_M
    points, triangles = surface_triangles(Environment(solid), 0.5 * (low + high), radius)
    return points[triangles] if len(triangles) else None
