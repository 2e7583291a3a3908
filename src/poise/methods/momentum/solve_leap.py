"""Solving one leap: the spacetime problem, and again for what went through the floor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from poise.constraints import Constraint, StageEdit, Task, tasks_of
from poise.footing import clearance_tasks, solve_until_clear
from poise.mechanics import forward_kinematics
from poise.methods.momentum.problem import Leap, Problem, build, footing
from poise.methods.momentum.settings import Settings
from poise.methods.momentum.spacetime import Solved, solve_spacetime
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
    rounds: int = 0
    deep: int = 0
    """Stretches in which some point is still inside something."""


def solve_leap(
    leap: Leap,
    constraints: Sequence[Constraint | StageEdit],
    settings: Settings,
    progress: ProgressCallback | None = None,
) -> Solution:
    """Solve a leap; of constraints about something else than stages, those of priority 1 hold."""
    held, movers, scene = footing(leap)
    others = (each for each in constraints if not isinstance(each, StageEdit))
    wishes = [task for each in others for task in tasks_of(each, scene) if task.weight > 0.0]
    tasks = [*held, *leap.tops, *wishes]
    tasks += clearance_tasks(scene, scene.state, held, movers, -NEAR_M, posed=True)

    def solve(tasks: Sequence[Task], before: Solution | None) -> Solution:
        problem, used = build(leap, tasks, settings), 0
        start = problem.start
        if before is not None:
            # The poses of the last round, and empty shifts: this one has other rows.
            start, used = before.solved.motion._replace(shifts=start.shifts), before.iterations
        solved = solve_spacetime(
            problem.spacetime, start, iterations=settings.iterations, progress=progress
        )
        motion = solved.motion
        clip = replace(leap.guess, root_positions_m=motion.roots, rotations_wxyz=motion.locals)
        return Solution(problem, solved, clip, used + solved.iterations)

    def inside(made: Solution) -> list[Task]:
        state = forward_kinematics(made.clip.skeleton, *made.clip.pose)
        return clearance_tasks(scene, state, held, movers, DEEPEST_M, posed=True)

    found = solve_until_clear(tasks, solve, inside, settings.clearance_rounds + 1)
    return replace(found.made, rounds=found.rounds, deep=found.left)
