"""`poise measure` on whole clips, and surface queries, as cost grows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import poise
from benchmarks.measure import Measure
from benchmarks.timing import interleaved
from poise.character import complete_character
from poise.contact import detect_contacts, estimate_ground
from poise.environment import ConvexPart, Environment, query
from poise.measures import evaluate
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.samples import human_skeleton
from tests.shared_data import MOCAP

FRAMES = 1_000
GROWTH = (1, 10, 100)
NOISE = 0.5


def run(quick: bool) -> list[Measure]:
    return [*measuring(quick), *querying()]


def thousand_frames() -> tuple[str, Clip]:
    """A captured clip of a thousand frames, or a code-made stand-in where captures are absent."""
    real = MOCAP / "cmu" / "131_02.bvh"
    if real.is_file():
        clip, _ = clean(poise.load(real), ("missing-thorax", "t-pose"))
        return "cmu/131_02", replace(clip.sliced(0, FRAMES), source=None)
    skeleton = human_skeleton()
    roots = np.tile(skeleton.offsets_m[0], (FRAMES, 1))
    return "standing", Clip(skeleton, 120.0, roots, np.tile(skeleton.rest_wxyz, (FRAMES, 1, 1)))


def repeated(clip: Clip, times: int) -> Clip:
    return replace(
        clip,
        root_positions_m=np.tile(clip.root_positions_m, (times, 1)),
        rotations_wxyz=np.tile(clip.rotations_wxyz, (times, 1, 1)),
        moving_offsets_m=np.zeros((0, 0, 3)),
    )


def measuring(quick: bool) -> list[Measure]:
    name, clip = thousand_frames()
    character = complete_character(clip.skeleton)
    print(f"\nall measures of {name}, {clip.skeleton.joint_count} joints: milliseconds")
    measures: list[Measure] = []
    for times in GROWTH[: 1 if quick else None]:
        longer = repeated(clip, times)
        ground, _ = estimate_ground(longer, character)
        place = Environment((ground,))
        jobs = {
            "all": lambda c=longer: evaluate(c, character),
            "contacts": lambda c=longer, e=place: detect_contacts(c, character, e),
        }
        seconds = interleaved(jobs, 5 if times == 1 else 1)
        frames = longer.frame_count
        print(
            f"F = {frames:<10,}{1e3 * seconds['all']:10.1f}"
            f"   of it finding contacts {1e3 * seconds['contacts']:10.1f}"
        )
        key = f"measuring/F={frames}/time"
        measures.append(Measure(key, 1e3 * seconds["all"], "ms", "lower", NOISE))
    return measures


def querying() -> list[Measure]:
    rng = np.random.default_rng(12345)
    directions = rng.normal(size=(502, 3))
    solid = ConvexPart(directions / np.linalg.norm(directions, axis=1, keepdims=True), "ball")
    place = Environment((solid,))
    points = rng.uniform(-2.0, 2.0, size=(10_000, 3))
    jobs = {
        "two cores": lambda: query(place, points),
        "one core": lambda: query(place, points, parallel=False),
    }
    seconds = interleaved(jobs)
    print("\nclosest point, normal and distance, 10,000 points x 1,000 faces: milliseconds")
    for name, value in seconds.items():
        print(f"{name:14}{1e3 * value:10.1f}")
    return [
        Measure(f"query/{name.replace(' ', '_')}/time", 1e3 * value, "ms", "lower", NOISE)
        for name, value in seconds.items()
    ]
