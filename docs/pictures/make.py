"""Makes the pictures of the documentation: `python docs/pictures/make.py`.

Those of README.md come from clips made by code, those of docs/deform.md from the recipes in
`examples/recipes/deform`, those of docs/filter.md, docs/correct.md and docs/momentum.md from
`filter`, `correct` and `momentum` beside it, that of docs/pattern.md from
`benchmarks/pattern_golf.py`, that of docs/retarget.md from `benchmarks/retarget_table.py`, that of
docs/batch.md from all shared captures, that of the studio from a dance; their clips are real.
Without these clips they stay as they are. Those of docs/examples.md are made by `gallery.py`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path

import numpy as np
from barycentre import draw_barycentre
from batch_library import library
from correct_recipes import LOOKS, experiment
from deform_karate import karate
from deform_stairs import climbing_stairs
from filter_dancing import dancing
from filter_experiments import golf_swing, jump_kick, limbo_walk, wide_steps
from momentum_leaps import PICTURES, leaps
from pattern_golf import golf_hit
from PIL import Image
from retarget_robots import robots
from side_by_side import side_by_side

from poise.arrays import Array
from poise.constraints import Scene
from poise.constraints.scene import point_path
from poise.job import Recipe, Subject, load_recipe, run_prepared, subject
from poise.job.stand_in import capture_file
from poise.motion import Clip
from studio import studio_picture

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
RECIPES = PROJECT / "examples" / "recipes" / "deform"
SHARED = Path(os.environ.get("POISE_SHARED", PROJECT.parent / "shared"))
OTHERS = tuple(RECIPES.parent / method for method in ("filter", "correct", "momentum", "pattern"))
SHOWN = ("walk", "jump")


def main() -> None:
    samples()
    of_deform = (barycentre, reaching, stepping, karate, climbing_stairs)
    of_filter = (dancing, wide_steps, golf_swing, limbo_walk, jump_kick)
    of_correct = {name: partial(experiment, name) for name in LOOKS}
    of_momentum = {name: partial(leaps, name) for name in PICTURES}
    named = {draw.__name__: draw for draw in (*of_deform, *of_filter, golf_hit, robots)}
    drawers = named | of_correct | of_momentum
    for name, draw in drawers.items():
        clip = _clip(name)
        if clip is None:
            print(f"{name}: left as it is, its clip is not in {SHARED} (see POISE_SHARED)")
        else:
            draw(clip)
    if (SHARED / "mocap").is_dir():
        library(SHARED / "mocap")
        studio_picture(SHARED / "mocap")


def samples() -> None:
    with tempfile.TemporaryDirectory() as folder:
        strips: list[Image.Image] = []
        for name in SHOWN:
            clip, strip = Path(folder) / f"{name}.bvh", Path(folder) / f"{name}.png"
            poise = (sys.executable, "-m", "poise")
            subprocess.run([*poise, "sample", name, "-o", clip], check=True)
            subprocess.run([*poise, "render", clip, "-o", strip, "--size", "1400x360"], check=True)
            with Image.open(strip) as image:
                strips.append(image.convert("RGB"))
    page = Image.new("RGB", (1400, 360 * len(strips)), "white")
    for row, strip in enumerate(strips):
        page.paste(strip, (0, 360 * row))
    page.quantize(128).save(HERE / "samples.png", optimize=True)


def barycentre(clip: Path) -> None:
    """Fig. 1: the walk of the experiments."""
    draw_barycentre(HERE / "deform_barycentre.png", subject(_recipe("reaching"), clip))


def reaching(clip: Path) -> None:
    """Fig. 3: with and without the centre of mass."""
    prepared = subject(_recipe("reaching"), clip)
    clips = {
        "original": prepared.clip,
        "feet, reach and balance": _run(prepared, "reaching"),
        "without balance": _run(prepared, "reaching", without=("balance",)),
    }
    goal = np.array(_constraint("reaching", "reach")["through"][0]["place_m"])
    side_by_side(
        HERE / "deform_reaching.png", "Reaching for a shelf", clips, prepared, 73,
        view="front", goals_m=[goal] * 3,
    )  # fmt: skip


def stepping(clip: Path) -> None:
    """Fig. 4: priorities against weights."""
    prepared = subject(_recipe("stepping"), clip)
    (passed,) = _constraint("stepping", "raise")["through"]
    frame = int(passed["frame"])
    clips = {
        "original": prepared.clip,
        "priorities": _run(prepared, "stepping"),
        "weights": _run(prepared, "stepping", changes=("deform.settings.strategy=weights",)),
    }
    goal = _ankle(prepared, frame) + np.array(passed["place_m"])
    side_by_side(
        HERE / "deform_stepping.png", "A foot kept to its path, and an ankle told to rise",
        clips, prepared, frame, view="side", goals_m=[goal] * 3, panel=(400, 560),
    )  # fmt: skip


def _ankle(prepared: Subject, frame: int) -> Array:
    scene = Scene(prepared.clip, prepared.character, prepared.environment)
    return point_path(scene, "right_ankle", frame, frame)[0]


def _run(
    prepared: Subject, name: str, changes: tuple[str, ...] = (), without: tuple[str, ...] = ()
) -> Clip:
    recipe = load_recipe(RECIPES / f"{name}.yaml", changes=changes, without=without)
    return run_prepared(recipe, prepared).clip


def _constraint(name: str, wanted: str) -> dict[str, object]:
    """The values of a constraint of a recipe."""
    wishes = _recipe(name).steps[0].constraints
    return dict(next(wish.values for wish in wishes if wish.name == wanted))


def _recipe(name: str) -> Recipe:
    return load_recipe(RECIPES / f"{name}.yaml")


def _clip(name: str) -> Path | None:
    """The clip of a picture's recipe, if it is at hand."""
    name = {"dancing": "dancing_short_limbs"}.get(name, name)
    here = [folder / f"{name}.yaml" for folder in (RECIPES, *OTHERS)]
    recipe = load_recipe(next((path for path in here if path.is_file()), RECIPES / "reaching.yaml"))
    if recipe.for_capture is not None or recipe.clip.file is None:
        return None  # a clip made by code would stand in
    return capture_file(recipe.folder, recipe.clip.file)


if __name__ == "__main__":
    main()
