"""From an edit to arrays: tasks, layers, unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.constraints import (
    TRANSLATION,
    Constraint,
    StageEdit,
    Task,
    check_nesting,
    find_joint,
    tasks_of,
)
from poise.errors import BadValue
from poise.ik import IkProblem, IkSolution
from poise.ik import build as build_ik
from poise.methods.deform.settings import Settings
from poise.methods.edit import Edit

ROOT_MOBILITY = 0.3
"""Moving the root by a third of a metre counts as much as turning a joint by a radian: as far as a
limb's end goes. At one metre a radian, a raised leg carries the whole body away."""

TaskKey = tuple[str, int]
"""The name of a constraint, and which of its tasks."""


@dataclass(frozen=True, eq=False)
class Problem:
    """What deform solves."""

    edit: Edit
    settings: Settings
    made: Mapping[str, tuple[Task, ...]]
    """The tasks of each constraint, by its name."""
    ik: IkProblem
    keys: tuple[TaskKey, ...]
    """Which task of which constraint each of `ik.tasks` is."""
    active: NDArray[np.bool_]
    """(F,) whether any constraint holds."""

    def describe(self) -> str:
        """One line for people."""
        frames = f"{int(self.active.sum())} of {len(self.active)} frames constrained"
        return f"{len(self.edit.constraints)} constraints: {self.ik.describe()}; {frames}"


def build(edit: Edit, settings: Settings, known: Problem | None = None) -> Problem:
    """The problem of an edit; a known one on the same clip gives tasks of unchanged constraints.

    Raises:
        Contradiction: a lesser constraint uses joints that a greater one would need.
    """
    before: dict[str, Constraint | StageEdit] = {}
    if known is not None:
        before = {constraint.name: constraint for constraint in known.edit.constraints}
    made: dict[str, tuple[Task, ...]] = {}
    for constraint in edit.constraints:
        if known is not None and before.get(constraint.name) == constraint:
            made[constraint.name] = known.made[constraint.name]
        else:
            made[constraint.name] = _tasks(constraint, edit, settings)
    tasks = [task for some in made.values() for task in some]
    check_nesting(tasks, edit.character)
    ik = build_ik(edit.scene, tasks, mobility=_mobility(edit, settings))
    key_of = {id(task): (name, n) for name, some in made.items() for n, task in enumerate(some)}
    keys = tuple(key_of[id(task)] for task in ik.tasks)
    return Problem(edit, settings, made, ik, keys, _active(ik))


def without_lesser(problem: Problem, layer: int) -> Problem:
    """The problem as if there were no layers after a given one: nothing tells it from that.

    Goals that were replaced stay so.
    """
    ik = problem.ik
    if layer >= max(ik.layers):
        return problem
    count = sum(its <= layer for its in ik.layers)
    mobility = _mobility(problem.edit, problem.settings)
    upper = build_ik(problem.edit.scene, ik.tasks[:count], mobility=mobility)
    goals = ik.packed.goals[: len(upper.packed.goals)].copy()
    upper = upper.with_goals(goals)
    return replace(problem, ik=upper, keys=problem.keys[:count], active=_active(upper))


def with_first_goals(problem: Problem, goals: Array) -> Problem:
    """The problem with the goals of its first tasks replaced."""
    every = problem.ik.packed.goals.copy()
    every[: len(goals)] = goals
    return replace(problem, ik=problem.ik.with_goals(every))


def _active(ik: IkProblem) -> NDArray[np.bool_]:
    active = np.zeros(ik.scene.clip.frame_count, dtype=np.bool_)
    for task in ik.tasks:
        active[task.first : task.last + 1] = True
    return active


def _tasks(constraint: Constraint | StageEdit, edit: Edit, settings: Settings) -> tuple[Task, ...]:
    tasks = tasks_of(constraint, edit.scene)
    if any(task.side for task in tasks):
        raise BadValue(
            f"constraint '{constraint.name}'", "one that deform knows (one-sided ones: filter)",
            type(constraint).__name__,
        )  # fmt: skip
    if settings.strategy == "weights":
        return tuple(replace(task, priority=1) for task in tasks)
    return tasks


def _mobility(edit: Edit, settings: Settings) -> dict[int, float]:
    return {-1: ROOT_MOBILITY} | {
        -1 if name == TRANSLATION else find_joint(edit.character, name): value
        for name, value in settings.mobility.items()
    }


def same_ground(known: Problem, edit: Edit, settings: Settings) -> bool:
    """Whether two edits differ in nothing but their constraints."""
    before = known.edit
    return (
        before.clip is edit.clip
        and before.character is edit.character
        and before.environment is edit.environment
        and known.settings == settings
    )


def changed_frames(known: Problem, now: Problem) -> NDArray[np.bool_]:
    """(F,) frames in which a constraint was added, taken away or altered."""
    changed = np.zeros(len(now.active), dtype=np.bool_)
    before, after = (
        {constraint.name: constraint for constraint in problem.edit.constraints}
        for problem in (known, now)
    )
    for name in before.keys() | after.keys():
        if before.get(name) != after.get(name):
            for problem in (known, now):
                for task in problem.made.get(name, ()):
                    changed[task.first : task.last + 1] = True
    return changed


def taken_over(
    known: Problem,
    now: Problem,
    earlier: IkSolution,
    into: IkSolution,
    frames: NDArray[np.bool_] | None = None,
) -> None:
    """Copy an earlier solution's frames (all by default), with the errors of tasks still there."""
    chosen = np.ones(len(now.active), dtype=np.bool_) if frames is None else frames
    into.root_positions_m[chosen] = earlier.root_positions_m[chosen]
    into.rotations_wxyz[chosen] = earlier.rotations_wxyz[chosen]
    into.iterations[chosen] = earlier.iterations[chosen]
    into.status[chosen] = earlier.status[chosen]
    column = {key: n for n, key in enumerate(known.keys)}
    for n, key in enumerate(now.keys):
        if key in column:
            into.misses[chosen, n] = earlier.misses[chosen, column[key]]
