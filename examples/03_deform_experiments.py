"""The four experiments of Le Callennec and Boulic (2004), section 6, with their contrasts.

Each is a recipe in `examples/recipes/deform/` on a captured clip; where the capture is missing, a
clip made by code stands in, and it is said. Everything lands in `out/`: before and after as GLB,
the contrasts too; with `--all` a report beside each.

    python examples/03_deform_experiments.py
    python examples/03_deform_experiments.py --all
    python examples/03_deform_experiments.py reaching stepping --all

One run of one experiment is the same as

    poise run examples/recipes/deform/reaching.yaml --without balance -o out/leaning.glb
"""

from __future__ import annotations

import argparse
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

import poise
from poise.face import Result
from poise.job import Recipe, load_recipe

OUT = Path("out")
HERE = Path(__file__).resolve().parent
RECIPES = HERE / "recipes" / "deform"
TIMED_RUNS = 5


@dataclass(frozen=True)
class Contrast:
    """The same recipe, changed in one respect."""

    name: str
    changes: tuple[str, ...] = ()
    """As `--set` takes them."""
    without: tuple[str, ...] = ()
    """Names of constraints to leave out."""


@dataclass(frozen=True)
class Experiment:
    """A recipe and what the paper shows beside it."""

    name: str
    """Of the recipe, without `.yaml`."""
    figure: str
    contrasts: tuple[Contrast, ...] = ()


WEIGHTS = Contrast("weights", changes=("deform.settings.strategy=weights",))
UNBALANCED = Contrast("without_balance", without=("balance",))
HEIGHTS = tuple(
    Contrast(f"{cm}_cm_higher", changes=(f"kick.through.0.place_m=[0, {cm / 100}, 0]",))
    for cm in (10, 20, 30)
)
"""Of the kick, all within reach."""

EXPERIMENTS = (
    Experiment("reaching", "Fig. 3", (UNBALANCED,)),
    Experiment("reaching_full_feet", "Fig. 3, with feet that cannot turn about their length"),
    Experiment("stepping", "Fig. 4", (WEIGHTS,)),
    Experiment("karate", "Figs. 5 and 6", (UNBALANCED, WEIGHTS, *HEIGHTS)),
    Experiment("climbing_stairs", "Fig. 7"),
)


def play(experiment: Experiment, *, everything: bool) -> None:
    """One experiment and its contrasts."""
    print(f"\n== {experiment.name} ({experiment.figure})")
    path = RECIPES / f"{experiment.name}.yaml"
    recipe = load_recipe(path)
    made = _run(recipe, experiment.name, report=everything)
    if recipe.for_capture is not None:
        print(made.notes[0])  # a clip made by code stands in
    poise.save(made.start, OUT / f"{experiment.name}_before.glb")
    for contrast in experiment.contrasts:
        changed = load_recipe(path, changes=contrast.changes, without=contrast.without)
        name = f"{experiment.name}_{contrast.name}"
        print(f"-- {contrast.name.replace('_', ' ')}")
        _run(changed, name, report=everything)


def _run(recipe: Recipe, name: str, *, report: bool) -> Result:
    """Run it, say how it went, and write what it made."""
    made, times = poise.run(recipe), list[float]()
    for _ in range(TIMED_RUNS):
        begin = time.perf_counter()
        poise.run(recipe)
        times.append(time.perf_counter() - begin)
    print(made)
    print(f"{1e3 * statistics.median(times):.0f} ms from file to clip (median of {TIMED_RUNS})")
    files = [OUT / f"{name}.glb"]
    made.save(files[0])
    if report:
        files.append(made.report(OUT / f"{name}.html"))
    print(", ".join(map(str, files)))
    return made


def main() -> None:
    names = [each.name for each in EXPERIMENTS]
    reader = argparse.ArgumentParser(description="The experiments of the paper, as recipes.")
    reader.add_argument("names", nargs="*", metavar="NAME", help=", ".join(names))
    reader.add_argument("--all", action="store_true", help="write reports too")
    asked = reader.parse_args()
    unknown = [name for name in asked.names if name not in names]
    if unknown:
        reader.error(f"no experiment is called {unknown[0]}: there are {', '.join(names)}")
    OUT.mkdir(exist_ok=True)
    chosen = [each for each in EXPERIMENTS if each.name in (asked.names or names)]
    for each in chosen:
        play(each, everything=asked.all)


if __name__ == "__main__":
    main()
