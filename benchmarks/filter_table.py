"""Table I of the paper again: the recipes of its five experiments, and our frame rates."""

from __future__ import annotations

from pathlib import Path

from benchmarks.measure import Measure
from benchmarks.timing import interleaved
from poise.errors import PoiseError
from poise.job import load_recipe, run_prepared, subject
from poise.methods.filter import Settings
from poise.methods.filter.settings import rounds_of

RECIPES = Path(__file__).resolve().parents[1] / "examples" / "recipes" / "filter"
PAPER: dict[str, tuple[int, float]] = {
    "dancing": (660, 150.0),
    "wide_steps": (260, 15.4),
    "golf": (216, 15.2),
    "limbo": (260, 13.7),
    "jump_kick": (152, 11.3),
}
"""By how the names of recipes begin: frames, and frames a second of a round."""
TIMES_PAPER = 500.0
REPEATS = 3
NOISE = 0.5


def run() -> list[Measure]:
    """Time of all steps, without reading files, over frames and rounds."""
    print("\nTable I: frames a second of a round on average, whole runs without reading files")
    print(
        f"{'':28}{'frames':>8}{'DoF':>6}{'rounds':>12}{'frames/s':>10}{'paper':>8}"
        f"{f'ratio ({TIMES_PAPER:g}x)':>14}"
    )
    measures: list[Measure] = []
    for path in sorted(RECIPES.glob("*.yaml")):
        measures += _row(path)
    for begins in PAPER:
        if not list(RECIPES.glob(f"{begins}*.yaml")):
            print(f"{begins:28}there is no such recipe yet")
    return measures


def _row(path: Path) -> list[Measure]:
    begins = next((name for name in PAPER if path.stem.startswith(name)), None)
    if begins is None:
        return []
    try:
        recipe = load_recipe(path)
        ready = subject(recipe)
        seconds = interleaved({"run": lambda: run_prepared(recipe, ready)}, REPEATS)["run"]
    except PoiseError as problem:
        print(f"{path.stem:28}left out: {str(problem).splitlines()[0]}")
        return []
    chosen = [step.settings for step in recipe.steps if isinstance(step.settings, Settings)]
    rounds = sum(len(rounds_of(settings.passes)) for settings in chosen)
    clip, (_, paper) = ready.clip, PAPER[begins]
    rate = clip.frame_count * rounds / seconds
    print(
        f"{path.stem:28}{clip.frame_count:8}{clip.skeleton.tangent_size:6}"
        f"{' then '.join(settings.passes for settings in chosen):>12}{rate:10,.0f}{paper:8.1f}"
        f"{rate / paper:13.0f}x"
    )
    return [Measure(f"filter/table/{path.stem}", rate / paper, "x", "higher", NOISE)]
