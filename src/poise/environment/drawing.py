"""Surfaces as triangles and lines, for whoever draws the place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices, frozen_array
from poise.environment.convex_part import ConvexPart
from poise.environment.environment import Environment, Surface
from poise.environment.ground import Ground
from poise.environment.height_field import HeightField
from poise.errors import BadValue

MAX_LINES = 400
"""Most grid lines of a terrain drawn each way; larger windows leave some out."""


@dataclass(frozen=True, eq=False)
class SurfaceMesh:
    """What can be seen of one surface."""

    name: str
    vertices_m: Array
    """(V, 3)"""
    triangles: Indices
    """(T, 3) counter-clockwise seen from outside."""
    lines: Indices
    """(L, 2) the edges of its shape, without the diagonals inside flat faces."""


def surface_meshes(
    environment: Environment, center_m: ArrayLike = (0.0, 0.0, 0.0), radius_m: float = 3.0
) -> tuple[SurfaceMesh, ...]:
    """Each surface near a place, as its own mesh.

    Grounds and terrains are cut to the square of half-width `radius_m` around the centre. Parts
    are whole, and left out when farther away than that.
    """
    center = frozen_array("center_m", center_m, (3,))
    if not (np.isfinite(radius_m) and radius_m > 0):
        raise BadValue("radius_m", "a positive number", radius_m)
    found = (_mesh(surface, center, float(radius_m)) for surface in environment.surfaces)
    return tuple(mesh for mesh in found if mesh is not None)


def surface_triangles(
    environment: Environment, center_m: ArrayLike = (0.0, 0.0, 0.0), radius_m: float = 3.0
) -> tuple[Array, Indices]:
    """All of `surface_meshes` in one: vertices (V, 3) and triangles (T, 3)."""
    meshes = surface_meshes(environment, center_m, radius_m)
    if not meshes:
        return np.zeros((0, 3)), np.zeros((0, 3), dtype=np.int64)
    starts = np.cumsum([0, *(len(mesh.vertices_m) for mesh in meshes[:-1])])
    vertices = np.concatenate([mesh.vertices_m for mesh in meshes])
    triangles = [mesh.triangles + s for mesh, s in zip(meshes, starts, strict=True)]
    return vertices, np.concatenate(triangles)


def _mesh(surface: Surface, center: Array, radius: float) -> SurfaceMesh | None:
    if isinstance(surface, ConvexPart):
        low, high = surface.vertices_m.min(axis=0), surface.vertices_m.max(axis=0)
        away = np.maximum(np.maximum(low - center, center - high), 0.0)
        if np.linalg.norm(away) > radius:
            return None
        return SurfaceMesh(surface.name, surface.vertices_m, surface.triangles, _edges(surface))
    if isinstance(surface, Ground):
        x, z = (np.array([center[i] - radius, center[i] + radius]) for i in (0, 2))
    else:
        x, z = (_window(surface, axis, center, radius) for axis in (0, 1))
    points = np.stack(np.broadcast_arrays(x[:, None], 0.0, z[None, :]), axis=-1)
    if isinstance(surface, Ground):
        points[..., 1] = surface.heights_m(points)
    else:
        points[..., 1] = _terrain_heights(surface, x, z)
    return _sheet(surface.name, points)


def _edges(part: ConvexPart) -> Indices:
    """Sides of triangles between two different faces, each once."""
    here = np.repeat(np.arange(len(part.triangles)), 3)
    other = part.neighbors.reshape(-1)
    bend = (part.triangle_faces[here] != part.triangle_faces[other]) & (here < other)
    sides = np.stack(
        [part.triangles[:, [1, 2]], part.triangles[:, [2, 0]], part.triangles[:, [0, 1]]], axis=1
    )
    return sides.reshape(-1, 2)[bend]


def _window(field: HeightField, axis: int, center: Array, radius: float) -> Array:
    """The grid lines inside the window, and the window's own two borders."""
    count = field.heights_m.shape[axis]
    line = field.origin_m[axis] + field.spacing_m[axis] * np.arange(count)
    low, high = center[2 * axis] - radius, center[2 * axis] + radius
    inside = line[(line > low) & (line < high)]
    inside = inside[:: -(-len(inside) // MAX_LINES) or 1]
    return np.concatenate([[low], inside, [high]])


def _terrain_heights(field: HeightField, x: Array, z: Array) -> Array:
    """(X, Z) heights on the triangles of the terrain at the crossings of grid lines."""
    rows, columns, heights = field.nodes
    i = np.clip(np.searchsorted(rows, x, side="right") - 1, 0, len(rows) - 2)[:, None]
    k = np.clip(np.searchsorted(columns, z, side="right") - 1, 0, len(columns) - 2)[None, :]
    s = ((x[:, None] - rows[i]) / (rows[i + 1] - rows[i])).clip(0.0, 1.0)
    t = ((z[None, :] - columns[k]) / (columns[k + 1] - columns[k])).clip(0.0, 1.0)
    a, c = heights[i, k], heights[i + 1, k + 1]
    upper, lower = heights[i, k + 1], heights[i + 1, k]
    above = a + t * (upper - a) + s * (c - upper)
    below = a + s * (lower - a) + t * (c - lower)
    return np.where(t > s, above, below)


def _sheet(name: str, points: Array) -> SurfaceMesh:
    """A grid of points (X, Z, 3) as triangles that face up, split as a terrain's cells are."""
    rows, columns = points.shape[:2]
    number = np.arange(rows * columns).reshape(rows, columns)
    a, b, c, d = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    triangles = np.concatenate(
        [np.stack([a, c, b], axis=-1).reshape(-1, 3), np.stack([a, d, c], axis=-1).reshape(-1, 3)]
    )
    lines = np.concatenate(
        [
            np.stack([number[:-1], number[1:]], axis=-1).reshape(-1, 2),
            np.stack([number[:, :-1], number[:, 1:]], axis=-1).reshape(-1, 2),
        ]
    )
    return SurfaceMesh(name, points.reshape(-1, 3), triangles, lines)
