"""A method: every pose becomes the mean of its neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import numpy as np
from annotated_types import Interval

from poise.extend import (
    Array,
    Edit,
    Method,
    Progress,
    ProgressCallback,
    Result,
    Takes,
    check_settings,
)


@dataclass(frozen=True)
class Settings:
    """How much is smoothed."""

    window_s: Annotated[float, Interval(ge=0, le=2)] = 0.1
    """Seconds over which poses are averaged."""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class Report:
    """What was done."""

    frames: int
    """Averaged into one, at most."""


def run(
    edit: Edit,
    settings: Settings | None = None,
    *,
    progress: ProgressCallback | None = None,
    previous: Result[Report] | None = None,
) -> Result[Report]:
    """Average root positions and rotations over a window around each frame."""
    del previous  # it is quick: nothing is kept
    settings, clip = settings or Settings(), edit.clip
    half = min(round(0.5 * settings.window_s * clip.rate_hz), clip.frame_count - 1)
    if progress is not None:
        progress(Progress("smooth"))
    # Signs of quaternions are continuous along time, so that near ones may be averaged.
    turns = _averaged(clip.rotations_wxyz, half)
    smooth = replace(
        clip,
        root_positions_m=_averaged(clip.root_positions_m, half),
        rotations_wxyz=turns / np.linalg.norm(turns, axis=2, keepdims=True),
    ).noted(f"smoothed over {2 * half + 1} frames")
    report = Report(2 * half + 1)
    return Result(smooth, "converged", f"Smoothed over {report.frames} frames.", report)


def _averaged(values: Array, half: int) -> Array:
    """The mean over `half` frames on both sides, fewer at the ends."""
    frames = len(values)
    sums = np.concatenate([np.zeros((1, *values.shape[1:])), np.cumsum(values, axis=0)])
    first = np.maximum(np.arange(frames) - half, 0)
    stop = np.minimum(np.arange(frames) + half + 1, frames)
    counts = (stop - first).reshape(-1, *(1,) * (values.ndim - 1))
    return (sums[stop] - sums[first]) / counts


METHOD = Method("smooth", Settings, Takes(contacts=False), run)
