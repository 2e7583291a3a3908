"""Every capture corrected with one set of defaults: which limits hold, all at once.

`python -m benchmarks.physics_table [CLIP...] [--half 0|1] [--only contacts] [--json FILE]
[--write]`. Presets are chosen by what the captures are listed as. Figures are those of
`poise.measures`, taken with the contacts that the correction claims. `--half 0` takes the even
captures, to choose defaults on; `--half 1` the odd ones, to report them on.
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
from poise.character import with_ranges
from poise.contact import Series, observe, slide_speeds_m_s
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
    "range_excess.worst": 0.5,
    "likeness.rotation": 4.0,
    "joint_peaks.speed": 1.2,
    "joint_peaks.acceleration": 1.2,
    "jitter.ratio": 1.0,
}
"""Largest value of each figure; what has none (a flight in a walk) keeps its limit. Half a degree
beyond a range is what solver and measure may differ by."""

WITH_ENDS = "foot_slide.with_ends"
"""Slide of all frames in which a foot touches: those at the ends of contacts, in which it still
travels and is said to slide, included."""

DO_NO_HARM: dict[str, float] = {
    "jump_height.change": 1.0,
    "root_shift.mean": 1.0,
    "swing_shift.mean": 2.0,
}
"""The same for captures whose feet slide little; counted by themselves."""
SLIDES_LITTLE_CM_S = 10.0

KINDS: dict[str, tuple[str, ...]] = {
    "walks": ("02_01", "07_01", "08_01", "35_03", "07_12", "131_01", "131_02", "walk"),
    "runs": ("02_03", "09_01", "16_35", "run"),
    "jumps": ("02_04", "13_11", "118_05", "124_11", "83_40", "49_02", "124_05", "90_05", "jump",
              "hop", "dj"),
    "dances": ("05_02", "61_03", "dance"),
}  # fmt: skip
"""Names of captures, or words of their folders and lists; all others are the rest."""
REST = "rest"


@dataclass(frozen=True)
class Row:
    """Figures of one capture."""

    name: str
    kind: str
    preset: str
    frames: int
    seconds: float
    """Of the correction on one core."""
    status: str
    summary: str
    before: dict[str, float]
    after: dict[str, float]
    fails: tuple[str, ...]
    """Limits that do not hold."""
    harms: tuple[str, ...]
    """Those of `DO_NO_HARM`; none for captures whose feet slide."""
    slides_little: bool

    @property
    def holds_or_says(self) -> bool:
        """All limits hold, or only strength does not and the summary names where."""
        named = "torque_excess.worst" in self.fails and "its strength" in self.summary
        return not self.fails or (named and len(self.fails) == 1)


def captures() -> list[Path]:
    """All of them, but those that need more of a place than a floor."""
    patterns = (
        "cmu/*.bvh", "cmu_random/*.bvh", "populations/*/*.bvh", "cmu_3dsmax/*.bvh", "tennis/*.bvh",
        "addbio_grf/*/*.bvh",
    )  # fmt: skip
    found = [path for pattern in patterns for path in clips(pattern)]
    return [path for path in found if path.stem not in NEED_A_PLACE]


def preset_for(path: Path) -> str:
    """The preset of a capture, by its folder and what it is listed as."""
    if path.parent.name == "cmu":
        return preset_of(path.stem)
    words = _words(path)
    return "run" if any(word in words for word in LIVELY) or "DJ" in path.stem else "walk"


def kind_of(path: Path) -> str:
    """Walks, runs, jumps, dances or the rest."""
    words = "" if path.parent.name == "cmu" else _words(path)
    for kind, marks in KINDS.items():
        if path.stem in marks or any(mark in words for mark in marks if mark.isalpha()):
            return kind
    return REST


def _words(path: Path) -> str:
    return f"{path.parent.name} {path.stem} {_listed().get(path.stem, '')}".lower()


def _listed() -> dict[str, str]:
    index = MOCAP / "cmu_random" / "INDEX.tsv"
    if not index.is_file():
        return {}
    lines = index.read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines if "\t" in line)


def judged(path: Path, only: str, listed: bool = False) -> Row:
    """One capture corrected and measured."""
    given = measurable(path)
    if path.parent.parent.name == "addbio_grf":
        belt = trial(path).environment
        given = given if belt is None else replace(given, environment=belt)
    preset = preset_for(path) if listed else "auto"
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
    before = {m.key: m.value for m in measured.before}
    assert found.contacts is not None
    touching = replace(found.contacts, sliding=None)
    for clip, figures in ((given.clip, before), (found.clip, after)):
        figures[WITH_ENDS] = slide_cm_s(observe(clip, given.character, given.environment, touching))
    slides_little = before["foot_slide.mean"] < SLIDES_LITTLE_CM_S
    return Row(
        path.stem, kind_of(path), preset, given.clip.frame_count, seconds, found.status,
        found.summary, before, after, broken(after, LIMITS),
        broken(after, DO_NO_HARM) if slides_little else (), slides_little,
    )  # fmt: skip


def slide_cm_s(series: Series) -> float:
    """Mean slide of both feet, also where a schedule says that they slide."""
    feet = [slide_speeds_m_s(series, f"{side}_foot") for side in ("left", "right")]
    speeds = np.concatenate(feet)
    speeds = speeds[np.isfinite(speeds)]
    return 100.0 * float(speeds.mean()) if len(speeds) else float("nan")


def broken(figures: dict[str, float], limits: dict[str, float]) -> tuple[str, ...]:
    """Names of figures over their limits."""
    return tuple(key for key, limit in limits.items() if figures.get(key, 0.0) > limit)


def _row(path: Path, only: str, listed: bool) -> Row:
    try:
        return judged(path, only, listed)
    except Exception as problem:  # One clip that breaks must not hide the others.
        told = f"{type(problem).__name__}: {problem}".splitlines()[0]
        return Row(
            path.stem, kind_of(path), preset_for(path), 0, 0.0, "broke", told, {}, {},
            ("broke",), (), False,
        )  # fmt: skip


CHANGES = (
    ("foot_slide.mean", "slide cm/s", 2),
    (WITH_ENDS, "with ends cm/s", 1),
    ("penetration.deepest", "depth cm", 2),
    ("zmp_excursion.share", "ZMP %", 1),
    ("root_wrench.force", "force", 4),
    ("root_wrench.moment", "moment", 4),
    ("flight_residual.acceleration", "flight %", 2),
    ("flight_residual.spin", "spin %", 2),
    ("torque_excess.worst", "torque", 2),
)
"""Columns with figures before and after."""
AGAINST = (
    ("range_excess.worst", "range °", 1),
    ("likeness.rotation", "rotation °", 1),
    ("joint_peaks.speed", "speed ×", 2),
    ("joint_peaks.acceleration", "acceleration ×", 2),
    ("jitter.ratio", "jerk ×", 2),
    ("jump_height.change", "apex cm", 1),
    ("root_shift.mean", "root cm", 1),
    ("swing_shift.mean", "swing cm", 1),
)
"""Columns with figures against the capture."""
SHORT = {key: title.rsplit(" ", 1)[0] for key, title, _ in (*CHANGES, *AGAINST)}


def line(row: Row) -> str:
    """A row of the page: before → after; bold is what is over its limit."""
    cells = [row.name, row.preset]
    over = {*row.fails, *row.harms}
    for key, _, digits in CHANGES:
        before, after = row.before.get(key, np.nan), row.after.get(key, np.nan)
        text = "–" if np.isnan(after) else f"{before:.{digits}f} → {after:.{digits}f}"
        cells.append(f"**{text}**" if key in over else text)
    for key, _, digits in AGAINST:
        value = row.after.get(key, np.nan)
        text = "–" if np.isnan(value) else f"{value:.{digits}f}"
        cells.append(f"**{text}**" if key in over else text)
    cells += [f"{row.seconds:.1f}", _reason(row)]
    return f"| {' | '.join(cells)} |"


def _reason(row: Row) -> str:
    if row.status == "broke":
        return row.summary
    return ", ".join(SHORT.get(key, key) for key in row.fails) or "all hold"


HEADING = (
    "| clip | preset | " + " | ".join(title for _, title, _ in (*CHANGES, *AGAINST)) + " | s | |",
    "|---" * (len(CHANGES) + len(AGAINST) + 4) + "|",
)


def summary(rows: Sequence[Row]) -> list[str]:
    """How many clips keep all limits, by kind, and how many keep each of them."""
    told = [
        f"All limits at once: {_share(rows)} captures "
        f"({sum(row.holds_or_says for row in rows)} where torques beyond strength are named)."
    ]
    for kind in (*KINDS, REST):
        mine = [row for row in rows if row.kind == kind]
        if mine:
            told.append(f"- {kind}: {_share(mine)}")
    told += ["", "Captures within each limit:", ""]
    known = [row for row in rows if row.status != "broke"]
    for key, limit in LIMITS.items():
        kept = sum(key not in row.fails for row in known)
        told.append(f"- {SHORT[key]} (`{key}`) ≤ {limit:g}: {kept} of {len(rows)}")
    little = [row for row in known if row.slides_little]
    for key, limit in DO_NO_HARM.items():
        kept = sum(key not in row.harms for row in little)
        told.append(
            f"- {SHORT[key]} (`{key}`) ≤ {limit:g}: {kept} of the {len(little)} whose feet slid "
            f"less than {SLIDES_LITTLE_CM_S:g} cm/s"
        )
    told += ["", f"{sum(row.status == 'converged' for row in rows)} say that they converged; "
             f"{sum(row.seconds for row in rows):.0f} s in all."]  # fmt: skip
    return told


def reasons(rows: Sequence[Row]) -> list[str]:
    """For each capture that fails: by how much, and what the correction itself says."""
    told: list[str] = []
    for row in rows:
        if not row.fails:
            continue
        amounts = ", ".join(
            f"{SHORT[key]} {row.after[key]:.3g} (limit {LIMITS[key]:g})"
            for key in row.fails
            if key in row.after
        )
        told.append(f"- {row.name} ({row.kind}): {amounts or 'broke'}. It says: {row.summary}")
    return told


def _share(rows: Sequence[Row]) -> str:
    kept = sum(not row.fails for row in rows)
    return f"{kept} of {len(rows)} ({100 * kept / max(1, len(rows)):.0f} %)"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.physics_table", description=__doc__)
    parser.add_argument("clips", nargs="*", help="such as 02_01 (default: all)")
    parser.add_argument("--only", default="everything", choices=("everything", "contacts"))
    parser.add_argument(
        "--listed", action="store_true", help="presets by what captures are listed as, not found"
    )
    parser.add_argument("--every", type=int, default=1, help="only every so many-th capture")
    parser.add_argument("--half", type=int, choices=(0, 1), help="even or odd captures only")
    parser.add_argument("--kind", choices=(*KINDS, REST), help="captures of one kind only")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE")
    parser.add_argument("--write", action="store_true", help="into docs/physics.md")
    asked = parser.parse_args()
    paths = captures()
    if asked.half is not None:
        paths = paths[asked.half :: 2]
    paths = [path for path in paths if not asked.clips or path.stem in asked.clips]
    paths = [path for path in paths if asked.kind in (None, kind_of(path))]
    paths = paths[:: asked.every]
    rows: list[Row] = []
    print("\n".join(HEADING), flush=True)
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(asked.processes, mp_context=context) as pool:
        for row in pool.map(_row, paths, [asked.only] * len(paths), [asked.listed] * len(paths)):
            rows.append(row)
            print(line(row), flush=True)
    print("\n".join(["", *summary(rows), "", *reasons(rows)]))
    if asked.json:
        told = [dataclasses.asdict(row) for row in rows]
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    if asked.write:
        page = [*summary(rows), "", *HEADING, *map(line, rows), "", *reasons(rows)]
        put_table("physics.md", "every capture", page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
