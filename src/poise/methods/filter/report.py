"""What came of it: the clip, and how well each constraint is met."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.contact import intervals
from poise.ik import IkProblem, look, unsolved
from poise.mechanics import forward_kinematics
from poise.methods.constraint_report import constraint_reports, worst_in_words
from poise.methods.filter.problem import Problem
from poise.methods.filter.progress import Left, note_on
from poise.methods.result import Result, Status
from poise.motion import Clip
from poise.wording import counted

_REASONS = {"out_of_iterations": "More updates would get closer, or it is out of reach."}


@dataclass(frozen=True, eq=False)
class FilterReport:
    """What the rounds made of it."""

    after_each_round: tuple[Clip, ...]
    left_to_do: tuple[Left, ...]
    """What the laws of motion still asked for before the first dynamic round, and after each."""


def finished(
    problem: Problem, after_each_round: Sequence[Clip], left: Sequence[Left], *, taken_back: bool
) -> Result[FilterReport]:
    """The result of a filtered problem.

    Args:
        problem: what was asked.
        after_each_round: the clips.
        left: what was left to do before the first and after each dynamic round.
        taken_back: the last of those is not in the clip.
    """
    edit, settings, ik = problem.edit, problem.settings, problem.ik
    clip = after_each_round[-1]
    poses = unsolved(ik)
    poses.root_positions_m[:] = clip.root_positions_m
    poses.rotations_wxyz[:] = clip.rotations_wxyz
    for first, stop in intervals(problem.active):
        look(ik, poses, first, stop - 1)
    _forgive_the_right_side(ik, clip, poses.misses)
    reports = constraint_reports(ik.tasks, poses.misses, settings.met_mm, settings.met_deg)
    soft = {name for name, value in settings.noise.items() if value > 0.0}
    missed = [report for report in reports if not report.met and report.name not in soft]
    status: Status = "out_of_iterations" if missed else "converged"
    hard = [report for report in reports if report.name not in soft]
    summary = worst_in_words(hard if hard else reports, status, _REASONS)
    yielding = [report for report in reports if report.name in soft and not report.met]
    if yielding and status == "converged":
        summary = "All hard constraints are met."
    if yielding:
        worst = max(yielding, key=lambda report: report.worst)
        summary += f" Of the soft ones '{worst.name}' is off by {worst.worst:.3g} {worst.unit}."
    count = counted(len(edit.constraints), "constraint")
    return Result(
        clip=replace(clip, history=(*edit.clip.history, f"filtered {settings.passes}: {count}")),
        status=status,
        summary=summary,
        report=FilterReport(tuple(after_each_round), tuple(left)),
        contacts=problem.contacts,
        notes=tuple(note for note in (note_on(left, taken_back=taken_back),) if note is not None),
        constraints=reports,
    )


def _forgive_the_right_side(ik: IkProblem, clip: Clip, misses: Array) -> None:
    """A one-sided task misses only by what is beyond."""
    if not ik.packed.side.any():
        return
    state = forward_kinematics(clip.skeleton, *clip.pose)
    for n, task in enumerate(ik.tasks):
        if task.side == 0:
            continue
        frames = slice(task.first, task.last + 1)
        turned = rotations.rotate(state.rotations_wxyz[frames, task.joint], task.offset_m)
        beyond = task.side * (state.positions_m[frames, task.joint] + turned - task.goals)
        misses[frames, n] = np.maximum(0.0, beyond[:, np.array(task.axes)]).max(axis=1)
