"""What came of a leap: the clip, where it went, and what is left of its constraints."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import contact_points
from poise.environment import query
from poise.mechanics import forward_kinematics, site_positions
from poise.methods.constraint_report import constraint_reports
from poise.methods.edit import Edit
from poise.methods.momentum.initial_guess import Move
from poise.methods.momentum.plan import Captured, Wanted
from poise.methods.momentum.solve_leap import Solution
from poise.methods.momentum.spacetime import Rooms, evaluate
from poise.methods.momentum.stages import center_path_m, rise_m, way_m
from poise.methods.result import Result
from poise.methods.status import Status
from poise.motion import Clip
from poise.wording import counted

MET_MM, MET_DEG = 1.0, 0.5

HANGING_M = 0.06
"""Farther from the ground than captured soles ever are."""


@dataclass(frozen=True)
class StageReport:
    """One stage of the result."""

    kind: str
    first: int
    stop: int
    moved_m: float = 0.0
    """How far a ground stage was moved."""
    turned_deg: float = 0.0
    gravity_m_s2: float = 0.0
    """Of a flight, as all that follows."""
    rise_m: float = 0.0
    """How high the centre of mass rises over the last frame on the ground."""
    captured_rise_m: float = 0.0
    length_m: float = 0.0
    """How far it goes along the ground, from the last frame on it to the next."""
    captured_length_m: float = 0.0


@dataclass(frozen=True, eq=False)
class MomentumReport:
    """How a leap was solved."""

    stages: tuple[StageReport, ...]
    guess: Clip
    """Ground stages as moved, flights between them: what the search began from."""
    frame_times: Array
    """(F,) which frame of the capture, or between which, every frame shows."""
    iterations: int
    """Of all rounds."""
    rounds: int
    """How often it was solved: once, and again for what went through the floor."""
    left_place_mm: float
    """What is left of the worst place that is held; the next two likewise."""
    left_velocity_m_s: float
    left_range_deg: float
    off_guess_deg: float
    """How joints are turned against the guess, on average."""
    off_guess_cm: float
    """How far they are from the guess, on average."""
    momentum: Array
    """(F - 1, 6) momentum over mass between frames, linear and angular, as the curves have it."""


def finished(
    edit: Edit, base: Captured, asked: Wanted, solution: Solution
) -> Result[MomentumReport]:
    """The result of a solved leap."""
    solved, problem = solution.solved, solution.problem
    leap, clip = problem.leap, solution.clip
    names = {constraint.name for constraint in edit.constraints}
    mine = [n for n, task in enumerate(problem.ik.tasks) if task.name in names]
    misses = _misses(solution)[:, mine]
    rows = constraint_reports([problem.ik.tasks[n] for n in mine], misses, MET_MM, MET_DEG)
    status = status_of(solution)
    degrees, centimetres = _likeness(clip, leap.guess)
    said = counted(len(edit.constraints), "edit")
    curves = problem.spacetime.curves
    report = MomentumReport(
        stages=_stages(base, asked, solution),
        guess=leap.guess,
        frame_times=leap.times,
        iterations=solution.iterations,
        rounds=solution.rounds,
        left_place_mm=1e3 * solved.violation.place_m,
        left_velocity_m_s=solved.violation.velocity_m_s,
        left_range_deg=float(np.degrees(solved.violation.angle_rad)),
        off_guess_deg=degrees,
        off_guess_cm=centimetres,
        momentum=np.einsum("fcs,s->fc", curves.basis, solved.motion.control) + curves.constant,
    )
    return Result(
        clip=replace(clip, history=(*edit.clip.history, f"leapt: {said}")),
        status=status,
        summary=summary_of(status, solution),
        report=report,
        contacts=leap.contacts,
        notes=(*base.notes, *_notes(leap.times), *_hanging(solution)),
        constraints=rows,
        start=leap.original,
    )


def _misses(solution: Solution) -> Array:
    """(F, T) errors of every task."""
    spacetime = solution.problem.spacetime
    rooms = Rooms(spacetime)
    evaluate(spacetime, spacetime.price, solution.solved.motion, rooms)
    return rooms.misses


def status_of(solution: Solution) -> Status:
    """How a leap ended."""
    solved = solution.solved
    if solved.converged and not solution.deep:
        return "converged"
    if solved.ran_out:
        return "out_of_iterations"
    return "stalled" if solved.violation.kept and not solution.deep else "infeasible"


def summary_of(status: Status, solution: Solution) -> str:
    """The same in a sentence."""
    solved = solution.solved
    if status == "converged":
        return (
            "Feet, momentum and joint ranges hold to "
            f"{1e3 * max(solved.violation.place_m, 1e-9):.2g} mm and "
            f"{max(solved.violation.velocity_m_s, 1e-9):.2g} m/s."
        )
    if solution.deep and solved.violation.kept:
        return f"Some point is inside the ground, {counted(solution.deep, 'time')}."
    reason = {
        "infeasible": "What is asked for contradicts itself: the body cannot do all of it at once.",
        "out_of_iterations": "More iterations may get there.",
        "stalled": "Constraints hold, but the motion has not come to rest.",
    }[status]
    return f"Worst is {solved.violation.worst}. {reason}"


def _notes(times: Array) -> list[str]:
    count = len(times)
    if count == round(times[-1]) + 1 and np.array_equal(times, np.round(times)):
        return []
    return [f"Flights last longer or shorter: {count} frames instead of {round(times[-1]) + 1}."]


def _hanging(solution: Solution) -> list[str]:
    """Ground stages that were moved to where the ground is not: their feet are put on it."""
    leap = solution.problem.leap
    points = contact_points(leap.character)
    state = forward_kinematics(leap.guess.skeleton, *leap.guess.pose)
    notes: list[str] = []
    for number, stage in enumerate(s for s in leap.stages if s.kind == "ground"):
        frames = slice(stage.first, stage.stop)
        gaps: list[float] = []
        for part, sites in points.items():
            touches = leap.contacts.column(part)[frames]
            if touches.any() and part.endswith("_foot"):
                places = site_positions(state, sites)[frames][touches]
                gaps += query(leap.environment, places).distances_m.min(axis=1).tolist()
        gap = float(np.median(gaps)) if gaps else 0.0
        if abs(gap) > HANGING_M:
            where = "above" if gap > 0.0 else "inside"
            notes.append(
                f"Ground stage {number} was moved to {100 * abs(gap):.0f} cm {where} the ground "
                "that is there; its feet stand on it all the same."
            )
    return notes


def _likeness(clip: Clip, guess: Clip) -> tuple[float, float]:
    """Mean over frames and joints: degrees of local rotations, centimetres of places."""
    turned = rotations.angle_between(clip.rotations_wxyz, guess.rotations_wxyz)
    one = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    other = forward_kinematics(guess.skeleton, *guess.pose).positions_m
    apart = np.linalg.norm(one - other, axis=-1)
    return float(np.degrees(turned).mean()), float(100.0 * apart.mean())


def _stages(base: Captured, asked: Wanted, solution: Solution) -> tuple[StageReport, ...]:
    leap, clip = solution.problem.leap, solution.clip
    center, found = center_path_m(clip, leap.character), list[StageReport]()
    for i, (stage, own) in enumerate(zip(leap.stages, base.stages, strict=True)):
        edges = stage.kind, stage.first, stage.stop
        if stage.kind == "ground":
            move = asked.moves.get(i, Move())
            moved, turned = float(np.linalg.norm(move.by_m)), float(np.degrees(move.turn_rad))
            found.append(StageReport(*edges, moved_m=moved, turned_deg=turned))
        else:
            length, own_length = (
                float(np.linalg.norm(way_m(path, each)[[0, 2]]))
                for path, each in ((center, stage), (base.center_m, own))
            )
            found.append(
                StageReport(
                    *edges,
                    gravity_m_s2=stage.gravity_m_s2,
                    rise_m=rise_m(center, stage),
                    captured_rise_m=rise_m(base.center_m, own),
                    length_m=length,
                    captured_length_m=own_length,
                )
            )
    return tuple(found)
