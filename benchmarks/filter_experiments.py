"""The paper's experiments, and clips that no recipe uses: the tables of docs/filter.md.

`python -m benchmarks.filter_experiments [--write]`
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from benchmarks.page import put_table
from benchmarks.pattern_golf import SHARED
from poise.character import complete_character, with_ranges
from poise.constraints import Interval, Plant
from poise.contact import detect_contacts
from poise.contact.seat import shown_place
from poise.formats import load_clip
from poise.job import load_recipe, run_prepared, subject
from poise.measures import evaluate
from poise.methods import Edit, Result, filter
from poise.methods.filter import Settings
from poise.motion import resample
from poise.motion.cleanup import clean

RECIPES = Path(__file__).resolve().parents[1] / "examples" / "recipes" / "filter"
KINEMATIC = ("filter.settings.passes=1K",)
BOW = ("filter.settings.hints=[]", "filter.settings.noise={under the bar: 1.0e-14}")
HINTS = ("lean back", "knees bent")
EXPERIMENTS: dict[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "wide steps": ("wide_steps", (), ()),
    "golf swing, 8 kg rock": ("golf_swing", (), ()),
    "limbo, with hint": ("limbo_walk", (), ()),
    "limbo, without hint": ("limbo_walk", BOW, HINTS),
    "limbo, torso twice as heavy, torque limits": ("limbo_walk_heavy", (), ()),
    "the same without limits": ("limbo_walk_heavy", ("filter.settings.torque=false",), ()),
    "jump kick, 10 kg sandbag, torque limits": ("jump_kick", (), ()),
}
"""Recipe, changes, and constraints left out."""
CLIPS = {
    "07_01": 120.0, "02_01": 120.0, "13_11": 30.0, "13_11 ": 120.0, "02_04": 60.0, "02_04 ": 120.0,
    "10_01": 120.0, "49_02": 120.0,
}  # fmt: skip
FIGURES = (
    "zmp_excursion.share", "torque_excess.worst", "flight_residual.acceleration",
    "flight_residual.spin",
)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the tables into docs/filter.md")
    write = parser.parse_args().write
    for mark, lines in (("experiments", experiments()), ("clips", clips())):
        print("\n".join(lines))
        if write:
            put_table("filter.md", mark, lines)


def experiments() -> list[str]:
    """Rows of the recipes."""
    lines = [
        "| | out of balance, % | worst torque | in the air, % of g; spin, % | feet, mm | bar, mm |"
        " likeness, ° and cm | jitter | s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, (recipe, changes, without) in EXPERIMENTS.items():
        before, _, _ = _recipe(recipe, (*changes, *KINEMATIC), without)
        after, result, seconds = _recipe(recipe, changes, without)
        feet = max(r.worst for r in result.constraints if "foot" in r.name and r.unit == "mm")
        bar = [r.worst for r in result.constraints if r.name == "under the bar"]
        lines.append(
            f"| {name} | {_changed(before, after)} | {feet:.4f} | "
            f"{'–' if not bar else f'{bar[0]:.1f}'} | {after['likeness.rotation']:.2f}, "
            f"{after['likeness.position']:.1f} | {after['jitter.ratio']:.2f} | {seconds:.1f} |"
        )
    return lines


def clips() -> list[str]:
    """Rows of captures with both feet held, and everything else by default."""
    lines = [
        "| `3D+1K` | Hz | out of balance, % | worst torque | in the air, % of g; spin, % | "
        "likeness, ° and cm | jitter | it says | s |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, rate_hz in CLIPS.items():
        clip, _ = clean(load_clip(SHARED / "mocap" / "cmu" / f"{name.strip()}.bvh"))
        clip = resample(clip, rate_hz)
        character = with_ranges(complete_character(clip.skeleton))
        place = shown_place(clip, character)[0]
        whole = Interval(0, clip.frame_count - 1)
        feet = [Plant(part, part, whole, "follow") for part in ("left_foot", "right_foot")]
        contacts = detect_contacts(clip, character, place)
        edit = Edit(clip, character, feet, environment=place, contacts=contacts)
        start = time.perf_counter()
        result = filter.run(edit, Settings(passes="3D+1K"))
        seconds = time.perf_counter() - start
        before, after = (
            {
                m.key: m.value
                for m in evaluate(
                    each, character, place, contacts, against=clip, against_character=character
                ).measures
            }
            for each in (clip, result.clip)
        )
        lines.append(
            f"| {name.strip()} | {rate_hz:g} | {_changed(before, after)} | "
            f"{after['likeness.rotation']:.2f}, {after['likeness.position']:.1f} | "
            f"{after['jitter.ratio']:.2f} | {result.status} | {seconds:.1f} |"
        )
    return lines


def _recipe(
    name: str, changes: tuple[str, ...], without: tuple[str, ...]
) -> tuple[dict[str, float], Result, float]:
    recipe = load_recipe(RECIPES / f"{name}.yaml", changes=changes, without=without)
    ready = subject(recipe)
    start = time.perf_counter()
    result = run_prepared(recipe, ready).results[-1]
    seconds = time.perf_counter() - start
    found = evaluate(
        result.clip, ready.character, ready.environment, ready.contacts or result.contacts,
        against=ready.clip, against_character=ready.character,
    )  # fmt: skip
    return {m.key: m.value for m in found.measures}, result, seconds


def _changed(before: dict[str, float], after: dict[str, float]) -> str:
    """Cells of what the laws of motion ask for, before and after."""
    balance, torque, air, spin = FIGURES
    flies = after[air] == after[air]
    aloft = f"{before[air]:.3g} → **{after[air]:.2g}**; {before[spin]:.2g} → **{after[spin]:.2g}**"
    return (
        f"{before[balance]:.1f} → **{after[balance]:.1f}** | "
        f"{before[torque]:.2f} → {after[torque]:.2f} | {aloft if flies else '–'}"
    )


if __name__ == "__main__":
    main()
