"""The recipes of the correction, run and measured: the table of docs/correct.md.

`python -m benchmarks.correct_recipes [RECIPE...] [--write]`; `--write` also puts the table into the
page and the contacts that other bodies take over into their files.
"""

from __future__ import annotations

import argparse
import sys
import time

from benchmarks.page import ROOT, put_table
from poise.contact import ContactSchedule, write_contacts
from poise.job import Outcome, load_recipe, run_recipe
from poise.measures import evaluate

RECIPES = ROOT / "examples" / "recipes" / "correct"
NAMES = (
    "walking", "walking_hill", "running", "standing_up", "standing_up_long_arms", "cartwheel",
    "cartwheel_thick_body", "dance", "rolling", "sitting", "sitting_stool",
)  # fmt: skip
KEPT = ("standing_up", "cartwheel")
"""Recipes whose contacts another one reads."""

HEADING = (
    "| | clip, s | touching beside feet | slide, cm/s | depth, cm | float, cm | force; moment |"
    " likeness | jitter | pop | took, s |\n" + "|---" * 11 + "|"
)


def row(name: str, made: Outcome, seconds: float) -> str:
    """A line of the table: captured → corrected."""
    prepared, source, contacts = made.prepared, made.prepared.moved_from, made.result.contacts
    own = prepared.character if source is None else source.character
    place = prepared.environment
    measured = evaluate(
        made.clip, prepared.character, place, contacts, against=made.start, against_character=own
    )
    after = {each.key: each.value for each in measured.measures}
    before = {each.key: each.value for each in evaluate(made.start, own, place).measures}

    def change(key: str, digits: int) -> str:
        return f"{before[key]:.{digits}f} → **{after[key]:.{digits}f}**"

    wrench = "; ".join(change(f"root_wrench.{kind}", 3) for kind in ("force", "moment"))
    cells = (
        name.replace("_", " "),
        f"{made.clip.duration_s:.1f}",
        _touching(contacts),
        change("foot_slide.mean", 2),
        change("penetration.deepest", 2),
        change("float.mean", 2),
        wrench,
        f"{after['likeness.rotation']:.1f}°, {after['likeness.position']:.1f} cm",
        f"{after['jitter.ratio']:.2f}",
        f"{after['joint_peaks.speed']:.2f}",
        f"{seconds:.1f}",
    )
    return f"| {' | '.join(cells)} |"


def _touching(contacts: ContactSchedule | None) -> str:
    if contacts is None:
        return ""
    others = [p for p in contacts.parts if "foot" not in p and contacts.column(p).any()]
    return ", ".join(part.replace("_", " ") for part in others) or "nothing"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.correct_recipes", description=__doc__
    )
    parser.add_argument("recipes", nargs="*", help="such as walking (default: all)")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    lines = [HEADING]
    print(HEADING)
    for name in asked.recipes or NAMES:
        start = time.perf_counter()
        made = run_recipe(load_recipe(RECIPES / f"{name}.yaml"))
        lines.append(row(name, made, time.perf_counter() - start))
        print(lines[-1], flush=True)
        if asked.write and name in KEPT and made.result.contacts is not None:
            write_contacts(made.result.contacts, RECIPES / f"{name}_contacts.json")
    if asked.write:
        put_table("correct.md", "experiments", lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
