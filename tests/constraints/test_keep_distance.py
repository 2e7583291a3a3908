from __future__ import annotations

import numpy as np
import pytest

from poise.constraints import Interval, KeepDistance, Recruit, tasks_of
from poise.constraints.scene import point_path
from poise.errors import BadValue
from tests.constraints.made_scenes import gap, walk_scene

WHEN = Interval(10, 40, 8, 8)
ARMS = {f"{side}{part}" for side in ("Left", "Right") for part in ("Shoulder", "Arm", "ForeArm")}


def test_a_given_distance_is_eased_into() -> None:
    (task,) = tasks_of(KeepDistance("k", "left_wrist", "right_wrist", WHEN, 0.3), walk_scene())
    was = point_path(walk_scene(), "left_wrist", 10, 40)
    was = np.linalg.norm(was - point_path(walk_scene(), "right_wrist", 10, 40), axis=1)
    np.testing.assert_allclose(task.goals[:, 0], was + WHEN.shares() * (0.3 - was), atol=1e-12)


def test_without_a_distance_it_is_the_original_one_in_every_frame() -> None:
    (task,) = tasks_of(KeepDistance("k", "left_hand_tip", "right_heel", WHEN), walk_scene())
    assert gap(task, walk_scene()).max() < 1e-12
    assert np.ptp(task.goals) > 0.05


def test_both_chains_help_up_to_but_without_what_carries_both() -> None:
    character = walk_scene().character
    (task,) = tasks_of(KeepDistance("k", "left_wrist", "right_wrist", WHEN), walk_scene())
    assert set(task.recruits.names(character)) == ARMS
    (task,) = tasks_of(KeepDistance("k", "left_hand_tip", "right_hand_tip", WHEN), walk_scene())
    assert set(task.recruits.names(character)) == ARMS | {"LeftHand", "RightHand"}


def test_a_joint_that_carries_one_point_ends_that_chain_and_leaves_the_other_out() -> None:
    character = walk_scene().character
    recruit = Recruit(up_to="left_elbow")
    wish = KeepDistance("k", "left_wrist", "right_wrist", WHEN, recruit=recruit)
    (task,) = tasks_of(wish, walk_scene())
    assert task.recruits.names(character) == ("LeftForeArm",)
    wish = KeepDistance("k", "left_wrist", "right_wrist", WHEN, recruit=Recruit(up_to="root"))
    (task,) = tasks_of(wish, walk_scene())
    assert {"translation", "Hips", *ARMS} <= set(task.recruits.names(character))
    wish = KeepDistance("k", "left_wrist", "right_wrist", WHEN, recruit=Recruit(up_to="left_hip"))
    with pytest.raises(BadValue, match="up_to of 'k' must be a joint that carries"):
        tasks_of(wish, walk_scene())


def test_what_cannot_be_kept_is_explained() -> None:
    with pytest.raises(BadValue, match="distance_m of 'k' must be zero or more"):
        KeepDistance("k", "left_wrist", "right_wrist", WHEN, -0.1)
    with pytest.raises(BadValue, match="recruit of 'k' must be at least one joint"):
        tasks_of(KeepDistance("k", "left_heel", "left_ball", WHEN), walk_scene())
