"""The nearest surface to many points at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.environment.environment import Environment
from poise.environment.ground import Ground
from poise.environment.height_field import HeightField
from poise.errors import BadShape, BadValue
from poise.sharing import over_frames

_PLANE_NS, _TERRAIN_NS, _BOX_NS, _FACE_NS = 4, 400, 2, 1
"""Roughly what a point costs, for each plane, terrain, part and face."""


@dataclass(frozen=True, eq=False)
class SurfacePoints:
    """For each point asked about, the surface point that answers it.

    Outside every solid the distance is to the closest point of all of them. Inside, it is the
    depth below the surface of the solid in which the point is deepest.
    """

    closest_m: Array
    """(..., 3) on the surface."""
    normals: Array
    """(..., 3) unit, out of the solid: the direction in which the distance grows."""
    distances_m: Array
    """(...) negative inside."""
    velocities_m_s: Array
    """(..., 3) of the surface there, along it: not zero on a belt."""
    surfaces: Indices
    """(...) the number of the surface in `environment.surfaces`."""


def query(environment: Environment, points_m: ArrayLike, *, parallel: bool = True) -> SurfacePoints:
    """Closest point, normal, signed distance and velocity of the place at points (..., 3).

    Where solids overlap, the smallest signed distance counts: that of the union outside it, and
    of the part entered deepest inside it. A point that is in the seam of two parts may therefore
    be farther from the outside than the depth says, never less far.
    """
    points, shape = _as_points(points_m)
    count = len(points)
    answers = (
        np.full(count, np.inf), np.empty((count, 3)), np.empty((count, 3)),
        np.zeros(count, dtype=np.int64),
    )  # fmt: skip
    _ask_planes(environment, points, parallel, answers)
    _ask_parts(environment, points, parallel, answers)
    _ask_terrains(environment, points, parallel, answers)
    distances, closest, normals, which = answers
    velocities = _velocities(environment, which, normals)
    for array in (*answers, velocities):
        array.flags.writeable = False
    return SurfacePoints(
        closest.reshape(shape), normals.reshape(shape), distances.reshape(shape[:-1]),
        velocities.reshape(shape), which.reshape(shape[:-1]),
    )  # fmt: skip


_Answers = tuple[Array, Array, Array, Indices]


def _as_points(points_m: ArrayLike) -> tuple[Array, tuple[int, ...]]:
    try:
        points = np.ascontiguousarray(points_m, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise BadValue("points_m", "an array of numbers", type(points_m).__name__) from problem
    if np.ndim(points_m) < 1 or points.shape[-1] != 3:
        raise BadShape("points_m", "(..., 3)", np.shape(points_m))
    shape = points.shape
    if not np.isfinite(points).all():
        where = tuple(int(i) for i in np.argwhere(~np.isfinite(points))[0])
        raise BadValue("points_m", "finite everywhere", f"{points[where]} at index {where}")
    points = points.reshape(-1, 3)
    if not points.flags.aligned:
        points = points.copy()
    points = points.view()
    points.flags.writeable = False
    return points, shape


def _ask_planes(environment: Environment, points: Array, parallel: bool, answers: _Answers) -> None:
    found = [(i, s) for i, s in enumerate(environment.surfaces) if isinstance(s, Ground)]
    if not found:
        return
    from poise.environment.convex_kernels import nearest_planes  # Numba: only when asked

    planes = np.array([[*ground.normal, ground.offset_m] for _, ground in found])
    surfaces = np.array([i for i, _ in found], dtype=np.int64)
    cost = _PLANE_NS * len(found)
    over_frames(nearest_planes, len(points), cost, parallel, points, planes, surfaces, *answers)


def _ask_terrains(
    environment: Environment, points: Array, parallel: bool, answers: _Answers
) -> None:
    for i, surface in enumerate(environment.surfaces):
        if isinstance(surface, HeightField):
            from poise.environment.height_kernels import nearest_terrain

            fixed = (*surface.nodes, *surface.pyramid, i)
            over_frames(
                nearest_terrain, len(points), _TERRAIN_NS, parallel, points, *fixed, *answers
            )


def _ask_parts(environment: Environment, points: Array, parallel: bool, answers: _Answers) -> None:
    parts = environment.packed_parts
    if parts is None:
        return
    from poise.environment.convex_kernels import nearest_parts

    cost = _BOX_NS * len(parts.boxes) + _FACE_NS * parts.faces.shape[1]
    over_frames(nearest_parts, len(points), cost, parallel, points, parts, *answers)


def _velocities(environment: Environment, which: Indices, normals: Array) -> Array:
    belts = np.array([surface.belt_velocity_m_s for surface in environment.surfaces])
    if not belts.any():
        return np.zeros_like(normals)
    velocities = belts[which]
    return velocities - np.sum(velocities * normals, axis=1, keepdims=True) * normals
