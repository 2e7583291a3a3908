"""The low-pass filter between two rounds of solving (section 5.2).

It works on what was added, not on the motion (see the reading notes): where nothing was added,
nothing changes, and the original's own detail is kept. The paper filters the translation of the
root. We filter the turns of the controlled joints as well: frames are solved one by one, and where
a goal is out of reach, or many poses meet it, neighbours may settle differently.

What is out of reach stays so: in the next round the goal of a task that could not be met becomes
what the smoothed motion reaches, so that it is not stretched for again, frame by frame.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d

from poise import rotations
from poise.arrays import Array, Indices
from poise.constraints.original_paths import blended, blended_turns
from poise.ik import IkProblem, IkSolution
from poise.ik.values import task_values
from poise.mechanics import forward_kinematics
from poise.motion import Clip

ANGULAR = ("turn", "aim")
"""Kinds of tasks whose errors are angles."""


def half_width(smoothing_s: float, rate_hz: float) -> int:
    """In frames."""
    return round(smoothing_s * rate_hz)


def filtered(series: Array, half: int) -> Array:
    """(F, C) after a Hann window of 2·half + 1 frames; the ends are continued as they are.

    A finite window, so that a displacement reaches no further than `half` frames.
    """
    if half == 0:
        return series.copy()
    window = np.hanning(2 * half + 3)[1:-1]
    padded = np.pad(series, ((half, half), (0, 0)), mode="edge")
    views = np.lib.stride_tricks.sliding_window_view(padded, 2 * half + 1, axis=0)
    return views @ (window / window.sum())


def smoothed(original: Clip, solution: IkSolution, joints: Indices, half: int) -> IkSolution:
    """A solution with its displacements filtered: the root's, and those of the given joints."""
    smooth = solution.copy()
    added = filtered(solution.root_positions_m - original.root_positions_m, half)
    moves = added.any(axis=1)
    smooth.root_positions_m[:] = original.root_positions_m
    smooth.root_positions_m[moves] += added[moves]
    before = original.rotations_wxyz[:, joints]
    turns = rotations.multiply(rotations.conjugate(before), solution.rotations_wxyz[:, joints])
    turns = np.where(turns[..., :1] < 0.0, -turns, turns)
    same = (before == solution.rotations_wxyz[:, joints]).all(axis=-1, keepdims=True)
    turns = np.where(same, rotations.IDENTITY, turns)
    frames, count = before.shape[:2]
    turns = filtered(turns.reshape(frames, -1), half).reshape(frames, count, 4)
    after = rotations.normalize(rotations.multiply(before, rotations.normalize(turns)))
    turned = turns[..., 1:].any(axis=-1, keepdims=True)
    smooth.rotations_wxyz[:, joints] = np.where(turned, after, before)
    return smooth


def resigned(
    problem: IkProblem,
    solution: IkSolution,
    smooth: IkSolution,
    half: int,
    met: tuple[float, float],
) -> IkProblem:
    """The problem with the goals of unmet tasks replaced by what the smoothed poses reach.

    Args:
        problem: as it was solved.
        solution: the poses that do not meet all tasks.
        smooth: the same, smoothed.
        half: half-width of the smoothing; the change fades in and out around the frames that miss.
        met: metres and radians within which a goal counts as met.
    """
    clip, goals = problem.scene.clip, None
    for n, task in enumerate(problem.tasks):
        frames = slice(task.first, task.last + 1)
        limit = met[1] if task.kind in ANGULAR else met[0]
        missed = solution.misses[frames, n] > limit
        if not missed.any():
            continue
        shares = _around(missed, _LINGERING * half, half)
        moving = clip.moving_offsets_m[frames]
        state = forward_kinematics(
            clip.skeleton, smooth.root_positions_m[frames], smooth.rotations_wxyz[frames],
            clip.moving_joints, moving,
        )  # fmt: skip
        reached = task_values(task, state, problem.scene.character)
        blend = blended_turns if task.kind == "turn" else blended
        if goals is None:
            goals = problem.packed.goals.copy()
        start = int(problem.packed.goal[n])
        width = task.goals.shape[1]
        goals[start : start + len(shares), :width] = blend(task.goals, reached, shares)
    if goals is None:
        return problem
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
    wide = maximum_filter1d(missed, 2 * reach + 1, mode="constant")
    return np.clip(filtered(wide[:, None].astype(np.float64), half)[:, 0], 0.0, 1.0)
