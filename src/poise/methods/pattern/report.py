"""What came of it: the clip, how well each goal is met, and by what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import Task
from poise.ik import task_values
from poise.mechanics import forward_kinematics
from poise.methods.constraint_report import (
    ConstraintReport,
    constraint_reports,
    worst_in_words,
)
from poise.methods.pattern.motion_space_ik import Ending, Solved
from poise.methods.pattern.problem import Problem
from poise.methods.pattern.touch_up import Wanted
from poise.methods.result import Result
from poise.methods.status import Status
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class PatternReport:
    """Where the clip lies in the pattern, and where it went."""

    problem: Problem
    """To go on from."""
    by_pattern: Clip
    """Before feet are kept and goals finished by inverse kinematics."""
    iterations: int
    errors_m: tuple[tuple[float, ...], ...]
    """What was left to the goals after every iteration, of each search: one, or one a frame."""
    endings: tuple[Ending, ...]
    """How each of them ended."""
    coefficients_after: Array
    """(m,), or (F, m) where goals were solved apart."""
    deviations_after: float
    """How far that is from the mean."""
    finished_by_ik_mm: float
    """How far from a goal the pattern left a place that was then finished otherwise."""


def misses(problem: Problem, clip: Clip) -> list[Array]:
    """(n,) for every task: its error in each of its frames, in metres or radians."""
    found: list[Array] = []
    for task in problem.tasks:
        reached = _reached(problem, task, clip)
        if task.kind == "point":
            apart = (task.goals - reached) * np.array(task.axes)
            found.append(np.linalg.norm(apart, axis=1))
        else:
            found.append(rotations.angle_between(task.goals, reached))
    return found


def _reached(problem: Problem, task: Task, clip: Clip) -> Array:
    """(n, 3) places or (n, 4) rotations that a clip has in the frames of a task."""
    frames = slice(task.first, task.last + 1)
    state = forward_kinematics(
        clip.skeleton, clip.root_positions_m[frames], clip.rotations_wxyz[frames],
        clip.moving_joints, clip.moving_offsets_m[frames],
    )  # fmt: skip
    return task_values(task, state, problem.character)


def finished(
    problem: Problem, made: Clip, by_pattern: Clip, solved: Sequence[Solved], change: Array,
    left: Sequence[Wanted], notes: Sequence[str],
) -> Result[PatternReport]:  # fmt: skip
    """The result of a solved problem."""
    edit, settings, placed = problem.edit, problem.settings, problem.placed
    errors = misses(problem, made)
    table = np.full((edit.clip.frame_count, len(problem.tasks)), np.nan)
    for n, (task, error) in enumerate(zip(problem.tasks, errors, strict=True)):
        table[task.first : task.last + 1, n] = error
    rows = constraint_reports(problem.tasks, table, settings.met_mm, settings.met_deg)
    status = _status(rows, solved)
    far = _places_left(problem, by_pattern, left)
    report = PatternReport(
        problem=problem,
        by_pattern=by_pattern,
        iterations=sum(found.iterations for found in solved),
        errors_m=tuple(found.errors_m for found in solved),
        endings=tuple(found.ending for found in solved),
        coefficients_after=placed.coefficients[: problem.count] + change,
        deviations_after=max((found.deviations for found in solved), default=placed.deviations),
        finished_by_ik_mm=1e3 * max(far, default=0.0),
    )
    return Result(
        clip=made,
        status=status,
        summary=_summary(problem, rows, status, solved),
        report=report,
        contacts=edit.contacts if edit.contacts is not None else problem.contacts,
        notes=(*_notes(problem, far), *notes),
        constraints=rows,
    )


def _summary(
    problem: Problem, rows: Sequence[ConstraintReport], status: Status, solved: Sequence[Solved]
) -> str:
    if not rows and problem.settings.details == "dropped":
        return "No goals: the clip as the pattern's components have it."
    return worst_in_words(rows, status, _reasons(problem, solved))


def _status(rows: Sequence[ConstraintReport], solved: Sequence[Solved]) -> Status:
    if all(row.met for row in rows):
        return "converged"
    if any(found.ending == "out_of_iterations" for found in solved):
        return "out_of_iterations"
    return "infeasible"


def _reasons(problem: Problem, solved: Sequence[Solved]) -> dict[str, str]:
    if any(found.ending == "outside" for found in solved):
        furthest = problem.pattern.furthest(problem.count)
        why = (
            "It lies outside what the motions of the pattern show: their furthest is "
            f"{furthest:.1f} deviations from the mean, and there the search ended (see reach)."
        )
    elif all(found.ending == "met" for found in solved):
        why = "The pattern met it; feet or hands that are kept took it away again (see feet)."
    elif len(problem.goals) > 1:
        why = "The pattern's coefficients cannot meet all goals at once (see priorities and goals)."
    else:
        why = "No change of the pattern's coefficients brings it nearer."
    return {
        "infeasible": why,
        "out_of_iterations": "The search was still under way when the iterations ran out.",
    }


def _places_left(problem: Problem, clip: Clip, left: Sequence[Wanted]) -> list[float]:
    """How far from their goals the pattern left those places that were finished otherwise."""
    roots = problem.character.skeleton.parents < 0
    finished = {
        (id(each.task), each.frame)
        for each in left
        if each.task.kind == "point" and not roots[each.task.joint]
    }
    return [
        float(error)
        for task, errors in zip(problem.tasks, misses(problem, clip), strict=True)
        for i, error in enumerate(errors)
        if (id(task), task.first + i) in finished
    ]


def _notes(problem: Problem, far: Sequence[float]) -> list[str]:
    notes: list[str] = []
    pattern, placed = problem.pattern, problem.placed
    furthest = pattern.furthest(len(pattern.variances))
    if placed.deviations > 2.0 * furthest or placed.left_over_deg > _UNLIKE_DEG:
        notes.append(
            f"The clip is unlike the pattern's motions: {placed.deviations:.1f} deviations from "
            f"their mean (they: at most {furthest:.1f}), and joints are turned by "
            f"{placed.left_over_deg:.0f} degrees that no component explains."
        )
    if far and max(far) > 0.0:
        notes.append(
            f"The pattern came within {100 * max(far):.1f} cm of "
            f"{'the goal' if len(far) == 1 else 'the goals'}; the rest is inverse kinematics of "
            "trunk and limbs."
        )
    for task, errors in zip(problem.tasks, misses(problem, problem.edit.clip), strict=True):
        if task.kind == "point" and len(task.goals) == 1 and errors[0] > _FAR_M:
            x, y, z = _reached(problem, task, problem.edit.clip)[0]
            notes.append(
                f"'{task.name}' asks for a place {errors[0]:.2f} m away: the clip has it at "
                f"({x:.2f}, {y:.2f}, {z:.2f}) in frame {task.first}."
            )
    if problem.settings.feet == "kept" and problem.contacts is None:
        notes.append("Feet are as the pattern has them: the skeleton has none that are known.")
    return notes


_FAR_M = 0.15
"""A goal that is further away may be a mistake."""
_UNLIKE_DEG = 15.0
"""Turns that no component explains, on average, in a clip that is not of the pattern."""
