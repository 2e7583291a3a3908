"""How the filter's time grows with frames and with coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from benchmarks.filter_body import (
    CMU_COORDINATES,
    LEGS_AND_TRUNK,
    captured_walk,
    named,
    wide_walk,
    with_coordinates,
)
from benchmarks.filter_rates import run_anew, took
from benchmarks.ik import one_thread
from benchmarks.measure import Measure
from benchmarks.timing import interleaved
from poise.methods import Edit
from poise.methods.filter import Settings
from poise.methods.filter.problem import build
from poise.motion import Clip

FRAMES = (250, 500, 1_000, 2_000, 4_000, 8_000)
KINDS = {
    "1K sampled": Settings(passes="1K", smooth_kinematic=False),
    "1K analytic": Settings(passes="1K", derivatives="analytic", smooth_kinematic=False),
    "1D separate sampled": Settings(passes="1D", fit="separate"),
    "1D separate analytic": Settings(passes="1D", fit="separate", derivatives="analytic"),
}
WHOLE = {"physics": (Settings(passes="1D"), 2_000)}
"""What runs once, however many rounds are asked for, and frames that are enough of it."""
ROUNDS = {"K": 11, "D": 4}
REPEATS = 3
NOISE = 0.5


def run(quick: bool) -> list[Measure]:
    with one_thread():
        return [*growing_frames(quick), *growing_coordinates()]


def growing_frames(quick: bool) -> list[Measure]:
    """Whole runs on longer and longer walks."""
    counts = [count for count in FRAMES if not quick or count <= 1_000]
    longest = wide_walk(counts[-1])
    edits = [_shortened(longest, count) for count in counts]
    print(
        "\nfilter, whole runs: microseconds a frame as the clip grows (power 1: as the frames do)"
    )
    print(f"{'':22}" + "".join(f"{f'F = {count:,}':>12}" for count in counts) + f"{'power':>8}")
    kinds = {name: replace(s, left_out=LEGS_AND_TRUNK) for name, s in KINDS.items()}
    measures: list[Measure] = []
    jobs = {name: (settings, counts[-1]) for name, settings in kinds.items()} | WHOLE
    for name, (settings, most) in jobs.items():
        runs = {
            str(e.clip.frame_count): partial(run_anew, e, settings)
            for e in edits
            if e.clip.frame_count <= most
        }
        times = np.array(list(interleaved(runs, REPEATS).values()))
        sizes = [int(count) for count in runs]
        cells = "".join(f"{1e6 * t / count:12.1f}" for t, count in zip(times, sizes, strict=True))
        cells += " " * (12 * (len(counts) - len(sizes)))
        measures.append(_power(name, "frames", cells, sizes, times))
    return measures


def growing_coordinates() -> list[Measure]:
    """One body, more and more of it moving."""
    edit = captured_walk()
    if edit is None:
        return []
    frames = edit.clip.frame_count
    print(f"\nfilter, rounds of {frames} frames: microseconds a frame as coordinates are added")
    print(f"{'':22}" + "".join(f"{f'n = {n}':>12}" for n in CMU_COORDINATES) + f"{'power':>8}")
    measures: list[Measure] = []
    for name, settings in KINDS.items():
        kind = settings.passes[-1]
        jobs: dict[str, tuple[Edit, Settings]] = {}
        for count, (moved, left_out) in CMU_COORDINATES.items():
            asked = with_coordinates(edit, moved) if kind == "K" else edit
            given = replace(settings, left_out=named(edit.clip.skeleton, left_out))
            problem = build(asked, given)
            width = (problem.ik if kind == "K" else problem.reduced).width
            assert width == count, f"{width} coordinates, not {count}"
            jobs[str(count)] = asked, given
        rounds, _ = took(jobs, kind, ROUNDS[kind], REPEATS)
        times = np.array([each.round_s for each in rounds.values()])
        cells = "".join(f"{1e6 * time / frames:12.1f}" for time in times)
        measures.append(_power(name, "coordinates", cells, list(CMU_COORDINATES), times))
    return measures


def _power(
    name: str, of: str, cells: str, sizes: Sequence[int], times: np.ndarray
) -> Measure:  # fmt: skip
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    print(f"{name:22}{cells}{exponent:8.2f}")
    return Measure(f"filter/growth/{of}/{name}", exponent, "power", "lower", NOISE)


def _shortened(edit: Edit, count: int) -> Edit:
    clip: Clip = edit.clip.sliced(0, count)
    feet = [
        replace(c, interval=replace(c.interval, last=count - 1)) for c in edit.constraints
    ]  # fmt: skip
    return replace(edit, clip=clip, constraints=feet)
