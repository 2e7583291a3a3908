from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.constraints import Interval, LookAt, Scene, tasks_of
from poise.constraints.scene import point_path
from poise.errors import BadValue
from tests.constraints.made_scenes import walk_scene

WHEN = Interval(10, 40, 8, 8)
TARGET = (2.0, 1.0, 3.0)


def test_the_target_is_the_goal_where_it_holds_fully() -> None:
    (task,) = tasks_of(LookAt("l", "head", TARGET, WHEN), walk_scene())
    assert task.kind == "aim"
    np.testing.assert_array_equal(task.goals[8:23], [TARGET] * 15)


def test_a_point_of_the_body_stands_for_its_original_path() -> None:
    (task,) = tasks_of(LookAt("l", "head", "left_hand_tip", WHEN), walk_scene())
    path = point_path(walk_scene(), "left_hand_tip", 10, 40)
    np.testing.assert_array_equal(task.goals[8:23], path[8:23])


def test_the_usual_direction_is_where_the_figure_faces() -> None:
    scene = walk_scene()
    (task,) = tasks_of(LookAt("l", "head", TARGET, WHEN), scene)
    assert scene.character.roles is not None
    at_rest = scene.character.skeleton.rest_world_wxyz[task.joint]
    seen = rotations.rotate(at_rest, task.direction)
    np.testing.assert_allclose(seen, scene.character.roles.forward, atol=1e-12)
    walked = scene.clip.root_positions_m[-1] - scene.clip.root_positions_m[0]
    looks = rotations.rotate(scene.state.rotations_wxyz[20, task.joint], task.direction)
    assert looks @ walked / np.linalg.norm(walked) > 0.9


def test_the_gaze_swings_there_at_the_share_of_the_angle_and_at_the_targets_distance() -> None:
    scene = walk_scene()
    (task,) = tasks_of(LookAt("l", "head", TARGET, WHEN, eye="head_top"), scene)
    eyes = point_path(scene, "head_top", 10, 40)
    looks = rotations.rotate(scene.state.rotations_wxyz[10:41, task.joint], task.direction)
    rays, full = task.goals - eyes, np.array(TARGET) - eyes
    distances = np.linalg.norm(full, axis=1)
    np.testing.assert_allclose(np.linalg.norm(rays, axis=1), distances, atol=1e-12)
    between = rotations.between_vectors(looks, rays), rotations.between_vectors(looks, full)
    angles, whole = (np.linalg.norm(rotations.log(q), axis=1) for q in between)
    np.testing.assert_allclose(angles, WHEN.shares() * whole, atol=1e-7)


def test_a_target_straight_behind_is_swung_to_all_the_same() -> None:
    scene = walk_scene()
    (task,) = tasks_of(LookAt("l", "head", TARGET, WHEN), scene)
    eye = scene.state.positions_m[14, task.joint]
    look = rotations.rotate(scene.state.rotations_wxyz[14, task.joint], task.direction)
    behind = tuple((eye - 2 * look).tolist())
    (task,) = tasks_of(LookAt("l", "head", behind, WHEN), scene)  # type: ignore[arg-type]
    goal = task.goals[4]
    assert np.isfinite(task.goals).all()
    assert np.linalg.norm(goal - eye) == pytest.approx(2.0)
    angle = np.arccos((goal - eye) @ look / 2.0)
    assert angle == pytest.approx(WHEN.shares()[4] * np.pi, abs=1e-6)


def test_a_direction_of_any_length_is_made_unit() -> None:
    (task,) = tasks_of(LookAt("l", "head", TARGET, WHEN, (0.0, 3.0, 4.0)), walk_scene())
    np.testing.assert_allclose(task.direction, [0, 0.6, 0.8])


def test_what_cannot_be_looked_at_or_with_is_explained() -> None:
    scene = walk_scene()
    with pytest.raises(BadValue, match=r"target of 'l' must be more than 1 mm from the eye.*10"):
        tasks_of(LookAt("l", "head", "head", WHEN), scene)
    with pytest.raises(BadValue, match="eye of 'l' must be a point that rides on Head"):
        tasks_of(LookAt("l", "head", TARGET, WHEN, eye="left_heel"), scene)
    with pytest.raises(BadValue, match="direction of 'l' must be longer than zero"):
        LookAt("l", "head", TARGET, WHEN, (0, 0, 0))
    blank = Scene(scene.clip, replace(scene.character, roles=None))
    with pytest.raises(BadValue, match="direction of 'l' must be given"):
        tasks_of(LookAt("l", "Head", TARGET, WHEN), blank)
