"""Compile ahead what the commands need the first time they run.

Kernels are compiled when they are first used and kept on disk. Here small jobs on made clips run
side by side, one a core, so that what they compile is there when somebody needs it:

    poise warm-up

A wheel that is to bring its kernels along has them compiled for the plainest processor that it is
meant for, into a folder of the package:

    python -m poise.apps.warm_up src/poise/_kernels
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

_WALK, _JUMP, _SWING = "walk.bvh", "jump.bvh", "swing.bvh"


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
        ("pattern", "learn", _SWING, "again.bvh", "--fit-club", "-o", "pattern.npz"),
        ("pattern", "edit", "pattern.npz", _SWING, "--by", "club_head", "0", "0", "0.01",
         "--frame", "hit", "-o", "hit.bvh"),
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
    told: Callable[[Warmed, int, int], None],
    cores: int | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[Warmed, ...]:
    """Run all jobs.

    Args:
        told: what became of a job, how many have ended, and how many there are.
        cores: how many at a time; all that the machine has, if not given.
        environment: variables beside ours.
    """
    done: list[Warmed] = []
    with tempfile.TemporaryDirectory(prefix="poise-") as folder:
        for made in (
            ("walk", "-o", _WALK), ("jump", "-o", _JUMP), ("golf", "-o", _SWING),
            ("golf", "--noise", "2", "-o", "again.bvh"),
        ):  # fmt: skip
            _poise(("sample", *made), Path(folder), environment or {})
        with ThreadPoolExecutor(cores or os.cpu_count() or 1) as pool:
            running = [pool.submit(_warmed, job, Path(folder), environment or {}) for job in JOBS]
            for finished in as_completed(running):
                done.append(finished.result())
                told(done[-1], len(done), len(JOBS))
    return tuple(done)


def _warmed(job: Job, folder: Path, environment: Mapping[str, str]) -> Warmed:
    for arguments in job.commands:
        problem = _poise(arguments, folder, environment)
        if problem:
            return Warmed(job.name, problem)
    return Warmed(job.name, "")


def _poise(arguments: tuple[str, ...], folder: Path, environment: Mapping[str, str]) -> str:
    """Run a command; what it said if it failed."""
    done = subprocess.run(
        [sys.executable, "-P", "-m", "poise", *arguments], cwd=folder, capture_output=True,
        text=True, encoding="utf-8", errors="replace", check=False, stdin=subprocess.DEVNULL,
        env={**os.environ, "POISE_CORES": "1", "OPENBLAS_NUM_THREADS": "1", **environment},
    )  # fmt: skip
    if done.returncode in (0, 3):
        return ""
    return (done.stderr.strip().splitlines() or [f"code {done.returncode}"])[-1]


_V3 = "avx avx2 bmi bmi2 cx16 f16c fma lzcnt movbe popcnt sse sse2 sse3 sse4.1 sse4.2 ssse3"
PLAINEST = {
    "x86_64": ("x86-64-v3", ",".join(f"+{name}" for name in _V3.split())),
    "aarch64": ("generic", "+neon"),
    "arm64": ("apple-m1", "+neon"),
}  # fmt: skip
"""Processors that kernels of a wheel are compiled for, by kind of machine: Intel's and AMD's since
2013 or so. Others compile for themselves."""


def ship(folder: Path) -> None:
    """Compile into a folder of the package what a wheel brings along."""
    kind = platform.machine().lower().replace("amd64", "x86_64")
    cpu, features = PLAINEST[kind]
    folder.mkdir(parents=True, exist_ok=True)
    for left in folder.iterdir():
        left.unlink()
    environment = {
        "NUMBA_CACHE_DIR": str(folder.resolve()), "NUMBA_CPU_NAME": cpu,
        "NUMBA_CPU_FEATURES": features,
    }  # fmt: skip
    for job in warm_up(lambda job, done, of: None, environment=environment):
        if job.problem:
            raise SystemExit(f"{job.name}: {job.problem}")
    code = (
        "import sys; from pathlib import Path; from poise.kernel_files import write_target; "
        "write_target(Path(sys.argv[1]))"
    )
    subprocess.run(
        [sys.executable, "-P", "-c", code, str(folder)], check=True,
        env={**os.environ, **environment},
    )  # fmt: skip


if __name__ == "__main__":
    ship(Path(sys.argv[1]))
