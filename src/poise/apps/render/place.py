"""What of an environment a picture shows: one floor, and triangles for everything else."""

from __future__ import annotations

import numpy as np

from poise.apps.render.figure import Figure
from poise.apps.render.ground import Plane, level_plane
from poise.arrays import Array
from poise.environment import ConvexPart, Environment, HeightField

_AROUND_M = 2.0
"""How much of a terrain is drawn around the figure's way."""
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
    found: list[Array] = []
    for surface in environment.surfaces:
        if isinstance(surface, ConvexPart):
            found.append(surface.vertices_m[surface.triangles])
        elif isinstance(surface, HeightField):
            found.append(_terrain(surface, figure))
    found = [triangles for triangles in found if len(triangles)]
    return np.concatenate(found) if found else None


def _terrain(field: HeightField, figure: Figure) -> Array:
    """The cells of a terrain near the figure's way, two triangles each."""
    roots = figure.clip.root_positions_m[:, [0, 2]]
    low, high = roots.min(axis=0) - _AROUND_M, roots.max(axis=0) + _AROUND_M
    rows, columns = (
        _nodes_between(float(field.origin_m[k]), float(field.spacing_m[k]), n, low[k], high[k])
        for k, n in enumerate(field.heights_m.shape)
    )
    x = field.origin_m[0] + field.spacing_m[0] * rows
    z = field.origin_m[1] + field.spacing_m[1] * columns
    grid_x, grid_z = np.meshgrid(x, z, indexing="ij")
    nodes = np.stack([grid_x, field.heights_m[np.ix_(rows, columns)], grid_z], axis=-1)
    a, b = nodes[:-1, :-1], nodes[1:, :-1]
    c, d = nodes[1:, 1:], nodes[:-1, 1:]
    halves = np.stack([np.stack([a, c, b], axis=2), np.stack([a, d, c], axis=2)], axis=2)
    return halves.reshape(-1, 3, 3)


def _nodes_between(
    origin: float, spacing: float, count: int, low: float, high: float
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    first = int(np.clip(np.floor((low - origin) / spacing), 0, count - 1))
    last = int(np.clip(np.ceil((high - origin) / spacing), 0, count - 1))
    return np.arange(first, last + 1)
