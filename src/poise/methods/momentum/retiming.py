"""Flights that last longer or shorter: the same poses over other frames.

Time runs as it did where a flight begins and ends, and slower or faster in between, by a cubic: a
flight that were stretched evenly would begin with a jolt in every joint.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.contact import ContactSchedule
from poise.methods.momentum.momentum_curves import StageMomentum
from poise.methods.momentum.stages import Stage
from poise.motion import Clip

LONGEST = 2.9
"""Times as long as it was: beyond three the cubic would run backwards."""


def retimed_stages(stages: Sequence[Stage], counts: Mapping[int, int]) -> tuple[Stage, ...]:
    """The stages when flights have other numbers of frames."""
    found: list[Stage] = []
    at = 0
    for i, stage in enumerate(stages):
        count = counts.get(i, stage.frame_count)
        found.append(replace(stage, first=at, stop=at + count))
        at += count
    return tuple(found)


def frame_times(stages: Sequence[Stage], counts: Mapping[int, int]) -> Array:
    """(F',) which frame of the clip, or between which, every new frame shows."""
    parts: list[Array] = []
    for i, stage in enumerate(stages):
        count = counts.get(i, stage.frame_count)
        if count == stage.frame_count:
            parts.append(np.arange(stage.first, stage.stop, dtype=np.float64))
            continue
        # From the last frame on the ground to the first one after it.
        old, new = stage.frame_count + 1.0, count + 1.0
        x = np.arange(1, count + 1) / new
        # Cubic from 0 to `old` whose slope at both ends is one frame a frame.
        smooth = x * x * (3.0 - 2.0 * x)
        ends = x * (1.0 - x) ** 2 - x * x * (1.0 - x)
        parts.append(stage.first - 1.0 + old * smooth + new * ends)
    last = stages[-1].stop - 1.0
    return np.clip(np.concatenate(parts), 0.0, last)


def retimed_clip(clip: Clip, times: Array) -> Clip:
    """The clip at frames that need not be whole."""
    from scipy.interpolate import CubicSpline

    if np.array_equal(times, np.arange(clip.frame_count)):
        return clip
    frames = np.arange(clip.frame_count)
    whole = times == np.round(times)
    roots = np.asarray(CubicSpline(frames, clip.root_positions_m)(times))
    turns = np.asarray(CubicSpline(frames, rotations.continuous(clip.rotations_wxyz))(times))
    turns = rotations.normalize(turns)
    at = np.round(times[whole]).astype(np.int64)
    roots[whole], turns[whole] = clip.root_positions_m[at], clip.rotations_wxyz[at]
    source = clip.source and replace(clip.source, channels=None)  # of other frames
    return replace(clip, root_positions_m=roots, rotations_wxyz=turns, source=source)


def retimed_contacts(contacts: ContactSchedule, times: Array) -> ContactSchedule:
    """What touches at these frames: nothing begins or ends in between, so the nearest says it."""
    at = np.round(times).astype(np.int64)
    sliding = None if contacts.sliding is None else contacts.sliding[at]
    return replace(contacts, touching=contacts.touching[at], sliding=sliding)


def retimed_curves(
    fitted: Mapping[int, StageMomentum], stages: Sequence[Stage]
) -> dict[int, StageMomentum]:
    """Momentum curves of ground stages, which begin at other frames but last as long."""
    return {
        i: replace(each, stage=stages[i], first=max(stages[i].first - 1, 0))
        for i, each in fitted.items()
    }
