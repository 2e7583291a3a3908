"""ASF/AMC in and out, and against the BVH conversions of the same captures."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.errors import BadValue, FileProblem
from poise.formats import amc_read, amc_write, asf, bvh
from poise.formats.amc_layout import AmcLayout
from poise.formats.parsed import clip_from
from poise.motion import Clip
from poise.motion.clip import provenance_of
from tests.formats.corpus import GOOD_AMC, GOOD_ASF, GOOD_BVH, world_positions
from tests.shared_data import MOCAP, clips, needs_mocap

REAL = clips("**/*.amc")


def pair(folder: Path, motion: str = GOOD_AMC, skeleton: str = GOOD_ASF) -> Path:
    (folder / "a.asf").write_bytes(skeleton.encode())
    path = folder / "a_01.amc"
    path.write_bytes(motion.encode())
    return path


def load(path: Path, skeleton: Path | None = None) -> Clip:
    return clip_from(amc_read.read(path, skeleton), path, "amc")


def again(folder: Path, clip: Clip) -> tuple[Clip, tuple[str, ...]]:
    path = folder / "a_02.amc"
    notes = amc_write.write(path, clip)
    return load(path), notes


def channels_of(clip: Clip) -> np.ndarray:
    assert clip.source is not None and clip.source.channels is not None
    return clip.source.channels


def test_bones_become_joints_hinges_and_limits(tmp_path: Path):
    clip = load(pair(tmp_path))
    s = clip.skeleton
    assert s.joint_names == ("root", "thigh", "shin", "foot", "spine")
    assert s.parents.tolist() == [-1, 0, 1, 2, 0]
    assert s.kinds == ("ball", "ball", "hinge", "ball", "fixed")
    unit = 0.0254 / 0.45
    assert clip.source is not None
    assert clip.source.unit.metres == unit
    assert clip.source.unit.reason == "stated by the file"
    np.testing.assert_allclose(s.offsets_m[2], [0.0, -7.5 * unit, 0.0])
    np.testing.assert_allclose(s.offsets_m[3], np.array([0.0, -5.6, 4.2]) * unit)
    assert s.end_sites.names == ("foot_end", "spine_end")
    np.testing.assert_allclose(s.hinge_axes[2], [np.cos(np.pi / 9), np.sin(np.pi / 9), 0.0])
    np.testing.assert_allclose(s.limits_rad[2, 0], np.deg2rad([-10.0, 170.0]))
    assert np.isinf(s.limits_rad[1]).all()
    bone = amc_read.read(tmp_path / "a_01.amc").layout.asf.bones[1]  # type: ignore[union-attr]
    np.testing.assert_allclose(bone.limits_rad[0], np.deg2rad([-160.0, 20.0]))
    assert "AMC does not state a rate; 120 Hz assumed" in clip.source.notes
    assert clip.rate_hz == 120.0


def _turn(axis: int, degrees: float) -> np.ndarray:
    a = np.deg2rad(degrees)
    i, j = (axis + 1) % 3, (axis + 2) % 3
    m = np.eye(3)
    m[i, i] = m[j, j] = np.cos(a)
    m[j, i], m[i, j] = np.sin(a), -np.sin(a)
    return m


def test_local_rotation_is_the_motion_in_the_bones_own_axes(tmp_path: Path):
    q = load(pair(tmp_path)).rotations_wxyz[0]
    c = _turn(2, 30) @ _turn(1, 20) @ _turn(0, 10)
    m = _turn(2, 3) @ _turn(1, 2) @ _turn(0, 1)
    np.testing.assert_allclose(rotations.to_matrix(q[1]), c @ m @ c.T, atol=1e-12)
    root = _turn(2, 30) @ _turn(1, 20) @ _turn(0, 10)
    np.testing.assert_allclose(rotations.to_matrix(q[0]), root, atol=1e-12)
    c = _turn(2, 20) @ _turn(0, -90)
    m = _turn(2, 6) @ _turn(0, 5)
    np.testing.assert_allclose(rotations.to_matrix(q[3]), c @ m @ c.T, atol=1e-12)


def test_orders_radians_and_the_root_presets(tmp_path: Path):
    skeleton = GOOD_ASF.replace("TX TY TZ RX RY RZ", "rz ry rx tz ty tx")
    skeleton = skeleton.replace("position 0 0 0", "position 1 2 3")
    skeleton = skeleton.replace("orientation 0 0 0", "orientation 0 90 0")
    parsed = amc_read.read(pair(tmp_path, skeleton=skeleton))
    assert parsed.root_positions[0].tolist() == [31.0, 22.0, 13.0]
    c, m = _turn(1, 90), _turn(0, 3) @ _turn(1, 2) @ _turn(2, 1)
    got = rotations.to_matrix(parsed.rotations_wxyz[0, 0])
    np.testing.assert_allclose(got, c @ m @ c.T, atol=1e-12)
    assert any("orientation" in note for note in parsed.notes)
    radians = GOOD_AMC.replace(":DEGREES", ":RADIANS").replace("shin 45.0", "shin 0.5")
    parsed = amc_read.read(pair(tmp_path, radians))
    axis = parsed.skeleton.hinge_axes[2]
    assert rotations.twist_angle(parsed.rotations_wxyz[0, 2], axis) == pytest.approx(0.5)


def test_infinite_and_reversed_limits_and_missing_units(tmp_path: Path):
    text = GOOD_ASF.replace("(-10.0 170.0)", "(170.0, -10.0)").replace(
        "(-160.0 20.0)", "(-inf inf)"
    )
    text = text.replace("  length 0.45\n", "")
    path = tmp_path / "b.asf"
    path.write_bytes(text.encode())
    skeleton = asf.read(path)
    assert skeleton.unit is None
    assert skeleton.bones[1].limits_rad[0] == (-np.inf, np.inf)
    np.testing.assert_allclose(skeleton.bones[2].limits_rad[0], np.deg2rad([-10.0, 170.0]))
    assert any("reversed" in note for note in skeleton.notes)
    assert asf.read_character(path).skeleton.joint_count == 5


def test_translating_and_stretching_bones_move_their_joints_and_go_back(tmp_path: Path):
    text = GOOD_ASF.replace("dof rx\n", "dof rx tx l\n").replace(
        "(-10.0 170.0)", "(0 1) (0 1) (0 1)"
    )
    motion = GOOD_AMC.replace("shin 45.0", "shin 45.0 2.0 3.0").replace("shin 46.0", "shin 46 0 1")
    clip = load(pair(tmp_path, motion, text))
    unit = 0.0254 / 0.45
    assert clip.moving_joints == (2, 3)
    shin = np.array([0, -7.5, 0]) + 2.0 * np.array([np.cos(np.pi / 9), np.sin(np.pi / 9), 0])
    np.testing.assert_allclose(clip.moving_offsets_m[0, 0] / unit, shin, atol=1e-12)
    np.testing.assert_allclose(clip.moving_offsets_m[0, 1] / unit, [0.0, -8.0, 6.0], atol=1e-12)
    back, notes = again(tmp_path, clip)
    assert notes == ()
    assert np.array_equal(channels_of(back), channels_of(clip))
    assert clip.source is not None
    bare = replace(clip, source=replace(clip.source, channels=None))
    back, notes = again(tmp_path, bare)
    assert notes == ()
    np.testing.assert_allclose(channels_of(back), channels_of(clip), atol=1e-8)


def test_a_stretch_that_no_joint_shows_passes_through(tmp_path: Path):
    text = GOOD_ASF.replace("dof rx rz\n    limits (-45.0 90.0) (-70.0 20.0)", "dof rx l")
    clip = load(pair(tmp_path, skeleton=text))
    back, notes = again(tmp_path, clip)
    assert notes == ()
    assert np.array_equal(channels_of(back), channels_of(clip))
    assert channels_of(back)[:, -1].tolist() == [6.0, 6.5]


def test_bones_may_come_in_any_order_and_names_in_any_case(tmp_path: Path):
    shuffled = GOOD_AMC.replace("shin 46.0\nfoot 5.5 6.5", "foot 5.5 6.5\nSHIN 46.0")
    straight, odd = amc_read.read(pair(tmp_path)), amc_read.read(pair(tmp_path, shuffled))
    assert np.array_equal(odd.channels, straight.channels)
    commented = GOOD_AMC.replace("shin 46.0", "# words 1 2\nshin 46.0 # 7\n").replace("\n", "\r\n")
    assert np.array_equal(amc_read.read(pair(tmp_path, commented)).channels, straight.channels)
    with_fixed = GOOD_AMC.replace("shin", "spine\nshin")  # a bone without numbers
    assert np.array_equal(amc_read.read(pair(tmp_path, with_fixed)).channels, straight.channels)


def test_the_rate_is_given_stated_or_assumed(tmp_path: Path):
    path = pair(tmp_path)
    assert amc_read.read(path, rate_hz=60.0).rate_hz == 60.0
    assert not any("rate" in note for note in amc_read.read(path, rate_hz=60.0).notes)
    stated = GOOD_AMC.replace(":DEGREES", ":DEGREES\n:SAMPLES-PER-SECOND 100")
    clip = load(pair(tmp_path, stated))
    assert clip.rate_hz == 100.0
    amc_write.write(tmp_path / "a_03.amc", replace(clip, rate_hz=50.0))
    assert load(tmp_path / "a_03.amc").rate_hz == 50.0
    for bad in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(BadValue):
            amc_read.read(path, rate_hz=bad)


def test_the_skeleton_is_found_beside_the_motion_or_asked_for(tmp_path: Path):
    path = pair(tmp_path)
    assert amc_read.find_skeleton(path).name == "a.asf"
    exact = tmp_path / "A_01.ASF"
    exact.write_bytes(GOOD_ASF.encode())
    assert amc_read.find_skeleton(path).name == "A_01.ASF"
    exact.unlink()
    other = tmp_path / "walk.amc"
    shutil.copy(path, other)
    assert amc_read.find_skeleton(other).name == "a.asf"  # the only one
    (tmp_path / "b.asf").write_bytes(GOOD_ASF.encode())
    with pytest.raises(FileProblem, match=r"walk\.asf.*2 others.*--skeleton"):
        amc_read.read(other)
    assert amc_read.read(other, tmp_path / "b.asf").rate_hz == 120.0
    alone = tmp_path / "sub"
    alone.mkdir()
    shutil.copy(path, alone / "x_y.amc")
    with pytest.raises(FileProblem, match=r"x_y\.asf or x\.asf.*no \.asf"):
        amc_read.read(alone / "x_y.amc")


def test_untouched_clips_go_back_to_the_digit_and_edits_stay_near(tmp_path: Path):
    motion = GOOD_AMC.replace("thigh 1.5", "thigh 361.5").replace("5.5", "-1.6201e-014")
    clip = load(pair(tmp_path, motion.replace("\n2\n", "\n7\n")))
    assert clip.source is not None
    assert any("frame numbers jump 1 times, first from 1 to 7" in n for n in clip.source.notes)
    back, notes = again(tmp_path, clip)
    assert notes == ()
    assert np.array_equal(channels_of(back), channels_of(clip))
    assert channels_of(back)[:, 0].tolist() == [1.0, 7.0]
    q = clip.rotations_wxyz.copy()
    q[1, 1] = rotations.multiply(q[1, 1], rotations.exp([0.01, 0.0, 0.02]))
    edited = replace(clip, rotations_wxyz=q)
    back, notes = again(tmp_path, edited)
    assert notes == ()
    changed = channels_of(back) != channels_of(clip)
    assert changed[1, 7:10].any() and changed.sum() <= 3
    assert np.abs(channels_of(back) - channels_of(clip)).max() < 5.0
    assert np.abs(world_positions(back) - world_positions(edited)).max() < 1e-9


def test_what_two_channels_cannot_express_is_told(tmp_path: Path):
    clip = load(pair(tmp_path))
    q = clip.rotations_wxyz.copy()
    own_y = rotations.from_euler(np.deg2rad([20.0, -90.0]), (2, 0))
    turn = rotations.exp(rotations.rotate(own_y, [0.0, 0.2, 0.0]))
    q[0, 3] = rotations.multiply(q[0, 3], turn)
    q[1, 4] = rotations.exp([0.1, 0.0, 0.0])
    _, notes = again(tmp_path, replace(clip, rotations_wxyz=q))
    assert any(n.startswith("1 frames of foot needed a rotation its 2 channels") for n in notes)
    assert any(n.startswith("1 frames of spine needed a rotation its 0 channels") for n in notes)


def test_headers_are_kept_and_provenance_replaces_itself(tmp_path: Path):
    clip = load(pair(tmp_path)).noted("did\nthis")
    path = tmp_path / "a_02.amc"
    amc_write.write(path, clip, provenance_of(clip))
    first = path.read_text(encoding="utf-8")
    assert first.startswith("#!a comment\n:FULLY-SPECIFIED\n:DEGREES\n# poise version: ")
    assert '# poise steps: ["did\\nthis"]\n1\nroot' in first
    second = load(path).noted("and that")
    amc_write.write(path, second, provenance_of(second))
    assert path.read_text(encoding="utf-8").count("# poise version") == 1
    assert np.array_equal(channels_of(load(path)), channels_of(clip))


def test_clips_of_other_skeletons_are_refused_clearly(tmp_path: Path):
    (tmp_path / "x.bvh").write_bytes(GOOD_BVH.encode())
    other = clip_from(bvh.read(tmp_path / "x.bvh"), tmp_path / "x.bvh", "bvh")
    with pytest.raises(FileProblem, match=r"read from an AMC.*found one from bvh.*BVH"):
        amc_write.write(tmp_path / "x.amc", other)
    clip = load(pair(tmp_path))
    with pytest.raises(FileProblem, match=r"joints of a\.asf"):
        amc_write.write(tmp_path / "x.amc", replace(other, source=clip.source))
    assert not (tmp_path / "x.amc").exists()
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    notes = amc_write.write(elsewhere / "w.amc", replace(clip, rate_hz=30.0))
    assert any("put a.asf beside it" in note for note in notes)
    assert any("30 Hz" in note for note in notes)


def test_a_motion_can_be_written_as_bvh_and_keeps_its_places(tmp_path: Path):
    clip = load(pair(tmp_path))
    path = tmp_path / "out.bvh"
    assert bvh.write(path, clip) == ()
    other = clip_from(bvh.read(path), path, "bvh", unit="cm", up="y")
    assert other.skeleton.joint_names == clip.skeleton.joint_names
    np.testing.assert_allclose(world_positions(other), world_positions(clip), atol=1e-9)


@needs_mocap
@pytest.mark.parametrize("path", REAL, ids=lambda p: p.name)
def test_real_motions_survive_a_round_trip(tmp_path: Path, path: Path):
    clip = load(path)
    shutil.copy(amc_read.find_skeleton(path), tmp_path)
    out = tmp_path / path.name
    assert amc_write.write(out, clip) == ()
    back = load(out)
    a, b = clip.source, back.source
    assert a is not None and b is not None
    assert isinstance(a.layout, AmcLayout) and isinstance(b.layout, AmcLayout)
    assert a.layout.header == b.layout.header
    assert a.layout.names == b.layout.names
    assert back.skeleton.joint_names == clip.skeleton.joint_names
    assert back.skeleton.end_sites.names == clip.skeleton.end_sites.names
    assert np.array_equal(back.skeleton.parents, clip.skeleton.parents)
    assert np.array_equal(channels_of(back), channels_of(clip))
    assert back.rate_hz == clip.rate_hz
    assert np.abs(world_positions(back) - world_positions(clip)).max() < 1e-6
    bare = replace(clip, source=replace(a, channels=None))
    amc_write.write(out, bare)
    assert np.abs(world_positions(load(out)) - world_positions(clip)).max() < 1e-6


LEGS = {
    "root": "Hips", "lhipjoint": "LHipJoint", "lfemur": "LeftUpLeg", "ltibia": "LeftLeg",
    "lfoot": "LeftFoot", "ltoes": "LeftToeBase", "rhipjoint": "RHipJoint",
    "rfemur": "RightUpLeg", "rtibia": "RightLeg", "rfoot": "RightFoot", "rtoes": "RightToeBase",
    "lowerback": "LowerBack", "upperback": "Spine", "thorax": "Spine1",
}  # fmt: skip
ARMS_AND_HEAD = {
    "lowerneck": "Neck", "upperneck": "Neck1", "head": "Head",
    "lclavicle": "LeftShoulder", "lhumerus": "LeftArm", "lradius": "LeftForeArm",
    "lwrist": "LeftHand",
    "rclavicle": "RightShoulder", "rhumerus": "RightArm", "rradius": "RightForeArm",
    "rwrist": "RightHand",
}  # fmt: skip


@needs_mocap
@pytest.mark.parametrize("take", ["02_01", "02_03", "02_04", "02_05", "03_01"])
def test_motion_and_bvh_of_one_capture_agree_once_the_thorax_is_back(take: str):
    motion = load(MOCAP / f"cmu_asfamc/{take}.amc")
    path = MOCAP / f"cmu/{take}.bvh"
    other = clip_from(bvh.read(path), path, "bvh", unit="cmu").sliced(1, 1_000_000)
    assert other.frame_count == motion.frame_count
    assert motion.source is not None
    unit = motion.source.unit.metres

    def apart(pairs: dict[str, str], clip: Clip) -> float:
        ours = world_positions(motion)[:, [motion.skeleton.index(n) for n in pairs]]
        theirs = world_positions(clip)[:, [clip.skeleton.index(n) for n in pairs.values()]]
        return float(np.abs(ours - theirs).max() / unit)

    # The files print four decimals of a degree; along a leg that is some 2e-5 units.
    assert apart(LEGS, other) < 1e-4
    assert apart(ARMS_AND_HEAD, other) > 1.0  # the thorax is missing
    thorax = motion.skeleton.offsets_m[motion.skeleton.index("lowerneck")]
    offsets = other.skeleton.offsets_m.copy()
    for name in ("Neck", "LeftShoulder", "RightShoulder"):
        offsets[other.skeleton.index(name)] += thorax
    restored = replace(other, skeleton=replace(other.skeleton, offsets_m=offsets))
    assert apart(ARMS_AND_HEAD, restored) < 1e-4
