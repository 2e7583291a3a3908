"""The surroundings as the optimizer sees them: a plane next to every vertex in every frame."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.environment import Environment, Ground
from poise.environment import query as nearest_surface
from poise.methods.correct.problem import Planes, by_coordinate


def is_one_plane(environment: Environment) -> bool:
    """Whether planes never have to be asked for again."""
    return len(environment.surfaces) == 1 and isinstance(environment.surfaces[0], Ground)


def planes_at(
    environment: Environment,
    places_m: Array,
    contact_vertex: Indices,
    rate_hz: float,
    *,
    parallel: bool = True,
) -> Planes:
    """The tangent planes of the place at its points nearest to vertices (T, V, 3)."""
    frames, width = places_m.shape[:2]
    found = nearest_surface(environment, places_m, parallel=parallel)
    offsets = np.einsum("tvk,tvk->tv", found.normals, found.closest_m)
    belts = found.velocities_m_s[:, contact_vertex]
    steps = np.zeros_like(belts)
    steps[1:] = belts[:-1] / rate_hz
    return Planes(
        by_coordinate(found.normals), np.ascontiguousarray(offsets.reshape(frames * width)),
        by_coordinate(steps),
    )  # fmt: skip
