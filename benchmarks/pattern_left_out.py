"""Leave one swing out, then hit where it hit; and the same edit by `deform` (section 6.2).

`python -m benchmarks.pattern_left_out [--write]`: two tables of docs/pattern.md.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np

from benchmarks.page import put_table
from benchmarks.pattern_golf import HEAD, Golf, golf, hit_frame, joints_m
from benchmarks.timing import interleaved
from poise.arrays import Array
from poise.constraints import (
    Constraint,
    HitAt,
    HoldPoint,
    Interval,
    KeepDistance,
    PlaceCenterOfMass,
    Plant,
)
from poise.measures import evaluate
from poise.methods import Edit, Result, deform, pattern
from poise.methods.pattern import Pattern, Settings
from poise.motion import Clip

EASE_S = 0.35
"""Over how long before and after the hit `deform` changes the swing; as `pattern` finishes."""


def by_pattern(
    swings: Golf, start: int, learned: Pattern, frame: int, goal_m: Array,
    settings: Settings | None = None,
) -> Result:  # fmt: skip
    """One constraint: the hit."""
    return pattern.run(_by_pattern(swings, start, learned, frame, goal_m), settings)


def _by_pattern(
    swings: Golf, start: int, learned: Pattern, frame: int, goal_m: Array
) -> Edit:  # fmt: skip
    hit = HitAt("hit", HEAD, tuple(goal_m.tolist()), frame)
    place = swings.environment(start)
    return Edit(swings.clips[start], swings.character, [hit], place, pattern=learned)


def by_deform(swings: Golf, start: int, frame: int, goal_m: Array) -> Edit:
    """What a user of `deform` writes: the hit with easing, both feet, the grip, the balance."""
    clip = swings.clips[start]
    wide, whole = round(EASE_S * clip.rate_hz), Interval(0, clip.frame_count - 1)
    by = goal_m - swings.head_m(clip, frame)
    feet = [Plant(f"{s} foot", f"{s}_foot", whole, mode="follow") for s in ("left", "right")]
    around = Interval(frame - wide, frame + wide, wide, wide)
    constraints: Sequence[Constraint] = [
        *feet,
        HoldPoint("hit", HEAD, tuple(by.tolist()), around, "offset", priority=2),
        KeepDistance("grip", "left_wrist", "right_wrist", whole, priority=2),
        PlaceCenterOfMass("balance", whole, axes="xz", priority=3),
    ]
    return Edit(clip, swings.character, constraints, swings.environment(start))


def left_out(swings: Golf, *, whole: bool) -> list[str]:
    """Hit where the swing that the pattern does not know hit."""
    lines = [
        "| left out | start | hits apart, cm | start: error, cm | deform | pattern | off the goal, "
        "mm | by IK, cm | deviations |\n" + "|---" * 9 + "|"
    ]
    rows: list[list[float]] = []
    for out in range(len(swings.clips)):
        known = [i for i in range(len(swings.clips)) if i != out]
        learned = swings.pattern(known, whole=whole)
        placed = [swings.placed(learned, i) for i in range(len(swings.clips))]
        hits = [p.placing.places(swings.head_m(p.clip, hit_frame(p))) for p in placed]
        start = min(known, key=lambda i: float(np.linalg.norm(hits[i] - hits[out])))
        here, frame = placed[start], hit_frame(placed[start])
        goal = here.placing.places_back(hits[out])
        truth = joints_m(swings.clips[out], placed[out])

        def error(clip: Clip, placed=here, truth=truth) -> float:
            return 100 * float(np.linalg.norm(joints_m(clip, placed) - truth, axis=-1).mean())

        made = by_pattern(swings, start, learned, frame, goal)
        bent = deform.run(by_deform(swings, start, frame, goal))
        apart = 100 * float(np.linalg.norm(hits[start] - hits[out]))
        off = 1e3 * float(np.linalg.norm(swings.head_m(made.clip, frame) - goal))
        row = [apart, error(swings.clips[start]), error(bent.clip), error(made.clip), off,
               0.1 * made.report.finished_by_ik_mm, made.report.deviations_after]  # fmt: skip
        rows.append(row)
        names = f"{swings.clips[out].name} | {swings.clips[start].name}"
        lines.append(f"| {names} | {' | '.join(f'{value:.2f}' for value in row)} |")
        print(lines[-1], flush=True)
    means = np.mean(rows, axis=0)
    lines.append(f"| **mean** | | {' | '.join(f'**{value:.2f}**' for value in means)} |")
    print(lines[-1])
    return lines


def against_deform(swings: Golf) -> list[str]:
    """Section 6.2: one edit by both, with what the user has to write and what it costs."""
    learned = swings.pattern()
    here, other = swings.placed(learned, 0), swings.placed(learned, 2)
    frame = hit_frame(here)
    goal = here.placing.places_back(
        other.placing.places(swings.head_m(other.clip, hit_frame(other)))
    )
    edit, bent = _by_pattern(swings, 0, learned, frame, goal), by_deform(swings, 0, frame, goal)
    first = pattern.run(edit)
    results = {"captured": None, "pattern": first, "deform": deform.run(bent)}
    seconds = interleaved(
        {
            "pattern": lambda: pattern.run(edit, previous=first),
            "deform": lambda: deform.run(bent),
        }
    )
    alone = by_deform(swings, 0, frame, goal)
    alone = Edit(alone.clip, alone.character, alone.constraints[2:3], alone.environment)
    results["deform, the hit alone"] = deform.run(alone)
    clip, place = swings.clips[0], swings.environment(0)
    lines = [
        "| | constraints to write | time, ms | off the goal, mm | foot slide, cm/s | jerk, × "
        "captured | ZMP outside, cm | root wrench, body weights |\n" + "|---" * 8 + "|"
    ]
    counts = {"pattern": 1, "deform": len(bent.constraints), "deform, the hit alone": 1}
    for name, result in results.items():
        made = clip if result is None else result.clip
        found = evaluate(made, swings.character, place, against=clip)
        off = 1e3 * float(np.linalg.norm(swings.head_m(made, frame) - goal))
        took = f"{1e3 * seconds[name]:.0f}" if name in seconds else ""
        cells = (
            name, str(counts.get(name, "")), took, f"{off:.1f}",
            f"{found.value('foot_slide.mean_under_input_contacts'):.2f}",
            f"{found.value('jitter.ratio'):.3f}",
            f"{found.value('zmp_excursion.mean_under_input_contacts'):.2f}",
            f"{found.value('root_wrench.force_under_input_contacts'):.3f}",
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    return lines


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.pattern_left_out", description=__doc__
    )
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    swings = golf()
    if swings is None:
        return 1
    tables = {"left out": left_out(swings, whole=False), "against deform": against_deform(swings)}
    print("with all that was captured, standing about too:")
    tables["left out, whole"] = left_out(swings, whole=True)
    if asked.write:
        for mark, lines in tables.items():
            put_table("pattern.md", mark, lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
