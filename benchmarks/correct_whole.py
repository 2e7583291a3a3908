"""The paper's mode, part by part: contacts, places, angles (Table 3).

Medians of warm runs on all cores, as users have them.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from benchmarks.correct_body import MOTIONS, captured, edit_of, settings_of
from benchmarks.measure import Measure
from benchmarks.timing import REPEATS
from poise.methods import Progress
from poise.methods.correct import CorrectReport
from poise.methods.correct import run as correct
from poise.methods.result import Result

STAGES = ("contacts", "places", "angles")
TIMED = ("walking", "standing up")
"""The paper needs 18 and 93 s for contacts alone on eight cores."""
NOISE = 0.5


@dataclass(frozen=True, eq=False)
class Timed:
    """One correction, and what its parts took."""

    result: Result[CorrectReport]
    seconds: Mapping[str, float]
    """By stage, `all` together, and `cpu`: processor time of all threads, which others that use the
    machine hardly change."""


def timed(name: str, **chosen: object) -> Timed:
    """Correct one of the motions."""
    edit, settings = edit_of(name), settings_of(name, **chosen)
    marks: dict[str, float] = {}

    def progress(now: Progress) -> None:
        marks.setdefault(now.stage, time.perf_counter())

    start, worked = time.perf_counter(), time.process_time()
    result = correct(edit, settings, progress=progress)
    end, worked = time.perf_counter(), time.process_time() - worked
    places, angles = marks["places"], marks["angles"]
    parts = {"contacts": places - start, "places": angles - places, "angles": end - angles}
    return Timed(result, {**parts, "all": end - start, "cpu": worked})


def medians(name: str, repeats: int = REPEATS) -> Timed:
    """The same several times, the first not counted: the last result, and medians."""
    timed(name)
    runs = [timed(name) for _ in range(repeats)]
    keys = runs[0].seconds
    return Timed(
        runs[-1].result, {key: statistics.median(r.seconds[key] for r in runs) for key in keys}
    )


def run(quick: bool, names: Iterable[str] = TIMED) -> list[Measure]:
    print("\nmode: paper on all cores: seconds, contacts with what precedes them")
    print(
        f"{'':14}{'frames':>8}{'parts':>7}{'tried':>7}{'solved':>7}"
        + "".join(f"{stage:>10}" for stage in (*STAGES, "all", "cpu"))
        + f"{'paper: contacts':>18}{'motion':>8}{'frames':>8}"
    )
    measures: list[Measure] = []
    for name in names:
        if not captured(name):
            print(f"{name:14} the clip is not here")
            continue
        motion, found = MOTIONS[name], medians(name, 2 if quick else REPEATS)
        discovered = found.result.report.discovered
        assert discovered is not None
        frames, parts = discovered.contacts.shape
        cells = "".join(f"{found.seconds[stage]:10.2f}" for stage in (*STAGES, "all", "cpu"))
        print(
            f"{name:14}{frames:8}{parts:7}{len(discovered.errors):7}{discovered.solved:7}{cells}"
            f"{motion.contacts_s:18.1f}{motion.motion_s:8.1f}{motion.frames:8}",
            flush=True,
        )
        key = f"correct/{name.replace(' ', '_')}/time"
        measures.append(Measure(key, found.seconds["all"], "s", "lower", NOISE))
    return measures
