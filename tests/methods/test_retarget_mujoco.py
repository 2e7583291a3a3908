"""Retargeted robots in MuJoCo: the same places, the same torques."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character
from poise.contact import (
    ClipDynamics,
    ContactSchedule,
    ReactionForces,
    clip_dynamics,
    estimate_ground,
    joint_torques,
    observe,
    reaction_forces,
    touching_points,
)
from poise.environment import Environment
from poise.errors import BadValue
from poise.formats import load_character, load_clip
from poise.formats.robot_trajectory import robot_trajectory, write_robot
from poise.mechanics import JointForces, site_positions
from poise.methods.retarget import retargeted
from poise.methods.retarget.impossible import drive, flights_alone
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.samples import sample_character, walking
from poise.transfer import correspondence
from poise.units import world_from_file_wxyz
from tests.oracles import assert_close
from tests.shared_data import MOCAP, ROBOTS

mujoco: Any = pytest.importorskip("mujoco", reason="MuJoCo is not installed (package mujoco)")

pytestmark = pytest.mark.other_engine

NAMES = ("unitree_g1/g1_nomesh.xml", "unitree_h1/h1_nomesh.xml", "booster_t1/t1_nomesh.xml")
CLIPS = ("02_01", "02_04")
CASES = [(name, clip) for name in NAMES for clip in CLIPS]
RATE_HZ = 30.0
MOST_FRAMES = 150
AGREEMENT = 1e-6
TO_FILE = rotations.conjugate(world_from_file_wxyz("z"))


@dataclass(frozen=True, eq=False)
class Moved:
    """A capture on a robot."""

    robot: Character
    clip: Clip
    contacts: ContactSchedule
    place: Environment
    model: Any


@cache
def moved(name: str, clip: str) -> Moved:
    """A capture put on a robot by the kinematic stage."""
    paths = ROBOTS / name, MOCAP / "cmu" / f"{clip}.bvh"
    for path in paths:
        if not path.is_file():
            pytest.skip(f"{path} is not here (set POISE_SHARED)")
    motion, _ = clean(load_clip(paths[1]))
    motion = resample(motion, RATE_HZ)
    motion = motion.sliced(0, min(motion.frame_count, MOST_FRAMES))
    human = complete_character(motion.skeleton)
    place = Environment((estimate_ground(motion, human)[0],))
    robot = complete_character(load_character(paths[0]))
    made = retargeted(motion, human, robot, correspondence(human, robot), place)
    return Moved(robot, made.clip, made.contacts, place, links_only(paths[0]))


def links_only(path: Path) -> Any:
    """A model of nothing but its links: no rotors, no friction, no contacts."""
    model = mujoco.MjModel.from_xml_path(str(path))
    for part in (model.dof_armature, model.dof_damping, model.dof_frictionloss):
        part[:] = 0.0
    flags = mujoco.mjtDisableBit
    model.opt.disableflags = flags.mjDSBL_CONTACT | flags.mjDSBL_CONSTRAINT
    return model


def set_pose(case: Moved, data: Any, trajectory: Any, frame: int) -> None:
    data.qpos[:3] = trajectory["root_pos"][frame]
    data.qpos[3:7] = trajectory["root_quat_wxyz"][frame]
    for column, joint in enumerate(trajectory["joint_names"].tolist()):
        data.qpos[case.model.joint(joint).qposadr[0]] = trajectory["joint_pos"][frame, column]


def written(case: Moved, folder: Path) -> dict[str, Array]:
    path = folder / "moved.npz"
    write_robot(path, robot_trajectory(case.clip))
    with np.load(path) as read:
        return dict(read)


def along_dofs(case: Moved, linear: Array, turning: Array) -> Array:
    """(nv,) a root's vector in the world and turns of joints as MuJoCo has its freedoms."""
    found = np.zeros(case.model.nv)
    skeleton = case.robot.skeleton
    found[:3], found[3:6] = rotations.rotate(TO_FILE, linear), turning[0]
    for joint, name in enumerate(skeleton.joint_names):
        if skeleton.kinds[joint] == "hinge":
            freedom = case.model.joint(name).dofadr[0]
            found[freedom] = turning[joint] @ skeleton.hinge_axes[joint]
    return found


def theirs(
    case: Moved, dynamics: ClipDynamics, folder: Path, push: ReactionForces | None = None
) -> Array:
    """(F, nv) MuJoCo's inverse dynamics of the velocities and accelerations that Poise has."""
    part, d = replace(case, clip=dynamics.clip), dynamics.derivatives
    trajectory, data = written(part, folder), mujoco.MjData(case.model)
    found = np.empty((dynamics.clip.frame_count, case.model.nv))
    for f in range(len(found)):
        set_pose(part, data, trajectory, f)
        data.qvel[:] = along_dofs(case, d.root_velocities_m_s[f], d.angular_velocities_rad_s[f])
        data.qacc[:] = along_dofs(
            case, d.root_accelerations_m_s2[f], d.angular_accelerations_rad_s2[f]
        )
        mujoco.mj_inverse(case.model, data)
        found[f] = data.qfrc_inverse
        if push is not None:
            found[f] -= pushed(case, data, push, f)
    return found


def pushed(case: Moved, data: Any, push: ReactionForces, frame: int) -> Array:
    """(nv,) what the ground's forces, each at its place, do along MuJoCo's freedoms."""
    total, nothing, points = np.zeros(case.model.nv), np.zeros(3), push.points
    for c, joint in enumerate(points.joints.tolist()):
        force = rotations.rotate(TO_FILE, push.forces_n[frame, c])
        place = rotations.rotate(TO_FILE, points.places_m[frame, c])
        mujoco.mj_applyFT(case.model, data, force, nothing, place, body_of(case, joint), total)
    for p in range(len(points.parts)):
        body = body_of(case, int(points.joints[points.owners == p][0]))
        moment = rotations.rotate(TO_FILE, push.torques_nm[frame, p])
        mujoco.mj_applyFT(case.model, data, nothing, moment, data.xpos[body], body, total)
    return total


def body_of(case: Moved, joint: int) -> int:
    """MuJoCo's body that rides on a joint; a joint that does not turn has its body's name."""
    name = case.robot.skeleton.joint_names[joint]
    if case.robot.skeleton.kinds[joint] == "hinge":
        return int(case.model.jnt_bodyid[case.model.joint(name).id])
    return int(case.model.body(name).id)


def ours(case: Moved, forces: JointForces) -> Array:
    return np.array(
        [
            along_dofs(case, force, moments)
            for force, moments in zip(forces.root_force_n, forces.joint_moments_nm, strict=True)
        ]
    )


def helped(case: Moved, dynamics: ClipDynamics) -> ReactionForces:
    touched = touching_points(dynamics.state, case.robot, case.contacts, case.place)
    return reaction_forces(dynamics, touched)


def assert_same_forces(mine: Array, other: Array) -> None:
    """Hinges by the largest of them, root force and root moment each by its own."""
    assert_close(mine[:, 6:], other[:, 6:], AGREEMENT, "hinges")
    assert_close(mine[:, :3], other[:, :3], AGREEMENT, "root force")
    assert_close(mine[:, 3:6], other[:, 3:6], AGREEMENT, "root moment")


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_joints_and_sites_are_where_mujoco_has_them(name: str, clip: str, tmp_path: Path) -> None:
    case = moved(name, clip)
    trajectory, data = written(case, tmp_path), mujoco.MjData(case.model)
    state = clip_dynamics(case.clip, case.robot).state
    skeleton = case.robot.skeleton
    joints = [j for j, kind in enumerate(skeleton.kinds) if kind == "hinge"]
    anchors = [case.model.joint(skeleton.joint_names[j]).id for j in joints]
    theirs_named = [case.model.site(s).name for s in range(case.model.nsite)]
    sites = [case.robot.sites.index(site) for site in theirs_named]
    assert len(joints) == case.model.njnt - 1 and len(sites) >= 1
    places = site_positions(state, case.robot.sites)[:, sites]
    for f in range(case.clip.frame_count):
        set_pose(case, data, trajectory, f)
        mujoco.mj_kinematics(case.model, data)
        here = rotations.rotate(TO_FILE, state.positions_m[f, joints])
        np.testing.assert_allclose(here, data.xanchor[anchors], atol=1e-4)
        here = rotations.rotate(TO_FILE, places[f])
        np.testing.assert_allclose(here, data.site_xpos, atol=1e-4)


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_speeds_are_those_of_mujocos_own_coordinates(name: str, clip: str, tmp_path: Path) -> None:
    case = moved(name, clip)
    trajectory, data = written(case, tmp_path), mujoco.MjData(case.model)
    poses, steps = list[Array](), list[Array]()
    for f in range(case.clip.frame_count):
        set_pose(case, data, trajectory, f)
        poses.append(data.qpos.copy())
    for before, after in pairwise(poses):
        step = np.empty(case.model.nv)
        mujoco.mj_differentiatePos(case.model, step, 1.0 / case.clip.rate_hz, before, after)
        steps.append(step)
    d = clip_dynamics(case.clip, case.robot, None).derivatives
    for f in range(1, case.clip.frame_count - 1):
        speed = along_dofs(case, d.root_velocities_m_s[f], d.angular_velocities_rad_s[f])
        change = along_dofs(case, d.root_accelerations_m_s2[f], d.angular_accelerations_rad_s2[f])
        np.testing.assert_allclose(speed, (steps[f] + steps[f - 1]) / 2.0, atol=1e-8)
        there = (steps[f] - steps[f - 1]) * case.clip.rate_hz
        np.testing.assert_allclose(change, there, atol=1e-6)


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_moments_in_free_air_are_mujocos(name: str, clip: str, tmp_path: Path) -> None:
    case = moved(name, clip)
    dynamics = clip_dynamics(case.clip, case.robot)
    assert_same_forces(ours(case, dynamics.unsupported), theirs(case, dynamics, tmp_path))


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_torques_on_the_ground_are_mujocos(name: str, clip: str, tmp_path: Path) -> None:
    case = moved(name, clip)
    dynamics = clip_dynamics(case.clip, case.robot)
    reaction = helped(case, dynamics)
    assert np.abs(reaction.forces_n).max() > 0.1 * dynamics.weight_n
    other = theirs(case, dynamics, tmp_path, reaction)
    assert_same_forces(ours(case, joint_torques(dynamics, reaction)), other)


def leap(name: str) -> Moved:
    """A robot that stands, flies as everything does, and stands again, while its joints swing."""
    case, rate, flight = moved(name, CLIPS[0]), 60.0, slice(24, 48)
    skeleton, count = case.robot.skeleton, 72
    since = np.clip(np.arange(count) - (flight.start - 0.5), 0.0, flight.stop - flight.start) / rate
    lasts = (flight.stop - flight.start) / rate
    rises = 0.5 * 9.81 * since * (lasts - since)
    roots = np.tile(case.clip.root_positions_m[0], (count, 1)) + np.outer(rises, [0.0, 1.0, 0.0])
    swings = 0.1 * np.sin(2.0 * np.pi * np.arange(count) / rate)
    turns = np.tile(case.clip.rotations_wxyz[0], (count, 1, 1))
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge":
            more = rotations.from_axis_angle(skeleton.hinge_axes[joint], swings)
            turns[:, joint] = rotations.multiply(turns[:, joint], more)
    touching = np.ones((count, 2), dtype=np.bool_)
    touching[flight] = False
    contacts = ContactSchedule(("left_foot", "right_foot"), touching, rate)
    return replace(case, clip=Clip(skeleton, rate, roots, turns), contacts=contacts)


def assert_drive_is_mujocos(case: Moved, folder: Path) -> list[tuple[int, int]]:
    """Torques of the ground's forces where it stands, of the flight alone where it flies."""
    dynamics = clip_dynamics(case.clip, case.robot)
    other = theirs(case, dynamics, folder, helped(case, dynamics))
    flights = flights_alone(dynamics, case.contacts)
    for first, last in flights:
        alone = clip_dynamics(case.clip.sliced(first, last), case.robot, dynamics.cutoff_hz)
        other[first:last] = theirs(case, alone, folder)
    found = drive(case.clip, case.robot, case.place, case.contacts)
    freedoms = [case.model.joint(joint).dofadr[0] for joint in found.joint_names]
    assert len(freedoms) == case.model.nv - 6
    assert_close(found.torques_nm, other[:, freedoms], AGREEMENT, "torques")
    return flights


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_a_drive_is_mujocos(name: str, clip: str, tmp_path: Path) -> None:
    flights = assert_drive_is_mujocos(moved(name, clip), tmp_path)
    assert clip == "02_04" or not flights


@pytest.mark.parametrize("name", NAMES)
def test_a_drive_is_mujocos_in_flight(name: str, tmp_path: Path) -> None:
    case = leap(name)
    assert assert_drive_is_mujocos(case, tmp_path) == [(24, 48)]
    hard = np.abs(drive(case.clip, case.robot, case.place, case.contacts).torques_nm).max(axis=1)
    assert hard[34:38].max() < 0.5 * hard[8:12].max(), "legs that carry nothing work little"


@pytest.mark.parametrize("name", NAMES)
def test_ratios_are_torques_over_what_the_file_allows(name: str) -> None:
    case = moved(name, CLIPS[0])
    found = drive(case.clip, case.robot, case.place, case.contacts)
    model, most = case.model, list[float]()
    for joint in found.joint_names:
        at = model.joint(joint).id
        stated = [np.abs(model.jnt_actfrcrange[at]).max()] * bool(model.jnt_actfrclimited[at])
        for motor in np.flatnonzero(model.actuator_trnid[:, 0] == at):
            if model.actuator_ctrllimited[motor] and model.actuator_biastype[motor] == 0:
                stated.append(np.abs(model.actuator_ctrlrange[motor]).max())
        assert stated, f"{joint} has no limit in the file"
        most.append(float(min(stated)))
    assert_close(found.ratios, np.abs(found.torques_nm) / most, AGREEMENT, "ratios")


@pytest.mark.parametrize(("name", "clip"), CASES)
def test_a_drive_works_as_hard_as_measures_say(name: str, clip: str) -> None:
    case = moved(name, clip)
    found = drive(case.clip, case.robot, case.place, case.contacts)
    joints = [case.robot.skeleton.index(joint) for joint in found.joint_names]
    seen = observe(case.clip, case.robot, case.place, case.contacts).torque_ratio[:, joints]
    np.testing.assert_array_equal(found.ratios, seen)
    assert seen.max() > 0.0


def test_a_drive_is_written_beside_the_angles(tmp_path: Path) -> None:
    case = moved(*CASES[0])
    found = drive(case.clip, case.robot, case.place, case.contacts)
    path = tmp_path / "walk.npz"
    write_robot(path, robot_trajectory(case.clip, found.channels))
    with np.load(path) as read:
        assert tuple(read["joint_names"]) == found.joint_names
        column = found.joint_names.index("left_knee_joint")
        assert_close(
            read["torque_nm.left_knee_joint"], found.torques_nm[:, column], 1e-12, "the knee"
        )


def test_only_robots_are_driven() -> None:
    walk, contacts = (
        walking(seconds=0.5, rate_hz=30.0),
        ContactSchedule((), np.zeros((15, 0)), 30.0),
    )
    with pytest.raises(BadValue, match="joints must be hinges"):
        drive(walk.clip, sample_character(), Environment.flat(), contacts)
