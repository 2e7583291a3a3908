"""Dynamic rounds of 27 coordinates and their rates: against the paper, and against the kernels."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.filter_body import LEGS_AND_TRUNK, wide_walk, workload
from benchmarks.filter_rates import loop_beside, run_anew, took
from benchmarks.ik import one_thread
from benchmarks.measure import Measure
from benchmarks.mechanics import FRAMES as KERNEL_FRAMES
from benchmarks.mechanics import our_jobs
from benchmarks.timing import interleaved
from poise.methods import Edit
from poise.methods.filter import Settings
from poise.methods.filter.problem import build

PAPER_HZ = (10.0, 15.0)
TIMES_PAPER, TIMES_KERNEL = 500.0, 1.5
ROUNDS, REPEATS, SOLVES = 3, 7, 3
NOISE = 0.5
LOOP = "poise.methods.filter.dynamic_round", "filter_dynamic_frames"
EVERYWHERE_M = 0.5
"""So far inside its support no zero-moment point can be: balance asks in every frame."""
WAYS = {
    f"separate {way}": Settings(
        passes="1D", fit="separate", derivatives=way, left_out=LEGS_AND_TRUNK
    )
    for way in ("sampled", "analytic")
}


def run(frames: int) -> list[Measure]:
    """Feet and balance, then torque limits as well."""
    with one_thread():
        return [*race("feet, balance", frames, False), *race("and torque limits", frames, True)]


def race(name: str, frames: int, torque: bool) -> list[Measure]:
    """Frames per second of a round, all that belongs to it included."""
    edit = wide_walk(frames)
    chosen = {way: replace(settings, torque=torque) for way, settings in WAYS.items()}
    width = build(edit, chosen["separate sampled"]).reduced.width
    rounds, _ = took(
        {way: (edit, settings) for way, settings in chosen.items()}, "D", ROUNDS, REPEATS
    )
    kernel = our_jobs(workload(edit, KERNEL_FRAMES), parallel=False)["dynamics"]
    points = 2 * 3 * width + 1
    print(
        f"\ndynamic rounds, {width} of {edit.clip.skeleton.tangent_size} DoF ({3 * width} states), "
        f"{name}, {frames} frames, one thread (targets in brackets)"
    )
    paper = "".join(f"{f'paper {hz:g}/s ({TIMES_PAPER:g}x)':>23}" for hz in PAPER_HZ)
    print(
        f"{'':20}{'frames/s':>10}{'its loop':>10}{'whole run':>11}{paper}"
        f"{f'kernel ({TIMES_KERNEL:g}x)':>16}"
    )
    measures: list[Measure] = []
    for way, settings in chosen.items():
        spent = rounds[way]
        rate = frames / spent.round_s
        asked = replace(settings, inset_m=EVERYWHERE_M)
        loop_s, kernel_s = loop_beside(edit, asked, LOOP, kernel)
        ratio = loop_s / frames / (points * kernel_s / KERNEL_FRAMES)
        share = f"{ratio:15.2f}x  of {points} × {1e6 * kernel_s / KERNEL_FRAMES:.3f} µs"
        row = f"{way:20}{rate:10,.0f}{frames / loop_s:10,.0f}{frames / spent.whole_s:11,.0f}"
        row += "".join(f"{rate / hz:22.0f}x" for hz in PAPER_HZ)
        key = f"filter/dynamic/{name}/{way}"
        measures.append(Measure(f"{key}/rate", rate, "frames/s", "higher", NOISE))
        for hz in PAPER_HZ:
            measures.append(
                Measure(f"{key}/paper_{hz:g}", rate / hz, "x", "higher", NOISE, promise=TIMES_PAPER)
            )
        if way == "separate sampled":
            row += share
            measures.append(
                Measure(f"{key}/kernel", ratio, "x", "lower", NOISE, promise=TIMES_KERNEL)
            )
        print(row)
    measures.append(_one_solve(name, edit, torque))
    print(
        "kernel: the loop's time a frame, with balance asked in all of them, over that of inverse "
        "dynamics, times 2 × 3 n + 1"
    )
    return measures


def _one_solve(name: str, edit: Edit, torque: bool) -> Measure:
    """Frames per second of the physics solve, which stands for all dynamic rounds."""
    settings = Settings(passes="3D+1K", torque=torque)
    seconds = interleaved({"run": lambda: run_anew(edit, settings)}, SOLVES)["run"]
    rate = edit.clip.frame_count / seconds
    print(f"{'physics, whole run':20}{'':20}{rate:11,.0f}   (all coordinates, however many rounds)")
    return Measure(f"filter/dynamic/{name}/physics/rate", rate, "frames/s", "higher", NOISE)
