"""Figs. 7 to 10 of Tak and Ko: what kinematics alone makes of a wish, and what the filter does."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from poise.apps.render import overlays_of, stage_for, write_picture
from poise.job import load_recipe, run_prepared, subject
from poise.measures import evaluate

HERE = Path(__file__).resolve().parent
RECIPES = HERE.parents[1] / "examples" / "recipes" / "filter"
SIZE = (1400, 330)
KINEMATIC = ("filter.settings.passes=1K",)
NO_HINT = ("filter.settings.hints=[]", "filter.settings.noise={under the bar: 1.0e-14}")

Row = tuple[str, Sequence[str], Sequence[str]]
"""A title, changes of the recipe, and constraints that are left out."""


def wide_steps(clip: Path) -> None:
    """Fig. 7, from the front."""
    rows = (("kinematic only", KINEMATIC, ()), ("2D+1K", (), ()))
    _page("wide_steps", clip, rows, "front", 7)


def golf_swing(clip: Path) -> None:
    """Fig. 8."""
    rows = (("the swing as it was", KINEMATIC, ("hint",)), ("1K+3D+1K, with the rock", (), ()))
    _page("golf_swing", clip, rows, "side", 9)


def limbo_walk(clip: Path) -> None:
    """Fig. 9."""
    hints = ("lean back", "knees bent")
    rows = (("without the hint", NO_HINT, hints), ("with the hint", (), ()))
    _page("limbo_walk", clip, rows, "side", 9)


def jump_kick(clip: Path) -> None:
    """Fig. 10."""
    rows = (("kinematic only", KINEMATIC, ()), ("3D+1K", (), ()))
    _page("jump_kick", clip, rows, "side", 10)


def _page(name: str, clip: Path, rows: Sequence[Row], view: str, figures: int) -> None:
    strips: list[Image.Image] = []
    for title, changes, without in rows:
        changes = [*changes, *(["filter.settings.hints=[]"] if "hint" in without else [])]
        recipe = load_recipe(RECIPES / f"{name}.yaml", changes=changes, without=without)
        prepared = subject(recipe, clip)
        edited = run_prepared(recipe, prepared).clip
        seen = evaluate(edited, prepared.character, prepared.environment, prepared.contacts)
        stage = stage_for(
            edited, environment=prepared.environment, overlays=overlays_of(seen.series)
        )
        with tempfile.TemporaryDirectory() as folder:
            strip = Path(folder) / "strip.png"
            write_picture(strip, stage, view=view, size=SIZE, figures=figures, title=title)
            with Image.open(strip) as image:
                strips.append(image.convert("RGB"))
    page = Image.new("RGB", (SIZE[0], SIZE[1] * len(strips)), "white")
    for number, strip in enumerate(strips):
        page.paste(strip, (0, SIZE[1] * number))
    page.quantize(128).save(HERE / f"filter_{name}.png", optimize=True)
