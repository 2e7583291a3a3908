"""The recipes of leaps, run and measured: the tables of docs/momentum.md.

`python -m benchmarks.momentum_recipes [RECIPE...] [--write]`; `--write` puts them into the page.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from benchmarks.page import ROOT, put_table
from poise.constraints import Scene
from poise.footing import Movers, contact_tasks, moving_joints
from poise.ik import build, look, unsolved
from poise.ik.limits import widened
from poise.job import Outcome, edit_of, load_recipe, run_recipe, subject, vocabulary
from poise.measures import evaluate
from poise.methods.momentum.family import Family, build_family
from poise.methods.momentum.family import coordinates as every_coordinate

RECIPES = ROOT / "examples" / "recipes" / "momentum"
LEAPS = (
    "forward_jump_longer", "forward_jump_higher", "two_step_hop", "spin_and_back", "backward_jump",
    "missed_header",
)  # fmt: skip
FAMILIES = ("smash_family", "two_leaps")
PAPER = {
    "forward_jump_longer": ("Forward jumps", 1, 46, "2 min"),
    "two_step_hop": ("Two-step hop", 1, 49, "3.5 min"),
    "spin_and_back": ("360 degree spin", 1, 79, "3.5 min"),
    "smash_family": ("Volleyball slam", 9, 44, "17 min"),
    "two_leaps": ("Interactive controller", 81, 56, "4.5 h"),
}
"""Table 1 of the paper: sequences, frames each, time."""

LEAPS_HEADING = (
    "| | frames | flight beside g, % | spin drift, % | feet off print, mm | slide, cm/s |"
    " deepest, cm | beyond range, ° | off the guess | moved, turned | far, m | high, cm |\n"
    + "|---" * 12
    + "|"
)
TIMES_HEADING = (
    "| | sequences | frames | took | the paper's example | sequences | frames | took |\n"
    + "|---" * 8
    + "|"
)


def feet_off_mm(made: Outcome) -> float:
    """How far anything that is held on the ground is from where the moved stages have it."""
    result, character = made.result, made.prepared.character
    guess, contacts = result.report.guess, result.contacts
    assert contacts is not None
    scene = Scene(guess, character, made.prepared.environment, None)
    movers = Movers(character, moving_joints(guess))
    tasks, _, _ = contact_tasks(scene, contacts, None, movers)
    problem = build(scene, [task for task in tasks if task.priority == 1 and task.kind == "point"])
    at = unsolved(problem)
    at.root_positions_m[:] = made.clip.root_positions_m
    at.rotations_wxyz[:] = made.clip.rotations_wxyz
    look(problem, at, 0, made.clip.frame_count - 1)
    return 1e3 * float(np.nanmax(at.misses))


def beyond_deg(made: Outcome) -> float:
    """How far a joint is beyond its range, widened to hold the capture."""
    start, clip = made.result.start, made.clip
    character = made.prepared.character
    scene = Scene(start, character, made.prepared.environment, None)
    movers = Movers(character, moving_joints(start))
    root = np.zeros(3)
    task = movers.point("root", 0, root, 0, root[None])
    from poise.constraints import Recruits

    problem = build(scene, [task], also=Recruits(movers.moves, True))
    held = widened(problem.limits, problem.blocks, start.rotations_wxyz)
    wide = widened(held, problem.blocks, clip.rotations_wxyz)
    over = np.maximum(held.low - wide.low, wide.high - held.high)
    return float(np.degrees(np.nanmax(np.where(np.isfinite(over), over, 0.0), initial=0.0)))


def leap_row(name: str, made: Outcome) -> str:
    """One recipe as the measures have it."""
    result, prepared = made.result, made.prepared
    found = evaluate(
        made.clip, prepared.character, prepared.environment, result.contacts,
        against=result.start,
    )  # fmt: skip
    stages = result.report.stages
    flights = [stage for stage in stages if stage.kind == "flight"]
    moved = ", ".join(
        f"{stage.moved_m:.2f} m {stage.turned_deg:+.0f}°"
        for stage in stages
        if stage.kind == "ground" and (stage.moved_m or stage.turned_deg)
    )
    cells = (
        name.replace("_", " "),
        f"{made.clip.frame_count} at {made.clip.rate_hz:g} Hz",
        f"{found.value('flight_residual.acceleration'):.3f}",
        f"{found.value('flight_residual.spin'):.2f}",
        f"{feet_off_mm(made):.4f}",
        f"{found.value('foot_slide.mean'):.2f}",
        f"{found.value('penetration.deepest'):.3f}",
        f"{beyond_deg(made):.4f}",
        f"{result.report.off_guess_deg:.1f}°, {result.report.off_guess_cm:.1f} cm",
        moved or "none",
        "; ".join(f"{s.captured_length_m:.2f} → {s.length_m:.2f}" for s in flights),
        "; ".join(f"{100 * s.captured_rise_m:.0f} → {100 * s.rise_m:.0f}" for s in flights),
    )
    return f"| {' | '.join(cells)} |"


def time_row(name: str, sequences: int, frames: int, seconds: float) -> str:
    """One recipe beside the paper's example."""
    title, count, length, took = PAPER.get(name, ("", "", "", ""))
    cells = (name.replace("_", " "), sequences, frames, f"{seconds:.1f} s")
    return f"| {' | '.join(str(c) for c in (*cells, title, count, length, took))} |"


def built(name: str) -> tuple[Family, float]:
    """A family, and how long its members took."""
    recipe = load_recipe(RECIPES / f"{name}.yaml")
    prepared = subject(recipe)
    edit = edit_of(recipe, 0, prepared, prepared.clip, vocabulary())
    start = time.perf_counter()
    family = build_family(edit, recipe.steps[0].settings)
    return family, time.perf_counter() - start


def family_row(name: str, family: Family) -> str:
    """The worst of the members, each measured like a leap."""
    from poise.character import complete_character

    character = complete_character(family.clip.skeleton)
    worst = {"flight_residual.acceleration": 0.0, "flight_residual.spin": 0.0,
             "foot_slide.mean": 0.0, "penetration.deepest": 0.0}  # fmt: skip
    for each in every_coordinate(family.axes):
        found = evaluate(family.at(each), character, family.environment, family.contacts)
        worst = {key: max(value, found.value(key)) for key, value in worst.items()}
    cells = (
        f"{name.replace('_', ' ')} (worst of {family.member_count})",
        f"{family.frame_count} at {family.clip.rate_hz:g} Hz",
        f"{worst['flight_residual.acceleration']:.3f}",
        f"{worst['flight_residual.spin']:.2f}",
        "",
        f"{worst['foot_slide.mean']:.2f}",
        f"{worst['penetration.deepest']:.3f}",
        "", "", "", "", "",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.momentum_recipes", description=__doc__
    )
    parser.add_argument("recipes", nargs="*", help="such as spin_and_back (default: all)")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    leaps, times = [LEAPS_HEADING], [TIMES_HEADING]
    run_recipe(load_recipe(RECIPES / f"{LEAPS[0]}.yaml"))  # compile
    for name in asked.recipes or (*LEAPS, *FAMILIES):
        if name in FAMILIES:
            family, seconds = built(name)
            leaps.append(family_row(name, family))
            times.append(time_row(name, family.member_count, family.frame_count, seconds))
        else:
            start = time.perf_counter()
            made = run_recipe(load_recipe(RECIPES / f"{name}.yaml"))
            seconds = time.perf_counter() - start
            leaps.append(leap_row(name, made))
            times.append(time_row(name, 1, made.clip.frame_count, seconds))
            if made.result.status != "converged":
                print(f"{name}: {made.result.status}: {made.result.summary}")
        print(leaps[-1])
        print(times[-1], flush=True)
    if asked.write:
        put_table("momentum.md", "experiments", leaps)
        put_table("momentum.md", "times", times)
    return 0


if __name__ == "__main__":
    sys.exit(main())
