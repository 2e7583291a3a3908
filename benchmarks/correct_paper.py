"""`mode: paper` beside the default: the paper's experiments, and contacts that are known.

`python -m benchmarks.correct_paper [RECIPE...] [--write]`; `--write` puts both tables into
docs/correct.md.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.correct_recipes import RECIPES
from benchmarks.page import put_table
from poise import samples
from poise.contact import ContactSchedule, contact_agreement, detect_contacts, estimate_ground
from poise.environment import Environment
from poise.job import Change, Outcome, load_recipe, run_recipe
from poise.measures import evaluate
from poise.methods import Edit
from poise.methods.correct import run as correct
from poise.methods.correct import settings_for
from tests.contact.force_plates import FEET, trial, trial_paths

NAMES = (
    "walking", "walking_hill", "running", "standing_up", "cartwheel", "dance", "rolling", "sitting",
)  # fmt: skip
MODES = ("paper", "physics")

HEADING = (
    "| captured → paper, **default** | slide, cm/s | depth, cm | out of balance, % | "
    "residual force, ‰ of weight | residual moment, ‰ of weight × height | likeness | "
    "peak joint speed | took, s |\n" + "|---" * 9 + "|"
)
KNOWN = (
    "| contacts against truth, F1 of feet | detector: mean, lowest | paper | default |\n"
    + "|---" * 4
    + "|"
)

Figures = dict[str, float]


def outcome(name: str, mode: str) -> tuple[Outcome, float]:
    """What a recipe gives in a mode, and in how many seconds."""
    change = Change(("correct", "settings", "mode"), mode, "mode")
    start = time.perf_counter()
    made = run_recipe(load_recipe(RECIPES / f"{name}.yaml", changes=[change]))
    return made, time.perf_counter() - start


def figures(made: Outcome) -> tuple[Figures, Figures]:
    """Measures of what went in, by the detector's contacts, and of what came out, by its own."""
    character, place = made.prepared.character, made.prepared.environment
    after = evaluate(
        made.clip, character, place, made.result.contacts, against=made.start,
        against_character=character,
    )  # fmt: skip
    before = evaluate(made.start, character, place)
    one, other = ({m.key: m.value for m in found.measures} for found in (before, after))
    return one, other


def row(name: str) -> str:
    """A line of the table of experiments."""
    made = {mode: outcome(name, mode) for mode in MODES}
    before: Figures = {}
    after: dict[str, Figures] = {}
    for mode, (result, _) in made.items():
        before, after[mode] = figures(result)
    paper, ours = (after[mode] for mode in MODES)

    def change(key: str, digits: int, scale: float = 1.0) -> str:
        return (
            f"{scale * before[key]:.{digits}f} → {scale * paper[key]:.{digits}f}, "
            f"**{scale * ours[key]:.{digits}f}**"
        )

    def likeness(found: Figures) -> str:
        return f"{found['likeness.rotation']:.1f}° {found['likeness.position']:.1f} cm"

    cells = (
        name.replace("_", " "),
        change("foot_slide.mean", 1),
        change("penetration.deepest", 1),
        change("zmp_excursion.share", 1),
        change("root_wrench.force", 0, 1e3),
        change("root_wrench.moment", 0, 1e3),
        f"{likeness(paper)}, **{likeness(ours)}**",
        f"{paper['joint_peaks.speed']:.2f}, **{ours['joint_peaks.speed']:.2f}**",
        f"{made['paper'][1]:.1f}, **{made['physics'][1]:.1f}**",
    )
    return f"| {' | '.join(cells)} |"


@dataclass(frozen=True)
class Known:
    """Agreement of feet with their true contacts, clip by clip."""

    name: str
    f1: dict[str, list[float]]
    """By who found them."""

    def line(self) -> str:
        """Of the table."""
        cells = [f"{np.mean(found):.3f}, {min(found):.3f}" for found in self.f1.values()]
        return f"| {self.name} | {cells[0]} | {cells[1]} | **{cells[2]}** |"


def known() -> Iterator[Known]:
    """Made walks and runs with every defect, and all force plates."""
    yield _compared("made, with slide, float and noise", _made())
    paths = trial_paths()
    if paths:
        yield _compared(f"force plates, {len(paths)} trials", _plates(paths))


_Case = tuple[Edit, ContactSchedule, np.ndarray | None]


def _made() -> Iterator[_Case]:
    for name in ("walk", "run", "jump", "squat"):
        whole = samples.with_float(samples.with_foot_slide(samples.SAMPLES[name](), 10.0), 3.0)
        sample = samples.with_noise(whole, 1.0)
        edit = Edit(sample.clip, samples.sample_character(), environment=Environment.flat())
        yield edit, sample.contacts, None


def _plates(paths: Iterable[Path]) -> Iterator[_Case]:
    for path in paths:
        given = trial(path)
        place = given.environment
        if place is None:
            place = Environment((estimate_ground(given.clip, given.character)[0],))
        yield Edit(given.clip, given.character, environment=place), given.truth, given.valid


def _compared(name: str, cases: Iterable[_Case]) -> Known:
    f1: dict[str, list[float]] = {"detector": [], "paper": [], "default": []}
    for edit, true, valid in cases:
        found = {
            "detector": detect_contacts(edit.clip, edit.character, edit.environment, FEET),
            "paper": correct(edit, settings_for("run", mode="paper")).contacts,
            "default": correct(edit, settings_for("auto", only="contacts")).contacts,
        }
        for who, contacts in found.items():
            assert contacts is not None
            agreement = contact_agreement(contacts, true, valid=valid, parts=FEET)
            f1[who] += [foot.f1 for foot in agreement.values()]
    return Known(name, f1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.correct_paper", description=__doc__)
    parser.add_argument("recipes", nargs="*", help="such as walking (default: all)")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    lines = [HEADING]
    print(HEADING)
    for name in asked.recipes or NAMES:
        lines.append(row(name))
        print(lines[-1], flush=True)
    truth = [KNOWN]
    if not asked.recipes:
        print(f"\n{KNOWN}")
        for each in known():
            truth.append(each.line())
            print(truth[-1], flush=True)
    if asked.write:
        put_table("correct.md", "paper", lines)
        if not asked.recipes:
            put_table("correct.md", "known contacts", truth)
    return 0


if __name__ == "__main__":
    sys.exit(main())
