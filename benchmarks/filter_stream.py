"""The streaming filter over ten minutes: does it hold 120 Hz, frame by frame, in constant memory?

    python -m benchmarks.filter_stream          (ten minutes of motion, twice)
    python -m benchmarks.filter_stream --quick  (one minute)

A walk is played there and back without end, its feet set 5 cm further apart. Each frame is timed by
itself, from the moment it is handed over to the moment the filter is ready for the next; garbage is
collected as it comes, as it would be on a stage.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import poise
from benchmarks.measure import Measure
from poise.character import Character, complete_character
from poise.constraints import Constraint, Plant
from poise.methods.filter import Settings
from poise.methods.filter.stream import FilterStream, frames_of
from poise.methods.filter.stream_goals import ALWAYS
from poise.methods.filter.stream_window import StreamFrame
from poise.motion import Clip
from poise.samples import walk
from tests.shared_data import MOCAP

RATE_HZ = 120.0
MINUTES = 10.0
BUDGET_MS = 1e3 / RATE_HZ
PASSES = ("1K", "2D+1K")
ASIDE_M = 0.05
NOISE = 0.5


@dataclass(frozen=True)
class Streamed:
    """What one long stream took."""

    passes: str
    frames: int
    latency_s: float
    frames_a_second: float
    """Of time spent in the filter."""
    median_ms: float
    percentile_ms: float
    """99.9 % of the frames take less."""
    worst_ms: float
    late: int
    """Frames that took longer than there is time from one to the next."""
    memory_mb: tuple[float, float]
    """Resident after the first tenth, and at the end; NaN where the system does not say."""


def run(quick: bool) -> list[Measure]:
    """Stream, say how it went, and hand the figures over."""
    name, clip, character = a_walk()
    minutes = 0.1 * MINUTES if quick else MINUTES
    print(
        f"\nstreaming {name} at {RATE_HZ:g} Hz, {minutes:g} min, {clip.skeleton.tangent_size} DoF"
    )
    print(f"{'':8}{'latency':>10}{'frames/s':>10}{'median':>10}{'99.9 %':>10}{'worst':>10}  late")
    measures: list[Measure] = []
    for passes in PASSES:
        got = streamed(clip, character, passes, round(60 * minutes * RATE_HZ))
        print(
            f"{passes:8}{got.latency_s:8.2f} s{got.frames_a_second:10.0f}{got.median_ms:7.2f} ms"
            f"{got.percentile_ms:7.2f} ms{got.worst_ms:7.2f} ms  {got.late} of {got.frames}"
            f" (limit {BUDGET_MS:.2f} ms); {got.memory_mb[0]:.1f} MB, at the end"
            f" {got.memory_mb[1]:.1f} MB"
        )
        key = f"filter/stream/{passes}"
        measures += [
            Measure(f"{key}/frames_per_second", got.frames_a_second, "1/s", "higher", NOISE),
            Measure(f"{key}/p99.9", got.percentile_ms, "ms", "lower", NOISE),
            Measure(f"{key}/worst", got.worst_ms, "ms", "lower", NOISE),
            Measure(f"{key}/latency", got.latency_s, "s", "lower", 0.0),
            Measure(f"{key}/growth", got.memory_mb[1] - got.memory_mb[0], "MB", "lower", 0.0, 2.0),
        ]
    return measures


def streamed(clip: Clip, character: Character, passes: str, count: int) -> Streamed:
    """Push so many frames, one at a time."""
    stream = FilterStream(character, RATE_HZ, feet(), Settings(passes=passes))
    for frame in _played(clip, stream.latency_frames + 10):  # compiled, and every array touched
        stream.push(frame)
    list(stream.finish())
    seconds = np.zeros(count)
    early = memory_mb()
    for number, frame in enumerate(_played(clip, count)):
        start = time.perf_counter()
        stream.push(frame)
        seconds[number] = time.perf_counter() - start
        if number == count // 10:
            early = memory_mb()
    late = memory_mb()
    list(stream.finish())
    took = 1e3 * seconds
    return Streamed(
        passes, count, stream.latency_s, count / float(seconds.sum()), float(np.median(took)),
        float(np.quantile(took, 0.999)), float(took.max()), int((took > BUDGET_MS).sum()),
        (early, late),
    )  # fmt: skip


def feet() -> list[Constraint]:
    """Both feet keep their paths, a little further out."""
    sides = {"left": ASIDE_M, "right": -ASIDE_M}
    return [
        Plant(f"{s} foot", f"{s}_foot", ALWAYS, "follow", displacement_m=(aside, 0.0, 0.0))
        for s, aside in sides.items()
    ]


def a_walk() -> tuple[str, Clip, Character]:
    """A captured walk, or a code-made one where captures are absent."""
    real = MOCAP / "cmu" / "35_03.bvh"
    if real.is_file():
        name, clip = "cmu/35_03", poise.load(real).sliced(1, None)  # the first is a T-pose
    else:
        name, clip = "sample walk", walk(4.0, RATE_HZ)
    return name, clip, complete_character(clip.skeleton)


def _played(clip: Clip, count: int) -> Iterator[StreamFrame]:
    """There and back, so that nothing jumps."""
    frames = list(frames_of(clip))
    there_and_back = [*frames, *frames[-2:0:-1]]
    for number in range(count):
        yield there_and_back[number % len(there_and_back)]


def memory_mb() -> float:
    """Resident memory of this process."""
    pages = Path("/proc/self/statm")
    if not pages.is_file():
        return float("nan")
    import resource

    return int(pages.read_text().split()[1]) * resource.getpagesize() / 2**20


if __name__ == "__main__":
    run("--quick" in sys.argv[1:])
