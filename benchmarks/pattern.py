"""Patterns: one edit, learning from many clips, and how both grow.

`python -m benchmarks.pattern_paper` and `python -m benchmarks.pattern_left_out` have the paper's
figures, swings that were left out, and the same edit by `deform`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.measure import Measure
from benchmarks.pattern_golf import HEAD, Golf, golf, hit_frame
from benchmarks.timing import interleaved
from poise import rotations
from poise.constraints import HitAt
from poise.methods.edit import Edit
from poise.methods.motion_pattern import EventRule
from poise.methods.pattern import Settings, learn, run
from poise.methods.pattern.motion_vectors import sampled
from poise.motion import Clip
from poise.solvers.principal_components import principal_components

NOISE = 0.5
CLIPS, FRAMES = 100, 500
"""Of the promise about learning."""


def run_edits(swings: Golf) -> list[Measure]:
    """Seconds of an edit after loading, with and without what follows the pattern."""
    pattern = swings.pattern()
    here, other = swings.placed(pattern, 0), swings.placed(pattern, 2)
    hit = other.placing.places(swings.head_m(other.clip, hit_frame(other)))
    goal = tuple(here.placing.places_back(hit).tolist())
    asked = HitAt("hit", HEAD, goal, hit_frame(here))
    edit = Edit(here.clip, swings.character, [asked], swings.environment(0), pattern=pattern)
    plain = Settings(feet="free", finish_cm=0.0)
    first, alone = run(edit), run(edit, plain)
    seconds = interleaved(
        {
            "edit": lambda: run(edit, previous=first),
            "pattern alone": lambda: run(edit, plain, previous=alone),
            "with a clip not seen before": lambda: run(edit),
        }
    )
    for name, took in seconds.items():
        limit = " (limit 20; the paper: 500 to 5,000)" if name == "edit" else ""
        print(f"{name}, {here.clip.frame_count} frames: {1e3 * took:.1f} ms{limit}")
    return [Measure("pattern.edit", 1e3 * seconds["edit"], "ms", "lower", NOISE, promise=20.0)]


def run_learning(swings: Golf, quick: bool) -> list[Measure]:
    """Seconds of learning, by clips; and of the components alone beside a plain decomposition."""
    rule = [EventRule("hit", "lowest", HEAD, near="fastest")]
    counts = (10, 20) if quick else (25, 50, CLIPS)
    clips = many(swings, counts[-1])
    character = swings.character
    jobs = {
        str(n): (lambda n=n: learn(clips[:n], character, rules=rule, grounds_m=[0.0] * n))
        for n in counts
    }
    seconds = interleaved(jobs)
    for name, took in seconds.items():
        limit = " (limit 5)" if int(name) == CLIPS else ""
        print(f"learning from {name} clips of {FRAMES} frames: {took:.2f} s{limit}")
    power = float(np.polyfit(np.log(counts), np.log(list(seconds.values())), 1)[0])
    print(f"  grows as clips^{power:.2f}")
    vectors = np.random.default_rng(0).normal(size=(counts[-1], FRAMES * 96))
    both = interleaved(
        {
            "ours": lambda: principal_components(vectors),
            "svd": lambda: np.linalg.svd(vectors - vectors.mean(axis=0), full_matrices=False),
        },
        repeats=3,
    )
    ratio = both["svd"] / both["ours"]
    print(f"  components of {vectors.shape}: NumPy's SVD takes {ratio:.1f} times as long")
    found = [
        Measure("pattern.learning growth", power, "", "lower", NOISE),
        Measure("pattern.components over svd", ratio, "x", "higher", NOISE),
    ]
    if not quick:
        name = f"pattern.learning {CLIPS}"
        found.append(Measure(name, seconds[str(CLIPS)], "s", "lower", NOISE, promise=5.0))
    return found


def many(swings: Golf, count: int) -> list[Clip]:
    """Swings like those captured, each a little different, all of FRAMES frames."""
    random = np.random.default_rng(64)
    made: list[Clip] = []
    for i in range(count):
        clip = swings.clips[i % len(swings.clips)]
        frames = np.linspace(0, clip.frame_count - 1, FRAMES)
        roots, turns = sampled(clip, frames)
        lean = rotations.exp(np.radians(2.0) * random.normal(size=(turns.shape[1], 3)))
        made.append(
            replace(
                clip,
                root_positions_m=roots,
                rotations_wxyz=rotations.multiply(turns, lean),
                source=None,
                name=f"swing {i}",
            )
        )
    return made


def run_suite(quick: bool) -> list[Measure]:
    """All of it."""
    print("\npatterns: medians of five warm runs")
    swings = golf()
    if swings is None:
        return []
    return [*run_edits(swings), *run_learning(swings, quick)]
