"""Fig. 6 of Tak and Ko: a dance on three bodies, the dancer's own in the middle."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from poise.apps.render import stage_for
from poise.apps.render.camera import framed, view_axes
from poise.apps.render.palette import PAPER, write
from poise.apps.render.scene import Scene, draw, solid_of
from poise.job import load_recipe, run_prepared, subject

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parents[1] / "examples" / "recipes" / "filter"
MOMENTS = (230, 500, 760, 900)
APART_M = 1.05
PANEL = (520, 400)
WORDS = ("short limbs, long trunk", "the dancer", "long limbs, short trunk")


def dancing(clip: Path) -> None:
    """A row of moments, each with all three."""
    recipes = [load_recipe(RECIPES / f"dancing_{build}_limbs.yaml") for build in ("short", "long")]
    short, long = (subject(recipe, clip) for recipe in recipes)
    assert short.moved_from is not None
    danced = [
        run_prepared(recipe, prepared).clip
        for recipe, prepared in zip(recipes, (short, long), strict=True)
    ]
    clips = (danced[0], short.moved_from.clip, danced[1])
    stages = [stage_for(each, environment=short.environment) for each in clips]
    axes = view_axes("front", np.array([0.0, 0.0, 1.0]))
    page = Image.new("RGB", (PANEL[0] * len(MOMENTS), PANEL[1]), PAPER)
    for column, frame in enumerate(MOMENTS):
        solids = [
            solid_of(stage.figure, frame, place * APART_M * axes[0])
            for stage, place in zip(stages, (-1, 0, 1), strict=True)
        ]
        camera = framed(
            axes, PANEL, np.concatenate([s.points_m for s in solids]), (10, 10, 10, 40),
            largest_pixels_per_m=160.0,
        )  # fmt: skip
        page.paste(draw(Scene(solids, stages[1].plane, []), camera), (PANEL[0] * column, 0))
    paint = ImageDraw.Draw(page)
    for place, words in zip((-1, 0, 1), WORDS, strict=True):
        at = (PANEL[0] / 2 + 170 * place, PANEL[1] - 14)
        write(paint, at, words, 12, align="middle", halo=True)
    page.quantize(128).save(HERE / "filter_dancing.png", optimize=True)
