"""Bodies that a human's motion does not fit: what is said about them, and what comes of them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from poise.character import Character, complete_character
from poise.character.role_names import name_parts
from poise.environment import Environment
from poise.errors import BadValue, FileProblem
from poise.formats import load_character
from poise.job import figure_of
from poise.mechanics import forward_kinematics
from poise.methods.retarget import Settings, retargeted
from poise.methods.retarget.suitable import why_not
from poise.motion import Clip
from poise.samples import sample_character, walking
from poise.transfer import correspondence
from tests.methods.other_bodies import put_on
from tests.shared_data import ROBOTS, needs_robots
from tests.unsuitable_bodies import (
    Link,
    anonymous,
    arm_alone,
    bvh,
    dog,
    hand,
    humanoid,
    legs_only,
    mirrored,
    mjcf,
    on_wheels,
    quadruped,
)

pytest.importorskip("mujoco", reason="MuJoCo is not installed (package mujoco)")

FLAT = Environment.flat()
HUMAN = sample_character()
WALK = walking(seconds=1.0, rate_hz=30.0).clip
LONE = Link("lonely", (0.0, 0.0, 1.0))
ARMS = "left_shoulder, left_elbow, right_shoulder, right_elbow"
LEGS = "left_hip, left_knee, left_ankle, right_hip, right_knee, right_ankle"
URDF = """<robot name="bent">
<link name="upper"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<link name="lower"><inertial><mass value="1"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="left_knee" type="revolute"><parent link="upper"/><child link="lower"/>
<origin xyz="0 0 1"/><axis xyz="0 1 0"/>LIMIT</joint></robot>"""


def body(folder: Path, text: str) -> Character:
    path = folder / ("body.xml" if text.startswith("<mujoco") else "body.bvh")
    path.write_text(text, encoding="utf-8")
    return figure_of(path, repaired=True)


def knees(clip: Clip, target: Character) -> np.ndarray:
    """(F, 2) how far knees are in front of the line from hip to ankle, along where it walks."""
    assert target.roles is not None
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    at = {
        part: places[:, [target.skeleton.index(target.roles.joint(f"{side}_{part}"))
                         for side in ("left", "right")]]
        for part in ("hip", "knee", "ankle")
    }  # fmt: skip
    return (at["knee"] - 0.5 * (at["hip"] + at["ankle"]))[..., 2]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (mjcf(quadruped()), "four legs, as an animal has"),
        (mjcf(anonymous(quadruped())), "four legs, as an animal has"),
        (bvh(quadruped()), "four legs, as an animal has"),
        (bvh(dog()), "four legs, as an animal has"),
        (bvh(anonymous(dog())), "four legs, as an animal has"),
        (mjcf(hand()), "5 chains of joints on one part, as a hand has fingers"),
        (mjcf(anonymous(hand()), floats=False), "5 chains of joints on one part, as a hand"),
        (mjcf(arm_alone(), floats=False), "one chain of 6 joints, as an arm on a bench has"),
        (mjcf(on_wheels()), f"arms but wheels for legs: nothing was recognised as pelvis, {LEGS}"),
        (mjcf(legs_only()), f"legs but no arms: nothing was recognised as {ARMS}"),
        (mjcf(humanoid(arms=False)), f"legs but no arms: nothing was recognised as {ARMS}"),
        (mjcf(LONE), "a body in one piece, with no joint that turns"),
        (bvh(LONE), "a body in one piece, with no joint that turns"),
        (mjcf(anonymous(humanoid())), "names do not tell what they are"),
    ],
)
def test_it_is_said_what_a_body_is_likely_to_be(text: str, what: str, tmp_path: Path) -> None:
    found = why_not(body(tmp_path, text))
    assert found is not None and what in found, found


@pytest.mark.parametrize(
    "text", [mjcf(humanoid()), mjcf(mirrored(humanoid())), mjcf(humanoid(), floats=False)]
)
def test_of_a_humanoid_nothing_is_said(text: str, tmp_path: Path) -> None:
    assert why_not(body(tmp_path, text)) is None


@needs_robots
@pytest.mark.parametrize("name", ["unitree_g1/g1_nomesh.xml", "unitree_h1/h1.urdf"])
def test_of_a_real_humanoid_nothing_is_said(name: str) -> None:
    assert why_not(load_character(ROBOTS / name)) is None


def test_a_human_needs_no_reason() -> None:
    assert why_not(HUMAN) is None


def test_a_leg_in_part_is_not_said_to_be_missing(tmp_path: Path) -> None:
    text = mjcf(humanoid()).replace("_ankle_pitch", "_q").replace("_ankle_roll", "_r")
    said = "arms and legs only in part: nothing was recognised as left_ankle, right_ankle"
    assert why_not(body(tmp_path, text)) == said


@pytest.mark.parametrize(
    "names",
    [
        {"_knee": "_knee_fe", "_elbow": "_elbow_fe", "_ankle_roll": "_ankle_pd"},
        {"_shoulder_": "_sho_", "_elbow": "_el", "_ankle_": "_ank_"},
    ],
    ids=["Apptronik Apollo", "Robotis OP3"],
)
def test_names_of_real_humanoids_are_known(names: dict[str, str], tmp_path: Path) -> None:
    text = mjcf(humanoid())
    for usual, theirs in names.items():
        text = text.replace(usual, theirs)
    parts = [name_parts(name, hinged=True).limb_parts
             for name in body(tmp_path, text).skeleton.joint_names
             if name.startswith("left_") and not name.startswith("left_hand")]  # fmt: skip
    assert all(parts), parts


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_a_few_frames_are_put_on_a_robot(frames: int, tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(humanoid())))
    made = retargeted(WALK.sliced(0, frames), HUMAN, robot, correspondence(HUMAN, robot), FLAT)
    assert made.clip.frame_count == frames
    assert np.isfinite(made.clip.rotations_wxyz).all() and made.off_m < 0.03


def test_a_robots_motion_goes_back_on_a_human(tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(humanoid())))
    there = retargeted(WALK, HUMAN, robot, correspondence(HUMAN, robot), FLAT)
    back = retargeted(there.clip, robot, HUMAN, correspondence(robot, HUMAN), FLAT)
    assert there.scale * back.scale == pytest.approx(1.0)
    apart = [forward_kinematics(c.skeleton, *c.pose).positions_m for c in (back.clip, WALK)]
    assert np.linalg.norm(apart[0] - apart[1], axis=-1).mean() < 0.05


@pytest.mark.parametrize("scale", [0.0099, 100.1, float("inf")])
def test_a_scale_beyond_all_bodies_is_refused(scale: float) -> None:
    with pytest.raises(BadValue, match=r"scale must be from 0\.01 to 100"):
        Settings(scale=scale)


def test_a_scale_that_legs_cannot_follow_does_not_converge(tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(humanoid())))
    asked = Settings(scale=3.0, balance=False)
    made = put_on(WALK, HUMAN, robot, FLAT, asked)
    assert made.status != "converged", made.report.stages[-1].summary


def test_a_body_that_cannot_move_does_not_converge(tmp_path: Path) -> None:
    text = re.sub(r'range="[^"]*"', 'range="-0.02 0.02"', mjcf(humanoid()))
    robot = complete_character(body(tmp_path, text))
    asked = Settings(balance=False)
    made = put_on(WALK, HUMAN, robot, FLAT, asked)
    assert made.status != "converged", made.report.stages[-1].summary


def test_knees_that_bend_backwards_are_kept_in_their_limits(tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(humanoid((-2.4, 0.0)))))
    made = retargeted(WALK, HUMAN, robot, correspondence(HUMAN, robot), FLAT)
    assert knees(made.clip, robot).max() < 0.01


def test_knees_that_bend_backwards_are_said(tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(humanoid((-2.4, 0.0)))))
    said = "Its knees bend the other way: left_knee_joint, right_knee_joint."
    assert [note for note in robot.notes if note.startswith(said)]


@pytest.mark.parametrize("knee", [(0.0, 2.4), (-0.5, 1.0), (-2.0, 2.0)])
def test_of_other_knees_nothing_is_said(knee: tuple[float, float], tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(humanoid(knee))))
    assert not [note for note in robot.notes if "knees" in note]


@needs_robots
@pytest.mark.parametrize("name", ["unitree_g1/g1_nomesh.xml", "unitree_h1/h1.urdf"])
def test_of_real_knees_nothing_is_said(name: str) -> None:
    assert not [note for note in load_character(ROBOTS / name).notes if "knees" in note]


def test_a_range_of_no_width_is_refused_by_its_joint(tmp_path: Path) -> None:
    with pytest.raises(FileProblem, match="left_knee_joint"):
        body(tmp_path, mjcf(humanoid((0.0, 0.0))))


@pytest.mark.parametrize(
    "limit",
    [
        '<limit lower="0" upper="0" effort="1" velocity="1"/>',
        '<limit lower="1" upper="-1" effort="1" velocity="1"/>',
        '<limit effort="1" velocity="1"/>',
        "",
    ],
    ids=["no width", "upside down", "not given, which means zero", "no limit"],
)
def test_a_joint_of_urdf_that_cannot_turn_does_not_turn_freely(limit: str, tmp_path: Path) -> None:
    path = tmp_path / "bent.urdf"
    path.write_text(URDF.replace("LIMIT", limit), encoding="utf-8")
    try:
        found = load_character(path)
    except FileProblem as problem:
        assert "left_knee" in str(problem)
    else:
        joint = found.skeleton.index("left_knee")
        assert (found.skeleton.limits_rad[joint, 0] == 0.0).all()
        assert "left_knee cannot turn: its limit has no width." in found.notes


def test_what_slides_is_refused_by_its_name(tmp_path: Path) -> None:
    text = mjcf(humanoid()).replace(
        'name="neck_joint" type="hinge"', 'name="neck_joint" type="slide"'
    )
    with pytest.raises(FileProblem, match="slide joint neck_joint"):
        body(tmp_path, text)


def test_a_root_that_is_welded_floats_and_that_is_noted(tmp_path: Path) -> None:
    robot = body(tmp_path, mjcf(humanoid(), floats=False))
    assert any("pelvis is fixed to the world" in note for note in robot.notes)


def test_swapped_sides_are_noted(tmp_path: Path) -> None:
    robot = complete_character(body(tmp_path, mjcf(mirrored(humanoid()))))
    assert robot.roles is not None
    assert any("Left and right look swapped" in note for note in robot.roles.notes)


def test_a_body_without_roles_is_refused_by_name() -> None:
    robot = Character(HUMAN.skeleton, name="nobody")
    with pytest.raises(BadValue, match="nobody"):
        correspondence(HUMAN, robot)
