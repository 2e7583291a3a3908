"""Trajectories as robots' pipelines read them, and hinges whose ranges end near half a turn."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton
from poise.errors import BadValue, FileProblem
from poise.formats.robot_trajectory import (
    LAYOUTS,
    RobotTrajectory,
    check_hinged,
    check_robot_file,
    robot_trajectory,
    write_robot,
)
from poise.motion import Clip
from poise.units import world_from_file_wxyz

AXIS = np.array([0.0, 0.6, 0.8])
REST = rotations.normalize(np.array([0.8, 0.1, -0.5, 0.2]))


def hinged(low: float, high: float) -> Skeleton:
    """A base, a bracket that stays, and one hinge that does not rest at identity."""
    limits = np.tile([-np.inf, np.inf], (3, 3, 1))
    limits[2, 0] = low, high
    return Skeleton(
        ("base", "bracket", "hinge"), np.array([-1, 0, 1]), np.eye(3),
        np.stack([rotations.IDENTITY, rotations.IDENTITY, REST]), ("ball", "fixed", "hinge"),
        np.stack([np.zeros(3), np.zeros(3), AXIS]), limits,
    )  # fmt: skip


def turning(skeleton: Skeleton, angles: Array, rate_hz: float = 50.0) -> Clip:
    """The base wanders; the hinge turns. Signs of quaternions are as they happen to be."""
    random, frames = np.random.default_rng(4), len(angles)
    turns = np.tile(skeleton.rest_wxyz, (frames, 1, 1))
    turns[:, 0] = rotations.normalize([1, 0, 0, 0] + 0.3 * random.normal(size=(frames, 4)))
    turns[:, 2] = rotations.multiply(REST, rotations.from_axis_angle(AXIS, angles))
    turns[:, 2] *= random.choice([-1.0, 1.0], (frames, 1))
    return Clip(skeleton, rate_hz, random.normal(size=(frames, 3)), turns)


def made(rate_hz: float = 50.0, frames: int = 7) -> RobotTrajectory:
    clip = turning(hinged(-1.0, 2.0), np.linspace(-0.9, 1.9, frames), rate_hz)
    return robot_trajectory(clip, {"contact.left_foot": np.arange(frames, dtype=np.float64) % 2})


def unpickled(path: Path) -> dict[str, Any]:
    return pickle.loads(path.read_bytes())


# Angles.


@settings(max_examples=60, deadline=None)
@given(
    middle=st.floats(-np.pi, np.pi),
    width=st.floats(0.1, 2.0 * np.pi - 0.1),
    beyond=st.floats(0.0, 0.04),
)
def test_angles_are_those_of_the_range_even_a_little_beyond_its_ends(
    middle: float, width: float, beyond: float
) -> None:
    low, high = middle - 0.5 * width, middle + 0.5 * width
    angles = np.linspace(low - beyond, high + beyond, 40)
    found = robot_trajectory(turning(hinged(low, high), angles))
    np.testing.assert_allclose(found.angles_rad[:, 0], angles, atol=1e-7)
    steady = (angles[1] - angles[0]) * 50.0
    np.testing.assert_allclose(found.velocities_rad_s[:, 0], steady, atol=1e-4)


def test_a_hinge_that_turns_all_round_goes_on_counting() -> None:
    angles = np.linspace(0.0, 20.0, 80)
    found = robot_trajectory(turning(hinged(-np.inf, np.inf), angles))
    np.testing.assert_allclose(found.angles_rad[:, 0], angles, atol=1e-7)


def test_a_range_that_is_open_at_one_end_counts_from_zero() -> None:
    angles = np.linspace(-3.0, 3.0, 30)
    for low, high in ((-3.1, np.inf), (-np.inf, 3.1)):
        found = robot_trajectory(turning(hinged(low, high), angles))
        np.testing.assert_allclose(found.angles_rad[:, 0], angles, atol=1e-7)


def test_one_frame_has_no_speed() -> None:
    found = robot_trajectory(turning(hinged(-1.0, 1.0), np.array([0.5])))
    np.testing.assert_array_equal(found.velocities_rad_s, [[0.0]])


def test_only_hinges_are_columns_and_z_is_up() -> None:
    clip = turning(hinged(-1.0, 1.0), np.zeros(5))
    found = robot_trajectory(clip)
    assert found.joint_names == ("hinge",)
    to_world = world_from_file_wxyz("z")
    np.testing.assert_allclose(
        rotations.rotate(to_world, found.root_positions_m), clip.root_positions_m, atol=1e-12
    )
    np.testing.assert_allclose(found.root_positions_m[:, 2], clip.root_positions_m[:, 1])
    back = rotations.multiply(to_world, found.root_wxyz)
    assert rotations.angle_between(back, clip.rotations_wxyz[:, 0]).max() < 1e-7


def test_balls_and_channels_of_another_length_are_refused() -> None:
    with pytest.raises(BadValue, match="hinges"):
        check_hinged(Skeleton(("a", "b"), np.array([-1, 0]), np.eye(3)[:2]))
    with pytest.raises(BadValue, match="channel torque"):
        robot_trajectory(turning(hinged(-1, 1), np.zeros(4)), {"torque": np.zeros(5)})


# GMR's layout.


@pytest.mark.parametrize(("rate_hz", "kind"), [(30.0, int), (120.0, int), (29.97, float)])
def test_gmr_files_hold_what_its_readers_ask_for(
    tmp_path: Path, rate_hz: float, kind: type
) -> None:
    trajectory = made(rate_hz)
    write_robot(tmp_path / "walk.pkl", trajectory, "gmr")
    found = unpickled(tmp_path / "walk.pkl")
    assert list(found) == [
        "fps", "root_pos", "root_rot", "dof_pos", "local_body_pos", "link_body_list"
    ]  # fmt: skip
    assert type(found["fps"]) is kind and found["fps"] == pytest.approx(rate_hz)
    assert found["local_body_pos"] is None and found["link_body_list"] is None
    for key, shape in (("root_pos", (7, 3)), ("root_rot", (7, 4)), ("dof_pos", (7, 1))):
        assert type(found[key]) is np.ndarray, key
        assert found[key].shape == shape and found[key].dtype == np.float64
        assert found[key].flags.writeable  # readers scale and shift them in place
    np.testing.assert_array_equal(found["root_pos"], trajectory.root_positions_m)
    np.testing.assert_array_equal(found["root_rot"], trajectory.root_wxyz[:, [1, 2, 3, 0]])
    np.testing.assert_array_equal(found["dof_pos"], trajectory.angles_rad)


def test_gmr_files_are_read_by_older_pythons(tmp_path: Path) -> None:
    write_robot(tmp_path / "walk.pkl", made(), "gmr")
    data = (tmp_path / "walk.pkl").read_bytes()
    assert data[:2] == b"\x80\x04"


@pytest.mark.parametrize("layout", ["gmr", "unitree"])
def test_csv_without_a_header_has_place_xyzw_and_angles(tmp_path: Path, layout: str) -> None:
    trajectory = made()
    write_robot(tmp_path / "walk.csv", trajectory, layout)
    table = np.loadtxt(tmp_path / "walk.csv", delimiter=",")
    wanted = [trajectory.root_positions_m, trajectory.root_wxyz[:, [1, 2, 3, 0]],
              trajectory.angles_rad]  # fmt: skip
    np.testing.assert_allclose(table, np.concatenate(wanted, axis=1), rtol=1e-8, atol=1e-9)


def test_our_own_csv_has_a_header_and_every_channel(tmp_path: Path) -> None:
    trajectory = made()
    write_robot(tmp_path / "walk.csv", trajectory)
    heads = (tmp_path / "walk.csv").read_text().splitlines()[0].split(",")
    assert heads[0] == "time_s" and heads[-1] == "contact.left_foot"
    table = np.loadtxt(tmp_path / "walk.csv", delimiter=",", skiprows=1)
    assert table.shape == (7, len(heads))
    np.testing.assert_allclose(table[:, heads.index("root_qw")], trajectory.root_wxyz[:, 0],
                               atol=1e-8)  # fmt: skip
    column = table[:, heads.index("hinge.pos_rad")]
    np.testing.assert_allclose(column, trajectory.angles_rad[:, 0], atol=1e-8)


def test_our_own_npz_has_names_and_channels(tmp_path: Path) -> None:
    write_robot(tmp_path / "walk.npz", made())
    with np.load(tmp_path / "walk.npz") as found:
        assert found["joint_names"].tolist() == ["hinge"]
        assert found["fps"] == 50.0
        np.testing.assert_array_equal(found["contact.left_foot"], np.arange(7) % 2)


KNOWN = {(layout, kind) for layout, kinds in LAYOUTS.items() for kind in kinds}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind", [".csv", ".npz", ".pkl", ".bvh", "", ".CSV", ".PKL"])
def test_files_are_refused_before_there_is_anything_to_write(
    tmp_path: Path, layout: str, kind: str
) -> None:
    path = tmp_path / f"walk{kind}"
    if (layout, kind.lower()) in KNOWN:
        check_robot_file(path, layout)
        write_robot(path, made(), layout)
        assert path.stat().st_size > 0
        return
    with pytest.raises(FileProblem, match=f"layout {layout}"):
        check_robot_file(path, layout)
    with pytest.raises(FileProblem, match=f"layout {layout}"):
        write_robot(path, made(), layout)
    assert not path.exists()


def test_a_layout_that_is_not_known_is_refused_by_those_that_are(tmp_path: Path) -> None:
    with pytest.raises(BadValue, match="poise, unitree, gmr"):
        check_robot_file(tmp_path / "walk.csv", "isaac")
