"""Time that can be compared: warm, interleaved, medians."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from typing import Any

REPEATS = 5


def interleaved(
    jobs: Mapping[str, Callable[[], Any]], repeats: int = REPEATS
) -> dict[str, float]:  # fmt: skip
    """Median seconds of each job: one warm-up, then rounds in which each job runs once.

    Taking turns lets a slow moment of the machine hit all jobs, not one.
    """
    for job in jobs.values():
        job()
    seconds: dict[str, list[float]] = {name: [] for name in jobs}
    gc.disable()
    try:
        for _ in range(repeats):
            for name, job in jobs.items():
                start = time.perf_counter()
                job()
                seconds[name].append(time.perf_counter() - start)
    finally:
        gc.enable()
    return {name: statistics.median(values) for name, values in seconds.items()}


def per_call(job: Callable[[], Any], least_s: float = 0.05) -> float:
    """Median seconds of a short job, over enough calls to see it."""
    job()
    start = time.perf_counter()
    job()
    calls = max(1, min(2000, int(least_s / max(time.perf_counter() - start, 1e-9))))
    samples: list[float] = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            job()
        samples.append((time.perf_counter() - start) / calls)
    return statistics.median(samples)
