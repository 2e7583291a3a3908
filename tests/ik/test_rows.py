"""Jacobian rows of every kind of task, against differences of what the task is about."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Sites
from poise.constraints import Recruits, Scene, Task
from poise.constraints.task import TaskKind
from poise.ik.packing import ANGLE_LENGTH_M
from poise.mechanics import forward_kinematics
from tests.constraints.made_scenes import free_scene, quantity
from tests.ik.posed import Posed, everything, posed, random_goals
from tests.oracles import assert_is_derivative

FRAMES = 4
NAMES = free_scene(0, FRAMES).character.skeleton.joint_names
OFFSET = np.array([0.11, -0.23, 0.17])
OTHER = np.array([-0.05, 0.12, 0.31])
SITES = Sites(
    ("a", "b", "c"), np.array([NAMES.index(n) for n in ("left_toe", "right_ankle", "pelvis")]),
    np.array([[0.1, 0.0, 0.2], [0.0, 0.0, 0.0], [0.3, -0.1, 0.0]]),
)  # fmt: skip


def made(kind: TaskKind, **fields: object) -> Task:
    scene = free_scene(0, FRAMES)
    random = np.random.default_rng(len(kind))
    where = {k: NAMES.index(str(fields.pop(k))) for k in ("joint", "reference") if k in fields}
    goals = random_goals(kind, FRAMES, random)
    return Task("task", kind, 0, goals, everything(scene.character), **where, **fields)  # type: ignore[arg-type]


CASES: dict[str, Task] = {
    "point at a joint": made("point", joint="left_wrist"),
    "point beside a joint": made("point", joint="left_wrist", offset_m=OFFSET),
    "point beyond a hinge": made("point", joint="right_toe", offset_m=OFFSET),
    "point at the root": made("point", joint="pelvis", offset_m=OFFSET),
    "point on two axes": made("point", joint="head", offset_m=OFFSET, axes=(True, False, True)),
    "point on one axis": made("point", joint="left_toe", axes=(False, True, False)),
    "point seen from a cousin": made("point", joint="left_wrist", offset_m=OFFSET,
                                     reference="right_toe"),
    "point seen from an ancestor": made("point", joint="left_wrist", reference="chest"),
    "point seen from what it carries": made("point", joint="chest", offset_m=OFFSET,
                                            reference="left_wrist"),
    "point seen from the root on one axis": made("point", joint="left_toe", offset_m=OFFSET,
                                                 reference="pelvis", axes=(False, False, True)),
    "turn": made("turn", joint="left_toe"),
    "turn of the root": made("turn", joint="pelvis"),
    "turn against a cousin": made("turn", joint="left_wrist", reference="right_ankle"),
    "turn against an ancestor": made("turn", joint="right_toe", reference="right_hip"),
    "aim": made("aim", joint="head", direction=np.array([0.6, 0.0, 0.8])),
    "aim of an eye": made("aim", joint="left_elbow", offset_m=OFFSET,
                          direction=np.array([0.0, 1.0, 0.0])),
    "distance": made("distance", joint="left_wrist", reference="right_toe", offset_m=OFFSET,
                     reference_offset_m=OTHER),
    "distance of joints": made("distance", joint="head", reference="right_elbow"),
    "distance to an ancestor": made("distance", joint="left_toe", reference="pelvis",
                                    reference_offset_m=OTHER),
    "center": made("center"),
    "center on two axes": made("center", axes=(True, False, True)),
    "center over points": made("center", points=SITES),
    "center over points on one axis": made("center", points=SITES, axes=(False, True, False)),
}  # fmt: skip


def miss_of(task: Task, pose: Posed, scene: Scene) -> Array:
    """(K,) what the task lacks, by other code: the goal minus what is."""
    state = forward_kinematics(scene.character.skeleton, pose.root_m, pose.local_wxyz)
    goal = task.goals[pose.frame]
    is_now = quantity(task, state, scene.character)[0]
    match task.kind:
        case "turn":
            return rotations.log(rotations.multiply(goal, rotations.conjugate(is_now)))
        case "aim":
            turned = rotations.rotate(state.rotations_wxyz[0, task.joint], task.offset_m)
            way = goal - state.positions_m[0, task.joint] - turned
            way /= np.linalg.norm(way)
            across = np.cross(is_now, way)
            sine = np.linalg.norm(across)
            return across / sine * np.arctan2(sine, is_now @ way)
        case "distance":
            return goal - is_now
        case _:
            return (goal - is_now)[list(task.axes)]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("frame", range(FRAMES))
def test_errors_are_what_is_missing_to_the_goal(name: str, frame: int) -> None:
    task, scene = CASES[name], free_scene(0, FRAMES)
    pose = posed(scene, [task], frame)
    miss, errors, _ = pose.written(0)
    wanted = miss_of(task, pose, scene)
    assert miss == pytest.approx(np.linalg.norm(wanted), abs=1e-12)
    if task.kind == "aim":  # its two rows are along axes of the code's choice
        assert np.linalg.norm(errors) == pytest.approx(ANGLE_LENGTH_M * miss)
    else:
        scale = ANGLE_LENGTH_M if task.kind == "turn" else 1.0
        np.testing.assert_allclose(errors, scale * wanted, atol=1e-12)


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].kind != "aim"])
@pytest.mark.parametrize("mobile", [False, True], ids=["plain", "mobilities"])
def test_rows_are_the_derivative_of_what_the_task_is_about(name: str, mobile: bool) -> None:
    """A step along a row brings the quantity towards the goal: minus the error's derivative."""
    task, scene = CASES[name], free_scene(0, FRAMES)
    task = replace(task, weight=0.3)
    random = np.random.default_rng(4)
    mobility = dict(enumerate(random.uniform(0.2, 3.0, len(NAMES)))) if mobile else {}
    heavier = made("point", joint="head")  # so that a weight of 0.3 counts less
    pose = posed(scene, [task, heavier], int(mobile), {**mobility, -1: 0.5} if mobile else None)
    _, _, rows = pose.written(0)
    scale = np.sqrt(0.3) * (ANGLE_LENGTH_M if task.kind == "turn" else 1.0)
    if task.kind == "turn":
        assert_is_derivative(lambda step: scale * _turned(task, pose, step, scene), rows)
    else:
        assert_is_derivative(lambda step: -scale * miss_of(task, pose.moved(step), scene), rows)


def _turned(task: Task, pose: Posed, step: Array, scene: Scene) -> Array:
    """How far a step turns the frame, seen from the reference or the world."""
    before, after = (
        quantity(
            task,
            forward_kinematics(scene.character.skeleton, p.root_m, p.local_wxyz),
            scene.character,
        )[0]
        for p in (pose, pose.moved(step))
    )
    return rotations.log(rotations.multiply(after, rotations.conjugate(before)))


@pytest.mark.parametrize("name", [n for n in CASES if CASES[n].kind == "aim"])
@pytest.mark.parametrize("frame", [0, 2])
def test_rows_of_an_aim_turn_its_ray_against_the_way_to_the_goal(name: str, frame: int) -> None:
    """Both rows are square to the ray, so their errors are the sines that differ."""
    task, scene = CASES[name], free_scene(0, FRAMES)
    pose = posed(scene, [task], frame)
    state = forward_kinematics(scene.character.skeleton, pose.root_m, pose.local_wxyz)
    ray = quantity(task, state, scene.character)[0]
    # Aimed almost right, what a step does to the angle is what the rows say.
    eye = state.positions_m[0, task.joint] + rotations.rotate(
        state.rotations_wxyz[0, task.joint], task.offset_m
    )
    there = replace(task, goals=np.broadcast_to(eye + 1.7 * ray, (FRAMES, 3)))
    pose = posed(scene, [there], frame)
    miss, errors, rows = pose.written(0)
    assert miss < 1e-7 and np.abs(errors).max() < 1e-8
    axes = _axes_of(there, pose, scene, rows)
    assert_is_derivative(lambda step: axes @ _swing(there, pose.moved(step), scene), rows)


def _swing(task: Task, pose: Posed, scene: Scene) -> Array:
    """(3,) the turn from the way to the goal to the ray, scaled as rows are."""
    state = forward_kinematics(scene.character.skeleton, pose.root_m, pose.local_wxyz)
    ray = quantity(task, state, scene.character)[0]
    turned = rotations.rotate(state.rotations_wxyz[0, task.joint], task.offset_m)
    way = task.goals[pose.frame] - state.positions_m[0, task.joint] - turned
    return ANGLE_LENGTH_M * np.cross(way / np.linalg.norm(way), ray)


def _axes_of(task: Task, pose: Posed, scene: Scene, rows: Array) -> Array:
    """(2, 3) the axes of the two rows, read off what the joint's own turning does."""
    block = int(pose.problem.blocks.of_joint[task.joint])
    up = scene.character.skeleton.ancestors(task.joint)
    ball = next(j for j in up if scene.character.skeleton.kinds[j] == "ball")
    column = int(pose.problem.blocks.column[pose.problem.blocks.of_joint[ball]])
    assert block >= 0
    axes = np.empty((2, 3))
    # The swing answers to turns about the ball's world axes by a matrix of rank two.
    steps = np.zeros((3, pose.problem.width))
    steps[np.arange(3), column + np.arange(3)] = 1e-5
    answers = np.array(
        [_swing(task, pose.moved(s), scene) - _swing(task, pose.moved(-s), scene) for s in steps]
    ) / 2e-5  # fmt: skip
    for i in range(2):
        axes[i] = np.linalg.lstsq(answers, rows[i, column : column + 3], rcond=1e-6)[0]
    np.testing.assert_allclose(axes @ axes.T, np.eye(2), atol=1e-6)
    return axes


@pytest.mark.parametrize("name", CASES)
def test_a_step_along_the_rows_brings_every_kind_nearer(name: str) -> None:
    task, scene = CASES[name], free_scene(0, FRAMES)
    for frame in range(FRAMES):
        pose = posed(scene, [task], frame)
        miss, errors, rows = pose.written(0)
        short = 1e-4 * np.linalg.lstsq(rows, errors, rcond=1e-9)[0]
        closer, _, _ = pose.moved(short).written(0)
        assert closer < (1 - 0.9e-4) * miss, f"frame {frame}: from {miss} to {closer}"


def test_joints_that_may_not_help_have_columns_all_the_same() -> None:
    """The greater task must know what they do, to undo it; who may move it is another matter."""
    scene = free_scene(0, FRAMES)
    only = np.zeros(len(NAMES), dtype=np.bool_)
    only[NAMES.index("left_elbow")] = True
    task = replace(CASES["point beside a joint"], recruits=Recruits(only, False))
    pose = posed(scene, [task, CASES["center"]], 0)
    _, _, rows = pose.written(0)
    _, _, whole = posed(scene, [CASES["point beside a joint"]], 0).written(0)
    np.testing.assert_array_equal(rows, whole)


@pytest.mark.parametrize("name", CASES)
def test_errors_beyond_reach_are_shortened_in_their_own_direction(name: str) -> None:
    pose = posed(free_scene(0, FRAMES), [CASES[name]], 1)
    miss, whole, rows = pose.written(0)
    again, short, same_rows = pose.written(0, 0.01, 0.02)
    most = 0.02 if CASES[name].kind in ("turn", "aim") else 0.01
    assert again == miss > most
    np.testing.assert_allclose(short, whole * most / miss, atol=1e-15)
    np.testing.assert_array_equal(rows, same_rows)


def test_a_look_straight_away_from_the_goal_still_has_a_way_to_go() -> None:
    scene = free_scene(0, FRAMES)
    task = CASES["aim"]
    state = forward_kinematics(scene.character.skeleton, *scene.clip.pose)
    ray = quantity(task, state, scene.character)
    behind = replace(task, goals=state.positions_m[:, task.joint] - 2.0 * ray)
    miss, errors, rows = posed(scene, [behind], 0).written(0, 1.0, 0.3)
    assert miss == pytest.approx(np.pi)
    assert np.linalg.norm(errors) == pytest.approx(ANGLE_LENGTH_M * 0.3)
    assert np.isfinite(rows).all()


def test_points_in_one_place_can_still_be_parted() -> None:
    scene = free_scene(0, FRAMES)
    elbow, wrist = NAMES.index("left_elbow"), NAMES.index("left_wrist")
    to_wrist = scene.character.skeleton.offsets_m[wrist]
    task = Task(
        "same", "distance", 0, np.full((FRAMES, 1), 0.1), everything(scene.character),
        joint=wrist, reference=elbow, reference_offset_m=to_wrist,
    )  # fmt: skip
    miss, errors, rows = posed(scene, [task], 0).written(0)
    assert miss == pytest.approx(0.1) and errors[0] == pytest.approx(0.1)
    assert np.isfinite(rows).all()
    goal_at_eye = replace(CASES["aim"], goals=scene.state.positions_m[:, CASES["aim"].joint].copy())
    miss, errors, rows = posed(scene, [goal_at_eye], 0).written(0)
    assert np.isfinite([miss, *errors]).all() and np.isfinite(rows).all()
