"""Figures 3, 5, 6 and 7 and Table 1 of the paper again, on golf swings: tables of docs/pattern.md.

`python -m benchmarks.pattern_paper [--write]`.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np

from benchmarks.page import put_table
from benchmarks.pattern_golf import HEAD, Golf, golf, hit_frame
from poise.constraints import HitAt, Scene, tasks_of
from poise.methods.edit import Edit
from poise.methods.pattern import Settings, run
from poise.methods.pattern.goals import Goal, goals_of
from poise.methods.pattern.motion_space_ik import Rules, Solved, solve
from poise.methods.pattern.placed import PlacedClip

START = 0
"""The swing that is edited: 64_01."""
PAPER = {2: (19106, 40.0), 3: (50214, 110.0), 4: (19929, 42.0), 5: (4194, 9.0), 6: (757, 1.625),
         7: (235, 0.5), 8: (221, 0.484), 9: (247, 0.531)}  # fmt: skip
"""Iterations and seconds of Table 1, by components."""
MOST = 100_000


def goals_at(swings: Golf, placed: PlacedClip, place_m: np.ndarray, count: int) -> list[Goal]:
    """The one goal of the experiments: the head is there in the frame of the hit."""
    asked = HitAt("hit", HEAD, tuple(place_m.tolist()), hit_frame(placed))
    tasks = tasks_of(asked, Scene(placed.clip, swings.character))
    # As in the paper, the motion is what the components have of it.
    return goals_of(placed, tasks, count, placed.projected(count))


def timed(goals: list[Goal], placed: PlacedClip, count: int, rules: Rules) -> tuple[Solved, float]:
    """A search, and its seconds: the best of three."""
    pattern = placed.pattern
    best, found = np.inf, None
    for _ in range(3):
        start = time.perf_counter()
        found = solve(goals, placed.coefficients[:count], pattern.deviations[:count], rules)
        best = min(best, time.perf_counter() - start)
    assert found is not None
    return found, best


def by_components(swings: Golf) -> list[str]:
    """Fig. 3 and Table 1: iterations and time by components, with three kinds of damping."""
    pattern = swings.pattern()
    placed = swings.placed(pattern, START)
    furthest = _goals(swings, placed)[-1][1]
    lines = [
        "| components | explained | fixed ξ = 10: iterations, ms | none: iterations, deviations |"
        " adaptive: iterations, ms | paper: iterations, s |\n" + "|---" * 6 + "|"
    ]
    for count in range(1, len(pattern.variances) + 1):
        goals = goals_at(swings, placed, furthest, count)
        cells = [str(count), f"{100 * pattern.shares[count - 1]:.0f} %"]
        for damping in ("fixed", "none", "adaptive"):
            rules = Rules(0.01, 0.01, MOST, damping)
            found, seconds = timed(goals, placed, count, rules)
            miss = found.errors_m[-1]
            ended = (
                f"{found.iterations:,}"
                if found.ending == "met"
                else f"ends {100 * miss:.1f} cm off"
            )
            if damping == "none":
                cells.append(f"{ended}, {found.deviations:.1f}")
            else:
                cells.append(f"{ended}, {1e3 * seconds:.2f}")
        iterations, took = PAPER.get(count, (0, 0.0))
        cells.append(f"{iterations:,}, {took:g}" if iterations else "")
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def shares(swings: Golf) -> list[str]:
    """Fig. 5: how much the first components explain."""
    pattern = swings.pattern()
    print("explained:", np.round(pattern.shares, 3))
    head = "| components | " + " | ".join(str(i + 1) for i in range(len(pattern.shares))) + " |"
    row = "| explained | " + " | ".join(f"{100 * s:.1f} %" for s in pattern.shares) + " |"
    return [head + "\n" + "|---" * (len(pattern.shares) + 1) + "|", row]


def _goals(swings: Golf, placed: PlacedClip) -> list[tuple[int, np.ndarray]]:
    """Where five other swings hit, in the room of the edited one: nearest first."""
    pattern = placed.pattern
    own = swings.head_m(placed.clip, hit_frame(placed))
    found: list[tuple[int, np.ndarray]] = []
    for i in range(len(swings.clips)):
        if i != START:
            other = swings.placed(pattern, i)
            place_m = other.placing.places(swings.head_m(other.clip, hit_frame(other)))
            found.append((i, placed.placing.places_back(place_m)))
    found.sort(key=lambda pair: float(np.linalg.norm(pair[1] - own)))
    return found[-5:]


def five_goals(swings: Golf) -> list[str]:
    """Fig. 7 and 6: five places where others hit; iterations, and coefficients before and after."""
    pattern = swings.pattern()
    placed = swings.placed(pattern, START)
    own = swings.head_m(placed.clip, hit_frame(placed))
    character = swings.character
    lines = [
        "| hits where | away, cm | fixed: iterations | none | adaptive | ended | coefficients 1, 2 "
        "(of that swing) | deviations from the start (of that swing) |\n" + "|---" * 8 + "|",
        "| 64_01 as it is | 0 | | | | | "
        + _pair(placed.coefficients, pattern.deviations) + " | |",
    ]  # fmt: skip
    count = len(pattern.variances)
    for i, place_m in _goals(swings, placed):
        goals = goals_at(swings, placed, place_m, count)
        iterations = [
            timed(goals, placed, count, Rules(0.01, 0.01, MOST, damping))[0].iterations
            for damping in ("fixed", "none")
        ]
        asked = HitAt("hit", HEAD, tuple(place_m.tolist()), hit_frame(placed))
        edit = Edit(placed.clip, character, [asked], swings.environment(START), pattern=pattern)
        made = run(edit, Settings(met_mm=10.0))
        after, start = made.report.coefficients_after, placed.coefficients
        other = pattern.coefficients[i]
        moved = [np.linalg.norm((a - start) / pattern.deviations) for a in (after, other)]
        cells = (
            swings.clips[i].name, f"{100 * np.linalg.norm(place_m - own):.1f}",
            *(str(n) for n in iterations), str(made.report.iterations),
            f"{made.status}, {made.constraints[0].worst:.1f} mm",
            f"{_pair(after, pattern.deviations)} ({_pair(other, pattern.deviations)})",
            f"{moved[0]:.1f} ({moved[1]:.1f})",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def _pair(coefficients: np.ndarray, deviations: np.ndarray) -> str:
    first, second = (coefficients / deviations)[:2]
    return f"{first:+.2f}, {second:+.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pattern_paper", description=__doc__)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    swings = golf()
    if swings is None:
        return 1
    print(swings.club.words())
    tables = {
        "club": [f"> {swings.club.words()}."],
        "explained": shares(swings),
        "by components": by_components(swings),
        "five goals": five_goals(swings),
    }
    if asked.write:
        for mark, lines in tables.items():
            put_table("pattern.md", mark, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
