"""Forward kinematics: closed forms, moving offsets, shapes, and what is refused."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import rotations
from poise.character import Sites
from poise.errors import BadShape, BadValue
from poise.mechanics import forward_kinematics, site_positions
from tests.mechanics.random_trees import random_case
from tests.mechanics.small_bodies import branching_skeleton


def test_the_rest_pose_is_the_skeletons_own() -> None:
    skeleton = random_case(3).skeleton
    state = forward_kinematics(skeleton, skeleton.offsets_m[0], skeleton.rest_wxyz)
    np.testing.assert_allclose(state.positions_m[0], skeleton.rest_positions_m, atol=1e-14)
    np.testing.assert_allclose(state.rotations_wxyz[0], skeleton.rest_world_wxyz, atol=1e-14)


def test_a_quarter_turn_of_the_trunk_carries_the_arms() -> None:
    skeleton = branching_skeleton()
    local = np.tile(rotations.IDENTITY, (4, 1))
    local[0] = rotations.from_axis_angle([0, 0, 1.0], np.pi / 2)
    state = forward_kinematics(skeleton, [1.0, 2.0, 3.0], local)
    np.testing.assert_allclose(state.positions_m[0, 1], [0.5, 2.3, 3.0], atol=1e-15)
    np.testing.assert_allclose(state.positions_m[0, 3], [0.5, 1.3, 3.0], atol=1e-15)
    places = site_positions(state, Sites(("tip",), np.array([3]), np.array([[-0.1, 0, 0]])))
    np.testing.assert_allclose(places[0, 0], [0.5, 1.2, 3.0], atol=1e-15)


def test_moving_offsets_replace_the_skeletons_frame_by_frame() -> None:
    case = random_case(5, frames=4, joints=6)
    m = case.motion
    moving = np.random.default_rng(1).normal(size=(4, 2, 3))
    state = forward_kinematics(case.skeleton, m.root_m, m.local, (4, 2), moving)
    for joint, column in ((4, 0), (2, 1)):
        up = int(case.skeleton.parents[joint])
        turned = rotations.rotate(state.rotations_wxyz[:, up], moving[:, column])
        step = state.positions_m[:, joint] - state.positions_m[:, up]
        np.testing.assert_allclose(step, turned, atol=1e-14)
    still = forward_kinematics(case.skeleton, m.root_m, m.local)
    np.testing.assert_array_equal(still.rotations_wxyz, state.rotations_wxyz)


def test_one_pose_needs_no_frame_axis() -> None:
    case = random_case(7)
    m = case.motion
    one = forward_kinematics(case.skeleton, m.root_m[1], m.local[1])
    many = forward_kinematics(case.skeleton, m.root_m, m.local)
    np.testing.assert_array_equal(one.positions_m[0], many.positions_m[1])


def test_many_cores_give_the_same_bits(three_cores: None) -> None:
    case = random_case(2, frames=1003, joints=9)
    m = case.motion
    alone = forward_kinematics(case.skeleton, m.root_m, m.local, parallel=False)
    shared = forward_kinematics(case.skeleton, m.root_m, m.local, parallel=True)
    np.testing.assert_array_equal(alone.positions_m, shared.positions_m)
    np.testing.assert_array_equal(alone.rotations_wxyz, shared.rotations_wxyz)


def test_a_state_cannot_be_written_to() -> None:
    case = random_case(1)
    state = forward_kinematics(case.skeleton, case.motion.root_m, case.motion.local)
    with pytest.raises(ValueError, match="read-only"):
        state.positions_m[0, 0, 0] = 9.0


def test_other_layouts_and_types_are_taken() -> None:
    case = random_case(4)
    m = case.motion
    odd = forward_kinematics(
        case.skeleton, m.root_m.tolist(), np.asfortranarray(m.local).astype(">f8")
    )
    plain = forward_kinematics(case.skeleton, m.root_m, m.local)
    np.testing.assert_array_equal(odd.positions_m, plain.positions_m)


def test_no_frames_give_no_frames() -> None:
    skeleton = branching_skeleton()
    assert forward_kinematics(skeleton, np.zeros((0, 3)), np.zeros((0, 4, 4))).frame_count == 0


def test_wrong_shapes_say_what_is_wanted() -> None:
    skeleton = branching_skeleton()
    local = np.tile(rotations.IDENTITY, (5, 4, 1))
    with pytest.raises(BadShape, match=r"rotations_wxyz must have shape \(F, 4, 4\)"):
        forward_kinematics(skeleton, np.zeros((5, 3)), local[:, :3])
    with pytest.raises(BadShape, match=r"root_positions_m must have shape \(5, 3\)"):
        forward_kinematics(skeleton, np.zeros((4, 3)), local)
    with pytest.raises(BadValue, match="joints other than the root"):
        forward_kinematics(skeleton, np.zeros((5, 3)), local, (0,), np.zeros((5, 1, 3)))
    with pytest.raises(BadValue, match="given for 1 moving joints"):
        forward_kinematics(skeleton, np.zeros((5, 3)), local, (1,))
    with pytest.raises(BadValue, match="an array of numbers"):
        forward_kinematics(skeleton, np.zeros((5, 3)), "here")


def test_only_forward_kinematics_makes_a_body_state() -> None:
    makers = [
        path.name
        for path in Path(poise.__file__).parent.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "BodyState"
    ]
    assert makers == ["kinematics.py"]
