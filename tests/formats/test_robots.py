"""Robots: what MuJoCo says about the same file is the truth; hostile files are refused politely."""

from __future__ import annotations

import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character
from poise.errors import FileProblem, MissingExtra
from poise.formats import robot_compiler
from poise.formats.robots import read_character
from poise.units import world_from_file_wxyz
from tests.shared_data import ROBOTS, needs_robots

TO_WORLD = world_from_file_wxyz("z")

MASSES_KG = {
    "unitree_g1/g1.xml": 33.341142,
    "unitree_g1/scene.xml": 33.341142,
    "unitree_g1/g1_mjx.xml": 33.341142,
    "unitree_g1/g1_nomesh.xml": 33.341142,
    "unitree_g1/g1_29dof_rev_1_0.urdf": 33.341142,
    "unitree_h1/h1.xml": 51.437,
    "unitree_h1/scene.xml": 51.437,
    "unitree_h1/h1_nomesh.xml": 51.437,
    "unitree_h1/h1.urdf": 59.338,
    "booster_t1/t1.xml": 31.614357,
    "booster_t1/scene.xml": 31.614357,
    "booster_t1/t1_nomesh.xml": 31.614357,
}


def posed(character: Character, root: Array, turn: Array, angles: dict[str, Array]) -> Array:
    """World positions and rotations of all joints, the slow and plain way."""
    s = character.skeleton
    places, world = np.zeros((s.joint_count, 3)), np.zeros((s.joint_count, 4))
    for j, parent in enumerate(s.parents.tolist()):
        local = rotations.multiply(s.rest_wxyz[j], angles.get(s.joint_names[j], rotations.IDENTITY))
        if parent < 0:
            places[j], world[j] = root, turn
        else:
            places[j] = places[parent] + rotations.rotate(world[parent], s.offsets_m[j])
            world[j] = rotations.multiply(world[parent], local)
    return np.concatenate([places, world], axis=1)


def assert_moves_like_mujoco(character: Character, model: mujoco.MjModel) -> None:
    """Anchors, centres of mass and sites in random poses, for floating and for fixed bases."""
    data = mujoco.MjData(model)
    rng = np.random.default_rng(12345)
    skeleton, body = character.skeleton, character.body
    assert body is not None
    for _ in range(5):
        data.qpos[:] = model.qpos0
        angles: dict[str, Array] = {}
        for j in range(model.njnt):
            at, kind, name = model.jnt_qposadr[j], model.jnt_type[j], model.joint(j).name
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                data.qpos[at : at + 3] = rng.normal(size=3)
                data.qpos[at + 3 : at + 7] = rotations.normalize(rng.normal(size=4))
            elif kind == mujoco.mjtJoint.mjJNT_BALL:
                angles[name] = rotations.normalize(rng.normal(size=4))
                data.qpos[at : at + 4] = angles[name]
            else:
                angle = rng.uniform(-2, 2)
                data.qpos[at] += angle
                axis = skeleton.hinge_axes[skeleton.index(name)]
                angles[name] = rotations.from_axis_angle(axis, np.array(angle))
        mujoco.mj_forward(model, data)
        root_body = next(
            b for b in range(1, model.nbody) if model.body(b).name == skeleton.joint_names[0]
        )
        root = rotations.rotate(TO_WORLD, data.xpos[root_body])
        # The root's own hinges, if any, turn separate joints: take its pose before them.
        turn = rotations.multiply(TO_WORLD, data.xquat[root_body])
        if model.body_jntnum[root_body] and model.jnt_type[model.body_jntadr[root_body]] != 0:
            turn = rotations.multiply(TO_WORLD, model.body_quat[root_body])
            root = rotations.rotate(TO_WORLD, model.body_pos[root_body])
        state = posed(character, root, turn, angles)
        places, world = state[:, :3], state[:, 3:]
        for j in range(model.njnt):
            if model.jnt_type[j] != mujoco.mjtJoint.mjJNT_FREE:
                anchor = rotations.rotate(TO_WORLD, data.xanchor[j])
                at = places[skeleton.index(model.joint(j).name)]
                np.testing.assert_allclose(at, anchor, atol=1e-9)
        centers = places + rotations.rotate(world, body.centers_m)
        center = (body.masses_kg @ centers) / body.total_mass_kg
        truth = rotations.rotate(TO_WORLD, data.subtree_com[0])
        np.testing.assert_allclose(center, truth, atol=1e-9)
        for s in range(model.nsite):
            site = character.sites.index(model.site(s).name)
            joint = character.sites.joints[site]
            at = places[joint] + rotations.rotate(world[joint], character.sites.offsets_m[site])
            np.testing.assert_allclose(at, rotations.rotate(TO_WORLD, data.site_xpos[s]), atol=1e-9)
        assert_same_inertia(character, centers, center, world, data)


def assert_same_inertia(
    character: Character, centers: Array, center: Array, world: Array, data: mujoco.MjData
) -> None:
    """The inertia of the whole robot about its centre of mass."""
    body = character.body
    assert body is not None
    turn = rotations.to_matrix(world)
    ours = turn @ body.inertias_kg_m2 @ np.swapaxes(turn, 1, 2)
    arm = centers - center
    square = np.einsum("ji,ji->j", arm, arm)
    point = square[:, None, None] * np.eye(3) - np.einsum("ji,jk->jik", arm, arm)
    total = (ours + body.masses_kg[:, None, None] * point).sum(axis=0)
    model = data.model
    frames = data.ximat.reshape(-1, 3, 3)
    arm = data.xipos - data.subtree_com[0]
    square = np.einsum("ji,ji->j", arm, arm)
    point = square[:, None, None] * np.eye(3) - np.einsum("ji,jk->jik", arm, arm)
    own = np.einsum("bij,bj,bkj->bik", frames, model.body_inertia, frames)
    truth = (own + model.body_mass[:, None, None] * point).sum(axis=0)
    to_world = rotations.to_matrix(TO_WORLD)
    np.testing.assert_allclose(total, to_world @ truth @ to_world.T, atol=1e-8)


@needs_robots
@pytest.mark.parametrize("file", MASSES_KG)
def test_every_robot_loads_with_its_mass_and_roles(file: str) -> None:
    character = read_character(ROBOTS / file)
    assert character.body is not None
    assert character.body.total_mass_kg == pytest.approx(MASSES_KG[file], abs=1e-6)
    assert character.roles is not None
    assert character.roles.missing == ()
    assert character.roles.forward == pytest.approx([1, 0, 0], abs=1e-3)
    hinges = sum(kind == "hinge" for kind in character.skeleton.kinds)
    assert hinges == {"unitree_g1": 29, "unitree_h1": 19, "booster_t1": 23}[file.split("/")[0]]


@needs_robots
@pytest.mark.parametrize(
    "file",
    ["unitree_g1/g1_nomesh.xml", "unitree_h1/h1_nomesh.xml", "booster_t1/t1_nomesh.xml"],
)
def test_robots_move_and_weigh_as_in_mujoco(file: str) -> None:
    model = mujoco.MjModel.from_xml_path(str(ROBOTS / file))
    assert_moves_like_mujoco(read_character(ROBOTS / file), model)


@needs_robots
@pytest.mark.parametrize("pair", [("g1.xml", "g1_nomesh.xml")])
def test_a_robot_without_its_meshes_is_the_same_robot(pair: tuple[str, str]) -> None:
    whole, bare = (read_character(ROBOTS / "unitree_g1" / file) for file in pair)
    assert whole.skeleton.joint_names == bare.skeleton.joint_names
    np.testing.assert_allclose(whole.skeleton.offsets_m, bare.skeleton.offsets_m, atol=1e-12)
    assert whole.body is not None and bare.body is not None
    np.testing.assert_allclose(whole.body.inertias_kg_m2, bare.body.inertias_kg_m2, atol=1e-12)


@needs_robots
def test_limits_and_torques_are_those_of_the_file() -> None:
    g1 = read_character(ROBOTS / "unitree_g1/g1.xml")
    knee = g1.skeleton.index("left_knee_joint")
    assert g1.skeleton.limits_rad[knee, 0] == pytest.approx([-0.087267, 2.8798])
    assert g1.torque_limits_nm[knee, 0] == 139  # actuatorfrcrange
    h1 = read_character(ROBOTS / "unitree_h1/h1.xml")
    assert h1.torque_limits_nm[h1.skeleton.index("left_knee"), 0] == 300  # ctrlrange of a motor
    urdf = read_character(ROBOTS / "unitree_h1/h1.urdf")
    ankle = urdf.skeleton.index("left_ankle_joint")
    assert urdf.torque_limits_nm[ankle, 0] == 40  # effort
    assert urdf.skeleton.limits_rad[ankle, 0] == pytest.approx([-0.87, 0.52])
    hinges = [kind == "hinge" for kind in urdf.skeleton.kinds]
    assert np.isfinite(urdf.torque_limits_nm[hinges, 0]).all()


ROLES = {
    "unitree_g1/g1.xml": {
        "pelvis": "pelvis",
        "spine": "waist_yaw_joint",
        "chest": "waist_pitch_joint",
        **{
            f"{side}_{role}": f"{side}_{joint}_joint"
            for side in ("left", "right")
            for role, joint in {
                "shoulder": "shoulder_roll",
                "elbow": "elbow",
                "wrist": "wrist_yaw",
                "hip": "hip_roll",
                "knee": "knee",
                "ankle": "ankle_roll",
            }.items()
        },
    },
    "unitree_h1/h1.xml": {
        "pelvis": "pelvis",
        "chest": "torso",
        **{
            f"{side}_{role}": f"{side}_{joint}"
            for side in ("left", "right")
            for role, joint in {
                "shoulder": "shoulder_roll",
                "elbow": "elbow",
                "hip": "hip_roll",
                "knee": "knee",
                "ankle": "ankle",
            }.items()
        },
    },
    "booster_t1/t1.xml": {
        "pelvis": "Waist",
        "chest": "Trunk",
        "head": "Head_pitch",
        **{
            f"{side}_{role}": f"{side.title()}_{joint}"
            for side in ("left", "right")
            for role, joint in {
                "shoulder": "Shoulder_Roll",
                "elbow": "Elbow_Yaw",
                "hip": "Hip_Roll",
                "knee": "Knee_Pitch",
                "ankle": "Ankle_Roll",
            }.items()
        },
    },
}


@needs_robots
@pytest.mark.parametrize("file", ROLES)
def test_roles_of_robots(file: str) -> None:
    character = read_character(ROBOTS / file)
    assert character.roles is not None
    assert dict(character.roles.joints) == ROLES[file]


@needs_robots
def test_soles_come_from_the_shapes_on_the_feet() -> None:
    g1 = read_character(ROBOTS / "unitree_g1/g1.xml")
    toe, heel = g1.sites.index("left_toe_tip"), g1.sites.index("left_heel")
    # Four spheres of 5 mm at x = 0.12 and -0.05, 30 mm under the ankle.
    np.testing.assert_allclose(g1.sites.offsets_m[toe], [0.12, 0, -0.035], atol=1e-9)
    np.testing.assert_allclose(g1.sites.offsets_m[heel], [-0.05, 0, -0.035], atol=1e-9)


TANGLE = """
<mujoco model="tangle">
  <compiler angle="radian"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="base" pos="0.1 0.2 0.9" quat="0.9 0.1 0.3 0.2">
      <freejoint/>
      <inertial mass="2" pos="0.01 0.02 0.03" quat="0.8 0.1 0.2 0.3" diaginertia="0.02 0.03 0.04"/>
      <site name="nose" pos="0.1 0 0.2"/>
      <body name="arm" pos="0 0.3 0.1" quat="0.7 0.1 0.7 0">
        <joint name="a" axis="1 0 0" pos="0.01 0.02 0.03" range="-1 2" ref="0.5" limited="true"/>
        <joint name="b" axis="0 1 1" pos="-0.02 0.01 0"/>
        <joint name="c" axis="0 0 1" pos="0.03 0 0.01"/>
        <geom type="box" size="0.1 0.05 0.02" pos="0.05 0 0"/>
        <body name="plate" pos="0.1 0.1 0" quat="0.9 0 0.1 0.4">
          <geom type="sphere" size="0.03"/>
          <site name="mark" pos="0 0.1 0"/>
          <body name="hand" pos="0.2 0 0">
            <joint name="wrist" type="ball" pos="0 0.05 0" range="0 0.7" limited="true"/>
            <geom type="capsule" size="0.02 0.1"/>
            <site name="tip" pos="0.1 0.2 0.3"/>
          </body>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <motor joint="a" ctrlrange="-2 3" ctrllimited="true" gear="10"/>
    <position joint="b" kp="5" forcerange="-4 4" forcelimited="true"/>
  </actuator>
</mujoco>
"""


def written(tmp_path: Path, text: str, name: str = "robot.xml") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_several_hinges_anchors_balls_and_welds(tmp_path: Path) -> None:
    path = written(tmp_path, TANGLE)
    character = read_character(path)
    skeleton = character.skeleton
    assert skeleton.joint_names == ("base", "a", "b", "c", "plate", "wrist")
    assert skeleton.kinds == ("ball", "hinge", "hinge", "hinge", "fixed", "ball")
    assert skeleton.limits_rad[1, 0] == pytest.approx([-1.5, 1.5])  # counted from ref
    assert skeleton.limits_rad[5] == pytest.approx(np.tile([-0.7, 0.7], (3, 1)))
    assert character.torque_limits_nm[1, 0] == pytest.approx(30)
    assert character.torque_limits_nm[2, 0] == pytest.approx(4)
    assert np.isinf(character.torque_limits_nm[3, 0])
    assert character.body is not None
    np.testing.assert_array_equal(character.body.masses_kg[1:3], 0)  # between the hinges
    assert character.roles is None
    assert any("humanoid" in note for note in character.notes)
    assert_moves_like_mujoco(character, mujoco.MjModel.from_xml_path(str(path)))


def test_a_hinge_on_the_base_hangs_on_a_root_that_floats(tmp_path: Path) -> None:
    path = written(tmp_path, TANGLE.replace("<freejoint/>", '<joint name="swing" axis="0 1 0"/>'))
    character = read_character(path)
    assert character.skeleton.joint_names[:2] == ("base", "swing")
    assert any("fixed to the world" in note for note in character.notes)
    assert_moves_like_mujoco(character, mujoco.MjModel.from_xml_path(str(path)))


def _side(side: str, y: int) -> tuple[str, str]:
    leg = f"""
      <body name="{side}_thigh" pos="0 {y * 0.1} -.04">
        <joint name="{side}_hip_x" axis="1 0 0"/><joint name="{side}_hip_z" axis="0 0 1"/>
        <joint name="{side}_hip_y" axis="0 1 0"/>
        <geom type="capsule" size=".06" fromto="0 0 0 0 0 -.34"/>
        <body pos="0 0 -.4">
          <joint name="{side}_knee" axis="0 -1 0"/>
          <geom type="capsule" size=".05" fromto="0 0 0 0 0 -.3"/>
          <body pos="0 0 -.39">
            <joint name="{side}_ankle_y" axis="0 1 0" pos="0 0 .08"/>
            <joint name="{side}_ankle_x" axis="1 0 .5" pos="0 0 .08"/>
            <geom type="capsule" size=".027" fromto="-.07 0 0 .14 0 0"/>
          </body>
        </body>
      </body>"""
    arm = f"""
      <body pos="0 {y * 0.17} .06">
        <joint name="{side}_shoulder1" axis="2 {-y} 1"/>
        <joint name="{side}_shoulder2" axis="0 -1 {-y}"/><geom size=".05"/>
        <body pos=".18 {y * 0.18} -.18">
          <joint name="{side}_elbow" axis="0 -1 {-y}"/><geom size=".03"/>
          <body name="{side}_hand" pos=".18 {-y * 0.18} .18"><geom size=".04"/></body>
        </body>
      </body>"""
    return leg, arm


def test_a_humanoid_rooted_at_its_torso_with_three_hinges_in_one_body(tmp_path: Path) -> None:
    (left_leg, left_arm), (right_leg, right_arm) = _side("left", 1), _side("right", -1)
    text = f"""
    <mujoco><worldbody><body name="torso" pos="0 0 1.28"><freejoint/><geom size=".1"/>
      <body name="skull" pos="0 0 .19"><geom size=".09"/></body>
      <body name="lower" pos="0 0 -.4"><joint name="waist_x" axis="1 0 0"/><geom size=".1"/>
        {left_leg}{right_leg}
      </body>{left_arm}{right_arm}
    </body></worldbody></mujoco>"""
    character = read_character(written(tmp_path, text))
    assert character.roles is not None
    roles = dict(character.roles.joints)
    assert (roles["pelvis"], roles["chest"]) == ("waist_x", "torso")
    # The three axes meet in one point: the last hinge carries the thigh.
    assert (roles["left_hip"], roles["right_ankle"]) == ("left_hip_y", "right_ankle_x")
    assert roles["left_shoulder"] == "left_shoulder2"
    assert character.roles.forward == pytest.approx([1, 0, 0], abs=1e-9)
    top = character.sites.index("head_top")
    assert character.skeleton.joint_names[character.sites.joints[top]] == "skull"


WARNS = """
import runpy, sys, warnings
sys.path += sys.argv[4:]
import mujoco
compiled = mujoco.MjSpec.compile
def warn(spec):
    warnings.warn("a bolt\\n is loose", UserWarning)
    return compiled(spec)
mujoco.MjSpec.compile = warn
runpy.run_path({script!r}, run_name="__main__")
"""


def test_what_mujoco_warns_of_becomes_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = WARNS.format(script=str(robot_compiler.SCRIPT))
    monkeypatch.setattr(robot_compiler, "SCRIPT", written(tmp_path, script, "warns.py"))
    character = read_character(written(tmp_path, TANGLE.replace("tangle", "loose")))
    assert "MuJoCo warns: a bolt is loose" in character.notes


def test_slide_joints_are_refused_by_name(tmp_path: Path) -> None:
    path = written(tmp_path, TANGLE.replace('name="c"', 'name="rail" type="slide"'))
    with pytest.raises(FileProblem, match=r"robot\.xml.*slide joint rail"):
        read_character(path)


MESHED = """
<mujoco>
  <asset><mesh name="cube" file="cube.obj"/></asset>
  <worldbody>
    <body name="base"><freejoint/><geom type="mesh" mesh="cube" density="100"/>
      <body name="tail" pos="0 0 2"><joint name="t"/><geom size="0.1" mass="0.5"/></body>
    </body>
  </worldbody>
</mujoco>
"""

CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 1) for y in (0, 1) for z in (0, 1)]
    + ["f 1 2 4", "f 1 4 3", "f 5 7 8", "f 5 8 6", "f 1 5 6", "f 1 6 2"]
    + ["f 3 4 8", "f 3 8 7", "f 1 3 7", "f 1 7 5", "f 2 6 8", "f 2 8 4"]
)


def test_a_mass_that_needs_a_mesh_uses_it_or_says_that_it_is_absent(tmp_path: Path) -> None:
    path = written(tmp_path, MESHED)
    without = read_character(path)
    assert without.body is not None
    assert without.body.total_mass_kg == pytest.approx(0.5)
    assert any("base" in note and "mesh" in note for note in without.notes)
    written(tmp_path, CUBE, "cube.obj")
    whole = read_character(path)
    assert whole.body is not None
    assert whole.body.total_mass_kg == pytest.approx(100.5)
    np.testing.assert_allclose(whole.body.centers_m[0], [0.5, 0.5, 0.5], atol=1e-9)
    assert not any("mesh" in note for note in whole.notes)


INERTIA = '<inertia ixx="1" iyy="1" izz="1" ixy="0.1" ixz="0" iyz="0"/>'

URDF = f"""
<robot name="two">
  <link name="base"><inertial><mass value="3"/>{INERTIA}</inertial></link>
  <link name="leg">
    <inertial><origin xyz="0 0 -0.2"/><mass value="2"/>{INERTIA}</inertial>
  </link>
  <link name="sensor"><visual><geometry><sphere radius="0.1"/></geometry></visual></link>
  <link name="weight"><inertial><mass value="1"/>{INERTIA}</inertial></link>
  <joint name="hinge" type="revolute">
    <origin xyz="0 0.1 0" rpy="0.1 0.2 0.3"/><parent link="base"/><child link="leg"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="2" effort="55" velocity="1"/>
  </joint>
  <joint name="mount" type="fixed">
    <origin xyz="0 0 0.3"/><parent link="leg"/><child link="sensor"/>
  </joint>
  <joint name="bolt" type="fixed">
    <origin xyz="0 0 0.5"/><parent link="leg"/><child link="weight"/>
  </joint>
</robot>
"""


def test_urdf_keeps_fixed_links_effort_and_total_mass(tmp_path: Path) -> None:
    character = read_character(written(tmp_path, URDF, "two.urdf"))
    assert character.name == "two"
    assert character.skeleton.joint_names == ("base", "hinge", "sensor", "weight")
    assert character.skeleton.kinds == ("ball", "hinge", "fixed", "fixed")
    assert character.body is not None
    np.testing.assert_allclose(character.body.masses_kg, [3, 2, 0, 1])
    assert character.torque_limits_nm[1, 0] == 55
    assert character.body.inertias_kg_m2[1] == pytest.approx(
        np.array([[1, 0.1, 0], [0.1, 1, 0], [0, 0, 1]])
    )


def test_other_bodies_of_a_scene_are_left_out_and_named(tmp_path: Path) -> None:
    ball = '<body name="football" pos="3 0 0"><freejoint/><geom size="0.1"/></body>'
    path = written(tmp_path, TANGLE.replace("</worldbody>", ball + "</worldbody>"))
    character = read_character(path)
    assert "base" in character.skeleton.joint_names
    assert any("football" in note for note in character.notes)


HOSTILE = {
    "truncated": TANGLE[: len(TANGLE) // 2],
    "empty": "",
    "not XML": "hello, I am a poem",
    "other XML": "<html><body/></html>",
    "no bodies": "<mujoco><worldbody/></mujoco>",
    "very deep": "<mujoco><worldbody>"
    + "<body>" * 10_000
    + "</body>" * 10_000
    + "</worldbody></mujoco>",
    "entity bomb": '<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><mujoco model="&b;"/>',
    "includes itself": '<mujoco><include file="robot.xml"/></mujoco>',
    "missing include": '<mujoco><include file="nowhere.xml"/></mujoco>',
    "not a number": TANGLE.replace('pos="0.2 0 0"', 'pos="nan 0 0"'),
    "infinite": TANGLE.replace('pos="0.2 0 0"', 'pos="inf 0 0"'),
    "huge": TANGLE.replace('pos="0.2 0 0"', 'pos="1e200 0 0"'),
    "a huge geom": TANGLE.replace('size="0.1 0.05 0.02"', 'size="1e9 1 1"'),
    "words for numbers": TANGLE.replace('pos="0.2 0 0"', 'pos="here there"'),
    "zero axis": TANGLE.replace('axis="0 1 1"', 'axis="0 0 0"'),
    "unknown joint in an actuator": TANGLE.replace('<motor joint="a"', '<motor joint="zzz"'),
    "negative mass": TANGLE.replace('mass="2"', 'mass="-2"'),
    "two of a name": TANGLE.replace('name="plate"', 'name="base"'),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_files_give_one_clear_problem(
    case: str, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, HOSTILE[case])
    with pytest.raises(FileProblem) as caught:
        read_character(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 800
    assert capfd.readouterr().out == ""
    assert [p.name for p in tmp_path.iterdir()] == ["robot.xml"]  # no log left behind


@pytest.mark.parametrize("cut", range(0, len(TANGLE), 97))
def test_a_file_cut_anywhere_never_escapes_the_border(cut: int, tmp_path: Path) -> None:
    try:
        read_character(written(tmp_path, TANGLE[:cut]))
    except FileProblem:
        pass


def test_binary_directory_and_absence_are_file_problems(tmp_path: Path) -> None:
    binary = tmp_path / "b.xml"
    binary.write_bytes(bytes(range(256)) * 16)
    for path in (binary, tmp_path, tmp_path / "none.xml"):
        with pytest.raises(FileProblem):
            read_character(path)


def test_without_mujoco_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtra, match=r"poise\[robots\]"):
        read_character(written(tmp_path, TANGLE))
