"""A deformed motion made to obey body and ground: one physics solve on top (`physics: true`).

Constraints that hold keep holding; those that deform had to give up are wishes. What touches in the
clip, and no constraint is about, stays on the ground, and the forces under it stay like the clip's.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.character import contact_points
from poise.constraints import Recruits, Scene, Task
from poise.contact import ContactSchedule, detect_contacts, intervals
from poise.errors import BadValue
from poise.footing import Movers, contact_tasks, held_longer, moving_joints, worst_miss
from poise.ik import IkSolution, look
from poise.methods.deform.problem import Problem
from poise.methods.deform.report import DeformReport
from poise.physics import (
    PhysicsSolution,
    capture_wrench,
    shortfalls,
    solve_clip,
)

SHORTEST = 3
"""Frames: fewer have no acceleration to speak of."""
_GIVEN_UP_M = 1e-3
"""A task that is off by more was given up (turns: by as many radians)."""


def obeying(report: DeformReport) -> DeformReport:
    """The same edit with a motion that the ground can carry and the body can do."""
    problem, final = report.problem, report.final
    edit = problem.edit
    if edit.character.body is None or edit.character.roles is None:
        raise BadValue("physics", "false for a character without roles and a body", True)
    if edit.clip.frame_count < SHORTEST:
        raise BadValue("clip", f"at least {SHORTEST} frames for physics", edit.clip.frame_count)
    contacts = edit.contacts or detect_contacts(edit.clip, edit.character, edit.environment)
    clip = replace(
        edit.clip, root_positions_m=final.root_positions_m, rotations_wxyz=final.rotations_wxyz
    )
    scene = Scene(clip, edit.character, edit.environment)
    movers = Movers(edit.character, moving_joints(edit.clip))
    wished = _wished(problem, final)
    others = _without_constrained(contacts, problem, edit.character.skeleton.joint_count)
    longer = replace(others, touching=held_longer(others.touching), sliding=None)
    held, _, _ = contact_tasks(scene, longer, None, movers)
    solved = solve_clip(
        scene, [*wished, *held], contacts, also=Recruits(movers.moves, True),
        usual=capture_wrench(edit.clip, edit.character),
    )  # fmt: skip
    made = replace(
        clip, root_positions_m=solved.root_positions_m, rotations_wxyz=solved.rotations_wxyz
    )
    # Edits ask for speeds of their own: none but the body's own limits is promised.
    free = np.full(edit.character.skeleton.joint_count, np.inf)
    names = {f"{task.kind}: {task.name}" for task in held}
    return replace(
        report, final=_seen(problem, final, solved), physics=solved,
        shortfalls=shortfalls(made, edit.character, edit.environment, contacts, clip, free),
        contact_off=worst_miss({n: off for n, off in solved.missed_m.items() if n in names}),
    )  # fmt: skip


def _wished(problem: Problem, final: IkSolution) -> list[Task]:
    """Tasks of the highest layer that are met hold, all others are wishes."""
    found: list[Task] = []
    for n, (task, layer) in enumerate(zip(problem.ik.tasks, problem.ik.layers, strict=True)):
        if task.kind == "center":
            continue  # balance is what the laws of motion ask for
        met = float(np.nan_to_num(final.misses[:, n]).max(initial=0.0)) <= _GIVEN_UP_M
        found.append(replace(task, priority=1 if met and layer == 0 else 2))
    return found


def _without_constrained(
    contacts: ContactSchedule, problem: Problem, joints: int
) -> ContactSchedule:
    """Contacts of parts that no constraint is about while they touch."""
    busy = np.zeros((contacts.frame_count, joints), dtype=np.bool_)
    for task in problem.ik.tasks:
        if task.joint >= 0:
            busy[task.first : task.last + 1, task.joint] = True
    touching, points = contacts.touching.copy(), contact_points(problem.edit.character)
    for column, part in enumerate(contacts.parts):
        if part in points:
            about = np.asarray(busy[:, points[part].joints].any(axis=1))
            for first, stop in intervals(touching[:, column]):
                if about[first:stop].any():
                    touching[first:stop, column] = False
    return replace(contacts, touching=touching, sliding=None)


def _seen(problem: Problem, final: IkSolution, solved: PhysicsSolution) -> IkSolution:
    found = final.copy()
    found.root_positions_m[:], found.rotations_wxyz[:] = solved.pose
    for first, stop in intervals(problem.active):
        look(problem.ik, found, first, stop - 1)
    return found
