"""Every capture corrected with one set of defaults: which limits hold, all at once.

`python -m benchmarks.physics_table [CLIP...] [--only contacts] [--json FILE] [--write]`. Presets
are chosen by what the captures are listed as. Figures are those of `poise.measures`, taken with the
contacts that the correction claims.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from benchmarks.correct_table import preset_of
from benchmarks.page import put_table
from benchmarks.turning import fastest_turns
from poise.character import with_ranges
from poise.job import measurable
from poise.measures import evaluate
from poise.methods import Edit, correct
from tests.contact.force_plates import trial
from tests.shared_data import MOCAP, clips

NEED_A_PLACE = ("13_35", "83_28", "03_01", "14_28", "143_18")
"""Stairs, uneven ground, a stool, a chair: more than a floor."""

LIVELY = ("jump", "run", "kick", "hop", "tennis", "smash", "ball", "dribble")

LIMITS: dict[str, float] = {
    "foot_slide.mean": 0.5,
    "penetration.deepest": 0.3,
    "zmp_excursion.share": 3.0,
    "root_wrench.force": 0.005,
    "root_wrench.moment": 0.005,
    "flight_residual.acceleration": 1.0,
    "flight_residual.spin": 1.0,
    "torque_excess.worst": 1.05,
    "likeness.rotation": 4.0,
    "jitter.ratio": 1.0,
    "speed": 1.2,
}
"""What a figure may be at most; what has none (a flight in a walk) keeps its limit."""


@dataclass(frozen=True)
class Row:
    """What one capture gave."""

    name: str
    preset: str
    frames: int
    seconds: float
    status: str
    summary: str
    before: dict[str, float]
    after: dict[str, float]
    fails: tuple[str, ...]


def captures() -> list[Path]:
    """All of them, but those that need more of a place than a floor."""
    patterns = (
        "cmu/*.bvh", "cmu_random/*.bvh", "populations/*/*.bvh", "cmu_3dsmax/*.bvh", "tennis/*.bvh",
        "addbio_grf/*/*.bvh",
    )  # fmt: skip
    found = [path for pattern in patterns for path in clips(pattern)]
    return [path for path in found if path.stem not in NEED_A_PLACE]


def kind_of(path: Path) -> str:
    """The preset of a capture, by its folder and what it is listed as."""
    if path.parent.name == "cmu":
        return preset_of(path.stem)
    words = path.parent.name + path.stem.lower() + _listed().get(path.stem, "").lower()
    return "run" if any(word in words for word in LIVELY) or "DJ" in path.stem else "walk"


def _listed() -> dict[str, str]:
    index = MOCAP / "cmu_random" / "INDEX.tsv"
    if not index.is_file():
        return {}
    lines = index.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def judged(path: Path, only: str) -> Row:
    """One capture corrected and measured."""
    given = measurable(path)
    if path.parent.parent.name == "addbio_grf":
        belt = trial(path).environment
        given = given if belt is None else replace(given, environment=belt)
    preset = kind_of(path)
    character = with_ranges(given.character, given.clip.rotations_wxyz)
    settings = replace(correct.settings_for(preset), only=only)
    start = time.process_time()
    found = correct.run(Edit(given.clip, character, environment=given.environment), settings)
    seconds = time.process_time() - start
    measured = evaluate(
        found.clip, given.character, given.environment, found.contacts, against=given.clip,
        against_character=given.character, input_contacts=found.contacts,
    )  # fmt: skip
    after = {m.key: m.value for m in measured.measures}
    after["speed"] = fastest_turns(found.clip, given.clip)[0]
    moved = found.clip.root_positions_m - given.clip.root_positions_m
    after["root"] = 100.0 * float(np.linalg.norm(moved, axis=1).mean())
    heights = found.clip.root_positions_m[:, 1].max() - given.clip.root_positions_m[:, 1].max()
    after["apex"] = 100.0 * float(heights)
    fails = tuple(key for key, limit in LIMITS.items() if after.get(key, 0.0) > limit)
    return Row(
        path.stem, preset, given.clip.frame_count, seconds, found.status, found.summary,
        {m.key: m.value for m in measured.before}, after, fails,
    )  # fmt: skip


def _row(path: Path, only: str) -> Row:
    try:
        return judged(path, only)
    except Exception as problem:  # One clip that breaks must not hide the others.
        told = f"{type(problem).__name__}: {problem}".splitlines()[0]
        return Row(path.stem, kind_of(path), 0, 0.0, "broke", told, {}, {}, ("broke",))


COLUMNS = (
    ("foot_slide.mean", "slide cm/s", 2),
    ("penetration.deepest", "depth cm", 2),
    ("zmp_excursion.share", "ZMP %", 1),
    ("root_wrench.force", "force", 4),
    ("root_wrench.moment", "moment", 4),
    ("flight_residual.acceleration", "flight %", 2),
    ("torque_excess.worst", "torque", 2),
)


def line(row: Row) -> str:
    """A row of the page: before → after; bold is what is over its limit."""
    cells = [row.name, row.preset]
    for key, _, digits in COLUMNS:
        before, after = row.before.get(key, np.nan), row.after.get(key, np.nan)
        text = "–" if np.isnan(after) else f"{before:.{digits}f} → {after:.{digits}f}"
        cells.append(f"**{text}**" if key in row.fails else text)
    like = f"{row.after.get('likeness.rotation', np.nan):.1f}°, "
    cells.append(f"{like}{row.after.get('likeness.position', np.nan):.1f} cm")
    cells.append(f"{row.after.get('speed', np.nan):.2f}")
    cells.append(", ".join(row.fails) or "all hold")
    return f"| {' | '.join(cells)} |"


HEADING = (
    "| clip | preset | " + " | ".join(title for _, title, _ in COLUMNS) + " | likeness | speed | |",
    "|---" * (len(COLUMNS) + 5) + "|",
)


def summary(rows: Sequence[Row]) -> list[str]:
    """How many clips keep all limits, and each of them."""
    told = [f"All limits at once: {sum(not row.fails for row in rows)} of {len(rows)} captures."]
    for key, limit in LIMITS.items():
        kept = sum(key not in row.fails and "broke" not in row.fails for row in rows)
        told.append(f"- {key} ≤ {limit:g}: {kept}")
    return told


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.physics_table", description=__doc__)
    parser.add_argument("clips", nargs="*", help="such as 02_01 (default: all)")
    parser.add_argument("--only", default="everything", choices=("everything", "contacts"))
    parser.add_argument("--every", type=int, default=1, help="only every so many-th capture")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    paths = [path for path in captures() if not asked.clips or path.stem in asked.clips]
    paths = paths[:: asked.every]
    rows: list[Row] = []
    print("\n".join(HEADING), flush=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(asked.processes, mp_context=context) as pool:
        for row in pool.map(_row, paths, [asked.only] * len(paths)):
            rows.append(row)
            print(line(row), flush=True)
    print("\n".join(summary(rows)))
    if asked.json:
        told = [dataclasses.asdict(row) for row in rows]
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    if asked.write:
        page = [*summary(rows), "", *HEADING, *map(line, rows)]
        put_table("physics.md", "every capture", page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
