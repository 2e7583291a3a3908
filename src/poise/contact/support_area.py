"""The area that carries a body: the convex hull of its touching points, seen along gravity.

Points on several surfaces (stairs, a chair) are projected along gravity onto one level plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.errors import BadShape


@dataclass(frozen=True, eq=False)
class SupportArea:
    """A convex polygon per frame, in level coordinates (x, z)."""

    corners_m: Array
    """(F, C, 2) the first `counts` rows of each frame, one after the other around the area; the
    rest is NaN."""
    counts: NDArray[np.int64]
    """(F,) corners: 0 where nothing touches, 1 for a point, 2 for a line."""
    heights_m: Array
    """(F,) mean height of the touching points; NaN where nothing touches."""


def support_area(places_m: ArrayLike, touching: ArrayLike) -> SupportArea:
    """The hulls of the touching points of every frame.

    Args:
        places_m: (F, C, 3) world; points that do not touch may be NaN.
        touching: (F, C) which points count.
    """
    places = np.ascontiguousarray(places_m, dtype=np.float64)
    flags = np.ascontiguousarray(touching, dtype=np.bool_)
    if places.ndim != 3 or places.shape[2] != 3:
        raise BadShape("places_m", "(F, C, 3)", places.shape)
    if flags.shape != places.shape[:2]:
        raise BadShape("touching", str(places.shape[:2]), flags.shape)
    frames, count = flags.shape
    corners = np.full((frames, count, 2), np.nan)
    counts = np.zeros(frames, np.int64)
    from poise.contact.hull_kernels import put_hulls

    put_hulls(places, flags, corners, counts)
    total = flags.sum(axis=1)
    summed = np.where(flags, places[..., 1], 0.0).sum(axis=1)
    heights = np.where(total > 0, summed / np.maximum(total, 1), np.nan)
    return SupportArea(corners, counts, heights)


def distance_to_support(area: SupportArea, points_m: ArrayLike) -> Array:
    """(F,) how far points (F, 3) lie from the area, seen along gravity; negative inside.

    A line or a point has no inside. NaN where nothing touches or the point itself is NaN.
    """
    frames = len(area.counts)
    points = np.ascontiguousarray(points_m, dtype=np.float64)
    if points.shape != (frames, 3):
        raise BadShape("points_m", f"({frames}, 3)", points.shape)
    distances = np.empty(frames)
    from poise.contact.hull_kernels import put_distances

    put_distances(area.corners_m, area.counts, points, distances)
    return distances


def nearest_in_support(area: SupportArea, points_m: ArrayLike, inset_m: float = 0.0) -> Array:
    """(F, 2) x and z of points (F, 3) where they are in the area, else of the nearest point of it.

    Args:
        area: the polygons.
        points_m: (F, 3) world.
        inset_m: how far inside the border those from outside are put.
    """
    frames = len(area.counts)
    points = np.ascontiguousarray(points_m, dtype=np.float64)
    if points.shape != (frames, 3):
        raise BadShape("points_m", f"({frames}, 3)", points.shape)
    nearest = np.empty((frames, 2))
    from poise.contact.hull_kernels import put_nearest

    put_nearest(area.corners_m, area.counts, points, float(inset_m), nearest)
    return nearest
