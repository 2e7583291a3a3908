"""A figure strip: one picture that tells a whole clip, from left to right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from PIL import Image, ImageDraw

import poise.apps.render.palette as palette
from poise.apps.render.camera import Camera, framed, view_axes
from poise.apps.render.ground import SQUARE_M
from poise.apps.render.layout import Placed, draw_legend, place_figures
from poise.apps.render.marks import zmp_is_far
from poise.apps.render.palette import write
from poise.apps.render.scene import (
    Scene,
    Stage,
    draw,
    figure_solids,
    marks_of,
    part_solid,
    prop_points,
)
from poise.arrays import Array

WIDTH = 1600
LEAST_WIDTH = 640
HEIGHTS = (300, 900)
"""Least and largest height of a strip that may choose its own."""
LEAST_PIXELS_PER_M = 150.0
MOST_PIXELS_PER_M = 330.0
TITLE_PX, LABEL_PX, SIDE_PX = 46, 50, 26


def draw_strip(
    stage: Stage,
    *,
    view: str = "side",
    size: tuple[int, int] | None = None,
    width: int = WIDTH,
    figures: int | Sequence[int] | None = None,
    title: str = "",
    samples: int = 3,
) -> Image.Image:
    """One picture of key frames along the path, or side by side when the figure stays in place.

    Args:
        stage: who moves where.
        view: see `camera.VIEWS`.
        size: width and height in pixels; by default as tall as the figures need.
        width: the most pixels across, where `size` is left open.
        figures: how many, or of which frames; None for as many as can be read.
        title: written above.
        samples: rays across a pixel.
    """
    figure = stage.figure
    everything = range(figure.clip.frame_count)
    axes = view_axes(view, figure.travel_direction(everything))
    width = size[0] if size else width
    room_m = (width - 2 * SIDE_PX) / LEAST_PIXELS_PER_M
    placed = place_figures(stage, axes, room_m, figures)
    scene, points = _scene(stage, placed)
    camera = _camera(axes, points, size, width)
    picture = draw(scene, camera, samples=samples)
    paint = ImageDraw.Draw(picture)
    moved = any(p.moved for p in placed)
    _label_times(paint, camera, stage, placed)
    far = any(zmp_is_far(mark) for mark in scene.marks)
    _say_scale(paint, camera, stage, moved, far)
    draw_legend(picture, stage, title, SIDE_PX)
    return picture


def _scene(stage: Stage, placed: list[Placed]) -> tuple[Scene, Array]:
    solids = [s for p in placed for s in figure_solids(stage, p.frame, p.shift_m)]
    shown = list(solids)
    if (parts := stage.part_triangles_m) is not None:
        # A chair belongs to every figure that was moved.
        shifts = [p.shift_m for p in placed] if any(p.moved for p in placed) else [np.zeros(3)]
        solids += [part_solid(parts, shift) for shift in shifts]
    if len(prop_points(stage)):  # a terrain may run out of the picture
        shown = solids
    marks = [marks_of(stage, p.frame, p.shift_m) for p in placed]
    return Scene(solids, stage.plane, marks), np.concatenate([s.points_m for s in shown])


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
    paint: ImageDraw.ImageDraw, camera: Camera, stage: Stage, placed: list[Placed]
) -> None:
    """Below each figure; a label that would run into the last one is left out."""
    if stage.figure.clip.frame_count == 1:
        return
    taken = -np.inf
    rate = stage.figure.clip.rate_hz
    for place in placed:
        points = stage.figure.state.positions_m[place.frame] + place.shift_m
        seen = camera.project(points)
        x = float(0.5 * (seen[:, 0].min() + seen[:, 0].max()))
        text = f"{(place.frame + stage.first_frame) / rate:.2f} s"
        if x - 24 < taken:
            continue
        write(paint, (x, camera.height - 34), text, 14, align="middle", halo=True)
        taken = x + 24


def _say_scale(
    paint: ImageDraw.ImageDraw, camera: Camera, stage: Stage, moved: bool, far: bool
) -> None:
    said = [f"floor squares {SQUARE_M:g} m"] if stage.plane is not None else []
    if moved:
        said.append("figures moved apart to be seen")
    if far:
        said.append("hollow diamond: the zero-moment point lies further away")
    place = (SIDE_PX, camera.height - 13)
    write(paint, place, " · ".join(said), 12, color=palette.FAINT_INK)
