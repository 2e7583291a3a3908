"""What tasks are about at sigma points, against posing the figure anew for every one of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.constraints import Recruits, Scene, Task
from poise.ik.packed import HINGE, TRANSLATION
from poise.ik.packing import ANGLE_LENGTH_M
from poise.ik.places import square_to as square_to_kernel
from poise.ik.posing import take_step as take_step_kernel
from poise.ik.sampled_rows import sample_task as sample_task_kernel
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from tests.called_from_python import from_python
from tests.constraints.made_scenes import free_scene, quantity
from tests.ik.posed import Posed, posed
from tests.ik.test_rows import CASES as ROW_CASES
from tests.ik.test_rows import FRAMES, NAMES, OFFSET, OTHER, made

sample_task = from_python(sample_task_kernel)
take_step = from_python(take_step_kernel)
square_to: Any = from_python(square_to_kernel)

UNWRITTEN = 7e7
"""What is not written would show."""

CASES: dict[str, Task] = ROW_CASES | {
    "point seen from a cousin on two axes": made("point", joint="head", reference="left_ankle",
                                                 offset_m=OFFSET, axes=(True, True, False)),
    "point of a hinge seen from its child": made("point", joint="left_knee", offset_m=OFFSET,
                                                 reference="left_toe"),
    "turn against what it carries": made("turn", joint="pelvis", reference="right_toe"),
    "turn of a hinge": made("turn", joint="right_elbow"),
    "aim of the root": made("aim", joint="pelvis", offset_m=OTHER,
                            direction=np.array([0.0, 0.6, -0.8])),
    "distance from an ancestor": made("distance", joint="pelvis", reference="left_toe",
                                      offset_m=OTHER, reference_offset_m=OFFSET),
    "distance to a cousin": made("distance", joint="left_knee", reference="right_elbow"),
}  # fmt: skip


def sampled(pose: Posed, task: int, lengths: Array, row: int = 1) -> tuple[Array, Array, Array]:
    """Center (K,), plus (W, K) and minus (W, K) of one task; nothing else may be written."""
    p = pose.problem
    count = int(p.packed.rows[task])
    center = np.full(count + 2, UNWRITTEN)
    plus, minus = np.full((2, p.width, count + 2), UNWRITTEN)
    sample_task(
        p.rig._replace(work=pose.work()), task, pose.frame, row, lengths, center, plus, minus
    )
    own = slice(row, row + count)
    for out in (center[None], plus, minus):
        others = np.delete(out, np.r_[own], axis=1)
        assert (others == UNWRITTEN).all() and (out[:, own] != UNWRITTEN).all()
    return center[own], plus[:, own], minus[:, own]


def values(task: Task, clip: Clip, goal: Array, character: Character) -> Array:
    """(F, K or 3) goal minus what is, in every pose of a clip, by other code."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    is_now = quantity(task, state, character)
    match task.kind:
        case "turn":
            return rotations.log(rotations.multiply(goal, rotations.conjugate(is_now)))
        case "aim":
            turned = rotations.rotate(state.rotations_wxyz[:, task.joint], task.offset_m)
            way = goal - state.positions_m[:, task.joint] - turned
            way /= np.linalg.norm(way, axis=1, keepdims=True)
            across = np.cross(is_now, way)
            sine = np.linalg.norm(across, axis=1, keepdims=True)
            return across / sine * np.arctan2(sine, np.sum(is_now * way, axis=1, keepdims=True))
        case "distance":
            return goal - is_now
        case _:
            return (goal - is_now)[:, list(task.axes)]


def poses_around(pose: Posed, lengths: Array) -> Clip:
    """The pose itself, then each coordinate a length on, then each a length back."""
    skeleton, blocks = pose.problem.scene.character.skeleton, pose.problem.blocks
    width = pose.problem.width
    roots = np.tile(pose.root_m, (1 + 2 * width, 1))
    local = np.tile(pose.local_wxyz, (1 + 2 * width, 1, 1))
    world = forward_kinematics(skeleton, roots[:1], local[:1]).rotations_wxyz[0]
    for b, kind in enumerate(blocks.kind.tolist()):
        j = int(blocks.joint[b])
        for number in range(1 if kind == HINGE else 3):
            column = int(blocks.column[b]) + number
            for at, length in ((1, lengths[column]), (1 + width, -lengths[column])):
                if kind == TRANSLATION:
                    roots[at + column, number] += length
                    continue
                axis = np.eye(3)[number]
                if kind == HINGE:
                    axis = rotations.rotate(world[j], skeleton.hinge_axes[j])
                turned = rotations.multiply(rotations.exp(length * axis), world[j])
                up = int(skeleton.parents[j])
                over = rotations.conjugate(world[up]) if up >= 0 else np.array([1.0, 0, 0, 0])
                local[at + column, j] = rotations.multiply(over, turned)
    return Clip(skeleton, 30.0, roots, local)


def axes_of(task: Task, pose: Posed, scene: Scene) -> Array:
    """(K or 2, K or 3) what a task is measured along: for aims, axes of the pose in the middle."""
    if task.kind != "aim":
        return np.eye(int(pose.problem.packed.rows[0]))
    state = forward_kinematics(scene.character.skeleton, pose.root_m, pose.local_wxyz)
    ray = quantity(task, state, scene.character)[0]
    axes = np.array(square_to(*ray))
    np.testing.assert_allclose(np.vstack([axes, ray]) @ axes.T, np.eye(3, 2), atol=1e-12)
    return axes


def lengths_of(pose: Posed, seed: int) -> Array:
    """(W,) long ones, all different: a column that takes another's would show."""
    return np.random.default_rng(seed).uniform(0.1, 1.2, pose.problem.width)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("frame", [0, 3])
def test_sigma_points_are_what_posing_the_figure_anew_gives(name: str, frame: int) -> None:
    """Frame 3 with a weight: values are scaled as rows are."""
    scene, heavier = free_scene(0, FRAMES), made("point", joint="head")
    task = replace(CASES[name], weight=0.3 if frame else 1.0)
    pose = posed(scene, [task, heavier], frame)
    lengths = lengths_of(pose, frame)
    center, plus, minus = sampled(pose, 0, lengths)
    scale = np.sqrt(task.weight) * (ANGLE_LENGTH_M if task.kind in ("turn", "aim") else 1.0)
    missing = values(task, poses_around(pose, lengths), task.goals[frame], scene.character)
    wanted = -scale * missing @ axes_of(task, pose, scene).T
    np.testing.assert_allclose(center, -pose.written(0)[1], atol=1e-12)
    np.testing.assert_allclose(np.vstack([center, plus, minus]), wanted, atol=1e-10)
    assert (np.abs(plus - center).max(axis=1) > 1e-3).sum() >= 3


@pytest.mark.parametrize("name", ["point seen from a cousin", "turn", "center over points"])
def test_a_step_of_the_length_leads_to_the_sigma_point(name: str) -> None:
    """The filter samples with one kernel and steps with another: they mean the same coordinate."""
    task, scene = CASES[name], free_scene(0, FRAMES)
    pose = posed(scene, [task], 1)
    p, lengths = pose.problem, lengths_of(pose, 5)
    _, plus, _ = sampled(pose, 0, lengths)
    for column, length in enumerate(lengths.tolist()):
        work, root, local = pose.work(), pose.root_m.copy(), pose.local_wxyz.copy()
        work.step[:] = 0.0
        work.step[column] = length
        take_step(p.tree, p.blocks, root, local, 1.0, work)
        there, _, _ = sampled(replace(pose, root_m=root, local_wxyz=local), 0, lengths)
        np.testing.assert_allclose(plus[column], there, atol=1e-10, err_msg=f"{column}")


def met(task: Task, scene: Scene) -> Task:
    """The same task, where its goal is what is: there the rows are exact derivatives."""
    state = forward_kinematics(scene.character.skeleton, *scene.clip.pose)
    goals = quantity(task, state, scene.character).copy()
    if task.kind == "aim":
        turned = rotations.rotate(state.rotations_wxyz[:, task.joint], task.offset_m)
        goals = state.positions_m[:, task.joint] + turned + 1.7 * goals
    return replace(task, goals=goals)


@pytest.mark.parametrize("name", CASES)
def test_half_differences_over_small_lengths_are_the_rows(name: str) -> None:
    scene = free_scene(0, FRAMES)
    task = CASES[name]
    if task.kind in ("turn", "aim"):
        task = met(task, scene)
    pose = posed(scene, [task], 2)
    length = 1e-5
    _, plus, minus = sampled(pose, 0, np.full(pose.problem.width, length))
    _, _, rows = pose.written(0)
    assert np.abs(rows).max() > 1e-3
    np.testing.assert_allclose((plus - minus).T / (2.0 * length), rows, atol=2e-9)


@pytest.mark.parametrize("name", CASES)
def test_coordinates_that_a_task_does_not_recruit_leave_it_alone(name: str) -> None:
    scene = free_scene(0, FRAMES)
    only = np.zeros(len(NAMES), dtype=np.bool_)
    only[[NAMES.index(n) for n in ("left_elbow", "chest", "right_hip", "left_knee")]] = True
    whole = posed(scene, [CASES[name], CASES["center"]], 1)
    task = replace(CASES[name], recruits=Recruits(only, False))
    pose = posed(scene, [task, CASES["center"]], 1)
    assert pose.problem.width == whole.problem.width
    lengths = lengths_of(pose, 8)
    center, plus, minus = sampled(pose, 0, lengths)
    _, all_plus, all_minus = sampled(whole, 0, lengths)
    blocks = pose.problem.blocks
    helps = np.zeros(pose.problem.width, dtype=np.bool_)
    ends = [*blocks.column.tolist()[1:], pose.problem.width]
    for b, end in enumerate(ends):
        if blocks.kind[b] != TRANSLATION:
            helps[int(blocks.column[b]) : end] = only[blocks.joint[b]]
    np.testing.assert_array_equal(plus[helps], all_plus[helps])
    np.testing.assert_array_equal(minus[helps], all_minus[helps])
    assert (plus[~helps] == center).all() and (minus[~helps] == center).all()
    assert (all_plus[~helps] != center).any()


def test_sampling_changes_neither_pose_nor_lengths() -> None:
    pose = posed(free_scene(0, FRAMES), [CASES["center over points"]], 0)
    lengths = lengths_of(pose, 1)
    kept = lengths.copy(), pose.root_m.copy(), pose.local_wxyz.copy()
    once, again = sampled(pose, 0, lengths), sampled(pose, 0, lengths, row=0)
    for before, after in zip(kept, (lengths, pose.root_m, pose.local_wxyz), strict=True):
        np.testing.assert_array_equal(before, after)
    for a, b in zip(once, again, strict=True):
        np.testing.assert_array_equal(a, b)


def test_coordinates_of_no_length_stay_in_the_middle() -> None:
    """Mobility zero: joints that never move."""
    for task in CASES.values():
        pose = posed(free_scene(0, FRAMES), [task], 0)
        center, plus, minus = sampled(pose, 0, np.zeros(pose.problem.width))
        np.testing.assert_allclose(plus, np.broadcast_to(center, plus.shape), atol=1e-12)
        np.testing.assert_allclose(minus, np.broadcast_to(center, plus.shape), atol=1e-12)


def test_places_without_a_direction_give_numbers() -> None:
    """The goal of an aim in its eye, and two points in one place whose distance matters."""
    scene = free_scene(0, FRAMES)
    eye = replace(CASES["aim"], goals=scene.state.positions_m[:, CASES["aim"].joint].copy())
    elbow, wrist = NAMES.index("left_elbow"), NAMES.index("left_wrist")
    same = replace(
        made("distance", joint="left_wrist", reference="left_elbow"),
        reference_offset_m=scene.character.skeleton.offsets_m[wrist],
    )
    assert same.reference == elbow
    for task in (eye, same):
        pose = posed(scene, [task], 0)
        for out in sampled(pose, 0, lengths_of(pose, 2)):
            assert np.isfinite(out).all()


def test_an_aim_straight_away_from_its_goal_does_not_count_as_met() -> None:
    scene, task = free_scene(0, FRAMES), CASES["aim"]
    state = scene.state
    ray = quantity(task, state, scene.character)
    behind = replace(task, goals=state.positions_m[:, task.joint] - 2.0 * ray)
    pose = posed(scene, [behind], 0)
    center, _, _ = sampled(pose, 0, lengths_of(pose, 2))
    assert np.linalg.norm(center) == pytest.approx(ANGLE_LENGTH_M * np.pi)
