"""Kinematic rounds on 54 degrees of freedom: against the paper, mink, pink, and the kernels."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from benchmarks.filter_body import ENDS, FEET, Dance, dance, workload
from benchmarks.filter_peers import FromInput, at_ends
from benchmarks.filter_rates import Took, loop_beside, run_anew, took
from benchmarks.ik import one_thread
from benchmarks.ik_body import Poses
from benchmarks.ik_peers import Mink, Pink
from benchmarks.ik_plan import disagreement
from benchmarks.ik_residual import Residuals
from benchmarks.measure import Measure
from benchmarks.mechanics import FRAMES as KERNEL_FRAMES
from benchmarks.mechanics import our_jobs
from poise.methods.filter import Settings

PAPER_HZ = 150.0
TIMES_PAPER, TIMES_PEERS, TIMES_KERNEL = 500.0, 30.0, 1.5
ROUNDS, REPEATS = 11, 9
NOISE = 0.5
LOST_MM = 10.0
"""Goals are 5 cm away; who is so far off has not filtered."""
LOOP = "poise.methods.filter.run", "filter_frames"
UPDATES = {1: "one update, as the paper", 2: "two updates, the default"}
WAYS = ("sampled", "analytic")
PEERS: dict[str, type[Mink] | type[Pink]] = {"mink": Mink, "pink": Pink}


def run(frames: int) -> list[Measure]:
    with one_thread():
        return [
            measure
            for name, parts in {"feet": FEET, "feet and hands": ENDS}.items()
            for measure in race(name, dance(frames, parts))
        ]


def race(name: str, task: Dance) -> list[Measure]:
    """Frames per second of a round, beside the paper's and the peers'; of its loop, the kernel's.

    The peers count where our residual is within the tolerance that they keep.
    """
    chosen = {
        f"{way}/{updates}": Settings(updates=updates, derivatives=way, smooth_kinematic=False)
        for updates in UPDATES
        for way in WAYS
    }
    peers = _peers(task)
    rounds, seconds = took(
        {each: (task.edit, settings) for each, settings in chosen.items()},
        "K",
        ROUNDS,
        REPEATS,
        {peer: job for peer, (job, _) in peers.items()},
    )
    _print_head(name, task, list(peers))
    measures: list[Measure] = []
    for each, settings in chosen.items():
        measures += _row(f"{name}/{each}", task, settings, rounds[each], seconds)
    for peer, (job, steps) in peers.items():
        off = at_ends(task, job().poses)
        print(
            f"{peer:14}{task.work.frames / seconds[peer]:10,.0f}{'':21}{_words(off):>24}"
            f"   {steps:.2f} steps a frame"
        )
    print("kernel: the loop's time a frame over that of forward kinematics, times 2 n + 1")
    return measures


def _print_head(name: str, task: Dance, peers: list[str]) -> None:
    print(
        f"\nkinematic rounds, {task.work.skeleton.tangent_size} DoF, place and orientation of "
        f"{name}, {task.work.frames} frames, one thread (targets in brackets)"
    )
    print(
        f"{'':14}{'frames/s':>10}{'its loop':>10}{'whole run':>11}{'worst frame':>24}"
        f"{f'paper ({TIMES_PAPER:g}x)':>15}"
        + "".join(f"{f'{peer} ({TIMES_PEERS:g}x)':>13}" for peer in peers)
        + f"{f'kernel ({TIMES_KERNEL:g}x)':>16}"
    )


def _row(
    key: str, task: Dance, settings: Settings, spent: Took, peers: Mapping[str, float]
) -> list[Measure]:
    frames, points = task.work.frames, 2 * task.work.skeleton.tangent_size + 1
    found = run_anew(task.edit, settings).clip
    off = at_ends(task, Poses(found.root_positions_m, found.rotations_wxyz))
    lost = off.worst[0] > LOST_MM
    rate = float("nan") if lost else frames / spent.round_s
    kernel = our_jobs(workload(task.edit, KERNEL_FRAMES), parallel=False)["kinematics"]
    loop_s, kernel_s = loop_beside(task.edit, settings, LOOP, kernel)
    made = [
        Measure(f"filter/kinematic/{key}/rate", rate, "frames/s", "higher", NOISE),
        Measure(
            f"filter/kinematic/{key}/paper", rate / PAPER_HZ, "x", "higher", NOISE,
            promise=TIMES_PAPER,
        ),
    ]  # fmt: skip
    if settings.derivatives == WAYS[0]:
        print(UPDATES[settings.updates])
    row = f"  {settings.derivatives:12}{frames / spent.round_s:10,.0f}{frames / loop_s:10,.0f}"
    row += f"{frames / spent.whole_s:11,.0f}{_words(off):>24}{rate / PAPER_HZ:14.0f}x"
    for peer, seconds in peers.items():
        ratio = rate * seconds / frames
        row += f"{ratio:12.1f}x" if off.met else f"{'-':>13}"
        if off.met:
            peer_key = f"filter/kinematic/{key}/{peer}"
            made.append(Measure(peer_key, ratio, "x", "higher", NOISE, promise=TIMES_PEERS))
    if settings.derivatives == "sampled":
        share = loop_s / frames / (points * kernel_s / KERNEL_FRAMES)
        row += f"{share:15.2f}x  of {points} × {1e6 * kernel_s / KERNEL_FRAMES:.3f} µs"
        kernel_key = f"filter/kinematic/{key}/kernel"
        made.append(Measure(kernel_key, share, "x", "lower", NOISE, promise=TIMES_KERNEL))
    print(row + ("  LOST: no ratio counts" if lost else ""))
    return made


def _peers(task: Dance) -> dict[str, tuple[Callable[[], Any], float]]:
    """The peers that are there: what to time, and steps a frame on average."""
    found: dict[str, tuple[Callable[[], Any], float]] = {}
    for name, make in PEERS.items():
        if not importlib.util.find_spec(name):
            print(f"{name} left out: not installed")
            continue
        peer = make()
        racing = FromInput(peer, task)
        apart = disagreement(peer, task.work)
        assert apart < 1e-9, f"{name} has another body: {apart:.1e} m or rad apart"
        steps = racing.plan()
        found[name] = partial(racing.solve, steps), float(np.mean(steps))
    return found


def _words(off: Residuals) -> str:
    return f"{off.worst[0]:.2g} mm {off.worst[1]:.2g}°"
