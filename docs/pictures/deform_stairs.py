"""Fig. 7 of the paper: a level walk, and what becomes of it on stairs."""

from __future__ import annotations

from pathlib import Path

from PIL import Image

from poise.apps.render import draw_strip, overlays_of, stage_for
from poise.environment import Environment
from poise.job import Subject, load_recipe, run_prepared, subject
from poise.measures import evaluate
from poise.motion import Clip

HERE = Path(__file__).resolve().parent
RECIPE = HERE.parents[1] / "examples" / "recipes" / "deform" / "climbing_stairs.yaml"
FIGURES = 9
WIDTH, LEVEL_HEIGHT, STAIRS_HEIGHT = 1400, 480, 600


def climbing_stairs(clip: Path) -> None:
    """The walk above, the climb below."""
    recipe = load_recipe(RECIPE)
    prepared = subject(recipe, clip)
    climb = run_prepared(recipe, prepared).clip
    level = Environment(prepared.environment.grounds)
    strips = [
        _strip(prepared, prepared.clip, level, "a level walk", LEVEL_HEIGHT),
        _strip(prepared, climb, prepared.environment, "on irregular stairs", STAIRS_HEIGHT),
    ]
    page = Image.new("RGB", (WIDTH, LEVEL_HEIGHT + STAIRS_HEIGHT))
    page.paste(strips[0], (0, 0))
    page.paste(strips[1], (0, LEVEL_HEIGHT))
    page.save(HERE / "deform_stairs.png", optimize=True)


def _strip(
    prepared: Subject, clip: Clip, place: Environment, title: str, height: int
) -> Image.Image:
    seen = evaluate(clip, prepared.character, place)
    stage = stage_for(clip, environment=place, overlays=overlays_of(seen.series))
    return draw_strip(stage, size=(WIDTH, height), figures=FIGURES, title=title)
