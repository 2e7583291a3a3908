"""Soles of robots: what feet collide with, against outlines known by hand."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.character import SOLE_POINTS, Character, complete_character
from poise.formats.robots import read_character
from tests.made_robot import BOX_FOOT, written_robot
from tests.shared_data import SHARED, needs_robots

pytest.importorskip("mujoco")

CORNERS = ("heel_inner", "heel_outer", "toe_tip_inner", "toe_tip_outer")


def soles(robot: Character) -> dict[str, dict[str, np.ndarray]]:
    """By side and point: ahead of the ankle, outward from it and up, metres."""
    whole = complete_character(robot)
    skeleton, forward = whole.skeleton, whole.known_roles.forward
    left = np.cross([0.0, 1.0, 0.0], forward)
    found: dict[str, dict[str, np.ndarray]] = {"left": {}, "right": {}}
    for side, outward in (("left", left), ("right", -left)):
        ankle = skeleton.rest_positions_m[skeleton.index(whole.known_roles.joint(f"{side}_ankle"))]
        for point in (*SOLE_POINTS, *CORNERS):
            if f"{side}_{point}" in whole.sites.names:
                site = whole.sites.index(f"{side}_{point}")
                joint = int(whole.sites.joints[site])
                turned = rotations.rotate(
                    skeleton.rest_world_wxyz[joint], whole.sites.offsets_m[site]
                )
                away = skeleton.rest_positions_m[joint] + turned - ankle
                found[side][point] = np.array([away @ forward, away @ outward, away[1]])
    return found


def test_a_box_is_a_sole_with_its_corners(tmp_path: Path) -> None:
    found = soles(read_character(written_robot(tmp_path)))
    for foot in found.values():
        np.testing.assert_allclose(foot["heel"], [-0.06, 0, -0.06], atol=1e-9)
        np.testing.assert_allclose(foot["toe_tip"], [0.14, 0, -0.06], atol=1e-9)
        np.testing.assert_allclose(foot["inner_edge"][1:], [-0.04, -0.06], atol=1e-9)
        np.testing.assert_allclose(foot["outer_edge"][1:], [0.04, -0.06], atol=1e-9)
        np.testing.assert_allclose(foot["heel_outer"], [-0.06, 0.04, -0.06], atol=1e-9)
        np.testing.assert_allclose(foot["toe_tip_inner"], [0.14, -0.04, -0.06], atol=1e-9)


SHAPES = {
    "four balls": "".join(
        f'<geom size=".005" pos="{x} {y} -.045"/>'
        for x, y in ((-0.05, 0.025), (-0.05, -0.025), (0.12, 0.03), (0.12, -0.03))
    ),
    "two capsules": "".join(
        f'<geom type="capsule" size=".01" fromto="-.05 {y} -.04 .12 {y} -.04"/>'
        for y in (-0.028, 0.028)
    ),
    "a cylinder": '<geom type="cylinder" size=".085 .01" pos=".035 0 -.04"/>',
    "a turned box": '<geom type="box" size=".03 .085 .01" pos=".035 0 -.04" euler="0 0 1.5708"/>',
}


@pytest.mark.parametrize("shape", SHAPES)
def test_every_simple_shape_has_its_underside(shape: str, tmp_path: Path) -> None:
    found = soles(read_character(written_robot(tmp_path, SHAPES[shape])))
    for point in (*SOLE_POINTS, *CORNERS):
        np.testing.assert_allclose(found["left"][point], found["right"][point], atol=1e-6)
        assert found["left"][point][2] == pytest.approx(-0.05, abs=1e-6)
    foot = found["left"]
    assert [foot["heel"][0], foot["toe_tip"][0]] == pytest.approx([-0.05, 0.12], abs=2e-3)
    breadth = foot["outer_edge"][1] - foot["inner_edge"][1]
    wanted = {"four balls": 0.0576, "two capsules": 0.056, "a turned box": 0.06}
    # At the ball, 79 mm ahead of the ankle, a circle of 85 mm about 35 mm ahead is 145 mm broad.
    assert breadth == pytest.approx(wanted.get(shape, 0.145), abs=3e-3)


def test_what_is_only_to_be_seen_is_no_sole(tmp_path: Path) -> None:
    boot = '<geom type="box" size=".2 .1 .01" pos="0 0 -.06" contype="0" conaffinity="0"/>'
    found = soles(read_character(written_robot(tmp_path, BOX_FOOT + boot)))
    assert found["left"]["toe_tip"][0] == pytest.approx(0.14)
    alone = soles(read_character(written_robot(tmp_path, boot)))
    assert alone["left"]["toe_tip"][0] == pytest.approx(0.2)


def test_a_point_is_no_sole_and_that_is_said(tmp_path: Path) -> None:
    robot = read_character(written_robot(tmp_path, '<geom size=".01" pos="0 0 -.05"/>'))
    assert sum("too little for a sole" in note for note in robot.notes) == 2
    assert not any(name.endswith("toe_tip_inner") for name in robot.sites.names)


def stl(folder: Path) -> None:
    """A binary STL of a box with bevelled upper edges: 22 by 9 cm below, 6 cm high."""
    low = [(x, y, 0.0) for x in (-0.07, 0.15) for y in (-0.045, 0.045)]
    high = [(x, y, 0.06) for x in (-0.04, 0.1) for y in (-0.03, 0.03)]
    p = np.array(low + high)
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    faces = [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]
    data = b"\0" * 80 + struct.pack("<I", len(faces))
    for face in faces:
        data += struct.pack("<12fH", 0, 0, 0, *p[list(face)].ravel(), 0)
    (folder / "boot.stl").write_bytes(data)


MESH_FOOT = '<geom type="mesh" mesh="boot" pos="0 0 -.07"/>'
MESH = '<mesh name="boot" file="boot.stl"/>'


def test_a_mesh_alone_shows_the_sole(tmp_path: Path) -> None:
    stl(tmp_path)
    robot = read_character(written_robot(tmp_path, MESH_FOOT, MESH))
    foot = soles(robot)["right"]
    np.testing.assert_allclose(foot["heel"], [-0.07, 0, -0.07], atol=1e-6)
    np.testing.assert_allclose(foot["toe_tip_outer"], [0.15, 0.045, -0.07], atol=1e-6)
    plain = read_character(written_robot(tmp_path))
    assert robot.body is not None and plain.body is not None
    np.testing.assert_array_equal(robot.body.masses_kg, plain.body.masses_kg)
    np.testing.assert_array_equal(robot.body.inertias_kg_m2, plain.body.inertias_kg_m2)


def test_a_mesh_that_is_not_there_is_named(tmp_path: Path) -> None:
    robot = read_character(written_robot(tmp_path, MESH_FOOT, MESH))
    said = [note for note in robot.notes if "mesh files that cannot be used (absent" in note]
    assert len(said) == 1 and "left_ankle_roll_joint, right_ankle_roll_joint" in said[0]


def test_a_mesh_that_mujoco_refuses_leaves_the_robot(tmp_path: Path) -> None:
    (tmp_path / "boot.stl").write_bytes(b"\0" * 80 + struct.pack("<I", 1) + b"\0" * 50)
    robot = read_character(written_robot(tmp_path, MESH_FOOT, MESH))
    assert any("mesh files" in note for note in robot.notes)
    assert robot.roles is not None


OTHERS = SHARED / "robots_more"
MODELS = [
    path
    for folder in (SHARED / "robots", OTHERS)
    for path in (sorted(folder.glob("*/*.xml")) + sorted(folder.glob("*/*.urdf")))
    if "scene" not in path.name
]


@needs_robots
@pytest.mark.parametrize("path", MODELS, ids=lambda path: path.name)
def test_soles_of_real_robots_are_flat_alike_and_of_sane_size(path: Path) -> None:
    robot = read_character(path)
    if robot.roles is None:
        assert any("Not recognised" in note for note in robot.notes)
        return
    found = soles(robot)
    left, right = found["left"], found["right"]
    assert len(left) in (5, 9) and left.keys() == right.keys()
    for point, place in left.items():
        np.testing.assert_allclose(place, right[point], atol=2e-3)
        assert place[2] == pytest.approx(left["heel"][2], abs=1e-6)
    length = left["toe_tip"][0] - left["heel"][0]
    breadth = left["outer_edge"][1] - left["inner_edge"][1]
    assert 0.1 <= length <= 0.3 and 0.02 <= breadth <= 0.14
    assert left["heel"][0] < 0 < left["toe_tip"][0] and -0.1 < left["heel"][2] < 0
    assert left["inner_edge"][1] < 0 < left["outer_edge"][1]
