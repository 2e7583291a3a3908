"""The area that carries a body: the convex hull of its touching points, seen along gravity.

Points on several surfaces (stairs, a chair) are projected along gravity onto one level plane.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.arrays import Array
from poise.compiled import compiled, inlined
from poise.errors import BadShape


@compiled
def put_hulls(
    places: Array, touching: NDArray[np.bool_], corners: Array, counts: NDArray[np.int64]
) -> None:
    """Andrew's chain: along the lower side, back along the upper one; right turns are dropped."""
    total = places.shape[1]
    a, hull = np.empty((total, 2)), np.empty((2 * total + 1, 2))
    for f in range(len(places)):
        n = _sorted(f, places, touching, a)
        size = 0
        for k in range(n):
            size = _push(hull, size, 0, a[k, 0], a[k, 1])
        start = size - 1
        for k in range(n - 2, -1, -1):
            size = _push(hull, size, start, a[k, 0], a[k, 1])
        if n > 1:
            size -= 1  # the first point again
        counts[f] = size
        for k in range(size):
            corners[f, k, 0], corners[f, k, 1] = hull[k, 0], hull[k, 1]


@inlined
def _sorted(f: int, places: Array, touching: NDArray[np.bool_], a: Array) -> int:
    """The different touching points of a frame by x, then z; returns how many."""
    n = 0
    for c in range(places.shape[1]):
        if not touching[f, c]:
            continue
        x, z = places[f, c, 0], places[f, c, 2]
        k = n
        while k > 0 and (a[k - 1, 0] > x or (a[k - 1, 0] == x and a[k - 1, 1] > z)):
            k -= 1
        if k > 0 and a[k - 1, 0] == x and a[k - 1, 1] == z:
            continue
        for m in range(n, k, -1):
            a[m, 0], a[m, 1] = a[m - 1, 0], a[m - 1, 1]
        a[k, 0], a[k, 1] = x, z
        n += 1
    return n


@inlined
def _push(hull: Array, size: int, start: int, x: float, z: float) -> int:
    """Add a point to the chain that begins at `start`, dropping what it makes superfluous."""
    while size - start >= 2:
        ax, az = hull[size - 1, 0] - hull[size - 2, 0], hull[size - 1, 1] - hull[size - 2, 1]
        bx, bz = x - hull[size - 2, 0], z - hull[size - 2, 1]
        # Rounding must not keep a corner on a straight side.
        if ax * bz - az * bx > 1e-12 * (math.hypot(ax, az) * math.hypot(bx, bz)):
            break
        size -= 1
    hull[size, 0], hull[size, 1] = x, z
    return size + 1


@compiled
def put_distances(
    corners: Array, counts: NDArray[np.int64], points: Array, distances: Array
) -> None:
    """Signed distance of each frame's point to its polygon."""
    for f in range(len(points)):
        x, z, n = points[f, 0], points[f, 2], counts[f]
        if n == 0 or math.isnan(x) or math.isnan(z):
            distances[f] = math.nan
            continue
        least, inside = math.inf, n >= 3
        for k in range(n):
            m = k + 1 if k + 1 < n else 0
            ax, az = corners[f, k, 0], corners[f, k, 1]
            ex, ez = corners[f, m, 0] - ax, corners[f, m, 1] - az
            px, pz = x - ax, z - az
            length = ex * ex + ez * ez
            share = 0.0 if length == 0.0 else min(max((px * ex + pz * ez) / length, 0.0), 1.0)
            least = min(least, math.hypot(px - share * ex, pz - share * ez))
            if ex * pz - ez * px < 0.0:
                inside = False
        distances[f] = -least if inside else least


@compiled
def put_nearest(
    corners: Array, counts: NDArray[np.int64], points: Array, inset: float, nearest: Array
) -> None:
    """The point of each frame's polygon that is nearest to a point outside, a little further in.

    Inside points stay; the inset goes towards the mean of the corners and no further.
    """
    for f in range(len(points)):
        x, z, n = points[f, 0], points[f, 2], counts[f]
        nearest[f, 0], nearest[f, 1] = x, z
        if n == 0 or math.isnan(x) or math.isnan(z):
            continue
        least, inside = math.inf, n >= 3
        mx, mz = 0.0, 0.0
        for k in range(n):
            m = k + 1 if k + 1 < n else 0
            ax, az = corners[f, k, 0], corners[f, k, 1]
            mx, mz = mx + ax / n, mz + az / n
            ex, ez = corners[f, m, 0] - ax, corners[f, m, 1] - az
            px, pz = x - ax, z - az
            length = ex * ex + ez * ez
            share = 0.0 if length == 0.0 else min(max((px * ex + pz * ez) / length, 0.0), 1.0)
            away = math.hypot(px - share * ex, pz - share * ez)
            if away < least:
                least = away
                nearest[f, 0], nearest[f, 1] = ax + share * ex, az + share * ez
            if ex * pz - ez * px < 0.0:
                inside = False
        if inside:
            nearest[f, 0], nearest[f, 1] = x, z
            continue
        dx, dz = mx - nearest[f, 0], mz - nearest[f, 1]
        far = math.hypot(dx, dz)
        share = min(inset / far, 1.0) if far > 0.0 else 0.0
        nearest[f, 0] += share * dx
        nearest[f, 1] += share * dz


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
    put_hulls(places, flags, corners, counts)
    total = flags.sum(axis=1)
    summed = np.where(flags, places[..., 1], 0.0).sum(axis=1)
    heights = np.where(total > 0, summed / np.maximum(total, 1), np.nan)
    return SupportArea(corners, counts, heights)


def distance_to_support(area: SupportArea, points_m: ArrayLike) -> Array:
    """(F,) how far points (F, 3) lie from the area, seen along gravity; negative inside.

    A line or a point has no inside. NaN where nothing touches or the point itself is NaN.
    """
    points = _checked(area, points_m)
    distances = np.empty(len(points))
    put_distances(area.corners_m, area.counts, points, distances)
    return distances


def nearest_in_support(area: SupportArea, points_m: ArrayLike, inset_m: float = 0.0) -> Array:
    """(F, 2) x and z of points (F, 3) where they are in the area, else of the nearest point of it.

    Args:
        area: the polygons.
        points_m: (F, 3) world.
        inset_m: how far inside the border those from outside are put.
    """
    points = _checked(area, points_m)
    nearest = np.empty((len(points), 2))
    put_nearest(area.corners_m, area.counts, points, float(inset_m), nearest)
    return nearest


def _checked(area: SupportArea, points_m: ArrayLike) -> Array:
    """(F, 3) one point a frame."""
    points = np.ascontiguousarray(points_m, dtype=np.float64)
    if points.shape != (len(area.counts), 3):
        raise BadShape("points_m", f"({len(area.counts)}, 3)", points.shape)
    return points
