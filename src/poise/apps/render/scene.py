"""Figures, parts and marks on a floor become one picture."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from poise.apps.render import palette
from poise.apps.render.camera import Camera
from poise.apps.render.develop import ENCODED, LINEAR, develop, lay_over
from poise.apps.render.ground import Plane, ShadeMap, draw_floor, shade_map
from poise.apps.render.marks import FrameMarks, draw_marks
from poise.apps.render.raster import (
    Buffers,
    Floats,
    Materials,
    empty_buffers,
    outline,
    rasterize,
    shade,
)
from poise.arrays import Array, Indices
from poise.sharing import core_count

MATERIALS = np.stack(
    [
        palette.linear(c)
        for c in (palette.BODY, palette.BODY_LEFT, palette.BODY_RIGHT, palette.PART, palette.GHOST)
    ]
)
"""Linear colours by material number; the first three in the order of `figure.MIDDLE`..."""
PART, GHOST = 3, 4

GHOST_STRENGTH = 0.58
GHOST_CLEARANCE_M = 0.05
"""A ghost this far in front of the figure shows fully; one that coincides with it hides."""
OUTLINE_M = 0.07
BAND_ROWS = 96


@dataclass(frozen=True, eq=False)
class Solid:
    """Triangles of one figure or part, where they are to be drawn."""

    points_m: Array
    normals: Array
    triangles: Indices
    materials: Materials
    ghost: bool = False
    closed: bool = True
    """Whether what faces away can be left out."""
    lead_m: Array | float = 0.0
    """(V,) how much nearer each vertex is drawn than it is."""


@dataclass(frozen=True, eq=False)
class Scene:
    """All that one picture shows."""

    solids: list[Solid]
    plane: Plane | None
    marks: list[FrameMarks] = field(default_factory=list[FrameMarks])
    stage_m: Array | None = None
    """(N, 3) points over the floor that is to be seen; None for where the solids are."""


def draw(scene: Scene, camera: Camera, *, samples: int = 3) -> Image.Image:
    """The picture, each pixel averaged over `samples`² rays."""
    fine = camera.scaled(samples)
    shadow = None
    key = _key_light(camera)
    if scene.plane is not None and scene.solids:
        casting = [(s.points_m, s.triangles) for s in scene.solids if not s.ghost]
        shadow = shade_map(scene.plane, camera.right, key, casting, scene.stage_m)
    below, over = draw_marks(fine, scene.plane, scene.marks, float(samples))
    layers = np.asarray(below), np.asarray(over)
    seen = [fine.project(s.points_m) for s in scene.solids]
    for points, solid in zip(seen, scene.solids, strict=True):
        points[:, 2] += solid.lead_m * fine.nearness_per_m
    picture = np.empty((camera.height, camera.width, 3), dtype=np.uint8)

    def band(first: int) -> None:
        last = min(first + BAND_ROWS, camera.height)
        light = _band(scene, fine, seen, shadow, key, layers, first * samples, last * samples)
        develop(light, samples, ENCODED, picture[first:last])

    with ThreadPoolExecutor(core_count()) as pool:
        list(pool.map(band, range(0, camera.height, BAND_ROWS)))
    return Image.fromarray(picture)


def _key_light(camera: Camera) -> Array:
    """From the upper left behind the eye's shoulder, steep, so that shadows stay by the feet."""
    level = camera.toward - camera.toward[1] * np.array([0.0, 1.0, 0.0])
    if np.linalg.norm(level) < 1e-6:
        level = -camera.up
    level = level / np.linalg.norm(level)
    # Seen from above, a shadow beside the figure would look like a second one.
    slant = 0.3 + 0.7 * np.sqrt(max(0.0, 1.0 - camera.toward[1] ** 2))
    key = np.array([0.0, 1.0, 0.0]) + slant * (0.42 * level - 0.34 * camera.right)
    return key / np.linalg.norm(key)


def _band(
    scene: Scene,
    fine: Camera,
    seen: list[Array],
    shadow: ShadeMap | None,
    key: Array,
    layers: tuple[NDArray[np.uint8], NDArray[np.uint8]],
    first: int,
    last: int,
) -> Floats:
    """Rows `first` to `last` of the fine picture, in linear colours."""
    # Outlines look at their neighbours, so a band is drawn with some rows around it.
    reach = 2
    top, end = max(0, first - reach), min(fine.height, last + reach)
    picture = np.empty((end - top, fine.width, 3), dtype=np.float32)
    if shadow is None:
        picture[:] = palette.linear(palette.PAPER)
    else:
        draw_floor(fine, shadow, top, picture)
    lay_over(layers[0][top:end], LINEAR, picture)
    step = OUTLINE_M * fine.nearness_per_m
    lit: list[tuple[Buffers, Floats]] = []
    for ghost in (False, True):
        buffers = empty_buffers(end - top, fine.width)
        for solid, points in zip(scene.solids, seen, strict=True):
            if solid.ghost == ghost:
                rasterize(
                    points, solid.normals, solid.triangles, solid.materials, solid.closed, top,
                    buffers.nearness, buffers.normals, buffers.materials,
                )  # fmt: skip
        canvas = picture.copy() if ghost else picture
        shade(
            buffers.nearness, buffers.normals, buffers.materials, MATERIALS,
            fine.toward, key, canvas,
        )  # fmt: skip
        outline(buffers.nearness, buffers.materials, step, 0.5, 1, canvas)
        lit.append((buffers, canvas))
        if not any(s.ghost for s in scene.solids):
            break
    if len(lit) == 2:
        _blend_ghost(fine, lit[0], lit[1])
    lay_over(layers[1][top:end], LINEAR, picture)
    return picture[first - top : last - top]


def _blend_ghost(
    camera: Camera, main: tuple[Buffers, Floats], ghost: tuple[Buffers, Floats]
) -> None:
    """Lay the ghost over the picture: clear where it coincides with the figure, gone behind it."""
    there = ghost[0].materials >= 0
    lead = (ghost[0].nearness[there] - main[0].nearness[there]) / camera.nearness_per_m
    clear = np.clip(lead / GHOST_CLEARANCE_M, 0.0, 1.0)
    share = (GHOST_STRENGTH * clear)[:, None].astype(np.float32)
    picture = main[1]
    picture[there] += share * (ghost[1][there] - picture[there])
