"""Leaps: one edit, a family, blending, inverse control, and CasADi with IPOPT on the same problem.

`python -m benchmarks.momentum_recipes` and `python -m benchmarks.momentum_table` have the paper's
examples and large edits; `python -m benchmarks.momentum_speed` the peers edit by edit.
"""

from __future__ import annotations

import time

from benchmarks.measure import Measure
from benchmarks.momentum_leaps import captured_leap, problem_of
from benchmarks.momentum_recipes import built
from benchmarks.momentum_speed import CLIP, FRAMES, PEER_TOLERANCE, RATE_HZ, ours
from benchmarks.timing import interleaved, per_call
from poise.character import complete_character
from poise.constraints.stage_edits import MoveStage
from poise.methods.edit import Edit
from poise.methods.momentum import run as leap
from poise.methods.momentum.inverse_control import Aim

EDIT = MoveStage("0.5 m farther", -1, by_m=(0.0, 0.0, 0.5))
NOISE = 0.5


def run(quick: bool) -> list[Measure]:
    print("\nleaps: seconds on all cores (medians of five warm runs)")
    if not CLIP.is_file():
        print("the clips are not here")
        return []
    edit = captured_leap(CLIP, FRAMES, RATE_HZ)
    asked = Edit(edit.clip, edit.character, (EDIT,), edit.environment)
    problem = problem_of(edit, [EDIT])
    frames, width = edit.clip.frame_count, problem.spacetime.width
    whole = interleaved({"one edit": lambda: leap(asked)})["one edit"]
    print(f"one edit, {frames} frames, {width} DoFs: {whole:.2f} (limit 3; the paper: 120 to 210)")
    found = [Measure("momentum.edit", whole, "s", "lower", NOISE, promise=3.0)]
    found += _growth(quick)
    found += _peers(problem, quick)
    found += _family("smash_family" if quick else "two_leaps", None if quick else 180.0)
    return found


def _growth(quick: bool) -> list[Measure]:
    """How cost grows with the frames: the same leap at higher rates."""
    import numpy as np

    from poise.methods.momentum.settings import Settings
    from poise.methods.momentum.spacetime import solve_spacetime

    counts: list[int] = []
    seconds: list[float] = []
    for rate in (30.0, 60.0) if quick else (30.0, 60.0, 120.0):
        problem = problem_of(captured_leap(CLIP, FRAMES, rate), [EDIT])
        most = Settings().iterations
        solved = solve_spacetime(problem.spacetime, problem.start, iterations=most)
        start = time.perf_counter()
        solved = solve_spacetime(problem.spacetime, problem.start, iterations=most)
        counts.append(len(problem.start.roots))
        seconds.append((time.perf_counter() - start) / solved.iterations)
        print(f"  {counts[-1]:5} frames: {1e3 * seconds[-1]:6.1f} ms an iteration")
    power = float(np.polyfit(np.log(counts), np.log(seconds), 1)[0])
    print(f"  an iteration grows as frames^{power:.2f}")
    return [Measure("momentum.growth", power, "", "lower", NOISE)]


def _peers(problem: object, quick: bool) -> list[Measure]:
    try:
        from benchmarks.momentum_peer import solve_with_ipopt
    except ImportError:
        print("CasADi is not here")
        return []
    mine, _ = ours(problem)  # type: ignore[arg-type]
    found: list[Measure] = []
    for way in ("gauss-newton",) if quick else ("gauss-newton", "exact"):
        peer = solve_with_ipopt(problem, way, PEER_TOLERANCE)  # type: ignore[arg-type]
        ratio = peer.solve_s / mine
        print(f"  IPOPT, {way}: {peer.solve_s:.2f} s, {ratio:.1f} times ours ({mine:.2f})")
        promise = 5.0 if way == "exact" else None
        found.append(Measure(f"momentum.ipopt {way}", ratio, "x", "higher", NOISE, promise=promise))
    return found


def _family(name: str, limit_s: float | None) -> list[Measure]:
    family, seconds = built(name)
    words = "" if limit_s is None else f" (limit {limit_s:g}; the paper: 4.5 hours)"
    print(f"{family.member_count} members of {family.frame_count} frames: {seconds:.1f}{words}")
    where = tuple(0.3 * axis.values[0] + 0.2 * axis.values[-1] for axis in family.axes)
    rate = family.frame_count / per_call(lambda: family.poses(where))
    print(f"blending {2 ** len(family.axes)} members: {rate:,.0f} poses a second (at least 20,000)")
    aim = Aim(family, complete_character(family.clip.skeleton), "right_hand_tip")
    frame = family.stages[1][1] + 2
    goal = aim.place_m(where, frame)
    hit = per_call(lambda: aim.hit(goal, frame))
    print(f"inverse control: {1e3 * hit:.2f} ms (limit 5)")
    return [
        Measure("momentum.family", seconds, "s", "lower", NOISE, promise=limit_s),
        Measure("momentum.blending", rate, "poses/s", "higher", NOISE, promise=20000.0),
        Measure("momentum.inverse", 1e3 * hit, "ms", "lower", NOISE, promise=5.0),
    ]
