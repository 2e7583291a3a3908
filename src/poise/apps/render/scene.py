"""From a clip to a stage, and from a stage to one picture: figures, parts and marks on a floor."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import poise.apps.render.palette as palette
from poise.apps.render.camera import Camera
from poise.apps.render.figure import Figure, figure_of_clip
from poise.apps.render.ground import Plane, ShadeMap, draw_floor, floor_of, parts_of, shade_map
from poise.apps.render.marks import FrameMarks, Overlays, draw_marks
from poise.apps.render.raster import (
    Buffers,
    Floats,
    Materials,
    develop,
    empty_buffers,
    lay_over,
    outline,
    rasterize,
    shade,
)
from poise.arrays import Array, Indices
from poise.environment import Environment
from poise.motion import Clip, resample
from poise.sharing import core_count

_COLORS = (palette.BODY, palette.BODY_LEFT, palette.BODY_RIGHT, palette.PART, palette.GHOST)
MATERIALS = np.stack([palette.linear(color) for color in _COLORS])
"""Linear colours by material number; the first three in the order of `figure.MIDDLE`..."""
PART, GHOST = 3, 4

GHOST_STRENGTH = 0.58
GHOST_CLEARANCE_M = 0.05
"""A ghost this far in front of the figure shows fully; one that coincides with it hides."""
OUTLINE_M = 0.07
BAND_ROWS = 96
MOST_RAYS = 2**25
"""Of one picture; each takes eight bytes of marks."""
LARGEST_PROP_M = 2.5
"""Parts of a place that are larger together are a terrain, not something beside the figure."""


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
class Stage:
    """Who moves where, and what is to be marked: all that strips and animations draw from."""

    figure: Figure
    plane: Plane | None
    ghost: Figure | None = None
    """The original, at the same rate and with as many frames."""
    part_triangles_m: Array | None = None
    """(T, 3, 3) corners of the parts of a place."""
    overlays: Overlays = field(default_factory=Overlays)
    first_frame: int = 0
    """Number of the clip's first frame in its file, for the time labels."""


def prop_points(stage: Stage) -> Array:
    """(N, 3) corners of the parts of a place, if they are small enough to be shown with a figure.

    A chair belongs to every figure of a strip; a hill does not.
    """
    if stage.part_triangles_m is None:
        return np.zeros((0, 3))
    points = stage.part_triangles_m.reshape(-1, 3)
    small = float(np.ptp(points, axis=0).max()) <= LARGEST_PROP_M
    return points if small else np.zeros((0, 3))


def solid_of(figure: Figure, frame: int, shift_m: Array) -> Solid:
    """A figure in one frame."""
    points, normals = figure.posed(frame)
    return Solid(
        points + shift_m, normals, figure.mesh.triangles, figure.sides, lead_m=figure.lead_m
    )


def figure_solids(stage: Stage, frame: int, shift_m: Array) -> list[Solid]:
    """The figure in one frame, and the original if there is one."""
    solids = [solid_of(stage.figure, frame, shift_m)]
    if stage.ghost is not None:
        solid = solid_of(stage.ghost, frame, shift_m)
        materials = np.full_like(solid.materials, GHOST)
        solids.append(replace(solid, materials=materials, ghost=True, lead_m=0.0))
    return solids


def part_solid(triangles_m: Array, shift_m: Array) -> Solid:
    """Parts of a place, with flat faces."""
    corners = triangles_m + shift_m
    faces = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    count = len(corners)
    return Solid(
        corners.reshape(-1, 3),
        np.repeat(faces / np.maximum(np.linalg.norm(faces, axis=1, keepdims=True), 1e-18), 3, 0),
        np.arange(3 * count).reshape(-1, 3),
        np.full(count, PART, dtype=np.int16),
        closed=False,
    )


def marks_of(stage: Stage, frame: int, shift_m: Array) -> FrameMarks:
    """The marks of one frame."""
    overlays = stage.overlays
    com, zmp = overlays.com_m, overlays.zmp_m
    return FrameMarks(
        com_m=None if com is None else com[frame] + shift_m,
        zmp_m=None if zmp is None else zmp[frame] + shift_m,
        touch_m=overlays.touch_points(frame) + shift_m,
    )


def beside(original: Clip, clip: Clip) -> Clip:
    """The original at the clip's rate and length; its last pose is held when it is shorter."""
    if abs(original.rate_hz - clip.rate_hz) > 1e-6 * clip.rate_hz:
        original = resample(original, clip.rate_hz)
    rows = np.minimum(np.arange(clip.frame_count), original.frame_count - 1)
    return replace(
        original,
        root_positions_m=original.root_positions_m[rows],
        rotations_wxyz=original.rotations_wxyz[rows],
        moving_offsets_m=original.moving_offsets_m[rows],
        source=None,
    )


def stage_for(
    clip: Clip,
    *,
    original: Clip | None = None,
    environment: Environment | None = None,
    overlays: Overlays | None = None,
    first_frame: int = 0,
) -> Stage:
    """All that is to be drawn of a clip.

    Args:
        clip: who moves.
        original: drawn as a ghost beside it; see `beside`.
        environment: where; without it the floor is put under the feet.
        overlays: what to mark, frame by frame.
        first_frame: number of the clip's first frame in its file, for the time labels.
    """
    figure = figure_of_clip(clip)
    return Stage(
        figure=figure,
        plane=floor_of(environment, figure),
        ghost=None if original is None else figure_of_clip(beside(original, clip)),
        part_triangles_m=parts_of(environment, figure),
        overlays=overlays or Overlays(),
        first_frame=first_frame,
    )


@dataclass(frozen=True, eq=False)
class Scene:
    """All that one picture shows."""

    solids: list[Solid]
    plane: Plane | None
    marks: list[FrameMarks] = field(default_factory=list[FrameMarks])
    stage_m: Array | None = None
    """(N, 3) points over the floor that is to be seen; None for where the solids are."""


def draw(scene: Scene, camera: Camera, *, samples: int = 3) -> Image.Image:
    """The picture, each pixel averaged over `samples`² rays, or fewer where it is very large."""
    while samples > 1 and camera.width * camera.height * samples**2 > MOST_RAYS:
        samples -= 1
    fine = camera.scaled(samples)
    shadow = None
    key = _key_light(camera)
    if scene.plane is not None and scene.solids:
        casting = [(s.points_m, s.triangles) for s in scene.solids if not s.ghost]
        shadow = shade_map(scene.plane, camera.right, key, casting, scene.stage_m)
    below, over = draw_marks(fine, scene.plane, scene.marks, float(samples))
    layers = np.asarray(below), np.asarray(over)
    del below, over  # as large as the layers, which are copies
    seen = [fine.project(s.points_m) for s in scene.solids]
    for points, solid in zip(seen, scene.solids, strict=True):
        points[:, 2] += solid.lead_m * fine.nearness_per_m
    picture = np.empty((camera.height, camera.width, 3), dtype=np.uint8)

    def band(first: int) -> None:
        last = min(first + BAND_ROWS, camera.height)
        light = _band(scene, fine, seen, shadow, key, layers, first * samples, last * samples)
        develop(light, samples, picture[first:last])

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
    lay_over(layers[0][top:end], picture)
    step = OUTLINE_M * fine.nearness_per_m
    lit: list[tuple[Buffers, Floats]] = []
    for ghost in (False, True):
        buffers = empty_buffers(end - top, fine.width)
        for solid, points in zip(scene.solids, seen, strict=True):
            if solid.ghost == ghost:
                faces = (solid.normals, solid.triangles, solid.materials)
                rasterize(points, *faces, solid.closed, top, buffers)
        canvas = picture.copy() if ghost else picture
        shade(buffers, MATERIALS, fine.toward, key, canvas)
        outline(buffers, step, canvas)
        lit.append((buffers, canvas))
        if not any(s.ghost for s in scene.solids):
            break
    if len(lit) == 2:
        _blend_ghost(fine, lit[0], lit[1])
    lay_over(layers[1][top:end], picture)
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
