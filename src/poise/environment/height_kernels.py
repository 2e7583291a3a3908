"""Signed distance from points to a triangulated terrain, exact.

The first guess is the triangle straight above or below. Then blocks of cells, large ones first,
are looked into only if the box around them is closer than the best so far.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import compiled, inlined
from poise.environment.convex_kernels import FACE, closest_on_triangle, dot

NOTHING = -1
"""The feature of a triangle that has not been found."""

NEAR_M = 1e-11
"""Closer than this, the direction to the closest point is rounding."""


@compiled
def nearest_terrain(
    first: int, last: int, points: Array,
    across: Array, along: Array, heights: Array, bounds: Array, levels: Indices, surface: int,
    distances: Array, closest: Array, normals: Array, which: Indices,
) -> None:  # fmt: skip
    """Lower the distances of points to those of a terrain wherever these are smaller."""
    waiting = np.empty((4 * len(levels) + 4, 3), dtype=np.int64)
    for i in range(first, last):
        x, y, z = points[i, 0], points[i, 1], points[i, 2]
        ci, ck = _cell(across, x), _cell(along, z)
        sx = (x - across[ci]) / (across[ci + 1] - across[ci])
        sz = (z - along[ck]) / (along[ck + 1] - along[ck])
        upper = sz > sx
        height = y - _height(heights, ci, ck, upper, min(max(sx, 0.0), 1.0), min(max(sz, 0.0), 1.0))
        sign = 1.0 if height >= 0.0 else -1.0
        rival = distances[i]
        if rival <= 0.0 < sign:
            continue  # above the terrain, but inside something else
        found_i, found_k, found_upper = ci, ck, upper
        square, feature, vx, vy, vz = _to_triangle(across, along, heights, ci, ck, upper, x, y, z)
        if sign > 0.0 and rival * rival < square:
            square, feature = rival * rival, NOTHING
        top = len(levels) - 1
        waiting[0, 0], waiting[0, 1], waiting[0, 2] = top, 0, 0
        count = 1
        while count > 0:
            count -= 1
            level, bi, bk = waiting[count, 0], waiting[count, 1], waiting[count, 2]
            if _block_square(across, along, bounds, levels, level, bi, bk, x, y, z) >= square:
                continue
            if level == 0:
                for other in (False, True):
                    s, f, ox, oy, oz = _to_triangle(across, along, heights, bi, bk, other, x, y, z)
                    if s < square:
                        square, feature, vx, vy, vz = s, f, ox, oy, oz
                        found_i, found_k, found_upper = bi, bk, other
                continue
            count = _open(across, along, levels, level, bi, bk, x, z, waiting, count)
        if feature == NOTHING:
            continue
        distance, nx, ny, nz = _described(
            across, along, heights, found_i, found_k, found_upper, feature, (vx, vy, vz),
            sign * math.sqrt(square),
        )  # fmt: skip
        if distance < distances[i]:
            distances[i] = distance
            closest[i, 0], closest[i, 1], closest[i, 2] = x + vx, y + vy, z + vz
            normals[i, 0], normals[i, 1], normals[i, 2] = nx, ny, nz
            which[i] = surface


@inlined
def _cell(line: Array, value: float) -> int:
    """The interval of a rising line of numbers that holds a value; the outermost beyond it.

    All intervals but the two outermost are equally wide, so the place can be computed.
    """
    last = len(line) - 2
    if value < line[1]:
        return 0
    if value >= line[last]:
        return last
    spacing = (line[last] - line[1]) / (last - 1)
    guess = 1 + int((value - line[1]) / spacing)
    return min(max(guess, 1), last - 1)


@inlined
def _height(heights: Array, i: int, k: int, upper: bool, sx: float, sz: float) -> float:
    a, c = heights[i, k], heights[i + 1, k + 1]
    if upper:  # the triangle on the high-z side of the diagonal
        b = heights[i, k + 1]
        return a + sz * (b - a) + sx * (c - b)
    b = heights[i + 1, k]
    return a + sx * (b - a) + sz * (c - b)


@inlined
def _to_triangle(
    across: Array, along: Array, heights: Array, i: int, k: int, upper: bool,
    x: float, y: float, z: float,
) -> tuple[float, int, float, float, float]:  # fmt: skip
    """Squared distance, feature and vector from a point to one of the two triangles of a cell."""
    bi = i if upper else i + 1
    bk = k + 1 if upper else k
    ax, ay, az = across[i] - x, heights[i, k] - y, along[k] - z
    bx, by, bz = across[bi] - x, heights[bi, bk] - y, along[bk] - z
    cx, cy, cz = across[i + 1] - x, heights[i + 1, k + 1] - y, along[k + 1] - z
    feature, v, w = closest_on_triangle(ax, ay, az, bx, by, bz, cx, cy, cz)
    rx = ax + v * (bx - ax) + w * (cx - ax)
    ry = ay + v * (by - ay) + w * (cy - ay)
    rz = az + v * (bz - az) + w * (cz - az)
    return dot(rx, ry, rz, rx, ry, rz), feature, rx, ry, rz


@inlined
def _block_square(
    across: Array, along: Array, bounds: Array, levels: Indices,
    level: int, bi: int, bk: int, x: float, y: float, z: float,
) -> float:  # fmt: skip
    """Squared distance from a point to the box around a block of cells."""
    row = levels[level, 0] + bi * levels[level, 2] + bk
    x0 = across[bi << level]
    x1 = across[min((bi + 1) << level, len(across) - 1)]
    z0 = along[bk << level]
    z1 = along[min((bk + 1) << level, len(along) - 1)]
    dx = max(x0 - x, x - x1, 0.0)
    dy = max(bounds[row, 0] - y, y - bounds[row, 1], 0.0)
    dz = max(z0 - z, z - z1, 0.0)
    return dx * dx + dy * dy + dz * dz


@inlined
def _open(
    across: Array, along: Array, levels: Indices, level: int, bi: int, bk: int,
    x: float, z: float, waiting: Indices, count: int,
) -> int:  # fmt: skip
    """Put the up to four blocks inside a block on the stack, the nearest on top."""
    below = level - 1
    rows, columns = levels[below, 1], levels[below, 2]
    middle_i = min((2 * bi + 1) << below, len(across) - 1)
    middle_k = min((2 * bk + 1) << below, len(along) - 1)
    near_i = 1 if x >= across[middle_i] else 0
    near_k = 1 if z >= along[middle_k] else 0
    for order in range(4):
        di = near_i if order >= 2 else 1 - near_i
        dk = near_k if order % 2 else 1 - near_k
        ni, nk = 2 * bi + di, 2 * bk + dk
        if ni < rows and nk < columns:
            waiting[count, 0], waiting[count, 1], waiting[count, 2] = below, ni, nk
            count += 1
    return count


@inlined
def _described(
    across: Array, along: Array, heights: Array, i: int, k: int, upper: bool, feature: int,
    v: tuple[float, float, float], distance: float,
) -> tuple[float, float, float, float]:  # fmt: skip
    """Signed distance and normal, given the vector v to the closest point."""
    if feature != FACE and abs(distance) > NEAR_M:
        inverse = -1.0 / distance
        return distance, v[0] * inverse, v[1] * inverse, v[2] * inverse
    a, c = heights[i, k], heights[i + 1, k + 1]
    b = heights[i, k + 1] if upper else heights[i + 1, k]
    rise_x = (c - b if upper else b - a) / (across[i + 1] - across[i])
    rise_z = (b - a if upper else c - b) / (along[k + 1] - along[k])
    inverse = 1.0 / math.sqrt(1.0 + rise_x * rise_x + rise_z * rise_z)
    return distance, -rise_x * inverse, inverse, -rise_z * inverse
