"""Deform: the paper's reaching example, one constraint edited, and how cost grows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

import poise
from benchmarks.measure import Measure
from benchmarks.timing import interleaved
from poise.character import Character, complete_character, with_ranges
from poise.constraints import (
    Constraint,
    FollowCurve,
    HoldPoint,
    Interval,
    PassPoint,
    PlaceCenterOfMass,
)
from poise.methods import Edit, deform
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.samples import walk
from tests.shared_data import MOCAP

FRAMES, RATE_HZ = 145, 24.0
"""As in the paper: six seconds."""
FEET = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
LAYERED = (*FEET, "left_wrist", "right_wrist", "head", "chest")
"""Points that get a layer each."""
GROWTH = (1, 2, 4, 8)
NOISE = 0.5


def run(quick: bool) -> list[Measure]:
    return [*reaching(), *growing_frames(quick), *growing_layers()]


def a_walk() -> tuple[str, Clip, Character]:
    """A captured walk of the paper's length, or a code-made one where captures are absent."""
    real = MOCAP / "cmu" / "131_02.bvh"
    if real.is_file():
        clip, _ = clean(poise.load(real), ("missing-thorax", "t-pose"))
        name, clip = "cmu/131_02", resample(clip, RATE_HZ).sliced(40, 40 + FRAMES)
    else:
        name, clip = "sample walk", walk(FRAMES / RATE_HZ, RATE_HZ).sliced(0, FRAMES)
    return name, clip, with_ranges(complete_character(clip.skeleton), clip.rotations_wxyz)


def reach_for(edit: Edit, away_m: Sequence[float]) -> FollowCurve:
    """The wrist at a place for a quarter of a second, 40 frames from swing to swing."""
    character = edit.character
    assert character.roles is not None
    wrist = character.skeleton.index(character.roles.joint("left_wrist"))
    x, y, z = (edit.scene.state.positions_m[70, wrist] + away_m).tolist()
    there = PassPoint(70, (x, y, z), until=76)
    return FollowCurve("reach", "left_wrist", (there,), Interval(50, 90), priority=2)


def reaching() -> list[Measure]:
    name, clip, character = a_walk()
    whole = Interval(0, FRAMES - 1)
    feet = [FollowCurve(point, point, (), whole) for point in FEET]
    balance = PlaceCenterOfMass("balance", whole, priority=3)
    plain = Edit(clip, character, feet)
    asked: list[Constraint] = [*feet, reach_for(plain, (0.1, 0.45, 0.3)), balance]
    moved: list[Constraint] = [*feet, reach_for(plain, (0.15, 0.40, 0.3)), balance]
    result = deform.run(Edit(clip, character, asked))
    jobs = {
        "whole": lambda: deform.run(Edit(clip, character, asked)),
        "edit": lambda: deform.run(Edit(clip, character, moved), previous=result),
    }
    seconds = interleaved(jobs, 9)
    solved = jobs["edit"]().report.frames_solved
    print(f"\nreaching on {name}, {clip.frame_count} frames, {character.skeleton.tangent_size} DoF")
    print(f"{'whole':24}{1e3 * seconds['whole']:8.1f} ms   (limit 20)   {result.summary}")
    print(
        f"{'reach moved by 7 cm':24}{1e3 * seconds['edit']:8.1f} ms   (limit 8)    {solved} frames"
    )
    return [
        Measure(f"deform/reaching/{key}", 1e3 * value, "ms", "lower", NOISE)
        for key, value in seconds.items()
    ]


def _layered(clip: Clip, character: Character, count: int) -> Edit:
    whole = Interval(0, clip.frame_count - 1, 10, 10)
    held = [
        HoldPoint(point, point, (0.0, 0.01, 0.01), whole, mode="offset", priority=layer + 1)
        for layer, point in enumerate(LAYERED[:count])
    ]
    return Edit(clip, character, held)


def growing_frames(quick: bool) -> list[Measure]:
    print("\ndeform, 5 layers of 3 rows: milliseconds as the clip grows")
    jobs = {}
    for times in GROWTH[: 2 if quick else None]:
        clip = walk(times * FRAMES / RATE_HZ, RATE_HZ).sliced(0, times * FRAMES)
        character = complete_character(clip.skeleton)
        edit = _layered(clip, character, 5)
        jobs[f"{times * FRAMES} frames"] = lambda edit=edit: deform.run(edit)
    return _growth("frames", jobs, [times for times in GROWTH[: len(jobs)]])


def growing_layers() -> list[Measure]:
    print("\ndeform, 145 frames: milliseconds as layers of 3 rows are added")
    clip = walk(FRAMES / RATE_HZ, RATE_HZ).sliced(0, FRAMES)
    character = complete_character(clip.skeleton)
    jobs = {}
    for count in GROWTH:
        edit = _layered(clip, character, count)
        jobs[f"{count} layers"] = lambda edit=edit: deform.run(edit)
    return _growth("layers", jobs, list(GROWTH))


def _growth(what: str, jobs: dict, sizes: list[int]) -> list[Measure]:
    seconds = interleaved(jobs)
    times = np.array(list(seconds.values()))
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    for (name, value), job in zip(seconds.items(), jobs.values(), strict=True):
        iterations = job().report.passes[0].iterations
        per = 1e6 * value / max(int(iterations.sum()), 1)
        print(f"{name:24}{1e3 * value:8.1f} ms   {iterations.mean():.1f} iterations a frame, "
              f"{per:.0f} µs each with all else")  # fmt: skip
    print(f"{'grows with the power':24}{exponent:8.2f}")
    return [Measure(f"deform/growth/{what}", exponent, "power", "lower", NOISE)]
