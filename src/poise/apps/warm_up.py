"""Compile ahead what the commands need the first time they run.

Kernels are compiled when they are first used and kept on disk. Here small jobs on made clips run
side by side, one a core, so that what they compile is there when somebody needs it:

    poise warm-up
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

_WALK, _JUMP = "walk.bvh", "jump.bvh"


@dataclass(frozen=True)
class Job:
    """Commands one after the other, each from the outputs of those before it."""

    name: str
    commands: tuple[tuple[str, ...], ...]


JOBS = (
    Job("measure, render, contacts", (
        ("measure", _WALK),
        ("render", _WALK, "-o", "strip.png"),
        ("contacts", _WALK, "-o", "contacts.csv"),
        ("inspect", _WALK),
    )),
    Job("leap", (("leap", _JUMP, "--turn", "20", "-o", "leap.bvh"),)),
    Job("correct, filter", (
        ("correct", _WALK, "-o", "corrected.bvh", "--report", "corrected.html"),
        ("filter", _WALK, "--to", _JUMP, "-o", "filtered.bvh"),
        ("retarget", _WALK, "--to", _JUMP, "-o", "retargeted.bvh"),
    )),
    Job("streams, deform, pattern", (
        ("filter", _WALK, "--to", _JUMP, "--stream", "-o", "streamed.bvh"),
        ("deform", _WALK, "--to", _JUMP, "-o", "deformed.bvh"),
        ("pattern", "learn", _WALK, "again.bvh", "-o", "pattern.npz"),
    )),
    Job("correct as printed", (("correct", _WALK, "--mode", "paper", "-o", "printed.bvh"),)),
)  # fmt: skip
"""First what every command ends with, last what few ask for."""


@dataclass(frozen=True)
class Warmed:
    """What became of a job."""

    name: str
    problem: str
    """The last line that a command has printed which did not end as it should; empty: none."""


def warm_up(
    told: Callable[[Warmed, int, int], None], cores: int | None = None
) -> tuple[Warmed, ...]:
    """Run all jobs.

    Args:
        told: what became of a job, how many have ended, and how many there are.
        cores: how many at a time; all that the machine has, if not given.
    """
    done: list[Warmed] = []
    with tempfile.TemporaryDirectory(prefix="poise-") as folder:
        for sample, name in (("walk", _WALK), ("jump", _JUMP), ("walk", "again.bvh")):
            _poise(("sample", sample, "-o", name), Path(folder))
        with ThreadPoolExecutor(cores or os.cpu_count() or 1) as pool:
            running = [pool.submit(_warmed, job, Path(folder)) for job in JOBS]
            for finished in as_completed(running):
                done.append(finished.result())
                told(done[-1], len(done), len(JOBS))
    return tuple(done)


def _warmed(job: Job, folder: Path) -> Warmed:
    for arguments in job.commands:
        problem = _poise(arguments, folder)
        if problem:
            return Warmed(job.name, problem)
    return Warmed(job.name, "")


def _poise(arguments: tuple[str, ...], folder: Path) -> str:
    """Run a command; what it said if it failed."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "poise", *arguments], cwd=folder, capture_output=True,
        text=True, encoding="utf-8", errors="replace", check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "POISE_CORES": "1", "OPENBLAS_NUM_THREADS": "1"},
    )  # fmt: skip
    if done.returncode in (0, 3):
        return ""
    return (done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1]
