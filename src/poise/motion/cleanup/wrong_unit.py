"""Wrong units: a figure that is not the size of a person in the unit its file states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import units
from poise.motion.cleanup.finding import Finding
from poise.motion.clip import Clip

NAME = "wrong-unit"


def find(clip: Clip) -> Finding | None:
    """A stature outside what people have, and the unit that would explain it."""
    if clip.source is not None and clip.source.unit.reason == units.GIVEN:
        return None  # the user's word is not a defect
    height = _height_m(clip)
    low, high = units.PLAUSIBLE_STATURE_M
    if low <= height <= high or height == 0.0:
        return None
    better = _better_scale(clip)
    summary = f"the figure is {height:.3g} m tall; people are {low:g} to {high:g} m"
    if better is None:
        return Finding(NAME, f"{summary}, and no usual unit explains it")
    return Finding(
        NAME,
        f"{summary}. Its numbers look like {better.name}",
        repair=f"read the file's numbers as {better.name}",
    )


def repair(clip: Clip, finding: Finding) -> Clip:
    """The clip scaled as if its file had been read in the better unit."""
    better = _better_scale(clip)
    if better is None:
        return clip
    factor = better.metres / _file_unit_m(clip)
    skeleton = clip.skeleton
    ends = replace(skeleton.end_sites, offsets_m=skeleton.end_sites.offsets_m * factor)
    skeleton = replace(skeleton, offsets_m=skeleton.offsets_m * factor, end_sites=ends)
    source = clip.source
    return replace(
        clip,
        skeleton=skeleton,
        root_positions_m=clip.root_positions_m * factor,
        moving_offsets_m=clip.moving_offsets_m * factor,
        source=None if source is None else replace(source, unit=better),
    )


def _better_scale(clip: Clip) -> units.Unit | None:
    found = units.detect_unit(_height_m(clip) / _file_unit_m(clip))
    return found if found.reason.startswith("detected") else None


def _file_unit_m(clip: Clip) -> float:
    return 1.0 if clip.source is None else clip.source.unit.metres


def _height_m(clip: Clip) -> float:
    skeleton = clip.skeleton
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    return float(np.ptp(points, axis=0).max())
