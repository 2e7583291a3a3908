"""What moves a task, against what happens when every joint is turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Sites
from poise.constraints import Recruits, Scene, Task, moved_by
from poise.mechanics import BodyState, forward_kinematics
from tests.constraints.made_scenes import free_scene, quantity

SCENE = free_scene()
BODY = SCENE.character
NOBODY = Recruits(np.zeros(BODY.skeleton.joint_count, dtype=np.bool_), False)
ASIDE = np.array([0.1, -0.2, 0.3])


def at(name: str) -> int:
    return BODY.skeleton.index(name)


def point(joint: str, reference: str | None = None, offset: Array = ASIDE) -> Task:
    to = -1 if reference is None else at(reference)
    return Task("t", "point", 0, np.zeros((1, 3)), NOBODY, 1, 1.0, at(joint), offset, to)


def turn(joint: str, reference: str | None = None) -> Task:
    to = -1 if reference is None else at(reference)
    return Task("t", "turn", 0, np.array([[1.0, 0, 0, 0]]), NOBODY, joint=at(joint), reference=to)


def distance(a: str, b: str, first: Array = ASIDE, second: Array = ASIDE) -> Task:
    return Task(
        "t", "distance", 0, np.zeros((1, 1)), NOBODY, 1, 1.0, at(a), first,
        at(b), second,
    )  # fmt: skip


def center(*points: str) -> Task:
    joints = np.array([at(p) for p in points], dtype=np.int64)
    found = Sites(points, joints, np.tile(ASIDE, (len(points), 1)))
    return Task("t", "center", 0, np.zeros((1, 3)), NOBODY, points=found)


AIM = Task("t", "aim", 0, np.zeros((1, 3)), NOBODY, joint=at("head"), direction=ASIDE)
ZERO = np.zeros(3)
TASKS = {
    "a point": point("left_wrist"),
    "an origin": point("left_wrist", offset=ZERO),
    "the root's origin": point("pelvis", offset=ZERO),
    "a point seen from another limb": point("left_wrist", "right_ankle"),
    "an origin seen from another limb": point("left_wrist", "head", ZERO),
    "a point seen from above": point("left_wrist", "chest"),
    "an origin seen from above": point("left_wrist", "chest", ZERO),
    "a point seen from below": point("left_hip", "left_ankle"),
    "an origin seen from below": point("left_hip", "left_ankle", ZERO),
    "a turn": turn("left_wrist"),
    "a turn seen from another limb": turn("left_wrist", "right_ankle"),
    "a turn seen from below": turn("left_hip", "left_ankle"),
    "a distance": distance("left_wrist", "right_wrist"),
    "a distance of origins": distance("left_wrist", "right_wrist", ZERO, ZERO),
    "a distance along a limb": distance("left_shoulder", "left_wrist"),
    "a distance of origins along a limb": distance("left_shoulder", "left_wrist", ZERO, ZERO),
    "the centre": center(),
    "the centre from feet": center("left_ankle", "right_ankle"),
}


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_those_and_only_those_joints_move_it_that_change_it(task: Task) -> None:
    movers = moved_by(task, BODY)
    before = quantity(task, SCENE.state, BODY)
    for joint, name in enumerate(BODY.skeleton.joint_names):
        change = np.abs(quantity(task, _turned(SCENE, joint), BODY) - before).max()
        assert (change > 1e-6) == movers.joints[joint], f"{name}: {change}"
    root = SCENE.clip.root_positions_m + ASIDE
    shifted = replace(SCENE.clip, root_positions_m=root)
    state = forward_kinematics(BODY.skeleton, *shifted.pose)
    change = np.abs(quantity(task, state, BODY) - before).max()
    assert (change > 1e-6) == movers.translation


def _turned(scene: Scene, joint: int) -> BodyState:
    turns = scene.clip.rotations_wxyz.copy()
    axis = scene.character.skeleton.hinge_axes[joint]
    axis = axis if axis.any() else np.array([0.3, 0.4, 0.5])
    turns[:, joint] = rotations.multiply(turns[:, joint], rotations.exp(0.3 * axis))
    changed = replace(scene.clip, rotations_wxyz=turns)
    return forward_kinematics(scene.character.skeleton, *changed.pose)


def test_an_aim_is_moved_by_all_that_carries_it() -> None:
    movers = moved_by(AIM, BODY)
    chain = BODY.skeleton.ancestors(at("head"))
    assert np.flatnonzero(movers.joints).tolist() == sorted(chain)
    assert movers.translation
