"""The mechanics kernels against Pinocchio and MuJoCo called from Python."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.measure import Measure
from benchmarks.peers import PEERS
from benchmarks.timing import interleaved, per_call
from benchmarks.workloads import G1_FILE, Workload, human, unitree_g1
from poise.mechanics import forward_kinematics, inverse_dynamics
from poise.sharing import core_count
from tests.shared_data import SHARED

FRAMES = 10_000
GROWTH = (1, 10, 100, 1_000, 10_000, 100_000)
NOISE = 0.5
"""Ratios of two timings on a shared machine: half is an ordinary bad day."""

# job -> least ratio to the faster peer on one core, and on all cores
PROMISES: dict[str, tuple[float, float]] = {
    "kinematics": (4.0, 4.0),
    "dynamics": (6.0, 10.0),
}


def our_jobs(work: Workload, *, parallel: bool) -> dict[str, Callable[[], Any]]:
    """From local rotations to results in fresh arrays, as a user calls it."""

    def kinematics() -> Any:
        return forward_kinematics(work.skeleton, work.root_m, work.local, parallel=parallel)

    def dynamics() -> Any:
        return inverse_dynamics(
            work.skeleton, work.body, work.local, work.omega, work.root_a, work.alpha,
            parallel=parallel,
        )  # fmt: skip

    return {"kinematics": kinematics, "dynamics": dynamics}


def run(quick: bool) -> list[Measure]:
    frames = FRAMES // 10 if quick else FRAMES
    works = [human(frames)]
    if (SHARED / G1_FILE).is_file() and importlib.util.find_spec("mujoco"):
        works.append(unitree_g1(frames, SHARED))
    else:
        print(f"Unitree G1 left out: needs {SHARED / G1_FILE} (set POISE_SHARED) and mujoco")
    peers = [name for name in PEERS if importlib.util.find_spec(name)]
    print(f"peers: {', '.join(peers) or 'none installed'}; cores: {core_count()}")
    measures: list[Measure] = []
    for work in works:
        measures += against_peers(work, peers)
    for work in works:
        measures += growth(work, quick)
    return [*measures, *first_use()]


def against_peers(work: Workload, peers: list[str]) -> list[Measure]:
    """Time per frame of everyone, and our ratio to the faster peer."""
    contenders = {
        "ours, one core": our_jobs(work, parallel=False),
        "ours, all cores": our_jobs(work, parallel=True),
        **{peer: PEERS[peer](work) for peer in peers},
    }
    print(f"\n{work.name}, {work.frames} frames: microseconds a frame (ours / faster peer)")
    print(f"{'':12}" + "".join(f"{name:>22}" for name in contenders))
    measures: list[Measure] = []
    for job, (alone, together) in PROMISES.items():
        seconds = interleaved({name: jobs[job] for name, jobs in contenders.items()})
        micro = {name: 1e6 * s / work.frames for name, s in seconds.items()}
        best = min((micro[peer] for peer in peers), default=float("nan"))
        cells: list[str] = []
        for name, value in micro.items():
            key = f"mechanics/{work.name}/{job}/{name.replace(', ', '/').replace(' ', '_')}"
            measures.append(Measure(f"{key}/time", value, "us", "lower", NOISE))
            ratio = ""
            if name.startswith("ours") and peers:
                promise = alone if name.endswith("one core") else together
                ratio = f" ({best / value:.1f}x)"
                measures.append(Measure(key, best / value, "x", "higher", NOISE, promise=promise))
            cells.append(f"{value:.3f}{ratio}".rjust(22))
        print(f"{job:12}" + "".join(cells))
    return measures


def growth(work: Workload, quick: bool) -> list[Measure]:
    """What a call costs as the batch grows."""
    counts = [f for f in GROWTH if f <= (1_000 if quick else GROWTH[-1])]
    print(f"\n{work.name}: microseconds a call, one core / all cores")
    print(f"{'':12}" + "".join(f"{f'F = {f:,}':>18}" for f in counts))
    measures: list[Measure] = []
    cells: dict[str, list[str]] = {job: [] for job in PROMISES}
    for frames in counts:
        part = work.of_length(frames)
        alone, together = our_jobs(part, parallel=False), our_jobs(part, parallel=True)
        for job in PROMISES:
            times = [1e6 * per_call(jobs[job]) for jobs in (alone, together)]
            cells[job].append(" / ".join(f"{t:.1f}" if t < 100 else f"{t:.0f}" for t in times))
            key = f"mechanics/{work.name}/{job}/F={frames}"
            for cores, value in zip(("one_core", "all_cores"), times, strict=True):
                measures.append(Measure(f"{key}/{cores}/time", value, "us", "lower", NOISE))
    for job, row in cells.items():
        print(f"{job:12}" + "".join(f"{cell:>18}" for cell in row))
    return measures


def first_use() -> list[Measure]:
    """What the very first call costs, and the first in a later process, kernel by kernel."""
    print("\nfirst use of every kernel, seconds")
    script = Path(__file__).with_name("first_use.py")
    measures: list[Measure] = []
    with tempfile.TemporaryDirectory() as cache:
        for name in ("compiling", "from the cache"):
            environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
            done = subprocess.run(
                [sys.executable, "-m", f"benchmarks.{script.stem}"],
                env=environment, cwd=script.parents[1], check=True, capture_output=True, text=True,
            )  # fmt: skip
            parts = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
            total = sum(float(s) for s in parts.values())
            print(f"{name}: {total:.2f} (" + ", ".join(f"{k} {v}" for k, v in parts.items()) + ")")
            key = f"mechanics/first_use/{name.replace(' ', '_')}"
            measures.append(Measure(key, total, "s", "lower", NOISE))
    return measures
