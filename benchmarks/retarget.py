"""Retargeting: frames a second of poses, of contacts held and of the whole, and how they grow.

`python -m benchmarks.retarget_peers` has GMR and mink beside it, `python -m
benchmarks.retarget_table` what comes out on robots and other bodies.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks import retarget_mink
from benchmarks.measure import Measure
from benchmarks.pattern_golf import SHARED
from benchmarks.retarget_table import TARGETS, source, target, whole
from benchmarks.timing import interleaved
from poise.methods.retarget import retargeted
from poise.motion import Clip
from poise.transfer import correspondence

NOISE = 0.3


def run_suite(quick: bool) -> list[Measure]:
    """On the G1, a walk; and the same walk several times over."""
    if not (SHARED / TARGETS["G1"]).is_file():
        print("retarget: the shared robots are not here, nothing is measured")
        return []
    clip, human, place = source("02_01")
    robot = target("G1")
    matches = correspondence(human, robot)
    held = retargeted(clip, human, robot, matches, place)
    ready = retarget_mink.prepared(SHARED / TARGETS["G1"], clip, human, robot, matches, held)
    start = retarget_mink.started(ready)
    seconds = interleaved(
        {
            "mink": lambda: retarget_mink.solved(ready, start),
            "poses": lambda: retargeted(clip, human, robot, matches, place, feet=False),
            "contacts held": lambda: retargeted(clip, human, robot, matches, place),
            "whole": lambda: whole(clip, human, robot, place),
        }
    )
    for name, took in seconds.items():
        print(f"{name}, {clip.frame_count} frames: {clip.frame_count / took:.0f} frames/s")
    times = (1, 4) if quick else (1, 2, 4, 8)
    longer = {n: _repeated(clip, n) for n in times}
    took = interleaved(
        {str(n): (lambda n=n: retargeted(longer[n], human, robot, matches, place)) for n in times}
    )
    slope = np.polyfit(np.log(times), np.log([took[str(n)] for n in times]), 1)[0]
    print(f"contacts held grows as frames^{slope:.2f}, up to {longer[times[-1]].frame_count}")
    ratio = seconds["mink"] / seconds["poses"]
    return [Measure("retarget.poses_vs_mink", float(ratio), "×", "higher", NOISE)]


def _repeated(clip: Clip, times: int) -> Clip:
    """A walk there and back again, so that no frame jumps."""
    back = np.concatenate([np.arange(clip.frame_count), np.arange(clip.frame_count)[::-1]])
    frames = np.concatenate([back] * ((times + 1) // 2))[: times * clip.frame_count]
    return replace(
        clip,
        root_positions_m=clip.root_positions_m[frames],
        rotations_wxyz=clip.rotations_wxyz[frames],
        source=None,
    )
