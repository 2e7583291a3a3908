"""Filtering a motion: kinematic rounds of the unscented Kalman filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.constraints import Task, tasks_of
from poise.constraints.naming import find_joint
from poise.constraints.recruiting import TRANSLATION
from poise.contact.schedule import intervals
from poise.errors import BadValue
from poise.ik import IkProblem, build
from poise.ik import packed as kinds
from poise.methods.constraint_report import constraint_reports, worst_in_words
from poise.methods.edit import Edit
from poise.methods.filter.kinematic_frames import (
    ANALYTIC,
    SAMPLED,
    Prior,
    filter_frames,
    make_rows,
)
from poise.methods.filter.settings import Settings
from poise.methods.result import Result, Status
from poise.solvers.unscented_update import (
    DEPENDENT,
    INDEFINITE,
    paper_spread,
    scaled_spread,
)
from poise.wording import counted

_REASONS = {
    "infeasible": "Hard constraints contradict each other, or it is out of reach.",
    "out_of_iterations": "More updates or passes would get closer.",
}


def run(edit: Edit, settings: Settings | None = None) -> Result:
    """Filter a clip so that its kinematic constraints hold.

    All constraints hold together; priorities are not looked at (a soft constraint has noise).

    Raises:
        BadValue: noise or mobility of something that is not there; an update that is not finite.
    """
    settings = settings or Settings()
    tasks = [task for constraint in edit.constraints for task in tasks_of(constraint, edit.scene)]
    tasks = [replace(task, priority=1, weight=1.0) for task in tasks if task.weight > 0.0]
    ik = build(edit.scene, tasks)
    roots, locals_ = edit.clip.root_positions_m.copy(), edit.clip.rotations_wxyz.copy()
    misses = np.full((edit.clip.frame_count, len(tasks)), np.nan)
    dropped = np.zeros(edit.clip.frame_count, dtype=np.int64)
    noise = _noise(tasks, edit, settings)
    prior = make_prior(ik, edit, settings)
    rows = make_rows(int(ik.packed.rows.sum()), ik.width)
    way = SAMPLED if settings.derivatives == "sampled" else ANALYTIC
    before = np.inf
    refinement: list[float] = []
    for _ in range(settings.passes):
        for first, stop in intervals(_active(ik)):
            filter_frames(
                first, stop - 1, way, settings.updates,
                ik.tree, ik.blocks, ik.packed, ik.width, ik.work,
                prior, noise, np.full(len(tasks), settings.far_noise),
                np.array([settings.far_m, np.radians(settings.far_deg)]), rows,
                roots, locals_, misses, dropped,
            )  # fmt: skip
        if (dropped < 0).any():
            frame = int(np.argmax(dropped < 0))
            why = "indefinite weights" if dropped[frame] == INDEFINITE else "not finite"
            raise BadValue("kappa or process_variance", "smaller", f"{why} at frame {frame}")
        worst = float(np.nanmax(misses)) if len(tasks) else 0.0
        refinement.append(worst)
        if worst > 0.5 * before:
            break
        before = worst
    reports = constraint_reports(ik.tasks, misses, settings.met_mm, settings.met_deg)
    soft = {name for name, value in settings.noise.items() if value > 0.0}
    status: Status = "converged"
    if not all(report.met for report in reports if report.name not in soft):
        stalled = len(refinement) > 1 and refinement[-1] > 0.5 * refinement[-2]
        status = "infeasible" if stalled else "out_of_iterations"
    count = counted(len(edit.constraints), "constraint")
    clip = replace(
        edit.clip, root_positions_m=roots, rotations_wxyz=locals_,
        history=(*edit.clip.history, f"filtered: {count}"),
    )  # fmt: skip
    return Result(
        clip=clip,
        status=status,
        summary=worst_in_words(reports, status, _REASONS),
        contacts=edit.contacts,
        trace={"constraints": reports, "refinement_m": tuple(refinement), "dropped_rows": dropped},
    )


def make_prior(ik: IkProblem, edit: Edit, settings: Settings) -> Prior:
    """Process noise and spread of the coordinates of a problem (Eqs. 12 and 13)."""
    by_joint = {
        -1 if name == TRANSLATION else find_joint(edit.character, name): value
        for name, value in settings.mobility.items()
    }
    blocks = ik.blocks
    deviations = np.full(ik.width, np.sqrt(settings.process_variance))
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        key = -1 if kind == kinds.TRANSLATION else int(blocks.joint[b])
        size = 3 if kind <= kinds.BALL else 1
        deviations[column : column + size] *= by_joint.get(key, 1.0)
    size = max(ik.width, 1)
    if settings.kappa is not None:
        spread = paper_spread(size, settings.kappa)
    else:
        spread = scaled_spread(size, settings.alpha)
    lengths = np.sqrt(spread.scale) * deviations
    return Prior(deviations, lengths, spread.scale, spread.excess, DEPENDENT)


def _noise(tasks: Sequence[Task], edit: Edit, settings: Settings) -> Array:
    known = {constraint.name for constraint in edit.constraints}
    for name in settings.noise:
        if name not in known:
            raise BadValue("noise", f"names of constraints ({', '.join(sorted(known))})", name)
    return np.array([settings.noise.get(task.name, 0.0) for task in tasks], dtype=np.float64)


def _active(ik: IkProblem) -> NDArray[np.bool_]:
    active = np.zeros(ik.scene.clip.frame_count, dtype=np.bool_)
    for task in ik.tasks:
        active[task.first : task.last + 1] = True
    return active
