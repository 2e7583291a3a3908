"""Signed distance from points to the planes of grounds."""

from __future__ import annotations

from poise.arrays import Array, Indices
from poise.compiled import compiled


@compiled
def nearest_planes(
    first: int, last: int, points: Array, planes: Array, surfaces: Indices,
    distances: Array, closest: Array, normals: Array, which: Indices,
) -> None:  # fmt: skip
    """Lower the distances of points to those of planes (G, 4) wherever these are smaller."""
    for i in range(first, last):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        for g in range(len(planes)):
            nx, ny, nz = planes[g, 0], planes[g, 1], planes[g, 2]
            distance = nx * x + ny * y + nz * z - planes[g, 3]
            if distance < distances[i]:
                distances[i] = distance
                closest[i, 0] = x - distance * nx
                closest[i, 1] = y - distance * ny
                closest[i, 2] = z - distance * nz
                normals[i, 0], normals[i, 1], normals[i, 2] = nx, ny, nz
                which[i] = surfaces[g]
