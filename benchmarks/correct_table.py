"""A correction judged on real captures: every clip on flat ground, and which limits it breaks.

`python -m benchmarks.correct_table MODULE:FUNCTION [CLIP...]` hands every clip to
`FUNCTION(subject, preset) -> (corrected clip, its contacts)` and measures what comes back with code
that the correction does not use. `untouched` of this file shows what the captures are like.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import json
import multiprocessing
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from poise.character import with_ranges
from poise.contact import ContactSchedule, detect_contacts
from poise.job import Subject, measurable
from poise.measures import Evaluation, evaluate, root_wrench
from poise.motion import Clip
from tests.shared_data import clips

NOT_FLAT = {
    "13_35": "climbs stairs",
    "83_28": "climbs stairs",
    "03_01": "walks on uneven ground",
    "14_28": "sits on a stool",
    "143_18": "sits on a chair",
}
"""Clips that need more of a place than a floor, and why."""

PRESETS: dict[str, tuple[str, ...]] = {
    "walk": (
        "02_01", "07_01", "08_01", "35_03", "07_12", "131_01", "131_02",
        "64_01", "64_02", "64_03", "64_04", "64_05", "64_06", "64_07",
    ),
    "run": (
        "02_03", "09_01", "16_35", "02_04", "13_11", "118_05", "124_11", "83_40", "49_02",
        "02_05", "135_04", "90_05", "10_01", "06_15", "124_05",
    ),
    "dance": ("05_02", "61_03"),
    "acrobatic": ("49_06", "90_02"),
    "floor": ("140_01", "140_08"),
    "roll": ("85_06", "128_11", "90_28"),
}  # fmt: skip
"""By what the captures are listed as: walks and golf, what leaves the ground or strikes, dances,
cartwheels, getting up, rolls and breakdance."""

Corrector = Callable[[Subject, str], tuple[Clip, ContactSchedule]]
Figures = dict[str, float]

LIMITS: dict[str, float] = {
    "slide": 0.5,
    "slide_detector": 2.0,
    "deepest": 0.5,
    "float": 0.5,
    "rotation": 8.0,
    "position": 4.0,
    "jitter": 1.0,
    "pop": 1.2,
}
"""What a figure may be at most; the wrench's limits depend on the input (see `wrench_limit`)."""
SMALL_WRENCH = 0.05


@dataclass(frozen=True)
class Row:
    """What one clip gave."""

    name: str
    preset: str
    seconds: float
    """Of the correction, compiling included."""
    frames: int
    figures: Figures
    fails: tuple[str, ...]
    """Names of the figures over their limits."""
    pops: str
    """Where the fastest turn is: joint and frame."""
    problem: str = ""
    """Why there are no figures."""


def wrench_limit(before: float) -> float:
    """Half of the input's, or what is small anyway."""
    return max(0.5 * before, SMALL_WRENCH)


def untouched(given: Subject, preset: str) -> tuple[Clip, ContactSchedule]:
    """The input itself, with the detector's contacts."""
    del preset
    return given.clip, detect_contacts(given.clip, given.character, given.environment)


def corrected(given: Subject, preset: str) -> tuple[Clip, ContactSchedule]:
    """What `poise correct --preset` makes of it, with its own contacts."""
    from poise.methods import Edit, correct

    character = with_ranges(given.character, given.clip.rotations_wxyz)
    edit = Edit(given.clip, character, environment=given.environment)
    found = correct.run(edit, correct.settings_for(preset))
    assert found.contacts is not None
    return found.clip, found.contacts


def flat_clips() -> list[Path]:
    """The CMU captures on flat ground."""
    return [path for path in clips("cmu/*.bvh") if path.stem not in NOT_FLAT]


def preset_of(name: str) -> str:
    return next((preset for preset, names in PRESETS.items() if name in names), "walk")


def figures_of(found: Evaluation) -> Figures:
    """What is judged, by short names; `_detector` ends what is taken with the input's contacts."""
    assert found.original is not None
    before = root_wrench.measure(found.original)
    value = {m.key: m.value for m in found.measures}

    def detector(key: str) -> float:
        return value.get(f"{key}_under_input_contacts", value[key])

    return {
        "slide": value["foot_slide.mean"],
        "slide_detector": detector("foot_slide.mean"),
        "deepest": value["penetration.deepest"],
        "penetration": value["penetration.mean"],
        "float": value["float.mean"],
        "float_p95": value["float.p95"],
        "float_detector": detector("float.mean"),
        "force": value["root_wrench.force"],
        "force_detector": detector("root_wrench.force"),
        "force_input": before["root_wrench.force"],
        "moment": value["root_wrench.moment"],
        "moment_detector": detector("root_wrench.moment"),
        "moment_input": before["root_wrench.moment"],
        "rotation": value["likeness.rotation"],
        "position": value["likeness.position"],
        "jitter": value["jitter.ratio"],
    }


def broken_limits(figures: Figures) -> tuple[str, ...]:
    """Which figures are over their limits. Not a number is over: nothing was shown.

    The wrench is judged with the method's own contacts and with the detector's: a method must not
    win by claiming contacts that are not there.
    """
    limits = dict(LIMITS)
    for name in ("force", "moment"):
        limits[name] = limits[f"{name}_detector"] = wrench_limit(figures[f"{name}_input"])
    return tuple(name for name, limit in limits.items() if not figures[name] <= limit)


def judged(path: Path, correct: Corrector, preset: str | None = None) -> Row:
    """One clip corrected and measured."""
    given = measurable(path)
    preset = preset or preset_of(path.stem)
    start = time.perf_counter()
    corrected, contacts = correct(given, preset)
    seconds = time.perf_counter() - start
    found = evaluate(
        corrected,
        given.character,
        given.environment,
        contacts,
        against=given.clip,
        against_character=given.character,
    )
    speed = next(m for m in found.measures if m.key == "joint_peaks.speed")
    figures = {**figures_of(found), "pop": speed.value}
    frames, where = corrected.frame_count, speed.about.partition("(at ")[2].rstrip(")")
    return Row(path.stem, preset, seconds, frames, figures, broken_limits(figures), where)


def _named(function: str) -> Corrector:
    module, _, name = function.partition(":")
    return getattr(importlib.import_module(module), name)


def _row(path: Path, function: str) -> Row:
    try:
        return judged(path, _named(function))
    except Exception as problem:  # One clip that breaks must not hide the others.
        told = f"{type(problem).__name__}: {problem}".splitlines()[0]
        return Row(path.stem, preset_of(path.stem), 0.0, 0, {}, ("broke",), "", told)


COLUMNS: tuple[tuple[str, str, int], ...] = (
    ("slide", "slide", 1),
    ("slide_detector", "(det)", 1),
    ("deepest", "deep", 2),
    ("penetration", "mean", 2),
    ("float", "float", 2),
    ("float_p95", "p95", 2),
    ("force", "force", 3),
    ("force_detector", "(det)", 3),
    ("force_input", "input", 3),
    ("moment", "moment", 3),
    ("moment_detector", "(det)", 3),
    ("moment_input", "input", 3),
    ("rotation", "deg", 1),
    ("position", "cm", 2),
    ("jitter", "jitter", 2),
    ("pop", "pop", 2),
)


def heading() -> str:
    return f"{'clip':8}{'preset':10}" + "".join(f"{t:>8}" for _, t, _ in COLUMNS) + f"{'s':>7}"


def line(row: Row) -> str:
    """A row of the table; `*` marks what is over its limit."""
    begins = f"{row.name:8}{row.preset:10}"
    if row.problem:
        return begins + row.problem
    cells = [
        f"{row.figures[key]:7.{digits}f}{'*' if key in row.fails else ' '}"
        for key, _, digits in COLUMNS
    ]
    return begins + "".join(cells) + f"{row.seconds:6.1f}  {row.pops}"


def table(
    function: str, names: Sequence[str] = (), processes: int = 2, *, told: bool = True
) -> list[Row]:
    """Every flat clip (or those named) through `MODULE:FUNCTION`, in a few processes."""
    paths = [path for path in flat_clips() if not names or path.stem in names]
    if told:
        print(heading(), flush=True)
    rows: list[Row] = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context) as pool:
        for row in pool.map(_row, paths, [function] * len(paths)):
            rows.append(row)
            if told:
                print(line(row), flush=True)
    if told:
        print(summary(rows))
    return rows


def summary(rows: Sequence[Row]) -> str:
    """Worst of every judged figure, and how many clips break which limit."""
    measured = [row for row in rows if not row.problem]
    told = [f"\n{sum(not row.fails for row in rows)} of {len(rows)} clips keep all limits"]
    for name in (*LIMITS, "force", "force_detector", "moment", "moment_detector"):
        over = [row for row in measured if name in row.fails]
        worst = max(measured, key=lambda row: row.figures[name], default=None)
        mean = sum(row.figures[name] for row in measured) / max(1, len(measured))
        told.append(
            f"{name:16}mean {mean:8.3f}   over the limit {len(over):3}   "
            + (f"worst {worst.figures[name]:.3f} ({worst.name})" if worst else "")
        )
    told += [f"{row.name} broke: {row.problem}" for row in rows if row.problem]
    told.append("left out: " + ", ".join(f"{name} ({why})" for name, why in NOT_FLAT.items()))
    return "\n".join(told)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.correct_table", description=__doc__)
    parser.add_argument("function", help="MODULE:FUNCTION of (subject, preset)")
    parser.add_argument("clips", nargs="*", help="such as 02_01 (default: all)")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--json", type=Path, metavar="FILE")
    asked = parser.parse_args()
    rows = table(asked.function, asked.clips, asked.processes)
    if asked.json:
        told = [dataclasses.asdict(row) for row in rows]
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
    return 1 if any(row.fails for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
