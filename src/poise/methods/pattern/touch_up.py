"""After the pattern: feet on their prints, both hands on the tool, the last way to a goal.

Frame by frame inverse kinematics, each with joints of its own: legs, the other arm, and the chain
from the pelvis to the point. What the pattern did to the rest stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.character.attachments import Attachment
from poise.constraints import Interval, Scene, Task
from poise.constraints.naming import find_point
from poise.constraints.recruiting import Recruits, carries_weight
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.ik import IkProblem, IkSettings, IkSolution, build, solve, unsolved
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.pattern.planted import foot_tasks
from poise.motion import Clip

_SETTINGS = IkSettings(
    tolerance_mm=0.02,
    tolerance_deg=0.02,
    posture_tolerance_deg=1.0,
    settled_deg=0.01,
    iterations=10,
)
_GRIP_M = 0.3
"""Wrists that stay nearer than this hold one thing together."""
_MISSED_M = 1e-3


@dataclass(frozen=True, eq=False)
class LeftOver:
    """What is missing to a goal after the pattern."""

    task: Task
    frame: int
    goal: Array
    """(3,) or (4,), in the clip's world."""


def touched_up(
    before: Clip, after: Clip, character: Character, environment: Environment,
    contacts: ContactSchedule | None, tools: Sequence[Attachment],
    left: Sequence[LeftOver], finish_s: float,
) -> tuple[Clip, list[str]]:  # fmt: skip
    """The edited clip, finished; and what could not be.

    Args:
        before: the clip as it came.
        after: as the pattern has it.
        character: with roles.
        environment: what feet stand on.
        contacts: what touches when; None leaves the feet alone.
        tools: what hands hold.
        left: goals that are still to be reached.
        finish_s: over how long before and after.
    """
    old, new = (forward_kinematics(clip.skeleton, *clip.pose) for clip in (before, after))
    groups: list[list[Task]] = []
    if contacts is not None and character.roles is not None:
        groups += foot_tasks(old, new, contacts, character, environment)
    groups.append([_finishing(each, new, character, after.rate_hz, finish_s) for each in left])
    groups.append(_grip_tasks(old, character, tools))
    scene = Scene(after, character, environment)
    found: IkSolution | None = None
    notes: list[str] = []
    for tasks in filter(None, groups):
        # Limbs share no joint: each is a small problem of its own, on top of those before it.
        problem, under = build(scene, tasks), found
        found = unsolved(problem, under)
        solve(problem, _SETTINGS, found, 0, after.frame_count - 1, over=under)
        notes += _missed(problem, found)
    if found is None:
        return after, []
    turns = found.rotations_wxyz
    return replace(after, root_positions_m=found.root_positions_m, rotations_wxyz=turns), notes


def _missed(problem: IkProblem, found: IkSolution) -> list[str]:
    notes: list[str] = []
    for n, task in enumerate(problem.tasks):
        missed = np.nan_to_num(found.misses[:, n])
        worst = int(missed.argmax())
        if task.kind == "point" and missed[worst] > _MISSED_M:
            notes.append(
                f"{task.name.replace('_', ' ')} is {100 * missed[worst]:.1f} cm off at frame "
                f"{worst}: the limb does not reach."
            )
    return notes


def _grip_tasks(old: BodyState, character: Character, tools: Sequence[Attachment]) -> list[Task]:
    """The other hand stays where it is on a tool that both hold."""
    if character.roles is None:
        return []
    skeleton, joints = character.skeleton, character.roles.joints
    if not {"left_wrist", "right_wrist"} <= set(joints):
        return []
    left, right = (skeleton.index(joints[f"{side}_wrist"]) for side in ("left", "right"))
    tasks: list[Task] = []
    for tool in tools:
        holds = find_point(character, tool.name)[0]
        if holds not in (left, right):
            continue
        other = right if holds == left else left
        apart = old.positions_m[:, other] - old.positions_m[:, holds]
        if np.linalg.norm(apart, axis=1).max() > _GRIP_M:
            continue
        goals = rotations.rotate(rotations.conjugate(old.rotations_wxyz[:, holds]), apart)
        arm = np.zeros(skeleton.joint_count, dtype=np.bool_)
        shared = set(skeleton.ancestors(holds))
        for joint in skeleton.ancestors(other):
            arm[joint] = joint != other and joint not in shared and skeleton.freedoms[joint] > 0
        task = Task(
            f"grip of {tool.name}", "point", 0, goals, Recruits(arm, False), 2, 1.0, other,
            reference=holds,
        )  # fmt: skip
        tasks.append(task)
    return tasks


def _finishing(
    left: LeftOver, new: BodyState, character: Character, rate_hz: float, finish_s: float
) -> Task:
    """The path of the point, led to the goal and back."""
    task, frame, skeleton = left.task, left.frame, character.skeleton
    reach = max(round(finish_s * rate_hz), 1)
    first, last = max(frame - reach, 0), min(frame + reach, new.frame_count - 1)
    shares = Interval(first, last, frame - first, last - frame).shares()[:, None]
    turns = new.rotations_wxyz[first : last + 1, task.joint]
    chain = np.zeros(skeleton.joint_count, dtype=np.bool_)
    chain[[j for j in skeleton.ancestors(task.joint) if skeleton.parents[j] >= 0]] = True
    chain &= carries_weight(character) & (skeleton.freedoms > 0)
    if task.kind == "point":
        path = new.positions_m[first : last + 1, task.joint] + rotations.rotate(
            turns, task.offset_m
        )
        goals = path + shares * (left.goal - path[frame - first])
        chain[task.joint] = chain[task.joint] and bool(np.any(task.offset_m))
    else:
        away = rotations.log(
            rotations.multiply(left.goal, rotations.conjugate(turns[frame - first]))
        )
        goals = rotations.normalize(rotations.multiply(rotations.exp(shares * away), turns))
    return replace(task, first=first, goals=goals, priority=1, recruits=Recruits(chain, False))
