"""BVH in and out: nothing lost, on small files, random ones and all real ones."""

from __future__ import annotations

import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from poise import rotations
from poise.character import Sites, Skeleton
from poise.errors import FileProblem
from poise.formats import bvh
from poise.formats.bvh import BvhLayout
from poise.formats.disk import atomic_write
from poise.formats.parsed import clip_from
from poise.motion import Clip
from tests.formats.corpus import GOOD_BVH, world_positions
from tests.shared_data import MOCAP, clips, needs_mocap

REAL = clips("**/*.bvh")


def load(path: Path, **options: str) -> Clip:
    return clip_from(bvh.read(path), path, "bvh", **options)


def load_text(folder: Path, text: str, **options: str) -> Clip:
    path = folder / "in.bvh"
    path.write_bytes(text.encode("utf-8"))
    return load(path, **options)


def written_and_read(folder: Path, clip: Clip, **options: str) -> tuple[Clip, tuple[str, ...]]:
    path = folder / "out.bvh"
    notes = bvh.write(path, clip)
    return load(path, **options), notes


def layout_of(clip: Clip) -> BvhLayout:
    assert clip.source is not None
    assert isinstance(clip.source.layout, BvhLayout)
    return clip.source.layout


def channels_of(clip: Clip) -> np.ndarray:
    assert clip.source is not None
    assert clip.source.channels is not None
    return clip.source.channels


def assert_same_file(before: Clip, after: Clip) -> None:
    a, b = layout_of(before), layout_of(after)
    assert a.joints == b.joints  # names, tree, offsets and channel order, as spelled
    assert a.tips == b.tips
    assert a.header == b.header
    assert a.frame_time == b.frame_time
    assert before.rate_hz == after.rate_hz
    assert np.array_equal(channels_of(before), channels_of(after))
    signs = np.signbit(channels_of(before)) == np.signbit(channels_of(after))
    assert signs.all()


def test_channel_order_is_the_product_in_reading_order(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH)
    z, y, x = np.deg2rad([10.0, 20.0, 30.0])
    rz = np.array([[np.cos(z), -np.sin(z), 0], [np.sin(z), np.cos(z), 0], [0, 0, 1]])
    ry = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    rx = np.array([[1, 0, 0], [0, np.cos(x), -np.sin(x)], [0, np.sin(x), np.cos(x)]])
    got = rotations.to_matrix(clip.rotations_wxyz[0, 0])
    np.testing.assert_allclose(got, rz @ ry @ rx, atol=1e-12)
    assert clip.rate_hz == 120.0
    assert clip.skeleton.kinds == ("ball", "ball", "hinge")
    assert clip.skeleton.end_sites.names == ("Spine_end", "Leg_end")
    assert clip.skeleton.hinge_axes[2].tolist() == [1.0, 0.0, 0.0]


def test_position_channels_replace_the_offset_on_their_axis(tmp_path: Path):
    text = GOOD_BVH.replace("CHANNELS 1 Xrotation", "CHANNELS 2 Yposition Xrotation")
    text = text.replace("45.0", "-20 45.0").replace("46.0", "-21 46.0")
    parsed = bvh.read(_put(tmp_path, text))
    assert parsed.moving_joints == (2,)
    assert parsed.moving_offsets[:, 0].tolist() == [[1.0, -20.0, 0.0], [1.0, -21.0, 0.0]]
    assert parsed.root_positions.tolist() == [[1.0, 2.0, 3.0], [1.5, 2.5, 3.5]]
    assert any("'Leg'" in note for note in parsed.notes)
    clip = load_text(tmp_path, text)
    again, notes = written_and_read(tmp_path, clip)
    assert notes == ()
    assert_same_file(clip, again)


def _put(folder: Path, text: str) -> Path:
    path = folder / "in.bvh"
    path.write_bytes(text.encode("utf-8"))
    return path


ODD = {
    "CRLF": lambda t: t.replace("\n", "\r\n"),
    "CR": lambda t: t.replace("\n", "\r"),
    "mixed line ends": lambda t: t.replace("\n", "\r\n", 9).replace("}\n", "}\r", 2),
    "tabs": lambda t: t.replace(" ", "\t").replace("End\tSite", "End Site"),
    "byte order mark": lambda t: "\ufeff" + t,
    "lower case": lambda t: t.lower().replace("hips", "Hips").replace("spine", "Spine").replace(
        "leg", "Leg"
    ),
    "upper case channels": lambda t: t.replace("rotation", "ROTATION"),
    "whole-line comments": lambda t: t.replace("MOTION", "# hello\n// there\nMOTION"),
    "trailing comments": lambda t: t.replace("{\n", "{ # open\n").replace("31.0", "31.0 // x\n"),
    "comment among frames": lambda t: t.replace("1.5 2.5", "# 9 9 9\n1.5 2.5"),
    "blank lines": lambda t: t.replace("\n", "\n\n  \n") + "\n\n\n",
    "no last line end": lambda t: t.rstrip("\n"),
    "spaced labels": lambda t: t.replace("Frames: 2", "Frames  :\t  2"),
    "tight labels": lambda t: t.replace("Frames: 2", "Frames:2").replace("Time: ", "Time:"),
    "spaced frame time": lambda t: t.replace("Frame Time: ", "Frame   Time :   "),
    "braces on the line": lambda t: t.replace("\n{", " {").replace("Leg\n  {", "Leg {"),
    "frame over several lines": lambda t: t.replace(" 10.0", "\n10.0").replace(" 21.0", "\n\n21.0"),
    "all numbers in one line": lambda t: t.replace("45.0\n", "45.0 "),
    "plus signs and exponents": lambda t: t.replace("45.0", "+4.5e+1").replace("46.0", "46."),
    "channels before offset": lambda t: t.replace(
        "    OFFSET 1.0 -9.0 0.0\n    CHANNELS 1 Xrotation",
        "    CHANNELS 1 Xrotation\n    OFFSET 1.0 -9.0 0.0",
    ),
    "end site with no channels": lambda t: t.replace("8.0 0.0", "8.0 0.0\n CHANNELS 0"),
    "end site in lower case": lambda t: t.replace("End Site", "End site"),
}  # fmt: skip


@pytest.mark.parametrize("name", ODD)
def test_odd_spelling_reads_the_same_and_survives(tmp_path: Path, name: str):
    text = ODD[name](GOOD_BVH)
    assert text != GOOD_BVH
    plain, odd = load_text(tmp_path, GOOD_BVH), load_text(tmp_path, text)
    assert odd.skeleton.joint_names == plain.skeleton.joint_names
    assert np.array_equal(channels_of(odd), channels_of(plain))
    assert np.array_equal(odd.rotations_wxyz, plain.rotations_wxyz)
    assert odd.rate_hz == 120.0
    again, notes = written_and_read(tmp_path, odd)
    assert notes == ()
    assert_same_file(odd, again)


def test_names_may_hold_spaces_and_odd_letters(tmp_path: Path):
    text = GOOD_BVH.replace("JOINT Leg", "JOINT  Bip01 L#Thigh: é/2 ~ [x]  # the left one")
    text = text.replace("End Site", "End Site Tip of it", 1)
    clip = load_text(tmp_path, text)
    assert clip.skeleton.joint_names[2] == "Bip01 L#Thigh: é/2 ~ [x]"
    assert clip.skeleton.end_sites.names == ("Tip of it", "Bip01 L#Thigh: é/2 ~ [x]_end")
    again, _ = written_and_read(tmp_path, clip)
    assert_same_file(clip, again)
    # With an edited skeleton the header is made anew, and still says the same.
    moved = replace(clip.skeleton, offsets_m=clip.skeleton.offsets_m + 0.25)
    again, _ = written_and_read(tmp_path, replace(clip, skeleton=moved))
    assert again.skeleton.joint_names == clip.skeleton.joint_names
    assert again.skeleton.end_sites.names == clip.skeleton.end_sites.names
    assert layout_of(again).header != layout_of(clip).header


def test_several_end_sites_on_one_joint(tmp_path: Path):
    site = "    End Site\n    {\n      OFFSET 0.0 8.0 0.0\n    }\n"
    clip = load_text(tmp_path, GOOD_BVH.replace(site, site + site.replace("8.0", "9.0")))
    assert clip.skeleton.end_sites.names == ("Spine_end", "Spine_end2", "Leg_end")
    again, _ = written_and_read(tmp_path, clip)
    assert_same_file(clip, again)


def test_the_hierarchy_alone_is_a_character(tmp_path: Path):
    path = _put(tmp_path, GOOD_BVH[: GOOD_BVH.index("MOTION")])
    character = bvh.read_character(path)
    assert character.skeleton.joint_names == ("Hips", "Spine", "Leg")
    assert any(note.startswith("unit") for note in character.notes)
    with pytest.raises(FileProblem, match="MOTION"):
        bvh.read(path)


def test_edited_rotations_stay_near_the_files_angles_and_the_rest_is_untouched(tmp_path: Path):
    text = GOOD_BVH.replace("1.5 2.5 3.5 46.0", "361.5 2.5 3.5 46.0")  # a whole turn on
    clip = load_text(tmp_path, text)
    q = clip.rotations_wxyz.copy()
    q[1, 1] = rotations.multiply(q[1, 1], rotations.exp([0.0, 0.0, 0.01]))
    again, notes = written_and_read(tmp_path, replace(clip, rotations_wxyz=q))
    assert notes == ()
    before, after = channels_of(clip), channels_of(again)
    changed = before != after
    assert changed[1, 6:9].any()
    changed[1, 6:9] = False
    assert not changed.any()
    assert np.abs(after - before).max() < 1.0  # not 360
    np.testing.assert_allclose(np.abs(np.sum(again.rotations_wxyz * q, -1)), 1.0, atol=1e-14)


def test_too_few_channels_are_told(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH)
    q = clip.rotations_wxyz.copy()
    q[1, 2] = rotations.multiply(q[1, 2], rotations.exp([0.0, 0.3, 0.0]))
    _, notes = written_and_read(tmp_path, replace(clip, rotations_wxyz=q))
    (note,) = notes
    assert note.startswith("1 frames of Leg needed a rotation its 1 channels cannot express: worst")
    assert float(note.split()[-2]) == pytest.approx(np.rad2deg(0.3), abs=0.1)


def test_a_root_without_position_channels_is_told(tmp_path: Path):
    text = GOOD_BVH.replace("6 Xposition Yposition Zposition", "4 Yposition")
    text = text.replace("1.0 2.0 3.0 10", "2.0 10").replace("1.5 2.5 3.5 11", "2.5 11")
    clip = load_text(tmp_path, text)
    again, notes = written_and_read(tmp_path, clip)
    assert notes == ()
    assert_same_file(clip, again)
    moved = clip.root_positions_m + np.array([0.1, 0.0, 0.0])
    _, notes = written_and_read(tmp_path, replace(clip, root_positions_m=moved))
    assert "Hips needed a place" in notes[0]


def test_resampled_clips_get_continuous_angles_and_a_rate_that_reads_back(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH)
    assert clip.source is not None
    angle = np.linspace(0.0, 4.0 * np.pi, 50)
    q = np.tile(rotations.IDENTITY, (50, 3, 1))
    q[:, 1] = rotations.from_axis_angle([0.0, 0.0, 1.0], angle)
    for rate in (30.0, 24.0, 29.97, 30000 / 1001, 59.94, 144.0, 33.333, 7.1):
        turned = replace(
            clip, rotations_wxyz=q, root_positions_m=np.zeros((50, 3)), rate_hz=rate,
            source=replace(clip.source, channels=None),
        )  # fmt: skip
        again, _ = written_and_read(tmp_path, turned)
        assert again.rate_hz == pytest.approx(rate, rel=1e-15)
        np.testing.assert_allclose(channels_of(again)[:, 6], np.rad2deg(angle), atol=1e-6)


def test_z_up_files_go_back_in_their_own_axes_and_unit(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH, up="z", unit="mm")
    np.testing.assert_allclose(clip.root_positions_m[0], [0.001, 0.003, -0.002], atol=1e-12)
    again, notes = written_and_read(tmp_path, clip, up="z", unit="mm")
    assert notes == ()
    assert_same_file(clip, again)
    lifted = clip.root_positions_m + np.array([0.0, 1.0, 0.0])  # up, which is the file's Z
    again, _ = written_and_read(tmp_path, replace(clip, root_positions_m=lifted), up="z", unit="mm")
    np.testing.assert_allclose(channels_of(again)[:, 2], [1003.0, 1003.5], atol=1e-9)
    assert np.array_equal(channels_of(again)[:, :2], channels_of(clip)[:, :2])


def test_a_sliced_clip_keeps_its_numbers(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH).sliced(1, 2)
    again, _ = written_and_read(tmp_path, clip)
    assert np.array_equal(channels_of(again), channels_of(clip))


def test_added_joints_keep_unit_and_channels_of_the_others_and_are_told(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH, unit="in")
    s = clip.skeleton
    skeleton = Skeleton(
        joint_names=(*s.joint_names, "Tail"),
        parents=np.array([*s.parents, 0]),
        offsets_m=np.vstack([s.offsets_m, [0.0, 0.0, -0.254]]),
        kinds=(*s.kinds, "ball"),
        hinge_axes=np.vstack([s.hinge_axes, np.zeros(3)]),
        end_sites=s.end_sites,
    )
    q = np.concatenate([clip.rotations_wxyz, np.tile(rotations.IDENTITY, (2, 1, 1))], axis=1)
    again, notes = written_and_read(
        tmp_path, replace(clip, skeleton=skeleton, rotations_wxyz=q), unit="in"
    )
    assert "1 added (Tail)" in notes[0]
    assert layout_of(again).joints[:3] == layout_of(clip).joints
    assert np.array_equal(channels_of(again)[:, :10], channels_of(clip))
    assert layout_of(again).joints[3].offset == (0.0, 0.0, -10.0)


def _tree(rng: np.random.Generator, joints: int, *, rest: bool) -> Skeleton:
    parents = np.array([-1, *(int(rng.integers(0, j)) for j in range(1, joints))])
    turns = rotations.normalize(rng.normal(size=(joints, 4)))
    return Skeleton(
        joint_names=tuple(f"j{i}" for i in range(joints)),
        parents=parents,
        offsets_m=rng.normal(size=(joints, 3)),
        rest_wxyz=turns if rest else np.tile(rotations.IDENTITY, (joints, 1)),
        end_sites=Sites(("tip", "j1_end"), np.array([joints - 1, 1]), rng.normal(size=(2, 3))),
    )


@pytest.mark.parametrize("rest", [False, True])
def test_clips_from_elsewhere_keep_every_world_position(tmp_path: Path, rest: bool):
    rng = np.random.default_rng(12345)
    skeleton = _tree(rng, 9, rest=rest)
    clip = Clip(
        skeleton, 25.0, rng.normal(size=(6, 3)), rotations.normalize(rng.normal(size=(6, 9, 4))),
        moving_joints=(4,), moving_offsets_m=rng.normal(size=(6, 1, 3)),
    )  # fmt: skip
    again, notes = written_and_read(tmp_path, clip, unit="cm", up="y")
    assert notes == ()
    joints = [again.skeleton.index(name) for name in skeleton.joint_names]
    sites = [9 + again.skeleton.end_sites.index(n) for n in skeleton.end_sites.names]
    np.testing.assert_allclose(
        world_positions(again)[:, joints + sites], world_positions(clip), atol=1e-9
    )
    assert layout_of(again).joints[0].channels == (*POSITIONS, *ZXY)
    plain = [j for j in layout_of(again).joints[1:] if j.name != "j4"]
    assert all(joint.channels == ZXY for joint in plain)


POSITIONS = ("Xposition", "Yposition", "Zposition")
ZXY = ("Zrotation", "Xrotation", "Yrotation")


def test_names_bvh_cannot_hold_are_changed_aloud(tmp_path: Path):
    names = ("a{b}", "a_b_", "# c", " ", "line\nend", "x" * 300, "\ud800")
    count = len(names)
    skeleton = Skeleton(names, np.arange(-1, count - 1), np.ones((count, 3)))
    q = np.tile(rotations.IDENTITY, (1, count, 1))
    again, notes = written_and_read(tmp_path, Clip(skeleton, 30.0, np.zeros((1, 3)), q))
    assert again.skeleton.joint_names[:5] == ("a_b_", "a_b__2", "_ c", "unnamed", "line_end")
    assert len(notes) == 7
    assert again.skeleton.joint_count == count


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = tmp_path / "kept.bvh"
    path.write_text("precious", encoding="utf-8")
    clip = load_text(tmp_path, GOOD_BVH)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(FileProblem, match="No space left"):
        bvh.write(path, clip)
    assert path.read_text(encoding="utf-8") == "precious"
    assert {p.name for p in tmp_path.iterdir()} == {"kept.bvh", "in.bvh"}


def test_writing_follows_links_keeps_modes_and_refuses_what_is_no_file(tmp_path: Path):
    clip = load_text(tmp_path, GOOD_BVH)
    with pytest.raises(FileProblem, match="directory"):
        bvh.write(tmp_path, clip)
    with pytest.raises(FileProblem, match="folder"):
        bvh.write(tmp_path / "no" / "such.bvh", clip)
    if os.name != "posix":
        return
    real, link = tmp_path / "real.bvh", tmp_path / "link.bvh"
    real.write_bytes(b"old")
    real.chmod(0o640)
    link.symlink_to(real)
    atomic_write(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert stat.S_IMODE(real.stat().st_mode) == 0o640
    link.unlink()
    link.symlink_to(link)
    with pytest.raises(FileProblem):
        atomic_write(link, b"x")


NAMES = (
    st.text(st.characters(codec="utf-8", exclude_characters="{}\r\n\0"), min_size=1, max_size=12)
    .map(str.strip)
    .filter(lambda n: n and not any(w.startswith(("#", "//")) for w in n.split()))
)
NUMBERS = st.floats(-1e6, 1e6, allow_nan=False).map(lambda v: round(v, 6))
CHANNELS = ("Xposition", "Yposition", "Zposition", "Xrotation", "Yrotation", "Zrotation")


@st.composite
def hierarchies(draw: st.DrawFn) -> str:
    """A random valid file: any tree, any channels, any numbers."""
    names = draw(st.lists(NAMES, min_size=1, max_size=6, unique=True))
    parents = [-1, *(draw(st.integers(0, i - 1)) for i in range(1, len(names)))]
    end = draw(st.sampled_from(("\n", "\r\n", "\r")))
    lines: list[str] = ["HIERARCHY"]
    columns = 0

    def joint(i: int) -> None:
        nonlocal columns
        words = draw(st.lists(st.sampled_from(CHANNELS), max_size=6, unique=True))
        if i == 0 and not words:
            words = ["Xrotation"]
        columns += len(words)
        offset = " ".join(repr(draw(NUMBERS)) for _ in range(3))
        lines.extend([f"{'JOINT' if i else 'ROOT'} {names[i]}", "{", f"OFFSET {offset}"])
        lines.append(" ".join(["CHANNELS", str(len(words)), *words]))
        for child in [c for c, p in enumerate(parents) if p == i]:
            joint(child)
        for _ in range(draw(st.integers(0, 2))):
            lines.extend(["End Site", "{", f"OFFSET {offset}", "}"])
        lines.append("}")

    joint(0)
    frames = draw(st.integers(1, 3))
    lines += ["MOTION", f"Frames: {frames}", f"Frame Time: {draw(st.floats(1e-4, 1.0))!r}"]
    for _ in range(frames):
        lines.append("\t".join(repr(draw(NUMBERS)) for _ in range(columns)))
    return end.join(lines) + end


@settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=hierarchies(), up=st.sampled_from(("y", "z")), unit=st.sampled_from(("m", "cmu")))
def test_random_files_survive_a_round_trip(tmp_path: Path, text: str, up: str, unit: str):
    clip = load_text(tmp_path, text, up=up, unit=unit)
    again, notes = written_and_read(tmp_path, clip, up=up, unit=unit)
    assert notes == ()
    assert_same_file(clip, again)


@needs_mocap
@pytest.mark.parametrize("path", REAL, ids=lambda p: str(p.relative_to(MOCAP)))
def test_real_clips_survive_a_round_trip(tmp_path: Path, path: Path):
    clip = load(path)
    assert clip.rate_hz in (100.0, 120.0, 200.0)
    again, notes = written_and_read(tmp_path, clip)
    assert notes == ()
    assert_same_file(clip, again)
    assert np.abs(world_positions(again) - world_positions(clip)).max() < 1e-6


@needs_mocap
def test_real_clips_survive_without_their_numbers(tmp_path: Path):
    """Angles computed anew, and a header made anew, still put every joint in its place."""
    for path in (MOCAP / "cmu/02_01.bvh", MOCAP / "tennis/adorozco_Reves_8seg.bvh"):
        clip = load(path)
        assert clip.source is not None
        for source in (replace(clip.source, channels=None), None):
            bare = replace(clip, source=source)
            unit = {} if source else {"unit": "cm", "up": "y"}
            again, _ = written_and_read(tmp_path, bare, **unit)
            assert np.abs(world_positions(again) - world_positions(clip)).max() < 1e-6
            steps = np.abs(np.diff(channels_of(again)[:, 3:], axis=0))
            assert steps.max() < 200.0  # no jumps by whole turns


SAME_PLACE = {
    "LeftHip": "LeftUpLeg", "LeftKnee": "LeftLeg", "LeftAnkle": "LeftFoot",
    "LeftToe": "LeftToeBase",
    "RightHip": "RightUpLeg", "RightKnee": "RightLeg", "RightAnkle": "RightFoot",
    "RightToe": "RightToeBase", "Chest": "Spine", "Chest2": "Spine1", "Neck": "Neck1",
    "Head": "Head", "LeftShoulder": "LeftArm", "LeftElbow": "LeftForeArm", "LeftWrist": "LeftHand",
    "RightShoulder": "RightArm", "RightElbow": "RightForeArm", "RightWrist": "RightHand",
    "Hips": "Hips", "LHipJoint": "LHipJoint", "RHipJoint": "RHipJoint", "lowerback": "LowerBack",
    "lowerneck": "Neck", "LeftCollar": "LeftShoulder", "RightCollar": "RightShoulder",
}  # fmt: skip
"""Joints of the 3ds Max conversion, and which of the other stands at the same place."""


@needs_mocap
@pytest.mark.parametrize("take", ["131_01", "131_02"])
def test_two_conversions_of_one_capture_agree(take: str):
    a, b = load(MOCAP / f"cmu_3dsmax/{take}.bvh"), load(MOCAP / f"cmu/{take}.bvh")
    assert a.source is not None and b.source is not None
    ours = world_positions(a)[:, [a.skeleton.index(n) for n in SAME_PLACE]]
    other = world_positions(b)[1:, [b.skeleton.index(n) for n in SAME_PLACE.values()]]
    apart = np.abs(ours[1:] - other[1:]).max(axis=(0, 2)) / a.source.unit.metres
    assert apart.max() < 1e-4, dict(zip(SAME_PLACE, apart, strict=True))
