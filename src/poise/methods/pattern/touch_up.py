"""After the pattern: feet on their prints, both hands on the tool, the last way to a goal.

Frame by frame inverse kinematics, each with joints of its own: legs, the other arm, and the chain
from the pelvis to the point. What the pattern did to the rest stays.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Attachment, Character
from poise.constraints import Recruits, Scene, Task, carries_weight, find_point
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.ik import IkProblem, IkSettings, IkSolution, build, solve, unsolved
from poise.mechanics import BodyState, forward_kinematics
from poise.methods.pattern.planted import foot_tasks, with_soft_knee
from poise.motion import Clip

_SETTINGS = IkSettings(
    tolerance_mm=0.05,
    tolerance_deg=0.05,
    posture_tolerance_deg=1.0,
    settled_deg=0.01,
    iterations=10,
)
_GRIP_M = 0.3
"""Wrists that stay nearer than this hold one thing together."""
_MISSED_M = 1e-3


@dataclass(frozen=True, eq=False)
class Wanted:
    """A goal in one frame, after the pattern."""

    task: Task
    frame: int
    goal: Array
    """(3,) or (4,), in the clip's world."""


def touched_up(
    before: Clip, after: Clip, character: Character, environment: Environment,
    contacts: ContactSchedule | None, tools: Sequence[Attachment],
    goals: Sequence[Wanted], finish_s: float, *, finish: bool,
) -> tuple[Clip, list[str]]:  # fmt: skip
    """The edited clip, finished; and what could not be.

    Without contacts, feet are left alone. Goals are met, or near enough to be finished over
    `finish_s` before and after.
    """
    old, new = (forward_kinematics(clip.skeleton, *clip.pose) for clip in (before, after))
    scene, notes = Scene(after, character, environment), list[str]()
    found: IkSolution | None = None

    def add(tasks: Sequence[Task], under: IkSolution | None) -> IkSolution | None:
        # Limbs share no joint: each is a small problem of its own, on top of those before it.
        if not tasks:
            return under
        problem = build(scene, tasks)
        made = unsolved(problem, under)
        solve(problem, _SETTINGS, made, 0, after.frame_count - 1, over=under)
        notes.extend(_missed(problem, made))
        return made

    asked = [(each.task.joint, each.frame) for each in goals]
    if contacts is not None and character.roles is not None:
        for place, turn in foot_tasks(old, new, contacts, character, environment, asked):
            found = add([with_soft_knee(place, new, character), turn], found)
    if finish:
        here = new
        if found is not None:
            here = forward_kinematics(
                after.skeleton, found.root_positions_m, found.rotations_wxyz,
                after.moving_joints, after.moving_offsets_m,
            )  # fmt: skip
        found = add(finishing_tasks(goals, here, character, after.rate_hz, finish_s), found)
    found = add(_grip_tasks(old, character, tools, {joint for joint, _ in asked}), found)
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


def _grip_tasks(
    old: BodyState, character: Character, tools: Sequence[Attachment], asked: set[int]
) -> list[Task]:
    """The other hand stays where it is on a tool that both hold, unless it has goals of its own."""
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
        if any(arm[joint] or other in skeleton.ancestors(joint) for joint in asked):
            continue
        task = Task(
            f"grip of {tool.name}", "point", 0, goals, Recruits(arm, False), 2, 1.0, other,
            reference=holds,
        )  # fmt: skip
        tasks.append(task)
    return tasks


def finishing_tasks(
    goals: Sequence[Wanted], here: BodyState, character: Character, rate_hz: float, finish_s: float
) -> list[Task]:
    """Paths of all points that have goals, led to them and back.

    What is met already is a goal like the others, so that finishing one does not move another.
    """
    points: dict[tuple[object, ...], list[Wanted]] = {}
    for each in goals:
        task = each.task
        key = (task.kind, task.joint, tuple(np.asarray(task.offset_m).tolist()), task.axes)
        points.setdefault(key, []).append(each)
    reach = max(round(finish_s * rate_hz), 1)
    made = [
        _led(sorted(some, key=lambda each: each.frame), here, character, reach)
        for some in points.values()
    ]
    return [task for task in made if task.recruits.joints.any()]


def _led(goals: Sequence[Wanted], here: BodyState, character: Character, reach: int) -> Task:
    """The path of a point, as its goals have it in their frames."""
    task, skeleton = goals[0].task, character.skeleton
    frames = np.array(list(dict.fromkeys(each.frame for each in goals)))
    # Of several goals in one frame, the most important one counts.
    by_rank = sorted(goals, key=lambda each: each.task.priority)
    wanted = np.array([next(e.goal for e in by_rank if e.frame == f) for f in frames])
    first = max(int(frames[0]) - reach, 0)
    last = min(int(frames[-1]) + reach, here.frame_count - 1)
    turns = here.rotations_wxyz[first : last + 1, task.joint]
    chain = np.zeros(skeleton.joint_count, dtype=np.bool_)
    chain[[j for j in skeleton.ancestors(task.joint) if skeleton.parents[j] >= 0]] = True
    chain &= carries_weight(character) & (skeleton.freedoms > 0)
    shares = _shares(np.arange(first, last + 1), frames, reach)
    if task.kind == "point":
        path = here.positions_m[first : last + 1, task.joint] + rotations.rotate(
            turns, task.offset_m
        )
        goal_path = path + shares @ (wanted - path[frames - first])
        chain[task.joint] = chain[task.joint] and bool(np.any(task.offset_m))
    else:
        away = rotations.log(rotations.multiply(wanted, rotations.conjugate(turns[frames - first])))
        goal_path = rotations.normalize(rotations.multiply(rotations.exp(shares @ away), turns))
    return replace(task, first=first, goals=goal_path, recruits=Recruits(chain, False))


def _shares(at: Indices, frames: Indices, reach: int) -> Array:
    """(n, k) how much of what each goal lacks is added in every frame.

    One in the goal's own frame and none in another's; from goal to goal, and within `reach` of the
    outer ones, it comes and goes as 6x⁵ - 15x⁴ + 10x³.
    """
    shares = np.zeros((len(at), len(frames)))
    for k, frame in enumerate(frames.tolist()):
        before = frame - frames[k - 1] if k else reach
        after = frames[k + 1] - frame if k + 1 < len(frames) else reach
        wide = np.where(at < frame, min(before, 2 * reach), min(after, 2 * reach))
        x = np.clip(1.0 - np.abs(at - frame) / wide, 0.0, 1.0)
        shares[:, k] = x**3 * (x * (6.0 * x - 15.0) + 10.0)
    return shares
