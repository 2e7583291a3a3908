"""How long a leap's spacetime problem takes: Poise, and CasADi with IPOPT on the same problem.

`python -m benchmarks.momentum_speed`. Both start from one guess, on one thread, and stop where the
motion is right to a few hundredths of a degree. Compared is solving alone; what it takes to build
the problem stands beside it.

Two peers. `exact` is how IPOPT is meant: second derivatives of everything. `gauss-newton` leaves
out those of the constraints, as Poise does; it is the fastest way to use IPOPT here that was found,
with its barrier adapted by probing and its derivatives put together by hand.
"""

from __future__ import annotations

import argparse
import os
import statistics
import time
from pathlib import Path

from threadpoolctl import threadpool_limits

from benchmarks.momentum_leaps import captured_leap, problem_of
from benchmarks.momentum_peer import PeerSolved, solve_with_ipopt
from poise.constraints.stage_edits import MoveStage
from poise.methods.momentum.problem import Problem, build
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.spacetime import Solved, solve_spacetime

SHARED = Path(os.environ.get("POISE_SHARED", Path(__file__).resolve().parents[2] / "shared"))
CLIP, FRAMES, RATE_HZ = SHARED / "mocap" / "cmu" / "13_11.bvh", (150, 340), 30.0
EDITS = (
    MoveStage("0.5 m farther", -1, by_m=(0.0, 0.0, 0.5)),
    MoveStage("turned by 180", -1, turn_deg=180.0),
    MoveStage("turned by 360", -1, turn_deg=360.0),
)
REPEATS = 3
PEER_TOLERANCE = 1e-5
"""IPOPT then stops 0.03 degrees from the optimum or nearer; its own 1e-8 takes half as long again.
"""


def ours(problem: Problem, repeats: int = REPEATS) -> tuple[float, Solved]:
    """Median seconds, warm."""
    most = Settings().iterations
    solved = solve_spacetime(problem.spacetime, problem.start, iterations=most)
    seconds: list[float] = []
    for _ in range(repeats):
        start = time.perf_counter()
        solved = solve_spacetime(problem.spacetime, problem.start, iterations=most)
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), solved


def build_s(problem: Problem) -> float:
    start = time.perf_counter()
    build(problem.leap, problem.ik.tasks, Settings())
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="without the exact peer")
    quick = parser.parse_args().quick
    if not CLIP.is_file():
        raise SystemExit(f"real clips not found: {CLIP} (set POISE_SHARED)")
    edit = captured_leap(CLIP, FRAMES, RATE_HZ)
    columns = ("", "", "solve s", "build s", "iterations", "cost", "times ours")
    print("{:<16}{:<14}{:>9}{:>9}{:>12}{:>12}{:>12}".format(*columns))
    for asked in EDITS:
        problem = problem_of(edit, [asked])
        with threadpool_limits(1):
            seconds, solved = ours(problem)
            built = build_s(problem)
            _row(asked.name, "poise", seconds, built, solved.iterations, solved.cost, 1.0)
            if not solved.converged:
                print("    poise did not converge")
            for curvature in ("gauss-newton",) if quick else ("gauss-newton", "exact"):
                peer: PeerSolved = solve_with_ipopt(problem, curvature, PEER_TOLERANCE)
                _row(
                    "", curvature, peer.solve_s, peer.build_s, peer.iterations, peer.cost,
                    peer.solve_s / seconds,
                )  # fmt: skip
                if peer.status != "Solve_Succeeded":
                    print(f"    {curvature}: {peer.status}")
        unknowns = len(problem.start.roots) * problem.spacetime.width + len(problem.start.control)
        print(f"    {len(problem.start.roots)} frames, {unknowns} unknowns", flush=True)


def _row(
    name: str, who: str, solve_s: float, built_s: float, iterations: int, cost: float, ratio: float
) -> None:  # fmt: skip
    print(
        f"{name:<16}{who:<14}{solve_s:>9.2f}{built_s:>9.2f}{iterations:>12}{cost:>12.6f}{ratio:>12.1f}",
        flush=True,
    )


if __name__ == "__main__":
    main()
