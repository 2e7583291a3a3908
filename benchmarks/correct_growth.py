"""How the motion optimizer's time and memory grow with frames."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
from numpy.typing import NDArray

from benchmarks.correct_body import Ready, captured, ready
from benchmarks.measure import Measure
from benchmarks.timing import interleaved
from poise.arrays import Array
from poise.methods.correct.mesh import vertices_of
from poise.methods.correct.motion_optimizer import MotionOptimizer, Optimized

FRAMES = (100, 300, 1_000, 3_000, 10_000)
OFTEN = 1_000
"""Up to here several times, beyond once."""
REPEATS = 3
NOISE = 0.5
ROUNDS = 60


def there_and_back(name: str, frames: int) -> tuple[Ready, Array, NDArray[np.bool_]]:
    """A motion of any length: a clip forwards and backwards, again and again, and its contacts."""
    chosen = ready(name)
    count = chosen.working.frame_count
    turn = np.concatenate([np.arange(count), np.arange(count - 2, 0, -1)])
    picked = np.resize(turn, frames)
    reference = vertices_of(chosen.mesh, chosen.working)[picked]
    return chosen, reference, chosen.detected()[picked]


def whole(chosen: Ready, reference: Array, contacts: NDArray[np.bool_]) -> Optimized:
    place, rate = chosen.given.environment, chosen.working.rate_hz
    made = MotionOptimizer(chosen.mesh, reference, rate, place, chosen.settings, chosen.rest_m)
    return made.solve(contacts, ROUNDS)


def run(quick: bool) -> list[Measure]:
    if not captured("walking"):
        print("\ncorrect, growth: the captured walk is not here")
        return []
    counts = [n for n in FRAMES if not quick or n <= 3_000]
    print(
        f"\nmotion optimizer, {ROUNDS} rounds, as the clip grows: microseconds a frame "
        "(megabytes beside input and answer)"
    )
    seconds: list[float] = []
    for count in counts:
        job = partial(whole, *there_and_back("walking", count))
        repeats = REPEATS if count <= OFTEN else 1
        times = interleaved({"whole": job}, repeats)
        seconds.append(times["whole"])
        each_us = 1e6 * times["whole"] / count
        print(f"F = {count:<8,}{each_us:12.0f} ({_room_mb(job):.0f} MB)", flush=True)
    powers = np.polyfit(np.log(counts[2:]), np.log(seconds[2:]), 1)
    print(f"power from {counts[2]:,} frames on: {powers[0]:.2f} (1: as the frames do)")
    key = "correct/optimizer/power_of_frames"
    return [Measure(key, float(powers[0]), "power", "lower", NOISE)]


def _room_mb(job: partial[Optimized]) -> float:
    """Most megabytes that a job holds besides what it was given and gives."""
    tracemalloc.start()
    found = job()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    answer = found.vertices_m.nbytes
    return (peak - answer) / 1e6
