"""How fast the joints of a URDF turn: as its limits say, and on no word as fast as they like."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.character import complete_character, with_ranges
from poise.errors import FileProblem
from poise.formats.robots import read_character
from tests.shared_data import ROBOTS, needs_robots

INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def urdf(limit: str, kind: str = "revolute") -> str:
    return f"""
<robot name="one">
  <link name="base"><inertial><mass value="3"/>{INERTIA}</inertial></link>
  <link name="leg"><inertial><mass value="2"/>{INERTIA}</inertial></link>
  <joint name="hinge" type="{kind}">
    <parent link="base"/><child link="leg"/><axis xyz="0 1 0"/>{limit}
  </joint>
</robot>
"""


def speeds(tmp_path: Path, text: str) -> np.ndarray:
    path = tmp_path / "one.urdf"
    path.write_text(text)
    character = read_character(path)
    assert character.skeleton.joint_names == ("base", "hinge")
    return character.speed_limits_rad_s


@pytest.mark.parametrize(
    ("stated", "speed"),
    [('velocity="7.5"', 7.5), ('velocity="0"', np.inf), ("", np.inf), ('velocity="1e-3"', 1e-3)],
)
@pytest.mark.parametrize("kind", ["revolute", "continuous"])
def test_a_speed_is_as_stated_and_zero_or_none_is_infinite(
    tmp_path: Path, stated: str, speed: float, kind: str
) -> None:
    found = speeds(tmp_path, urdf(f'<limit lower="-1" upper="2" effort="5" {stated}/>', kind))
    np.testing.assert_array_equal(found, [np.inf, speed])


def test_a_joint_that_turns_all_round_needs_no_limit(tmp_path: Path) -> None:
    np.testing.assert_array_equal(speeds(tmp_path, urdf("", "continuous")), [np.inf, np.inf])


@pytest.mark.parametrize("wrong", ["fast", "nan"])
def test_a_speed_that_is_no_number_is_refused_by_its_joint(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(FileProblem, match=r"one\.urdf"):
        speeds(tmp_path, urdf(f'<limit lower="-1" upper="2" effort="5" velocity="{wrong}"/>'))


@needs_robots
def test_g1_turns_as_fast_as_its_file_says() -> None:
    g1 = read_character(ROBOTS / "unitree_g1/g1_29dof_rev_1_0.urdf")
    skeleton = g1.skeleton
    for side in ("left", "right"):
        assert g1.speed_limits_rad_s[skeleton.index(f"{side}_knee_joint")] == 20.0
        assert g1.speed_limits_rad_s[skeleton.index(f"{side}_hip_pitch_joint")] == 32.0
        assert g1.speed_limits_rad_s[skeleton.index(f"{side}_ankle_roll_joint")] == 30.0
        assert g1.speed_limits_rad_s[skeleton.index(f"{side}_wrist_yaw_joint")] == 22.0
    turning = np.array([kind == "hinge" for kind in skeleton.kinds])
    np.testing.assert_array_equal(np.isfinite(g1.speed_limits_rad_s), turning)


@needs_robots
def test_speeds_survive_what_a_character_goes_through() -> None:
    g1 = read_character(ROBOTS / "unitree_g1/g1_29dof_rev_1_0.urdf")
    for made in (complete_character(g1), with_ranges(complete_character(g1))):
        assert made.skeleton.joint_names == g1.skeleton.joint_names
        np.testing.assert_array_equal(made.speed_limits_rad_s, g1.speed_limits_rad_s)


@needs_robots
def test_a_robot_whose_file_has_no_speeds_turns_as_fast_as_it_likes() -> None:
    g1 = read_character(ROBOTS / "unitree_g1/g1_nomesh.xml")
    assert np.isinf(g1.speed_limits_rad_s).all()
