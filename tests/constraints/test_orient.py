from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.constraints import Interval, Orient, tasks_of
from poise.errors import BadValue
from tests.constraints.made_scenes import quantity, walk_scene

WHEN = Interval(10, 40, 8, 8)
TURN = tuple(rotations.exp([0.3, -0.2, 0.9]).tolist())


def test_absolute_is_a_rotation_in_the_world_and_relative_one_in_a_frame() -> None:
    for wish in (
        Orient("o", "head", TURN, WHEN),
        Orient("o", "head", TURN, WHEN, "relative", "chest"),
    ):
        (task,) = tasks_of(wish, walk_scene())
        assert rotations.angle_between(task.goals[8:23], np.array(TURN)).max() < 1e-7


def test_an_offset_turns_about_the_axes_of_the_world() -> None:
    scene = walk_scene()
    (task,) = tasks_of(Orient("o", "head", TURN, WHEN, "offset"), scene)
    before = quantity(task, scene.state, scene.character)[18:33]
    nose = np.array([0.0, 0.0, 1.0])
    expected = rotations.rotate(np.array(TURN), rotations.rotate(before, nose))
    np.testing.assert_allclose(rotations.rotate(task.goals[8:23], nose), expected, atol=1e-12)


def test_an_offset_turns_about_the_axes_of_another_joint() -> None:
    scene = walk_scene()
    (task,) = tasks_of(Orient("o", "head", TURN, WHEN, "offset", "pelvis"), scene)
    before = quantity(task, scene.state, scene.character)[18:33]
    expected = rotations.multiply(np.array(TURN), before)
    assert rotations.angle_between(task.goals[8:23], expected).max() < 1e-7


def test_easing_turns_at_the_share_of_the_angle() -> None:
    scene = walk_scene()
    (task,) = tasks_of(Orient("o", "head", TURN, WHEN, "offset"), scene)
    before = quantity(task, scene.state, scene.character)[10:41]
    angles = rotations.angle_between(before, task.goals)
    np.testing.assert_allclose(angles, WHEN.shares() * np.linalg.norm([0.3, -0.2, 0.9]), atol=1e-7)


def test_turns_of_any_length_mean_the_same() -> None:
    long = Orient("o", "head", tuple(3 * x for x in TURN), WHEN)  # type: ignore[arg-type]
    np.testing.assert_allclose(long.turn_wxyz, TURN, atol=1e-15)
    assert Orient("o", "head", long.turn_wxyz, WHEN) == long


def test_bad_turns_say_so() -> None:
    with pytest.raises(BadValue, match="turn_wxyz of 'o' must be a quaternion other than zero"):
        Orient("o", "head", (0, 0, 0, 0), WHEN)
    with pytest.raises(BadValue, match="turn_wxyz of 'o' must be 4 numbers"):
        Orient("o", "head", (1, 0, 0), WHEN)  # type: ignore[arg-type]


def test_moving_the_root_is_not_recruited_for_a_turn() -> None:
    (task,) = tasks_of(Orient("o", "head", TURN, WHEN), walk_scene())
    assert not task.recruits.translation and task.recruits.joints[0]
