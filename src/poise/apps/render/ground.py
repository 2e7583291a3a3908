"""The floor under the figures, with one-metre squares and shade on it, and the rest of a place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.ndimage import gaussian_filter

import poise.apps.render.palette as palette
from poise.apps.render.camera import Camera, Rays
from poise.apps.render.figure import Figure
from poise.apps.render.raster import Floats, empty_buffers, rasterize
from poise.arrays import Array, Indices
from poise.compiled import compiled
from poise.environment import Environment, Ground, surface_triangles
from poise.motion import Clip

SQUARE_M = 1.0
"""Between the lines of the grid."""
LINE_M = 0.012
CELL_M = 0.015
"""Of the shade map, where the figures are as near to each other as people are."""
MOST_CELLS, LONGEST_CELLS = 2**22, 2**14
"""Of the shade map, in all and along one side: larger floors have larger cells."""
FADE_M = (0.35, 1.7)
"""From the figures: where the floor begins to melt into the paper, and where it is gone."""

_BORDER_M = 0.6
"""Around the shadows, for their soft rims."""
_LAYERS_M = (0.0, 0.04, 0.10, 0.22, 0.45, 0.9, 2.5)
"""Heights between which the shade is equally soft."""


@dataclass(frozen=True, eq=False)
class Plane:
    """A level or tilted floor."""

    point_m: Array
    normal: Array
    """(3,) unit, upwards."""

    def axes(self, along: Array) -> tuple[Array, Array]:
        """Two unit directions in the plane: the first close to `along`."""
        first = along - (along @ self.normal) * self.normal
        first = first / np.linalg.norm(first)
        return first, np.cross(first, self.normal)

    def heights(self, points_m: Array) -> Array:
        """Distance of points over the plane."""
        return (points_m - self.point_m) @ self.normal


def level_plane(height_m: float) -> Plane:
    """A level floor."""
    return Plane(np.array([0.0, height_m, 0.0]), np.array([0.0, 1.0, 0.0]))


class ShadeMap(NamedTuple):
    """How much light reaches each cell of a rectangle of the floor."""

    frame: Array
    """(4, 3) the plane's point, its two axes, its normal."""
    stage: Array
    """(4,) rectangle under the figures in plane coordinates: low u, low v, high u, high v."""
    corner: Array
    """(2,) plane coordinates of the map's first cell."""
    light: Floats
    """(V, U) from 0 to 1."""
    cell_m: float


def shade_map(
    plane: Plane,
    along: Array,
    key: Array,
    solids: Sequence[tuple[Array, Indices]],
    stage_m: Array | None = None,
) -> ShadeMap:
    """The shade of solids on a floor: soft with height, dark where they touch.

    Args:
        plane: the floor.
        along: the direction the grid is laid out in.
        key: (3,) unit vector to the light.
        solids: vertices (V, 3) and triangles (T, 3) of whatever throws a shadow.
        stage_m: (N, 3) points over the floor that is to be seen; by default the solids'.
    """
    u, v = plane.axes(along)
    frame = np.stack([plane.point_m, u, v, plane.normal])
    points = np.concatenate([p for p, _ in solids])
    axes = np.stack([u, v], axis=1)
    flat = (points - plane.point_m) @ axes
    shown = flat if stage_m is None else (stage_m - plane.point_m) @ axes
    stage = np.concatenate([shown.min(axis=0), shown.max(axis=0)])
    heights = plane.heights(points)
    cast = flat - heights[:, None] * (key / (key @ plane.normal)) @ axes
    both = np.concatenate([flat, cast])
    corner = both.min(axis=0) - _BORDER_M
    extent = both.max(axis=0) + _BORDER_M - corner
    cell = _cell_m(extent)
    cells = np.ceil(extent / cell).astype(int)
    triangles = _joined(solids)
    light = np.ones((cells[1], cells[0]), dtype=np.float32)
    over = _lowest((cast - corner) / cell, heights, triangles, light.shape)
    for low, high in pairwise(_LAYERS_M):
        covered = ((over >= (low if low > 0 else -1.0)) & (over < high)).astype(np.float32)
        if covered.any():
            soft = 0.010 + 0.11 * 0.5 * (low + high)
            light *= 1.0 - 0.50 * gaussian_filter(covered, soft / cell, mode="constant")
    beneath = _lowest((flat - corner) / cell, heights, triangles, light.shape)
    touch = np.where(np.isfinite(beneath), np.exp(-np.maximum(beneath, 0.0) / 0.06), 0.0)
    light *= 1.0 - 0.5 * gaussian_filter(touch.astype(np.float32), 0.03 / cell, mode="constant")
    return ShadeMap(frame, stage, corner, light, cell)


def _cell_m(extent_m: Array) -> float:
    """The side of a cell: the usual one, or as large as keeps the map within bounds."""
    by_area = np.sqrt(float(np.prod(extent_m)) / MOST_CELLS)
    return max(CELL_M, by_area, float(extent_m.max()) / LONGEST_CELLS)


def _joined(solids: Sequence[tuple[Array, Indices]]) -> Indices:
    starts = np.cumsum([0, *(len(p) for p, _ in solids)])
    return np.concatenate([t + s for (_, t), s in zip(solids, starts, strict=False)])


def _lowest(places: Array, heights: Array, triangles: Indices, shape: tuple[int, ...]) -> Array:
    """Height of the lowest triangle over each cell, infinite where there is none.

    `places` (V, 2) are counted in cells.
    """
    seen = np.column_stack([places, -heights])
    buffers = empty_buffers(shape[0], shape[1])
    materials = np.zeros(len(triangles), dtype=np.int16)
    rasterize(seen, np.zeros_like(seen), triangles, materials, False, 0, buffers)
    return -buffers.nearness.astype(np.float64)


def draw_floor(camera: Camera, shade: ShadeMap, top: int, picture: Floats) -> None:
    """Fill a band of a picture, whose first row is `top`, with paper and floor (linear colours)."""
    colors = np.stack([palette.linear(c) for c in (palette.PAPER, palette.FLOOR, palette.GRID)])
    _floor(camera.rays(), shade, colors, _footprint(camera, shade), top, picture)


def _footprint(camera: Camera, shade: ShadeMap) -> Array:
    """(2,) how far the plane's two coordinates move from a pixel to the next."""
    normal = shade.frame[3]
    slope = max(abs(float(camera.toward @ normal)), 0.05)
    steps = np.stack([camera.right, camera.up]) / camera.pixels_per_m
    landed = steps - np.outer(steps @ normal, camera.toward) / slope
    return np.abs(landed @ shade.frame[1:3].T).max(axis=0)


@compiled
def _floor(
    rays: Rays, shade: ShadeMap, colors: Array, footprint: Array, top: int, picture: Floats
) -> None:
    height, width, _ = picture.shape
    frame, stage, corner, light, cell = shade
    rows, columns = light.shape
    fade_from, fade_to = FADE_M
    for row in range(height):
        for column in range(width):
            x, y = column + 0.5, row + top + 0.5
            over, climb = 0.0, 0.0
            u0, v0, ud, vd = 0.0, 0.0, 0.0, 0.0
            for a in range(3):
                start = rays.start_m[a] + x * rays.right_m[a] + y * rays.down_m[a]
                way = start - rays.eye_m[a] if rays.near_eye else -rays.toward[a]
                start = start - frame[0, a]
                over += start * frame[3, a]
                climb += way * frame[3, a]
                u0 += start * frame[1, a]
                v0 += start * frame[2, a]
                ud += way * frame[1, a]
                vd += way * frame[2, a]
            share = 0.0
            u, v = 0.0, 0.0
            if climb < -1e-6:
                far = -over / climb
                if not rays.near_eye or far > -1.0:
                    u, v = u0 + far * ud, v0 + far * vd
                    du = max(stage[0] - u, u - stage[2], 0.0)
                    dv = max(stage[1] - v, v - stage[3], 0.0)
                    gone = (np.sqrt(du * du + dv * dv) - fade_from) / (fade_to - fade_from)
                    gone = min(max(gone, 0.0), 1.0)
                    share = 1.0 - gone * gone * (3.0 - 2.0 * gone)
            if share <= 0.0:
                for c in range(3):
                    picture[row, column, c] = colors[0, c]
                continue
            line = 0.0
            for k in range(2):
                place, blur = (u if k == 0 else v), footprint[k]
                away = abs(place / SQUARE_M - np.round(place / SQUARE_M)) * SQUARE_M
                on = min(max((0.5 * LINE_M + 0.5 * blur - away) / blur, 0.0), 1.0)
                line = max(line, on * min(1.0, LINE_M / blur + 0.45))
            # The shade between the four nearest cells.
            fu, fv = (u - corner[0]) / cell - 0.5, (v - corner[1]) / cell - 0.5
            lit = 1.0
            if 0.0 <= fu < columns - 1 and 0.0 <= fv < rows - 1:
                i, j = int(fu), int(fv)
                p, q = fu - i, fv - j
                lit = (1.0 - q) * ((1.0 - p) * light[j, i] + p * light[j, i + 1]) + q * (
                    (1.0 - p) * light[j + 1, i] + p * light[j + 1, i + 1]
                )
            for c in range(3):
                floor = colors[1, c] + line * (colors[2, c] - colors[1, c])
                # Shade darkens the paper too: it must not end where the floor fades.
                picture[row, column, c] = (colors[0, c] + share * (floor - colors[0, c])) * lit


_AROUND_M = 2.0
"""How much of a place is drawn around the figure's way."""
_FLOOR_PERCENTILE = 10.0
"""Of the lowest point of the body over time: below it lie toes pushed into the floor and noise."""


def floor_of(environment: Environment | None, figure: Figure) -> Plane | None:
    """The floor to draw: the place's own, or where the body stands when no place is known.

    None where the place has no endless ground, only terrain or parts.
    """
    if environment is None:
        lows = [float(figure.posed(f)[0][:, 1].min()) for f in figure.some_frames(60)]
        return level_plane(float(np.percentile(lows, _FLOOR_PERCENTILE)))
    if not environment.grounds:
        return None
    ground = environment.grounds[0]
    return Plane(np.array([0.0, ground.height_m, 0.0]), ground.normal)


def parts_of(environment: Environment | None, figure: Figure) -> Array | None:
    """(T, 3, 3) corners of the triangles of terrain and parts; None when there are none."""
    if environment is None:
        return None
    points, triangles = triangles_near(environment, figure.clip, _AROUND_M)
    return points[triangles] if len(triangles) else None


def triangles_near(environment: Environment, clip: Clip, around_m: float) -> tuple[Array, Indices]:
    """Points and triangles of terrain and parts around a figure's way."""
    solid = tuple(s for s in environment.surfaces if not isinstance(s, Ground))
    if not solid:
        return np.zeros((0, 3)), np.zeros((0, 3), np.int64)
    roots = clip.root_positions_m
    low, high = roots.min(axis=0), roots.max(axis=0)
    radius = 0.5 * float(np.ptp(roots[:, [0, 2]], axis=0).max()) + around_m
    points, triangles = surface_triangles(Environment(solid), 0.5 * (low + high), radius)
    return points, np.asarray(triangles)
