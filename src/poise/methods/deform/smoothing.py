"""The low-pass filter between two rounds of solving (section 5.2).

It works on what was added, not on the motion (see the reading notes): where nothing was added,
nothing changes, and the original's own detail is kept. The paper filters the translation of the
root. We filter the turns of the controlled joints as well: frames are solved one by one, and where
a goal is out of reach, or many poses meet it, neighbours may settle differently.

What is out of reach stays so: in the next round the goal of a task that could not be met becomes
what the smoothed motion reaches when all others are met, so that it is not stretched for again,
frame by frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise.arrays import Array, Indices
from poise.constraints.original_paths import blended, blended_turns
from poise.ik import IkProblem, IkSolution
from poise.ik.displacement import hann_window, smooth_displacements
from poise.ik.values import task_values
from poise.mechanics import forward_kinematics
from poise.motion import Clip

ANGULAR = ("turn", "aim")
"""Kinds of tasks whose errors are angles."""


def half_width(smoothing_s: float, rate_hz: float) -> int:
    """In frames."""
    return round(smoothing_s * rate_hz)


def smoothed(original: Clip, solution: IkSolution, joints: Indices, half: int) -> IkSolution:
    """A solution with its displacements filtered: the root's, and those of the given joints."""
    roots, turns = smooth_displacements(
        original.root_positions_m, original.rotations_wxyz,
        solution.root_positions_m, solution.rotations_wxyz, joints, half,
    )  # fmt: skip
    return replace(solution.copy(), root_positions_m=roots, rotations_wxyz=turns)


Shares = dict[int, Array]
"""By the number of a task: for each of its frames, how much of its goal is given up."""


def given_up(
    problem: IkProblem, solution: IkSolution, half: int, met: tuple[float, float]
) -> Shares:  # fmt: skip
    """Which goals were missed, with a margin in time around each.

    Args:
        problem: as it was solved.
        solution: poses that do not meet all tasks.
        half: half-width of the smoothing in frames.
        met: metres and radians within which a goal counts as met.
    """
    found: Shares = {}
    for n, task in enumerate(problem.tasks):
        limit = met[1] if task.kind in ANGULAR else met[0]
        missed = solution.misses[task.first : task.last + 1, n] > limit
        if missed.any():
            found[n] = _around(missed, _LINGERING * half, half)
    return found


def without_goals(problem: IkProblem, shares: Shares) -> tuple[IkProblem, NDArray[np.bool_]]:
    """The problem without goals that are given up, be it in part; and the frames it is about."""
    goals, frames = problem.packed.goals.copy(), np.zeros(problem.scene.clip.frame_count, np.bool_)
    for n, share in shares.items():
        start, first = int(problem.packed.goal[n]), problem.tasks[n].first
        goals[start : start + len(share)][share > 0.0] = np.nan
        frames[first : first + len(share)] |= share > 0.0
    return replace(problem, packed=problem.packed._replace(goals=goals)), frames


def settled_for(problem: IkProblem, shares: Shares, poses: IkSolution) -> IkProblem:
    """The problem with goals that are given up replaced by what these poses reach."""
    clip, goals = problem.scene.clip, problem.packed.goals.copy()
    for n, share in shares.items():
        task, start = problem.tasks[n], int(problem.packed.goal[n])
        frames = slice(task.first, task.last + 1)
        state = forward_kinematics(
            clip.skeleton, poses.root_positions_m[frames], poses.rotations_wxyz[frames],
            clip.moving_joints, clip.moving_offsets_m[frames],
        )  # fmt: skip
        reached = task_values(task, state, problem.scene.character)
        blend = blended_turns if task.kind == "turn" else blended
        width = task.goals.shape[1]
        goals[start : start + len(share), :width] = blend(task.goals, reached, share)
    return replace(problem, packed=problem.packed._replace(goals=goals))


_LINGERING = 3
"""A goal that is missed is not gone for again before this many half-widths have passed: where it
is just within reach in between, limbs would snap to and fro."""


RESIGNED = _LINGERING + 1
"""How many half-widths away a missed goal changes what is solved."""


def _around(missed: NDArray[np.bool_], reach: int, half: int) -> Array:
    """(n,) 1 up to `reach - half` frames around missed goals, 0 from `reach + half` frames on."""
    if half == 0:
        return missed.astype(np.float64)
    wide = maximum_filter1d(missed, 2 * reach + 1, mode="constant").astype(np.float64)
    return np.convolve(np.pad(wide, half, mode="edge"), hann_window(half), mode="valid").clip(0, 1)
