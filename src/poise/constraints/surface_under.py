"""The surface straight under a point: how far to move it up or down until it touches."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.environment import ConvexPart, Environment, Ground, HeightField, Surface

_LEVEL = 1e-9
"""A face whose normal has no more of the vertical than this is a wall."""

_SEAM_M = 1e-6
"""Solids this close on top of each other leave no gap between them."""


def rise_to_surface_m(environment: Environment, points_m: Array) -> Array:
    """(n,) how far up each point (n, 3) must go to touch the surface; negative: down.

    Inside a solid, that is up to its top, and on through whatever lies on it without a gap.
    Outside, it is down to the highest surface below. Minus infinity where nothing is below.
    """
    spans = [_span(surface, points_m, environment.up) for surface in environment.surfaces]
    bottoms = np.array([bottom for bottom, _ in spans])  # (surfaces, n)
    tops = np.array([top for _, top in spans])
    rise = np.where(tops < 0, tops, -np.inf).max(axis=0)
    inside = ((bottoms <= 0) & (tops >= 0)).any(axis=0)
    rise = np.where(inside, 0.0, rise)
    for _ in spans if inside.any() else ():  # each solid can add to the pile once
        reached = (bottoms <= rise + _SEAM_M) & (tops > rise) & inside
        rise = np.maximum(rise, np.where(reached, tops, -np.inf).max(axis=0))
    return rise


def _span(surface: Surface, points: Array, up: Array) -> tuple[Array, Array]:
    """(n,) and (n,) where the vertical through each point enters and leaves a solid, from it."""
    endless = np.full(len(points), -np.inf)
    if isinstance(surface, Ground):
        return endless, surface.heights_m(points) - points @ up
    if isinstance(surface, HeightField):
        return endless, _terrain_heights(surface, points) - points @ up
    return _span_of_part(surface, points, up)


def _span_of_part(part: ConvexPart, points: Array, up: Array) -> tuple[Array, Array]:
    """Clipped by the faces one by one; the span is empty (top below bottom) beside the part."""
    steep = part.face_normals @ up
    room = part.face_offsets_m - points @ part.face_normals.T  # (n, faces)
    wall, roof, floor = np.abs(steep) <= _LEVEL, steep > _LEVEL, steep < -_LEVEL
    top = (room[:, roof] / steep[roof]).min(axis=1)
    bottom = (room[:, floor] / steep[floor]).max(axis=1)
    beside = (room[:, wall] < 0).any(axis=1) | (top < bottom)
    return np.where(beside, np.inf, bottom), np.where(beside, -np.inf, top)


def _terrain_heights(terrain: HeightField, points: Array) -> Array:
    """(n,) of the triangles over or under each point."""
    x, z, heights = terrain.nodes
    i = np.clip(np.searchsorted(x, points[:, 0], side="right") - 1, 0, len(x) - 2)
    k = np.clip(np.searchsorted(z, points[:, 2], side="right") - 1, 0, len(z) - 2)
    along = (points[:, 0] - x[i]) / (x[i + 1] - x[i])
    across = (points[:, 2] - z[k]) / (z[k + 1] - z[k])
    low, high = heights[i, k], heights[i + 1, k + 1]
    near_x, near_z = heights[i + 1, k], heights[i, k + 1]
    return np.where(
        along >= across,
        low + along * (near_x - low) + across * (high - near_x),
        low + across * (near_z - low) + along * (high - near_z),
    )
