"""A figure strip: one picture that tells a whole clip, from left to right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from PIL import Image, ImageDraw

from poise.apps.render import palette
from poise.apps.render.camera import UP, Camera, framed, view_axes
from poise.apps.render.ground import SQUARE_M
from poise.apps.render.key_frames import key_frames
from poise.apps.render.legend import draw_legend
from poise.apps.render.lettering import write
from poise.apps.render.marks import zmp_is_far
from poise.apps.render.scene import Scene, draw
from poise.apps.render.staging import Stage, ghost_solid, marks_of, part_solid, solid_of
from poise.arrays import Array

MOST_FIGURES, FEWEST_FIGURES = 12, 5
WIDTH = 1600
LEAST_WIDTH = 640
HEIGHTS = (300, 900)
"""Least and largest height of a strip that may choose its own."""
LEAST_PIXELS_PER_M = 150.0
MOST_PIXELS_PER_M = 330.0
GAP_M = 0.10
"""Between neighbours that had to be moved apart."""
OVERLAP = 0.22
"""Share of a figure's width that its neighbour may cover."""
TITLE_PX, LABEL_PX, SIDE_PX = 46, 50, 26


@dataclass(frozen=True)
class _Placed:
    frame: int
    shift_m: tuple[float, float, float]
    """Added to the whole figure to keep it clear of its neighbours."""


def draw_strip(
    stage: Stage,
    *,
    view: str = "side",
    size: tuple[int, int] | None = None,
    figures: int | None = None,
    title: str = "",
    samples: int = 3,
) -> Image.Image:
    """One picture of key frames along the path, or side by side when the figure stays in place."""
    figure = stage.figure
    everything = range(figure.clip.frame_count)
    axes = view_axes(view, figure.travel_direction(everything))
    width = size[0] if size else WIDTH
    placed = _layout(stage, axes, figures, width)
    scene, points = _scene(stage, placed)
    camera = _camera(axes, points, size, width)
    picture = draw(scene, camera, samples=samples)
    paint = ImageDraw.Draw(picture)
    moved = any(np.abs(p.shift_m).max() > 1e-6 for p in placed)
    _label_times(paint, camera, stage, placed)
    far = any(zmp_is_far(mark) for mark in scene.marks)
    _say_scale(paint, camera, moved, far)
    draw_legend(picture, stage, title, SIDE_PX)
    return picture


def _layout(
    stage: Stage, axes: tuple[Array, Array, Array], figures: int | None, width: int
) -> list[_Placed]:
    figure, right = stage.figure, axes[0]
    total = figure.clip.frame_count
    probe = key_frames(figure.state.positions_m, min(total, 24))
    extents = np.array([_extent(stage, frame, right) for frame in probe])
    mean_m = float((extents[:, 1] - extents[:, 0]).mean())
    count = figures
    if count is None:
        room_m = (width - 2 * SIDE_PX) / LEAST_PIXELS_PER_M
        count = int(np.clip(room_m / (mean_m + GAP_M), FEWEST_FIGURES, MOST_FIGURES))
        # A clip of a few frames need not show every one of them.
        count = min(count, max(1, total))
    frames = key_frames(figure.state.positions_m, count)
    return _pushed_apart(stage, frames, axes, natural=figures is None)


def _extent(stage: Stage, frame: int, right: Array) -> tuple[float, float]:
    points, _ = stage.figure.posed(frame)
    along = points @ right
    low, high = float(along.min()), float(along.max())
    if stage.ghost is not None:
        other = stage.ghost.posed(frame)[0] @ right
        low, high = min(low, float(other.min())), max(high, float(other.max()))
    return low, high


def _pushed_apart(
    stage: Stage, frames: list[int], axes: tuple[Array, Array, Array], *, natural: bool
) -> list[_Placed]:
    """Figures where they are if that can be read, otherwise moved apart along the picture."""
    extents = [_extent(stage, f, axes[0]) for f in frames]
    if natural:
        for count in range(len(frames), FEWEST_FIGURES, -1):
            fewer = key_frames(stage.figure.state.positions_m, count)
            spans = [_extent(stage, f, axes[0]) for f in fewer]
            if count >= 6 and _readable(spans):
                return [_Placed(f, (0.0, 0.0, 0.0)) for f in fewer]
    elif _readable(extents):
        return [_Placed(f, (0.0, 0.0, 0.0)) for f in frames]
    level = axes[2] - (axes[2] @ UP) * UP
    roots = stage.figure.clip.root_positions_m
    placed: list[_Placed] = []
    edge = extents[0][0]
    for frame, (low, high) in zip(frames, extents, strict=True):
        shift = (edge - low) * axes[0]
        if np.linalg.norm(level) > 0.5:  # in a row before the eye; seen from above, paths may bend
            toward = level / np.linalg.norm(level)
            shift = shift - ((roots[frame] - roots[frames[0]]) @ toward) * toward
        placed.append(_Placed(frame, (float(shift[0]), float(shift[1]), float(shift[2]))))
        edge += (high - low) + GAP_M
    return placed


def _readable(extents: Sequence[tuple[float, float]]) -> bool:
    """Whether every figure stands to the right of the one before, or nearly."""
    for (low, high), (next_low, next_high) in pairwise(extents):
        narrow = min(high - low, next_high - next_low)
        if high - next_low > OVERLAP * narrow:
            return False
    return True


def _scene(stage: Stage, placed: list[_Placed]) -> tuple[Scene, Array]:
    solids = []
    marks = []
    moved = any(np.abs(p.shift_m).max() > 1e-6 for p in placed)
    for place in placed:
        shift = np.array(place.shift_m)
        solids.append(solid_of(stage.figure, place.frame, shift))
        if stage.ghost is not None:
            solids.append(ghost_solid(stage.ghost, place.frame, shift))
        if moved and stage.part_triangles_m is not None:
            solids.append(part_solid(stage.part_triangles_m, shift))
        marks.append(marks_of(stage, place.frame, shift))
    if not moved and stage.part_triangles_m is not None:
        solids.append(part_solid(stage.part_triangles_m, np.zeros(3)))
    points = np.concatenate([s.points_m for s in solids])
    return Scene(solids, stage.plane, marks), points


def _camera(
    axes: tuple[Array, Array, Array], points: Array, size: tuple[int, int] | None, width: int
) -> Camera:
    margins = (SIDE_PX, TITLE_PX, SIDE_PX, LABEL_PX)
    if size is not None:
        return framed(axes, size, points, margins)
    wide = float(np.ptp(points @ axes[0]))
    tall = float(np.ptp(points @ axes[1]))
    ppm = min((width - 2 * SIDE_PX) / wide, MOST_PIXELS_PER_M)
    # A single figure needs no wide picture.
    width = int(np.clip(ppm * wide + 2 * SIDE_PX, min(LEAST_WIDTH, width), width))
    height = int(np.clip(ppm * tall + TITLE_PX + LABEL_PX, *HEIGHTS))
    return framed(axes, (width, height), points, margins, largest_pixels_per_m=ppm)


def _label_times(
    paint: ImageDraw.ImageDraw, camera: Camera, stage: Stage, placed: list[_Placed]
) -> None:
    """Below each figure; a label that would run into the last one is left out."""
    if stage.figure.clip.frame_count == 1:
        return
    taken = -np.inf
    rate = stage.figure.clip.rate_hz
    for place in placed:
        points = stage.figure.state.positions_m[place.frame] + np.array(place.shift_m)
        seen = camera.project(points)
        x = float(0.5 * (seen[:, 0].min() + seen[:, 0].max()))
        text = f"{(place.frame + stage.first_frame) / rate:.2f} s"
        if x - 24 < taken:
            continue
        write(paint, (x, camera.height - 34), text, 14, align="middle", halo=True)
        taken = x + 24


def _say_scale(paint: ImageDraw.ImageDraw, camera: Camera, moved: bool, far: bool) -> None:
    words = f"floor squares {SQUARE_M:g} m"
    if moved:
        words += " · figures moved apart to be seen"
    if far:
        words += " · hollow diamond: the zero-moment point lies further away"
    y = camera.height - 13
    write(paint, (SIDE_PX, y), words, 12, color=palette.FAINT_INK)
