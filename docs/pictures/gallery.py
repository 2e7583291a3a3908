"""Makes the pictures of docs/examples.md: `python docs/pictures/gallery.py [FAMILY ...]`.

A sheet for the numbered examples and one for each family of recipes. Everything is made by code:
captures are left aside, so the sheets come out the same on every machine.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from correct_recipes import narrow
from PIL import Image

from poise.apps.render import beside, draw_strip, stage_for
from poise.apps.render.layout import key_frames
from poise.apps.render.palette import PAPER
from poise.environment import Environment
from poise.formats import load_clip
from poise.job import load_recipe, run_recipe
from poise.job.stand_in import CAPTURES
from poise.mechanics import forward_kinematics
from poise.motion import Clip

HERE = Path(__file__).resolve().parent
EXAMPLES = HERE.parents[1] / "examples"
RECIPES = EXAMPLES / "recipes"
CELL, COLUMNS, COLORS, FIGURES = (600, 214), 2, 40, 7
FAMILIES = ("correct", "deform", "filter", "momentum", "pattern")
FRONT = ("golf_hit", "golf_swing", "wide_steps", "dance")
"""Recipes that are best seen from the front."""
LEAPS_ONLY = {"smash_family": "momentum.settings={}", "two_leaps": "momentum.settings={}"}
"""Families of leaps: what is drawn is the leap they are made of."""


@dataclass(frozen=True)
class Shown:
    """What a numbered example writes, drawn beside what it began with."""

    clip: str
    before: str = ""
    front: bool = False


SHOWN = {
    "01_inspect_and_convert": Shown("walk.glb"),
    "02_measure_known_defects": Shown("sliding_walk.glb"),
    "03_deform_experiments": Shown("reaching.glb", "reaching_before.glb"),
    "04_stream_filter": Shown("streamed_1K.glb"),
    "05_correct_walk": Shown("corrected_walk.glb", "damaged_walk.bvh"),
    "06_leaps": Shown("spinning_jump.bvh"),
    "07_pattern": Shown("swing_to_the_ball.bvh", front=True),
    "08_retarget": Shown("other_walk.bvh"),
    "09_batch": Shown("corrected/jump.bvh", "library/jump.bvh"),
}


def recipe_cell(path: Path) -> Image.Image:
    """A recipe on the clip made by code: what went in as a ghost, what came out."""
    name = path.stem
    changes = [LEAPS_ONLY[name]] if name in LEAPS_ONLY else []
    if path.parent.name == "pattern":
        changes = [f"pattern.pattern={_pattern().as_posix()}"]
    outcome = run_recipe(load_recipe(path, changes=changes))
    view = "front" if name in FRONT else "side"
    place = outcome.prepared.environment
    return cell(name, outcome.clip, outcome.start, narrow(place) or place, view)


def example_cell(name: str) -> Image.Image:
    """A numbered example: runs in a folder of its own, and one of its clips is drawn."""
    shown = SHOWN[name]
    with tempfile.TemporaryDirectory() as folder:
        some = ["reaching"] if name.startswith("03") else []
        script = [sys.executable, str(EXAMPLES / f"{name}.py"), *some]
        subprocess.run(script, cwd=folder, check=True, stdout=subprocess.DEVNULL)
        out = Path(folder) / "out"
        clip = load_clip(out / shown.clip)
        before = load_clip(out / shown.before) if shown.before else None
        view = "front" if shown.front else "side"
        return cell(name, clip, before, Environment.flat(), view)


def cell(
    name: str, clip: Clip, before: Clip | None, environment: Environment, view: str
) -> Image.Image:
    """One picture of a sheet."""
    original = None if before is None else beside(before, clip)
    stage = stage_for(clip, original=original, environment=environment)
    title = name.replace("_", " ")
    figures = moments(clip, before)
    return draw_strip(stage, view=view, size=CELL, figures=figures, title=title).convert("RGB")


def moments(clip: Clip, before: Clip | None) -> list[int]:
    """Frames to show: key frames, and the one in which most has changed."""
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    chosen = key_frames(places, FIGURES)
    if before is None or before.rotations_wxyz.shape != clip.rotations_wxyz.shape:
        return chosen
    old = forward_kinematics(before.skeleton, *before.pose).positions_m
    most = int(np.linalg.norm(places - old, axis=-1).max(axis=1).argmax())
    nearest = min(chosen, key=lambda frame: abs(frame - most))
    if nearest in (chosen[0], chosen[-1]):
        return chosen
    return sorted(most if frame == nearest else frame for frame in chosen)


def sheet(name: str, cells: Sequence[Callable[[], Image.Image]]) -> Path:
    """All pictures of a family on one."""
    rows = -(-len(cells) // COLUMNS)
    across = min(COLUMNS, len(cells))
    page = Image.new("RGB", (across * CELL[0], rows * CELL[1]), PAPER)
    for number, draw in enumerate(cells):
        row, column = divmod(number, COLUMNS)
        page.paste(draw(), (column * CELL[0], row * CELL[1]))
    path = HERE / f"gallery_{name}.png"
    page.quantize(COLORS).save(path, optimize=True)
    print(f"{path.name}: {len(cells)} pictures, {path.stat().st_size / 1024:.0f} KB", flush=True)
    return path


def recipes_of(family: str) -> list[Path]:
    """The recipes of a family, without the places beside them."""
    found = sorted((RECIPES / family).glob("*.yaml"))
    return [path for path in found if "\nsteps:" in path.read_text(encoding="utf-8")]


def _pattern() -> Path:
    """The pattern of golf swings, learned from swings made by code."""
    path = Path(tempfile.mkdtemp()) / "golf.npz"
    script = RECIPES / "pattern" / "learn_swings.py"
    subprocess.run([sys.executable, str(script), "--output", str(path)], check=True)
    return path


def main() -> None:
    reader = argparse.ArgumentParser(description="The pictures of docs/examples.md.")
    reader.add_argument("families", nargs="*", metavar="FAMILY", help="default: all of them")
    asked = reader.parse_args().families
    os.environ[CAPTURES] = str(HERE / "no captures")
    sheets = {family: [partial(recipe_cell, p) for p in recipes_of(family)] for family in FAMILIES}
    sheets["examples"] = [partial(example_cell, name) for name in SHOWN]
    for name in asked or sheets:
        sheet(name, sheets[name])


if __name__ == "__main__":
    main()
