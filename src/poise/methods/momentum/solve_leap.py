"""Solving one leap: the spacetime problem, and again for what went through the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poise.constraints import Task
from poise.footing import clearance_tasks
from poise.mechanics import forward_kinematics
from poise.methods.momentum.problem import Leap, Problem, build, footing
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.spacetime import Motion, Solved, solve_spacetime
from poise.methods.progress import ProgressCallback
from poise.motion import Clip

NEAR_M = 0.04
"""Points that come this near to the ground in the guess are kept out of it from the start."""
DEEPEST_M = 0.0005


@dataclass(frozen=True, eq=False)
class Solution:
    """A leap, solved."""

    problem: Problem
    solved: Solved
    clip: Clip
    iterations: int
    """Of all rounds."""
    rounds: int
    deep: int
    """Stretches in which some point is still inside something."""


def solve_leap(
    leap: Leap,
    wishes: Sequence[Task],
    settings: Settings,
    progress: ProgressCallback | None = None,
) -> Solution:
    """Solve a leap.

    Args:
        leap: what is asked of its stages.
        wishes: tasks of other constraints; those of priority 1 hold.
        settings: the knobs.
        progress: told how many iterations are done.
    """
    held, movers, scene = footing(leap)
    tasks = [*held, *leap.tops, *wishes]
    tasks += clearance_tasks(scene, scene.state, held, movers, -NEAR_M, posed=True)
    start, used, rounds = None, 0, 0
    while True:
        problem = build(leap, tasks, settings)
        begun = problem.start if start is None else _from(start, problem.start)
        solved = solve_spacetime(
            problem.spacetime, begun, iterations=settings.iterations, progress=progress
        )
        used, start, rounds = used + solved.iterations, solved.motion, rounds + 1
        clip = replace(
            leap.guess,
            root_positions_m=solved.motion.roots,
            rotations_wxyz=solved.motion.locals,
        )
        state = forward_kinematics(clip.skeleton, *clip.pose)
        more = clearance_tasks(scene, state, held, movers, DEEPEST_M, posed=True)
        if not more or rounds > settings.clearance_rounds:
            return Solution(problem, solved, clip, used, rounds, len(more))
        tasks += [replace(task, name=f"{task.name} (round {rounds})") for task in more]


def _from(motion: Motion, fresh: Motion) -> Motion:
    """The poses of one round and the empty shifts of the next, which has other rows."""
    return Motion(motion.roots, motion.locals, motion.control, fresh.shifts)
