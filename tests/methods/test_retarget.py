"""The same motion on another body: matches, rest poses, sizes, robots."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.character import Character, complete_character
from poise.environment import Environment
from poise.errors import BadValue, UnknownName
from poise.formats import load_character, load_clip
from poise.mechanics import forward_kinematics
from poise.methods.retarget import correspondence, retargeted
from poise.motion import Clip
from poise.samples import sample_character, walking
from tests.shared_data import MOCAP, SHARED, needs_mocap

FLAT = Environment.flat()
HUMAN = sample_character()
WALK = walking(seconds=1.5, rate_hz=30.0).clip


def places(clip: Clip) -> np.ndarray:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def resting_otherwise(character: Character, turns: dict[str, tuple[float, ...]]) -> Character:
    """The same body whose file has it rest in another pose, with other frames."""
    skeleton = character.skeleton
    rest = skeleton.rest_wxyz.copy()
    for name, vector in turns.items():
        joint = skeleton.index(name)
        rest[joint] = rotations.multiply(rest[joint], rotations.exp(np.array(vector)))
    made = complete_character(replace(skeleton, rest_wxyz=rest))
    return made


def test_a_body_follows_itself_joint_by_joint() -> None:
    matches = correspondence(HUMAN, HUMAN)
    np.testing.assert_array_equal(matches.sources[:, 0], np.arange(HUMAN.skeleton.joint_count))
    assert not matches.shares.any() and not matches.unused


def test_on_its_own_body_a_motion_stays_what_it_is() -> None:
    made = retargeted(WALK, HUMAN, HUMAN, correspondence(HUMAN, HUMAN), FLAT, feet=False)
    assert made.scale == pytest.approx(1.0)
    np.testing.assert_allclose(places(made.clip), places(WALK), atol=1e-6)


@pytest.mark.parametrize(
    "turns",
    [
        {"LeftArm": (0.0, 0.0, -1.2), "RightArm": (0.0, 0.0, 1.2)},
        {"LeftUpLeg": (0.0, 0.0, 0.2), "RightUpLeg": (0.0, 0.0, -0.2)},
    ],
    ids=["arms down", "legs aside"],
)
def test_the_pose_a_body_rests_in_does_not_matter(turns: dict[str, tuple[float, ...]]) -> None:
    other = resting_otherwise(HUMAN, turns)
    made = retargeted(WALK, HUMAN, other, correspondence(HUMAN, other), FLAT, feet=False)
    np.testing.assert_allclose(places(made.clip), places(WALK), atol=1e-3)


def test_what_is_given_is_followed_and_what_is_not_there_is_named() -> None:
    matches = correspondence(HUMAN, HUMAN, {"Head": "Neck", "LeftHand": ""})
    skeleton = HUMAN.skeleton
    assert matches.sources[skeleton.index("Head"), 0] == skeleton.index("Neck")
    assert not matches.follows(skeleton.index("LeftHand"))
    with pytest.raises(UnknownName, match="Nek"):
        correspondence(HUMAN, HUMAN, {"Head": "Nek"})
    with pytest.raises(UnknownName, match="Haed"):
        correspondence(HUMAN, HUMAN, {"Haed": "Neck"})


def test_a_body_that_is_not_recognised_is_refused() -> None:
    with pytest.raises(BadValue, match="recognised"):
        correspondence(HUMAN, replace(HUMAN, roles=None))


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e9, float("nan")])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    matches = correspondence(HUMAN, HUMAN)
    with pytest.raises(BadValue, match="scale"):
        retargeted(WALK, HUMAN, HUMAN, matches, FLAT, scale=scale)


@needs_mocap
def test_one_capture_on_two_skeletons_has_its_joints_in_the_same_places() -> None:
    """The two conversions differ in how hands are turned, so fingers are left out."""
    first = load_clip(MOCAP / "cmu" / "131_01.bvh").sliced(1, None)  # without its T-pose
    second = load_clip(MOCAP / "cmu_3dsmax" / "131_01.bvh")
    source, target = complete_character(first.skeleton), complete_character(second.skeleton)
    matches = correspondence(source, target)
    made = retargeted(first, source, target, matches, FLAT, feet=False)
    apart = np.linalg.norm(places(made.clip) - places(second), axis=-1).max(axis=0)
    fingers = [target.skeleton.index(name) for name in ("LFingers", "RFingers")]
    assert np.delete(apart, fingers).max() < 1e-3


ROBOTS = ("unitree_g1/g1_nomesh.xml", "unitree_h1/h1_nomesh.xml", "booster_t1/t1_nomesh.xml")


def robot(name: str) -> Character:
    pytest.importorskip("mujoco")
    path = SHARED / "robots" / name
    if not path.is_file():
        pytest.skip(f"{path} is not here")
    return complete_character(load_character(path))


@pytest.mark.parametrize("name", ROBOTS)
def test_a_robot_walks_within_its_limits_where_it_should(name: str) -> None:
    target = robot(name)
    made = retargeted(WALK, HUMAN, target, correspondence(HUMAN, target), FLAT)
    skeleton = target.skeleton
    for joint, kind in enumerate(skeleton.kinds):
        if kind != "hinge":
            continue
        turn = rotations.multiply(
            rotations.conjugate(skeleton.rest_wxyz[joint]), made.clip.rotations_wxyz[:, joint]
        )
        angle = rotations.twist_angle(turn, skeleton.hinge_axes[joint])
        low, high = skeleton.limits_rad[joint, 0]
        assert low - 1e-6 <= angle.min() and angle.max() <= high + 1e-6, skeleton.joint_names[joint]
    assert target.roles is not None
    ankles = [skeleton.index(target.roles.joint(f"{side}_ankle")) for side in ("left", "right")]
    off = np.linalg.norm(places(made.clip) - made.wanted_m, axis=-1)[:, ankles]
    assert off.mean() < 0.05


@pytest.mark.parametrize("name", ROBOTS)
def test_mujoco_plays_what_is_written(name: str, tmp_path: Path) -> None:
    mujoco = pytest.importorskip("mujoco")
    from poise.formats.robot_trajectory import robot_trajectory, write_robot

    target = robot(name)
    made = retargeted(WALK, HUMAN, target, correspondence(HUMAN, target), FLAT)
    path = tmp_path / "walk.npz"
    write_robot(path, robot_trajectory(made.clip))
    read = np.load(path)
    model = mujoco.MjModel.from_xml_path(str(SHARED / "robots" / name))
    data = mujoco.MjData(model)
    ours = places(made.clip)
    to_file = rotations.conjugate(np.array([np.sqrt(0.5), -np.sqrt(0.5), 0.0, 0.0]))
    for frame in range(0, made.clip.frame_count, 7):
        data.qpos[:3] = read["root_pos"][frame]
        data.qpos[3:7] = read["root_quat_wxyz"][frame]
        for column, joint in enumerate(read["joint_names"]):
            address = model.joint(str(joint)).qposadr[0]
            data.qpos[address] = read["joint_pos"][frame, column]
        mujoco.mj_kinematics(model, data)
        for index, joint in enumerate(target.skeleton.joint_names):
            if target.skeleton.kinds[index] == "hinge":
                there = data.xanchor[model.joint(joint).id]
                here = rotations.rotate(to_file, ours[frame, index])
                np.testing.assert_allclose(here, there, atol=1e-4, err_msg=joint)
