"""One moment of several clips, each in a panel of its own, all seen from the same place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from poise.apps.render import Stage, overlays_of, stage_for
from poise.apps.render.camera import Camera, framed, view_axes
from poise.apps.render.layout import draw_legend
from poise.apps.render.palette import PAPER, PURPLE, write
from poise.apps.render.scene import Scene, draw, marks_of, part_solid, solid_of
from poise.arrays import Array
from poise.job import Subject
from poise.measures import evaluate
from poise.motion import Clip

HEADER_PX = 40


def side_by_side(
    path: Path,
    title: str,
    clips: Mapping[str, Clip],
    prepared: Subject,
    frame: int,
    *,
    view: str,
    goals_m: Sequence[Array | None] | None = None,
    panel: tuple[int, int] = (460, 560),
) -> None:
    """Draw a picture.

    Args:
        path: where to.
        title: written above.
        clips: by what is written under each.
        prepared: whose clips, and where.
        frame: of all of them.
        view: see `poise.apps.render.camera.VIEWS`.
        goals_m: (3,) a place to mark in each panel, where there is one.
        panel: pixels of each.
    """
    stages = [_stage(clip, prepared) for clip in clips.values()]
    goals = list(goals_m or [None] * len(stages))
    camera = _camera(stages, [goal for goal in goals if goal is not None], frame, view, panel)
    page = Image.new("RGB", (panel[0] * len(stages), panel[1] + HEADER_PX), PAPER)
    for i, (words, stage, goal) in enumerate(zip(clips, stages, goals, strict=True)):
        picture = _panel(stage, frame, camera)
        paint = ImageDraw.Draw(picture)
        if goal is not None:
            _mark(paint, camera, goal)
        write(paint, (panel[0] / 2, panel[1] - 20), words, 16, align="middle", halo=True)
        page.paste(picture, (panel[0] * i, HEADER_PX))
    draw_legend(page, stages[0], title, 16)
    page.save(path, optimize=True)


def _stage(clip: Clip, prepared: Subject) -> Stage:
    seen = evaluate(
        clip,
        prepared.character,
        prepared.environment,
        against=prepared.clip,
        against_character=prepared.character,
    )
    return stage_for(clip, environment=prepared.environment, overlays=overlays_of(seen.series))


def _camera(
    stages: list[Stage], goals: list[Array], frame: int, view: str, panel: tuple[int, int]
) -> Camera:
    figure = stages[0].figure
    axes = view_axes(view, figure.travel_direction(range(figure.clip.frame_count)))
    points = [stage.figure.posed(frame)[0] for stage in stages]
    return framed(
        axes, panel, np.concatenate([*points, *(g[None] for g in goals)]), (24, 16, 24, 60)
    )


def _panel(stage: Stage, frame: int, camera: Camera) -> Image.Image:
    here = np.zeros(3)
    solids = [solid_of(stage.figure, frame, here)]
    if stage.part_triangles_m is not None:
        solids.append(part_solid(stage.part_triangles_m, here))
    return draw(Scene(solids, stage.plane, [marks_of(stage, frame, here)]), camera)


def _mark(paint: ImageDraw.ImageDraw, camera: Camera, goal: Array) -> None:
    """A cross with a word: where a point of the body is asked to be."""
    x, y = camera.project(goal)[:2].tolist()
    for color, width, arm in ((PAPER, 7, 13), (PURPLE, 3, 11)):
        for dx, dy in ((arm, arm), (arm, -arm)):
            paint.line([x - dx, y - dy, x + dx, y + dy], fill=color, width=width)
    write(paint, (x, y + 26), "goal", 13, color=PURPLE, align="middle", halo=True)
