"""What came of it: the clip, how well each constraint is met, and what the user should know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.contact import intervals
from poise.ik import OUT_OF_ITERATIONS, IkSolution
from poise.methods.constraint_report import (
    ConstraintReport,
    constraint_reports,
    worst_in_words,
)
from poise.methods.deform.problem import Problem
from poise.methods.deform.smoothing import unrest_of
from poise.methods.result import Result
from poise.methods.status import Status
from poise.physics import (
    PhysicsSolution,
    Shortfall,
    shortfalls_in_words,
    unexplained_in_words,
    unexplained_stretches,
)
from poise.wording import counted

JUMP_DEG = 2.0
"""A constraint that lets go of a joint turned further than this, from one frame to the next, is
worth a warning."""
HELD_M = 1e-3
"""With physics, what touches holds when it is no further from its place."""


@dataclass(frozen=True, eq=False)
class DeformReport:
    """An edit with all that was computed on the way, to go on from."""

    problem: Problem
    passes: tuple[IkSolution, ...]
    """After each round of solving, smoothed or not; of all constraints or of the greater ones."""
    final: IkSolution
    """What the result holds."""
    frames_solved: tuple[int, ...]
    """How many frames each round solved."""
    has_settled: bool
    """Whether goals were given up: then only the first round can be taken over."""
    physics: PhysicsSolution | None = None
    """What the laws of motion left over; None where they were not asked for."""
    shortfalls: tuple[Shortfall, ...] = ()
    """With physics, where strength, joint speeds, ranges or surfaces are not kept to."""
    contact_off: tuple[float, str] = (0.0, "")
    """With physics, how far the worst contact is off in metres, and which."""


def finished(report: DeformReport) -> Result[DeformReport]:
    """The result of a solved problem."""
    problem, final, last_solved = report.problem, report.final, report.passes[-1]
    edit, settings = problem.edit, problem.settings
    rows = constraint_reports(problem.ik.tasks, final.misses, settings.met_mm, settings.met_deg)
    status = _status(rows, last_solved)
    summary = worst_in_words(rows, status, _REASONS)
    owed = _owed(report)
    if owed and status == "converged":
        status = "out_of_iterations"
    if report.physics is not None:
        said = owed or "Contacts hold, and the ground can carry every frame."
        summary = f"{summary} {said}" if rows else said
    count = counted(len(edit.constraints), "constraint")
    clip = replace(
        edit.clip,
        root_positions_m=final.root_positions_m,
        rotations_wxyz=final.rotations_wxyz,
        history=(*edit.clip.history, f"deformed: {count}"),
    )
    return Result(
        clip=clip,
        status=status,
        summary=summary,
        report=report,
        contacts=edit.contacts,
        notes=(*_jumps(problem, final), *(_unrest(problem, final) if report.has_settled else ())),
        constraints=rows,
    )


def _owed(report: DeformReport) -> str:
    """What physics could not set right, in words; empty where there is nothing."""
    off_m, contact = report.contact_off
    found = [
        f"'{contact}' is off by {1000.0 * off_m:.3g} mm." if off_m > HELD_M else "",
        unexplained_in_words(unexplained_stretches(report.physics)),
        shortfalls_in_words(report.shortfalls),
    ]
    return " ".join(filter(None, found))


def _status(rows: tuple[ConstraintReport, ...], solution: IkSolution) -> Status:
    if all(row.met for row in rows):
        return "converged"
    if (solution.status == OUT_OF_ITERATIONS).any():
        return "out_of_iterations"
    return "infeasible"


_REASONS = {
    "infeasible": "It cannot be met beside what is more important.",
    "out_of_iterations": "Some frames had not come to rest when the iterations ran out.",
}


def _unrest(problem: Problem, final: IkSolution) -> list[str]:
    """That a motion with goals out of reach could not be made as calm as asked."""
    ratio, calm = unrest_of(problem.edit.clip, problem.active).ratio(final), problem.settings.calm
    if ratio <= calm:
        return []
    return [
        f"Some goals are out of reach, and the motion towards them is rougher than asked: "
        f"accelerations are {ratio:.2f} times the original's (calm: {calm:g}). Goals that are "
        "nearer, or a longer ease-in and ease-out, help."
    ]


def _jumps(problem: Problem, final: IkSolution) -> list[str]:
    """Joints that are let go while still turned: what an ease-in or ease-out would cure."""
    clip = problem.edit.clip
    names = clip.skeleton.joint_names
    notes: list[str] = []
    for first, stop in intervals(problem.active):
        for frame, outside, word in ((first, first - 1, "in"), (stop - 1, stop, "out")):
            if not 0 <= outside < clip.frame_count:
                continue
            apart = np.degrees(
                rotations.angle_between(clip.rotations_wxyz[frame], final.rotations_wxyz[frame])
            )
            joint = int(apart.argmax())
            if apart[joint] > JUMP_DEG:
                notes.append(
                    f"{names[joint]} jumps by {apart[joint]:.0f} degrees between frames "
                    f"{min(frame, outside)} and {max(frame, outside)}: give the constraints that "
                    f"begin or end there an ease-{word}."
                )
    return notes
