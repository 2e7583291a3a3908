"""What one round of the filter takes, and what a whole run takes: warm, interleaved, medians.

A round is timed as users get it, by difference: a run of several rounds less a run of one, divided
by how many more there were. Building the problem and reporting, which every run does once, cancel.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any
from unittest.mock import patch

from benchmarks.timing import REPEATS, interleaved
from poise.methods import Edit, filter
from poise.methods.filter import Settings
from poise.methods.result import Result

LOOP_REPEATS = 15


@dataclass(frozen=True)
class Took:
    """Seconds."""

    round_s: float
    whole_s: float
    """A run of one round: building, the round, the report."""


def took(
    jobs: Mapping[str, tuple[Edit, Settings]],
    kind: str,
    rounds: int,
    repeats: int = REPEATS,
    beside: Mapping[str, Callable[[], Any]] | None = None,
) -> tuple[dict[str, Took], dict[str, float]]:
    """Of rounds of a kind (K or D) under different settings, and seconds of others, in turns."""
    timed: dict[str, Callable[[], Any]] = dict(beside or {})
    for name, (edit, settings) in jobs.items():
        for count in (1, rounds):
            given = replace(settings, passes=f"{count}{kind}")
            made = run_anew(edit, given).report.after_each_round
            assert len(made) == count, f"{len(made)} rounds were run, not {count}"
            timed[f"{name}/{count}"] = partial(run_anew, edit, given)
    seconds = interleaved(timed, repeats)
    ours = {
        name: Took(
            (seconds[f"{name}/{rounds}"] - seconds[f"{name}/1"]) / (rounds - 1),
            seconds[f"{name}/1"],
        )
        for name in jobs
    }
    return ours, {name: seconds[name] for name in beside or {}}


def run_anew(edit: Edit, settings: Settings) -> Result:
    """Run with nothing kept from runs before."""
    return filter.run(replace(edit), settings)


def loop_beside(
    edit: Edit, settings: Settings, loop: tuple[str, str], kernel: Callable[[], Any]
) -> tuple[float, float]:
    """Seconds that a run spends in a compiled loop, and seconds of a kernel, in turns: medians.

    Whatever the loop takes, it is handed on: only a clock is put around it.

    Args:
        edit: what is filtered.
        settings: how.
        loop: the module that calls it, and its name there.
        kernel: what it is compared with.
    """
    module, name = loop
    caller = import_module(module)
    compiled = getattr(caller, name)
    spent = 0.0

    def clocked(*given: Any) -> Any:
        nonlocal spent
        start = time.perf_counter()
        answer = compiled(*given)
        spent += time.perf_counter() - start
        return answer

    loops: list[float] = []
    kernels: list[float] = []
    with patch.object(caller, name, clocked):
        for _ in range(1 + LOOP_REPEATS):
            spent = 0.0
            run_anew(edit, settings)
            assert spent > 0.0, f"{module} does not call {name}"
            loops.append(spent)
            start = time.perf_counter()
            kernel()
            kernels.append(time.perf_counter() - start)
    return statistics.median(loops[1:]), statistics.median(kernels[1:])
