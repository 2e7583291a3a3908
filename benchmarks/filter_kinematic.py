"""Kinematic rounds on 54 degrees of freedom: against the paper, mink, pink, and the kernels."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.filter_body import ENDS, FEET, Dance, dance, workload
from benchmarks.filter_peers import FromInput, at_ends
from benchmarks.filter_rates import loop_seconds, run_anew, took
from benchmarks.ik import one_thread
from benchmarks.ik_body import Poses
from benchmarks.ik_peers import Mink, Pink
from benchmarks.ik_plan import disagreement
from benchmarks.measure import Measure
from benchmarks.mechanics import FRAMES as KERNEL_FRAMES
from benchmarks.mechanics import our_jobs
from benchmarks.timing import interleaved
from poise.methods.filter import Settings

PAPER_HZ = 150.0
TIMES_PAPER, TIMES_PEERS, TIMES_KERNEL = 500.0, 30.0, 1.5
ROUNDS = 11
NOISE = 0.5
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
    """Frames per second of a round, beside the paper's, the peers' and the kernels' cost.

    The peers count where the residual is within the same tolerance as theirs.
    """
    chosen = {
        (way, updates): Settings(updates=updates, derivatives=way)
        for updates in UPDATES
        for way in WAYS
    }
    rounds = took({str(each): (task.edit, s) for each, s in chosen.items()}, "K", ROUNDS)
    theirs = _peers(task)
    kernel = our_jobs(workload(task.edit, KERNEL_FRAMES), parallel=False)["kinematics"]
    jobs: dict[str, Callable[[], Any]] = {"kernel": kernel}
    seconds = interleaved(jobs | {peer: job for peer, (job, _) in theirs.items()})
    frames, freedoms = task.work.frames, task.work.skeleton.tangent_size
    kernel_s = seconds["kernel"] / KERNEL_FRAMES
    print(
        f"\nkinematic rounds, {freedoms} DoF, place and orientation of {name}, {frames} frames, "
        "one thread (targets in brackets)"
    )
    print(
        f"{'':14}{'frames/s':>10}{'its loop':>10}{'whole run':>11}{'worst frame':>24}"
        f"{f'paper ({TIMES_PAPER:g}x)':>15}"
        + "".join(f"{f'{peer} ({TIMES_PEERS:g}x)':>13}" for peer in theirs)
        + f"{f'kernel ({TIMES_KERNEL:g}x)':>16}"
    )
    measures: list[Measure] = []
    for (way, updates), settings in chosen.items():
        if way == WAYS[0]:
            print(UPDATES[updates])
        spent = rounds[str((way, updates))]
        found = run_anew(task.edit, settings).clip
        off = at_ends(task, Poses(found.root_positions_m, found.rotations_wxyz))
        rate = frames / spent.round_s
        loop_s = loop_seconds(task.edit, settings, *LOOP) / frames
        share = loop_s / ((2 * freedoms + 1) * kernel_s)
        key = f"filter/kinematic/{name}/{way}/{updates}"
        made = [
            Measure(f"{key}/rate", rate, "frames/s", "higher", NOISE),
            Measure(f"{key}/paper", rate / PAPER_HZ, "x", "higher", NOISE, promise=TIMES_PAPER),
        ]
        row = f"  {way:12}{rate:10,.0f}{1.0 / loop_s:10,.0f}{frames / spent.whole_s:11,.0f}"
        row += f"{_words(off.worst):>24}"
        row += f"{rate / PAPER_HZ:14.0f}x"
        for peer in theirs:
            ratio = rate * seconds[peer] / frames
            row += f"{ratio:12.1f}x" if off.met else f"{'-':>13}"
            if off.met:
                made.append(
                    Measure(f"{key}/{peer}", ratio, "x", "higher", NOISE, promise=TIMES_PEERS)
                )
        if way == "sampled":
            row += f"{share:15.2f}x"
            made.append(Measure(f"{key}/kernel", share, "x", "lower", NOISE, promise=TIMES_KERNEL))
        print(row)
        measures += made
    for peer, (job, steps) in theirs.items():
        off = at_ends(task, job().poses)
        print(
            f"{peer:14}{frames / seconds[peer]:10,.0f}{'':21}{_words(off.worst):>24}"
            f"   {steps:.2f} steps a frame"
        )
    print(
        f"kernel: the loop's time a frame over 2 × {freedoms} + 1 times forward kinematics, "
        f"{1e6 * kernel_s:.3f} µs"
    )
    return measures


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


def _words(worst: tuple[float, float]) -> str:
    return f"{worst[0]:.2g} mm {worst[1]:.2g}°"
