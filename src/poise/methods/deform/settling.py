"""What becomes of goals that are out of reach.

Frame by frame, a limb that is stretched for a goal beyond its reach trembles, and snaps when the
goal comes within reach again. So such a goal is given up for a smooth motion: what was added is
filtered, all greater constraints are met again, and what the goal's point then does is its goal
from there on. Lesser constraints come after that and can take nothing from it.

The filter is made wider until no joint is thrown much harder than in the original.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.constraints import blended, blended_turns
from poise.contact import intervals
from poise.ik import IkProblem, IkSolution, hann_window, smooth_displacements, solve, task_values
from poise.mechanics import forward_kinematics
from poise.methods.constraint_report import ANGULAR
from poise.methods.deform.problem import Problem
from poise.methods.deform.smoothing import (
    half_width,
    half_widths,
    smoothed,
    unrest_of,
    widened,
)

_LINGERING = 3
"""A goal that is missed is not gone for again before this many half-widths have passed: where it
is just within reach in between, limbs would snap to and fro."""

_LADDER = ((1, 0), (2, 0), (1, 1), (2, 1), (4, 0), (4, 2), (8, 0), (8, 4), (8, 8))
"""How many times the usual width what was added is smoothed with, and the motion itself."""

Shares = dict[int, Array]
"""By the number of a task: for each of its frames, how much of its goal is given up."""


def missed_layer(problem: Problem, solution: IkSolution, after: int) -> int | None:
    """The first layer after a given one with a goal that is not met."""
    for layer in sorted(set(problem.ik.layers)):
        if layer > after and _missed(problem, solution, layer):
            return layer
    return None


def settled(
    problem: Problem, found: IkSolution, under: IkSolution | None
) -> tuple[Array, IkSolution]:  # fmt: skip
    """Give up what the last layer misses: goals that can be met, and poses that meet them.

    `found` are poses of all layers up to it, solved frame by frame on top of `under`, or of the
    original; goals that earlier layers settled for are met.
    """
    settings, clip, ik = problem.settings, problem.edit.clip, problem.ik
    half = half_width(settings.smoothing_s, clip.rate_hz)
    missed = _missed(problem, found, max(ik.layers))
    unrest = unrest_of(clip, problem.active)
    best: tuple[float, Shares, IkSolution] | None = None
    for wider, plainer in _LADDER if half > 0 else _LADDER[:1]:
        reach = wider * half
        shares = {n: _around(flags, _LINGERING * reach, reach) for n, flags in missed.items()}
        poses = smoothed(under or clip, found, problem, problem.active, wider)
        if plainer:
            poses = _plainer(problem, poses, shares, plainer * half)
        # First what the greater ones need, then on to goals that are given up in part.
        _solve_near(problem, _without(ik, shares), poses)
        _solve_near(problem, ik.with_goals(_reached(ik, shares, poses)), poses)
        ratio = unrest.ratio(poses)
        if best is None or ratio < best[0]:
            best = ratio, shares, poses
        if ratio <= settings.calm:
            break
    assert best is not None
    _, shares, poses = best
    whole = {n: (share > 0.0).astype(np.float64) for n, share in shares.items()}
    return _reached(ik, whole, poses), poses


def _plainer(problem: Problem, poses: IkSolution, shares: Shares, half: int) -> IkSolution:
    """Poses whose joints that serve goals given up move more evenly than the original's do."""
    tasks = [problem.ik.tasks[n] for n in shares]
    joints = np.flatnonzero(np.any([task.recruits.joints for task in tasks], axis=0))
    given_up = np.zeros((len(problem.active), 1 + len(joints)), dtype=np.bool_)
    for task, share in zip(tasks, shares.values(), strict=True):
        uses = np.r_[False, task.recruits.joints[joints]]
        given_up[task.first : task.last + 1] |= (share > 0.0)[:, None] & uses
    halves = np.where(given_up, half_widths(given_up, 1, half), 0)
    still = np.zeros_like(poses.rotations_wxyz)
    still[..., 0] = 1.0
    _, turns = smooth_displacements(
        np.zeros_like(poses.root_positions_m), still, poses.root_positions_m,
        poses.rotations_wxyz, joints, halves,
    )  # fmt: skip
    even = poses.copy()
    even.rotations_wxyz[:, joints] = turns[:, joints]
    return even


def _solve_near(problem: Problem, ik: IkProblem, poses: IkSolution) -> None:
    """In place, every frame from its pose, and no further from it than needed."""
    wish = poses.copy()
    for first, stop in intervals(problem.active):
        solve(ik, problem.settings.ik, poses, first, stop - 1, wished=wish)


def _missed(
    problem: Problem, solution: IkSolution, layer: int
) -> dict[int, NDArray[np.bool_]]:  # fmt: skip
    """The frames in which tasks of a layer are not met, by the task's number."""
    settings, found = problem.settings, dict[int, NDArray[np.bool_]]()
    for n, task in enumerate(problem.ik.tasks):
        if problem.ik.layers[n] != layer:
            continue
        limit = np.radians(settings.met_deg) if task.kind in ANGULAR else 1e-3 * settings.met_mm
        flags = solution.misses[task.first : task.last + 1, n] > limit
        if flags.any():
            found[n] = flags
    return found


def _without(ik: IkProblem, shares: Shares) -> IkProblem:
    """The problem without goals that are given up, be it in part."""
    goals = ik.packed.goals.copy()
    for n, share in shares.items():
        start = int(ik.packed.goal[n])
        goals[start : start + len(share)][share > 0.0] = np.nan
    return ik.with_goals(goals)


def _reached(ik: IkProblem, shares: Shares, poses: IkSolution) -> Array:
    """Goals, with those that are given up replaced by what these poses reach."""
    clip, goals = ik.scene.clip, ik.packed.goals.copy()
    for n, share in shares.items():
        task, start = ik.tasks[n], int(ik.packed.goal[n])
        frames = slice(task.first, task.last + 1)
        state = forward_kinematics(
            clip.skeleton, poses.root_positions_m[frames], poses.rotations_wxyz[frames],
            clip.moving_joints, clip.moving_offsets_m[frames],
        )  # fmt: skip
        reached = task_values(task, state, ik.scene.character)
        blend = blended_turns if task.kind == "turn" else blended
        width = task.goals.shape[1]
        goals[start : start + len(share), :width] = blend(task.goals, reached, share)
    return goals


def _around(missed: NDArray[np.bool_], reach: int, half: int) -> Array:
    """(n,) 1 up to `reach - half` frames around missed goals, 0 from `reach + half` frames on."""
    if half == 0:
        return missed.astype(np.float64)
    wide = widened(missed, reach).astype(np.float64)
    return np.convolve(np.pad(wide, half, mode="edge"), hann_window(half), mode="valid").clip(0, 1)
