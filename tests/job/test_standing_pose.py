"""One motion in files that rest in different poses has one body, one measure, one correction."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import rotations
from poise.arrays import Array
from poise.character import Character, find_partial_roles
from poise.formats import load_clip, save_clip
from poise.job import AS_IT_IS, figure_of, subject
from poise.job.standing_pose import stands, with_standing_pose
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.samples import walk
from tests.made_robot import written_robot
from tests.rest_poses import THAT_DO_NOT_STAND, a_pose, along_one_axis, lying, resting_in
from tests.shared_data import MOCAP, SHARED, needs_mocap

FOREIGN = SHARED / "foreign"


@pytest.fixture(scope="module")
def clip() -> Clip:
    return replace(walk(seconds=1.5), source=None)


def positions(clip: Clip) -> Array:
    return forward_kinematics(clip.skeleton, *clip.pose).positions_m


def rms_cm(one: Clip, other: Clip) -> float:
    return 100.0 * float(np.sqrt(((positions(one) - positions(other)) ** 2).sum(-1).mean()))


def sole_places(clip: Clip, body: Character) -> Array:
    """(F, S, 3) all points of both soles."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    names = [f"{s}_{p}" for s in ("left", "right")
             for p in ("heel", "ball", "inner_edge", "outer_edge", "toe_tip")]  # fmt: skip
    sites = [body.sites.index(name) for name in names]
    joints, offsets = body.sites.joints[sites], body.sites.offsets_m[sites]
    return state.positions_m[:, joints] + rotations.rotate(state.rotations_wxyz[:, joints], offsets)


@pytest.mark.parametrize("pose", THAT_DO_NOT_STAND)
def test_a_rest_pose_that_does_not_stand_changes_nothing(pose: str, clip: Clip) -> None:
    other = resting_in(clip, THAT_DO_NOT_STAND[pose](clip.skeleton))
    np.testing.assert_allclose(positions(other), positions(clip), atol=1e-9)
    plain, found = subject(AS_IT_IS, clip), subject(AS_IT_IS, other)
    assert any(note.startswith("The rest pose does not stand: frame") for note in found.said)
    assert plain.clip.skeleton.rest_stands and not found.clip.skeleton.rest_stands
    assert plain.character.body is not None and found.character.body is not None
    mass = plain.character.body.total_mass_kg
    assert found.character.body.total_mass_kg == pytest.approx(mass, rel=0.05)
    away = sole_places(found.clip, found.character) - sole_places(plain.clip, plain.character)
    assert np.linalg.norm(away, axis=-1).max() < 0.015
    before = {row.key: row.value for row in poise.measure(clip).evaluation.measures}
    for row in poise.measure(other).evaluation.measures:
        if row.key.startswith(("foot_slide", "penetration", "float")):
            assert row.value == pytest.approx(before[row.key], abs=1.0), row.key
    corrected = poise.correct(other)
    assert rms_cm(corrected.clip, poise.correct(clip).clip) < 1.0


@pytest.mark.parametrize("pose", [None, a_pose])
def test_a_rest_pose_that_stands_stays_as_it_is(pose: object, clip: Clip) -> None:
    given = clip if pose is None else resting_in(clip, a_pose(clip.skeleton))
    same, notes = with_standing_pose(given)
    assert same is given and notes == ()
    assert same.skeleton.standing is same.skeleton


def test_the_pose_stands_upright_on_flat_feet(clip: Clip) -> None:
    found, _ = with_standing_pose(resting_in(clip, lying(clip.skeleton)))
    posed = found.skeleton.standing
    roles = find_partial_roles(found.skeleton)
    assert stands(found.skeleton, roles)
    place = {role: posed.rest_positions_m[posed.index(name)] for role, name in roles.joints.items()}
    for side in ("left", "right"):
        leg = place[f"{side}_hip"] - place[f"{side}_ankle"]
        assert leg[1] == pytest.approx(np.linalg.norm(leg), rel=1e-6)
    ankles, toes = (
        np.array([place[f"{side}_{part}"][1] for side in ("left", "right")])
        for part in ("ankle", "toe")
    )
    plain = clip.skeleton
    names = find_partial_roles(plain).joints
    drop = plain.rest_positions_m[plain.index(names["left_ankle"])][1]
    drop -= plain.rest_positions_m[plain.index(names["left_toe"])][1]
    np.testing.assert_allclose(ankles - toes, drop, atol=0.012)
    assert abs(roles.forward[1]) < 1e-9


def test_nobody_stands_and_that_is_said(clip: Clip) -> None:
    level = rotations.from_axis_angle(np.array([1.0, 0, 0]), np.array(-np.pi / 2))
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(level, q[:, 0])
    asleep = replace(clip, rotations_wxyz=q, root_positions_m=clip.root_positions_m * 0.1)
    other = resting_in(asleep, along_one_axis(clip.skeleton))
    found, notes = with_standing_pose(other)
    assert len(notes) == 1 and found.skeleton.rest_stands is (found is other)
    if found is other:
        assert "nor does any frame" in notes[0]


def test_names_that_tell_nothing_are_found_in_a_frame_that_stands(clip: Clip) -> None:
    q = clip.rotations_wxyz.copy()
    q[7] = clip.skeleton.rest_wxyz  # both sides alike: without names, the shape is all there is
    shown = replace(clip, rotations_wxyz=q)
    other = resting_in(shown, along_one_axis(clip.skeleton))
    names = tuple(f"bone_{i}" for i in range(clip.skeleton.joint_count))
    nameless = replace(other, skeleton=replace(other.skeleton, joint_names=names))
    assert find_partial_roles(nameless.skeleton).missing
    found, notes = with_standing_pose(nameless)
    assert notes and not find_partial_roles(found.skeleton).missing


def test_files_keep_their_rest_pose(clip: Clip, tmp_path: Path) -> None:
    save_clip(resting_in(clip, along_one_axis(clip.skeleton)), tmp_path / "in.bvh")
    given = load_clip(tmp_path / "in.bvh")
    poise.correct(given).save(tmp_path / "out.bvh")
    again = load_clip(tmp_path / "out.bvh").skeleton
    np.testing.assert_allclose(again.offsets_m, given.skeleton.offsets_m, atol=1e-6)
    np.testing.assert_allclose(again.rest_wxyz, given.skeleton.rest_wxyz, atol=1e-9)
    for name in ("out.npz", "out.glb"):
        poise.correct(given).save(tmp_path / name)
        skeleton = load_clip(tmp_path / name).skeleton
        np.testing.assert_allclose(skeleton.rest_wxyz, given.skeleton.rest_wxyz, atol=1e-6)
        assert skeleton.rest_stands is (name == "out.glb")


def test_every_part_of_a_clip_has_the_body_of_the_whole(clip: Clip) -> None:
    other = resting_in(clip, lying(clip.skeleton))
    whole = subject(AS_IT_IS, other).character
    cut = subject(replace(AS_IT_IS, clip=replace(AS_IT_IS.clip, frames=(20, 60))), other).character
    np.testing.assert_array_equal(whole.skeleton.standing_wxyz, cut.skeleton.standing_wxyz)
    again, notes = with_standing_pose(replace(other, skeleton=cut.skeleton))
    assert notes == () and again.skeleton is cut.skeleton


def test_a_target_that_lies_stands_by_its_own_clip(clip: Clip, tmp_path: Path) -> None:
    save_clip(resting_in(clip, lying(clip.skeleton)), tmp_path / "target.bvh")
    target = figure_of(tmp_path / "target.bvh", repaired=True)
    assert not target.skeleton.rest_stands and any("does not stand" in n for n in target.notes)
    made = poise.retarget(clip, tmp_path / "target.bvh").clip
    assert rms_cm(made, poise.retarget(clip, Character(clip.skeleton)).clip) < 3.0


def test_a_thorax_is_restored_upward_whatever_the_rest_pose() -> None:
    if not MOCAP.is_dir():
        pytest.skip(f"real clips not found: {MOCAP}")
    given = load_clip(MOCAP / "cmu" / "02_01.bvh").sliced(1, 200)
    other, _ = with_standing_pose(resting_in(given, lying(given.skeleton)))
    repaired, _ = clean(given, ("missing-thorax",))
    again, _ = clean(other, ("missing-thorax",))
    assert rms_cm(repaired, given) > 1.0
    assert rms_cm(again, repaired) < 2.5


def test_a_robot_keeps_the_pose_its_angles_count_from(tmp_path: Path) -> None:
    pytest.importorskip("mujoco")
    robot = poise.load_character(written_robot(tmp_path)).skeleton
    asleep = replace(robot, rest_wxyz=robot.rest_wxyz.copy())
    turned = Clip(asleep, 30.0, np.zeros((1, 3)), asleep.rest_wxyz[None])
    same, notes = with_standing_pose(turned)
    assert same is turned and notes == ()


@needs_mocap
def test_a_real_file_that_rests_in_other_axes_than_it_moves() -> None:
    path = FOREIGN / "pybvh" / "bvh_test3.bvh"
    if not path.is_file():
        pytest.skip(f"foreign files not found: {path}")
    report = poise.inspect(path)
    assert any("does not stand" in note for note in report.notes) and not report.rest_stands
    assert not any("not a standing one" in note for note in report.roles.notes)
    assert poise.measure(path).evaluation.measures
