"""Filtering a motion: kinematic and dynamic rounds of an unscented Kalman filter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.constraints import Task, tasks_of
from poise.constraints.naming import find_joint
from poise.constraints.recruiting import TRANSLATION, Recruits
from poise.contact import ContactSchedule, detect_contacts
from poise.contact.cutoff import suited_cutoff_hz
from poise.contact.schedule import intervals
from poise.errors import BadValue, PoiseError
from poise.ik import IkProblem, build, look, unsolved
from poise.ik import packed as kinds
from poise.mechanics import center_of_mass, forward_kinematics
from poise.methods.constraint_report import constraint_reports, worst_in_words
from poise.methods.edit import Edit
from poise.methods.filter.curve_fit import CurveFit
from poise.methods.filter.dynamic_frames import Motion
from poise.methods.filter.dynamic_round import (
    demands_on,
    dynamic_round,
    motion_of,
    segments_of,
)
from poise.methods.filter.kinematic_frames import (
    ANALYTIC,
    SAMPLED,
    Prior,
    filter_frames,
    make_rows,
)
from poise.methods.filter.process_noise import inertia_deviations
from poise.methods.filter.settings import LEFT_OUT, Settings, rounds_of
from poise.methods.result import Result, Status
from poise.motion import Clip
from poise.solvers.unscented_update import (
    DEPENDENT,
    INDEFINITE,
    paper_spread,
    scaled_spread,
)
from poise.wording import counted

_REASONS = {
    "out_of_iterations": "More updates would get closer, or it is out of reach.",
}


def run(edit: Edit, settings: Settings | None = None) -> Result:
    """Filter a clip so that its constraints hold, and with dynamic rounds the laws of motion.

    All constraints hold together; priorities are not looked at (a soft constraint has noise).

    Raises:
        BadValue: noise or mobility of something that is not there; an update that fails.
    """
    settings = settings or Settings()
    tasks = [task for constraint in edit.constraints for task in tasks_of(constraint, edit.scene)]
    tasks = [replace(task, priority=1, weight=1.0) for task in tasks if task.weight > 0.0]
    noise = _noise(tasks, edit, settings)
    rounds = rounds_of(settings.passes)
    whole = build(edit.scene, tasks)
    reduced = build(edit.scene, _reduced(tasks, edit, settings)) if "D" in rounds else whole
    contacts = edit.contacts
    if contacts is None and "D" in rounds:
        contacts = detect_contacts(edit.clip, edit.character, edit.environment)
    cutoff = _cutoff_hz(edit) if "D" in rounds else None
    clip, after, motion = edit.clip, list[Clip](), None
    for letter in rounds:
        if letter == "K":
            clip, motion = _kinematic(clip, whole, edit, settings, noise), None
        else:
            assert contacts is not None
            # From one dynamic round to the next, velocities and accelerations are the curve's own.
            motion = motion or motion_of(clip, cutoff)
            motion = _dynamic(motion, reduced, edit, settings, noise, contacts)
            clip = replace(clip, root_positions_m=motion.roots, rotations_wxyz=motion.local)
        after.append(clip)
    solution = unsolved(whole)
    solution.root_positions_m[:] = clip.root_positions_m
    solution.rotations_wxyz[:] = clip.rotations_wxyz
    for first, stop in intervals(_active(whole)):
        look(whole, solution, first, stop - 1)
    reports = constraint_reports(whole.tasks, solution.misses, settings.met_mm, settings.met_deg)
    soft = {name for name, value in settings.noise.items() if value > 0.0}
    missed = [report for report in reports if not report.met and report.name not in soft]
    status: Status = "out_of_iterations" if missed else "converged"
    count = counted(len(edit.constraints), "constraint")
    return Result(
        clip=replace(clip, history=(*edit.clip.history, f"filtered {settings.passes}: {count}")),
        status=status,
        summary=worst_in_words(reports, status, _REASONS),
        contacts=edit.contacts,
        trace={"constraints": reports, "after_each_round": tuple(after)},
    )


def _kinematic(
    clip: Clip, ik: IkProblem, edit: Edit, settings: Settings, noise: Array
) -> Clip:  # fmt: skip
    roots, locals_ = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
    misses = np.full((clip.frame_count, len(ik.tasks)), np.nan)
    failed = np.zeros(clip.frame_count, dtype=np.int64)
    way = SAMPLED if settings.derivatives == "sampled" else ANALYTIC
    for first, stop in intervals(_active(ik)):
        filter_frames(
            first, stop - 1, way, settings.updates,
            ik.tree, ik.blocks, ik.packed, ik.width, ik.work,
            make_prior(ik, edit, settings), noise, np.full(len(ik.tasks), settings.far_noise),
            np.array([settings.far_m, np.radians(settings.far_deg)]),
            make_rows(int(ik.packed.rows.sum()), ik.width),
            roots, locals_, misses, failed,
        )  # fmt: skip
    _check(failed)
    return replace(clip, root_positions_m=roots, rotations_wxyz=locals_)


def _dynamic(
    motion: Motion, ik: IkProblem, edit: Edit, settings: Settings, noise: Array,
    contacts: ContactSchedule,
) -> Motion:  # fmt: skip
    clip = edit.clip
    demands = demands_on(motion, edit.character, edit.environment, contacts, settings)
    fit = CurveFit(clip.frame_count, clip.rate_hz, knot_s=settings.knot_s, beta=settings.beta)
    motion, failed = dynamic_round(
        motion, ik, segments_of(edit.character, clip),
        make_prior(ik, edit, settings, rates=True), noise, demands, fit,
    )  # fmt: skip
    _check(failed)
    return motion


def make_prior(
    ik: IkProblem, edit: Edit, settings: Settings, *, rates: bool = False
) -> Prior:  # fmt: skip
    """Process noise and spread of the coordinates of a problem (Eqs. 12 and 13)."""
    by_joint = {
        -1 if name == TRANSLATION else find_joint(edit.character, name): value
        for name, value in settings.mobility.items()
    }
    blocks = ik.blocks
    deviations = np.full(ik.width, np.sqrt(settings.process_variance))
    if settings.by_inertia and edit.character.body is not None:
        deviations *= inertia_deviations(edit.character, blocks, ik.width)
    for b in range(len(blocks.kind)):
        kind, column = int(blocks.kind[b]), int(blocks.column[b])
        key = -1 if kind == kinds.TRANSLATION else int(blocks.joint[b])
        size = 3 if kind <= kinds.BALL else 1
        deviations[column : column + size] *= by_joint.get(key, 1.0)
    if rates:
        quicker = np.sqrt(settings.rate_ratio)
        deviations = np.concatenate([deviations, quicker * deviations, quicker**2 * deviations])
    size = max(len(deviations), 1)
    if settings.kappa is not None:
        spread = paper_spread(size, settings.kappa)
    else:
        spread = scaled_spread(size, settings.alpha)
    lengths = np.sqrt(spread.scale) * deviations
    return Prior(deviations, lengths, spread.scale, spread.excess, DEPENDENT)


def _reduced(tasks: Sequence[Task], edit: Edit, settings: Settings) -> list[Task]:
    """Tasks that recruit only what dynamic rounds move."""
    kept = np.ones(edit.character.skeleton.joint_count, dtype=np.bool_)
    for name in settings.left_out:
        try:
            kept[find_joint(edit.character, name)] = False
        except PoiseError:
            if name not in LEFT_OUT:  # of the usual ones, a skeleton may lack some
                raise
    return [
        replace(task, recruits=Recruits(task.recruits.joints & kept, task.recruits.translation))
        for task in tasks
    ]


def _cutoff_hz(edit: Edit) -> float | None:
    body = edit.character.body
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    com = center_of_mass(forward_kinematics(edit.clip.skeleton, *edit.clip.pose), body)
    return suited_cutoff_hz(com, edit.clip.rate_hz)


def _check(failed: Indices) -> None:
    if (failed < 0).any():
        frame = int(np.argmax(failed < 0))
        why = "indefinite weights" if failed[frame] == INDEFINITE else "not finite"
        raise BadValue("kappa or process_variance", "smaller", f"{why} at frame {frame}")


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
