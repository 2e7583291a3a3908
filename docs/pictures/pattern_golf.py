"""Pictures of docs/pattern.md: golf swings with their club, as captured and edited."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from correct_experiments import COLORS, HERE
from PIL import Image

sys.path.insert(0, str(HERE.parents[1]))

from benchmarks.pattern_golf import HEAD, Golf, golf, hit_frame
from benchmarks.pattern_left_out import by_deform, by_pattern
from poise.apps.render import draw_strip, stage_for
from poise.apps.render.figure import MIDDLE, Figure
from poise.apps.render.layout import key_frames
from poise.arrays import Array
from poise.constraints.recruiting import find_point
from poise.mechanics import forward_kinematics
from poise.methods import deform
from poise.motion import Clip

START, OTHER = 0, 2
"""64_01 hits where 64_03 does."""
SIZE, FIGURES = (1400, 400), 9
SHAFT_M, FACES = 0.012, 8


def golf_hit(_: Path) -> None:
    """Fig. 8: the swing as captured, by the pattern, and by prioritized constraints."""
    swings = golf()
    assert swings is not None
    learned = swings.pattern()
    here, other = swings.placed(learned, START), swings.placed(learned, OTHER)
    frame = hit_frame(here)
    hit = other.placing.places(swings.head_m(other.clip, hit_frame(other)))
    goal = here.placing.places_back(hit)
    made = by_pattern(swings, START, learned, frame, goal)
    bent = deform.run(by_deform(swings, START, frame, goal))
    rows = {
        "captured (64_01)": here.clip,
        "by the pattern: hits where 64_03 does": made.clip,
        "the same hit by prioritized constraints (deform)": bent.clip,
    }
    first, last = (int(f) for f in here.warp.own[[0, -1]])
    page(HERE / "pattern_golf.png", rows, swings, first, last, frame)


def page(
    path: Path, rows: dict[str, Clip], swings: Golf, first: int, last: int, hit: int
) -> None:  # fmt: skip
    """Strips one below the other, the hit among their frames."""
    clip = next(iter(rows.values())).sliced(first, last + 1)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    moments = key_frames(state.positions_m, FIGURES)
    nearest = min(range(len(moments)), key=lambda i: abs(moments[i] - (hit - first)))
    moments[nearest] = hit - first
    made = Image.new("RGB", (SIZE[0], SIZE[1] * len(rows)), "white")
    for number, (title, each) in enumerate(rows.items()):
        stage = stage_for(
            each.sliced(first, last + 1), environment=swings.environment(START), first_frame=first
        )
        stage = replace(stage, figure=_with_club(stage.figure, swings))
        strip = draw_strip(stage, view="front", size=SIZE, figures=moments, title=title)
        made.paste(strip.convert("RGB"), (0, SIZE[1] * number))
    made.quantize(COLORS).save(path, optimize=True)


def _with_club(figure: Figure, swings: Golf) -> Figure:
    """The body with its club: a thin shaft, and a head at its end."""
    joint, offset = find_point(swings.character, HEAD)
    grip = 0.05 * offset / np.linalg.norm(offset)
    shaft = _prism(grip, offset, SHAFT_M)
    head = _prism(offset, offset * 1.06, 3.0 * SHAFT_M)
    for points, normals, triangles in (shaft, head):
        count, mesh = len(points), figure.mesh
        carriers = np.zeros((count, 4), dtype=np.int64)
        carriers[:, 0] = joint
        weights = np.zeros((count, 4))
        weights[:, 0] = 1.0
        start = len(mesh.positions_m)
        mesh = replace(
            mesh,
            positions_m=np.concatenate([mesh.positions_m, points]),
            normals=np.concatenate([mesh.normals, normals]),
            triangles=np.concatenate([mesh.triangles, triangles + start]),
            joints=np.concatenate([mesh.joints, carriers]),
            weights=np.concatenate([mesh.weights, weights]),
        )
        sides = np.full(len(triangles), MIDDLE, dtype=figure.sides.dtype)
        figure = replace(
            figure,
            mesh=mesh,
            sides=np.concatenate([figure.sides, sides]),
            lead_m=np.concatenate([figure.lead_m, np.zeros(count)]),
            local_m=np.concatenate([figure.local_m, np.repeat(points[:, None], 4, axis=1)]),
            local_normals=np.concatenate(
                [figure.local_normals, np.repeat(normals[:, None], 4, axis=1)]
            ),
        )
    return figure


def _prism(start: Array, end: Array, radius_m: float) -> tuple[Array, Array, Array]:
    """Points, normals and triangles of a closed tube."""
    along = (end - start) / np.linalg.norm(end - start)
    across = np.cross(along, np.eye(3)[np.abs(along).argmin()])
    across /= np.linalg.norm(across)
    angles = 2.0 * np.pi * np.arange(FACES)[:, None] / FACES
    ring = np.cos(angles) * across + np.sin(angles) * np.cross(along, across)
    points = np.concatenate([start + radius_m * ring, end + radius_m * ring])
    i, j = np.arange(FACES), (np.arange(FACES) + 1) % FACES
    sides = np.concatenate(
        [np.stack([i, j, FACES + i], axis=1), np.stack([j, FACES + j, FACES + i], axis=1)]
    )
    caps = np.stack([np.zeros(FACES - 2, int), i[2:], i[1:-1]], axis=1)
    triangles = np.concatenate([sides, caps, FACES + caps[:, [0, 2, 1]]])
    return points, np.concatenate([ring, ring]), triangles
