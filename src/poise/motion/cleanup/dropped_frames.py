"""Dropped frames: samples the capture lost and the file fills with zeros."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array
from poise.motion.cleanup.finding import Finding
from poise.motion.cleanup.t_pose import all_zero_frames, captured_joints, joints_at_rest
from poise.motion.clip import Clip

NAME = "dropped-frames"


def find(clip: Clip) -> Finding | None:
    """Frames in which the root is at the origin and every joint exactly at rest."""
    at_rest = joints_at_rest(clip)
    if not captured_joints(at_rest).any():
        return None
    dropped = all_zero_frames(clip, at_rest)
    frames = tuple(int(i) for i in np.flatnonzero(dropped))
    if not frames or len(frames) > clip.frame_count - 2:
        return None
    count = "1 frame is" if len(frames) == 1 else f"{len(frames)} frames are"
    return Finding(
        NAME,
        f"{count} all zero: the capture lost {'it' if len(frames) == 1 else 'them'}",
        frames,
        repair="fill from the frames around (at an end of the clip: carry its motion on)",
    )


def repair(clip: Clip, finding: Finding) -> Clip:
    """The clip with those frames interpolated, or extrapolated at its ends."""
    good = np.ones(clip.frame_count, dtype=bool)
    good[list(finding.frames)] = False
    before, after, share = _neighbours(good, np.array(finding.frames))
    roots, q = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
    frames = list(finding.frames)
    roots[frames] = _mixed(roots, before, after, share[:, None])
    q[frames] = rotations.slerp(q[before], q[after], share[:, None])
    moving = clip.moving_offsets_m.copy()
    moving[frames] = _mixed(moving, before, after, share[:, None, None])
    return replace(clip, root_positions_m=roots, rotations_wxyz=q, moving_offsets_m=moving)


def _mixed(values: Array, before: NDArray[np.int64], after: NDArray[np.int64], s: Array) -> Array:
    return (1.0 - s) * values[before] + s * values[after]


def _neighbours(
    good: NDArray[np.bool_], frames: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], Array]:
    """The two good frames each bad one is made from, and where between (or beyond) them it lies."""
    kept = np.flatnonzero(good)
    slot = np.searchsorted(kept, frames)
    # Beyond either end the two outermost good frames serve, with a share outside 0 to 1.
    slot = np.clip(slot, 1, len(kept) - 1)
    before, after = kept[slot - 1], kept[slot]
    return before, after, (frames - before) / (after - before)
