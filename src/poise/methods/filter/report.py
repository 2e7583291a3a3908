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
from poise.methods.filter.obeying import asked_of
from poise.methods.filter.problem import Problem
from poise.methods.filter.progress import Left, left_in_words, note_on
from poise.methods.result import Result
from poise.methods.status import Status
from poise.motion import Clip
from poise.physics import (
    PhysicsSolution,
    Shortfall,
    Unexplained,
    shortfalls,
    shortfalls_in_words,
    unexplained_in_words,
    unexplained_stretches,
)
from poise.wording import counted

_REASONS = {"out_of_iterations": "More updates would get closer, or it is out of reach."}
_PHYSICS_REASONS = {"out_of_iterations": "It is out of reach, or contradicts the rest."}


@dataclass(frozen=True, eq=False)
class FilterReport:
    """What the rounds made of it."""

    after_each_round: tuple[Clip, ...]
    left_to_do: tuple[Left, ...]
    """What the laws of motion still asked for before the first dynamic round, and after each: of
    separate fits."""
    lawless: tuple[Unexplained, ...] = ()
    """Where the physics solve could not keep the laws of motion, the worst first."""
    shortfalls: tuple[Shortfall, ...] = ()
    """Where it could not keep strength (as far as asked for) and ranges, the worst first."""


def finished(
    problem: Problem,
    after_each_round: Sequence[Clip],
    left: Sequence[Left],
    solved: PhysicsSolution | None,
) -> Result[FilterReport]:
    """The result of a filtered problem.

    With a physics solve it converged when constraints and contacts are met, the laws of motion
    and strength hold where they are asked for, and joints keep to their ranges. With separate
    fits, as in the paper, only constraints count.

    Args:
        problem: what was asked.
        after_each_round: the clips.
        left: what was left to do before the first and after each round of separate fits.
        solved: the physics solve, if there was one.
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
    met: Status = "out_of_iterations" if missed else "converged"
    hard = [report for report in reports if report.name not in soft]
    reasons = _REASONS if solved is None else _PHYSICS_REASONS
    summary = worst_in_words(hard if hard else reports, met, reasons)
    if reports and not edit.constraints and not missed:
        summary = "Contacts hold."
    yielding = [report for report in reports if report.name in soft and not report.met]
    if yielding and not missed:
        summary = "All hard constraints are met."
    if yielding:
        worst = max(yielding, key=lambda report: report.worst)
        summary += f" Of the soft ones '{worst.name}' is off by {worst.worst:.3g} {worst.unit}."
    lawless, short = unexplained_stretches(solved), tuple[Shortfall, ...]()
    if solved is not None:
        short = _shortfalls(problem, clip)
        summary += f" {_physics_in_words(problem, lawless, short)}"
        if not reports:
            summary = _physics_in_words(problem, lawless, short)
    elif left and not reports:
        summary = left_in_words(left)
    status: Status = "converged" if not (missed or lawless or short) else "out_of_iterations"
    count = counted(len(edit.constraints), "constraint")
    notes = [note for note in (note_on(left),) if note is not None]
    if "D" in problem.rounds and status == "converged":
        notes += _already(edit.clip, clip)
    return Result(
        clip=replace(clip, history=(*edit.clip.history, f"filtered {settings.passes}: {count}")),
        status=status,
        summary=summary,
        report=FilterReport(tuple(after_each_round), tuple(left), lawless, short),
        contacts=problem.contacts,
        notes=tuple(notes),
        constraints=reports,
    )


UNCHANGED_M = 1e-3
"""A clip whose joints moved by no more is what it was."""


def _already(before: Clip, after: Clip) -> list[str]:
    """A note where there was nothing to do."""
    one, other = (forward_kinematics(each.skeleton, *each.pose) for each in (before, after))
    moved = float(np.linalg.norm(one.positions_m - other.positions_m, axis=2).max())
    if moved > UNCHANGED_M:
        return []
    return [f"Nothing to do: balanced already (no joint moved by more than {1e3 * moved:.1f} mm)."]


def _shortfalls(problem: Problem, clip: Clip) -> tuple[Shortfall, ...]:
    """What a motion falls short of that was asked for: strength in its frames, ranges in all.

    Speeds and depth are left out: constraints may ask for either.
    """
    edit, strength = problem.edit, asked_of(problem).strength
    assert problem.contacts is not None
    return tuple(
        each
        for each in shortfalls(clip, edit.character, edit.environment, problem.contacts, edit.clip)
        if each.kind == "range"
        or (each.kind == "torque" and strength[each.first : each.stop].any())
    )


def _physics_in_words(
    problem: Problem, lawless: Sequence[Unexplained], short: Sequence[Shortfall]
) -> str:
    """Whether the ground carries the motion and the body can do it."""
    asked = asked_of(problem)
    words = list[str]()
    if lawless:
        words.append(unexplained_in_words(lawless))
    elif asked.laws.all():
        words.append("The ground can carry every frame.")
    elif asked.laws.any():
        words.append("The ground can carry every frame that it is asked for.")
    if short:
        words.append(shortfalls_in_words(short))
    return " ".join(words)


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
