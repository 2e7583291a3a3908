"""What tasks are about: the goals that poses meet exactly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import ik
from poise.ik.places import task_values
from poise.mechanics import forward_kinematics
from tests.constraints.made_scenes import free_scene
from tests.ik.test_rows import CASES, FRAMES


@pytest.mark.parametrize("name", CASES)
def test_goals_taken_from_poses_are_met_by_them(name: str) -> None:
    scene = free_scene(0, FRAMES)
    state = forward_kinematics(scene.character.skeleton, *scene.clip.pose)
    values = task_values(CASES[name], state, scene.character)
    assert values.shape == CASES[name].goals.shape
    problem = ik.build(scene, [replace(CASES[name], goals=values)])
    poses = ik.unsolved(problem)
    ik.look(problem, poses, 0, FRAMES - 1)
    # The angle of an aim is an arc tangent of a sine of rounding size.
    np.testing.assert_allclose(poses.misses, 0.0, atol=1e-7 if CASES[name].kind == "aim" else 1e-12)


@pytest.mark.parametrize("name", CASES)
def test_looking_changes_no_pose_and_says_nan_where_nothing_holds(name: str) -> None:
    scene = free_scene(0, FRAMES)
    short = replace(CASES[name], first=1, goals=CASES[name].goals[1:3])
    problem = ik.build(scene, [short])
    poses = ik.unsolved(problem)
    ik.look(problem, poses, 0, FRAMES - 1)
    np.testing.assert_array_equal(np.isnan(poses.misses[:, 0]), [True, False, False, True])
    np.testing.assert_array_equal(poses.rotations_wxyz, scene.clip.rotations_wxyz)
    np.testing.assert_array_equal(poses.root_positions_m, scene.clip.root_positions_m)
