"""The low-pass filter between two rounds of solving (section 5.2).

It works on what was added, not on the motion (see the reading notes): where nothing was added,
nothing changes, and the original's own detail is kept. The paper filters the translation of the
root. We filter the turns of the controlled joints as well: frames are solved one by one, and where
a goal is out of reach, or many poses meet it, neighbours may settle differently.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise.arrays import Indices
from poise.contact import intervals
from poise.ik import IkProblem, IkSolution, keep_in_range, smooth_displacements
from poise.methods.deform.problem import Problem
from poise.motion import Clip


def half_width(smoothing_s: float, rate_hz: float) -> int:
    """In frames."""
    return round(smoothing_s * rate_hz)


def half_widths(served: NDArray[np.bool_], half: int, wider: int = 1) -> Indices:
    """(F, n) how far the windows of each frame reach to either side, in frames.

    Args:
        served: (F, n) frames in which constraints use the root's place or a joint.
        half: the usual half-width: no displacement reaches further out of these frames.
        wider: windows are so many times as wide where that rule allows it.
    """
    halves = np.full(served.shape, half, dtype=np.int64)
    if wider > 1:
        frames, count = np.arange(len(served)), len(served)
        for n in range(served.shape[1]):
            for first, stop in intervals(served[:, n]):
                here = frames[first:stop]
                before = here - first if first > 0 else np.full_like(here, count)
                after = stop - 1 - here if stop < count else np.full_like(here, count)
                halves[first:stop, n] = np.minimum(half + np.minimum(before, after), wider * half)
    return halves


def served_frames(ik: IkProblem, joints: Indices) -> NDArray[np.bool_]:
    """(F, 1 + number of joints) in which frames tasks use the root's place, and joints."""
    served = np.zeros((ik.scene.clip.frame_count, 1 + len(joints)), dtype=np.bool_)
    for task in ik.tasks:
        uses = np.r_[task.recruits.translation, task.recruits.joints[joints]]
        served[task.first : task.last + 1, uses] = True
    return served


def smoothed(
    under: Clip | IkSolution,
    solution: IkSolution,
    problem: Problem,
    frames: NDArray[np.bool_],
    wider: int = 1,
) -> IkSolution:
    """A solution with its displacements filtered.

    Args:
        under: what they are displacements from.
        solution: poses.
        problem: the root's place and the turns of joints that it controls are filtered.
        frames: (F,) where joints are kept inside their ranges, and as far around them as the
            filter reaches.
        wider: how many times the usual width.
    """
    half = half_width(problem.settings.smoothing_s, problem.edit.clip.rate_hz)
    joints = np.flatnonzero(problem.ik.blocks.of_joint >= 0)
    roots, turns = smooth_displacements(
        under.root_positions_m, under.rotations_wxyz,
        solution.root_positions_m, solution.rotations_wxyz, joints,
        half_widths(served_frames(problem.ik, joints), half, wider),
    )  # fmt: skip
    smooth = replace(solution.copy(), root_positions_m=roots, rotations_wxyz=turns)
    around = frames
    if half > 0:
        around = maximum_filter1d(frames, 2 * half + 1, mode="constant").astype(np.bool_)
    for first, stop in intervals(around):
        keep_in_range(problem.ik, smooth, first, stop - 1)
    return smooth
