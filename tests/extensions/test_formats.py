"""Formats of packages, and several formats with one extension."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.errors import ExtensionProblem, FileProblem
from poise.formats import FORMATS, FileStart, extensions, is_character
from poise.samples import walk
from tests.extensions.installed_packages import install_module
from tests.shared_data import MOCAP, needs_mocap

GROUP = "poise.formats"
ROBOT = "<mujoco><worldbody><body name='base'/></worldbody></mujoco>"

TRAINER = """
import numpy as np
from poise.extend import Clip, FileProblem, Format, Skeleton

def read(path):
    with np.load(path) as data:
        return Clip(Skeleton(("root",), [-1], [[0, 0, 0]]), float(data["fps"]), data["root_pos"],
                    np.tile([1.0, 0, 0, 0], (len(data["root_pos"]), 1, 1)), name="trainer")

TRAINER = Format("trainer", (".npz",), "a trainer's layout", read_clip=read,
    recognises=lambda start: "root_pos" in start.members, looks_for="a member root_pos")
BODY_MODEL = Format("body_model", (".npz",), "poses of a body model", read_clip=read,
    recognises=lambda start: {"poses", "betas"} <= set(start.members),
    looks_for="members poses and betas")
XML = Format("suit", (".xml",), "a capture suit", read_clip=read,
    recognises=lambda start: "<suit" in start.text, looks_for="<suit")
BVH = Format("bvh_of_one", (".bvh",), "another dialect", read_clip=read, write_clip=read,
    recognises=lambda start: start.text.startswith("ONE"), looks_for="ONE first")
"""


@pytest.fixture
def layouts(site: Path) -> Path:
    points = {"trainer": "TRAINER", "body_model": "BODY_MODEL", "suit": "XML", "bvh_of_one": "BVH"}
    install_module(
        site, "layouts", TRAINER, {GROUP: {k: f"layouts:{v}" for k, v in points.items()}}
    )
    return site


def test_archives_are_told_apart_by_their_members(layouts: Path, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours.npz", tmp_path / "theirs.npz"
    clip = walk(seconds=0.2)
    poise.save(clip, ours)
    np.savez(theirs, fps=50.0, root_pos=np.zeros((4, 3)))
    assert poise.load(ours).skeleton.joint_names == clip.skeleton.joint_names
    assert "layouts" not in sys.modules  # nobody else is asked about what Poise recognises
    assert poise.load(theirs).name == "trainer" and poise.load(theirs).frame_count == 4


def test_what_nobody_recognises_is_told_with_all_that_was_tried(
    layouts: Path, tmp_path: Path
) -> None:
    path = tmp_path / "strange.npz"
    np.savez(path, a=np.zeros(3))
    with pytest.raises(FileProblem) as told:
        poise.load(path)
    assert str(told.value) == (
        f"{path}: expected one of the formats with that extension: npz (members meta_json and "
        "root_positions_m), body_model (members poses and betas), trainer (a member root_pos), "
        "found that none of them recognises it."
    )
    path.write_bytes(b"PK\x03\x04 no archive")
    with pytest.raises(FileProblem, match="none of them recognises it"):
        poise.load(path)


def test_without_another_format_the_reader_says_what_is_wrong(site: Path, tmp_path: Path) -> None:
    path = tmp_path / "strange.npz"
    np.savez(path, a=np.zeros(3))
    with pytest.raises(FileProblem, match=r"a member '\w+.npy', found only a.npy"):
        poise.load(path)


def test_a_dialect_is_read_and_what_is_written_stays_poise_s(layouts: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.bvh"
    path.write_text("ONE dialect\n", encoding="utf-8")
    with pytest.raises(ExtensionProblem, match="format 'bvh_of_one' of package layouts"):
        poise.load(path)  # its reader is for archives
    clip = walk(seconds=0.2)
    poise.save(clip, path)
    assert poise.load(path).skeleton.joint_names == clip.skeleton.joint_names


def test_robots_are_still_robots_where_clips_have_their_extension(
    layouts: Path, tmp_path: Path
) -> None:
    robot, suit = tmp_path / "robot.xml", tmp_path / "suit.xml"
    robot.write_text(ROBOT, encoding="utf-8")
    suit.write_text("<suit frames='3'/>", encoding="utf-8")
    assert is_character(robot) and not is_character(suit)
    assert extensions("read_clip").count(".npz") == 1


FAULTY = """
from pathlib import Path
from poise.extend import Format, Unit

def broken(path, *more):
    raise KeyError("frames")

RAISES = Format("raises", (".raises",), "", read_motion=broken, write_clip=broken)
NOTHING = Format("nothing", (".nothing",), "", read_clip=lambda path: None)
ASKS = Format("asks", (".asks",), "", read_clip=broken, recognises=broken)
ABSENT = Format("absent", (".absent",), "", read_clip="no_such_package.reader:read")
RENAMED = Format("other", (".a",), "", read_clip=broken)
UPPER = Format("upper", (".A",), "", read_clip=broken)
IDLE = Format("idle", (".a",), "")
UNCLEAR = Format("unclear", (".a",), "", read_clip="read")
"""


def test_formats_that_fail_are_named_with_their_package(
    site: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    names = ("raises", "nothing", "asks", "absent", "renamed", "upper", "idle", "unclear")
    points = {name: f"faulty_formats:{name.upper()}" for name in names}
    install_module(site, "faulty-formats", FAULTY, {GROUP: points})
    assert list(FORMATS)[len(FORMATS.own) :] == ["absent", "asks", "nothing", "raises"]
    for why in (
        "its Format is called 'other'", "extensions must be like '.abc', got ('.A',)",
        "it neither reads nor writes anything", "must be like 'package.module:name', got 'read'",
    ):  # fmt: skip
        assert why in caplog.text
    for name, why in (
        ("raises", "it raised KeyError: 'frames'"),
        ("nothing", "it gave back NoneType instead of Clip"),
        ("asks", "it raised KeyError"),
        ("absent", "it raised ModuleNotFoundError: No module named 'no_such_package'"),
    ):
        path = tmp_path / f"file.{name}"
        path.write_text("something", encoding="utf-8")
        with pytest.raises(ExtensionProblem) as told:
            poise.load(path)
        assert f"format '{name}' of package faulty-formats 0.3 failed: {why}" in str(told.value)
    with pytest.raises(ExtensionProblem, match="format 'raises'"):
        poise.save(walk(seconds=0.1), tmp_path / "new.raises")


WRITTEN = {".bvh": "bvh", ".glb": "gltf", ".gltf": "gltf", ".npz": "npz"}


def recognised_by(path: Path) -> set[str]:
    start = FileStart(path)
    return {name for name, each in FORMATS.own.items() if (each.recognises or never)(start)}


def never(_: FileStart) -> bool:
    return False


@pytest.mark.parametrize("extension", WRITTEN)
def test_poise_recognises_what_it_writes(extension: str, tmp_path: Path) -> None:
    path = tmp_path / f"clip{extension}"
    poise.save(walk(seconds=0.1), path)
    assert recognised_by(path) == {WRITTEN[extension]}


SKELETON = "# made by hand\n:version 1.10\n:name walker\n:units\n  mass 1.0\n"
MOTION = "#!OML:ASF x.asf\n:FULLY-SPECIFIED\n:DEGREES\n1\nroot 0 0 0 0 0 0\n"
HEADED = "<?xml version='1.0'?>\n<!-- <robot> -->\n"


def test_beginnings_of_other_kinds_are_recognised(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for text, names in (
        (SKELETON, {"asf"}), (MOTION, {"amc"}),
        (ROBOT, {"mjcf", "urdf"}), (f"{HEADED}<robot name='r'/>", {"mjcf", "urdf"}),
        ("\ufeff  hierarchy\nROOT Hips", {"bvh"}), ('\n{"asset": {}}', {"gltf"}),
        (f"{HEADED}<svg/>", set[str]()), ("", set[str]()), ("PK\x03\x04", set[str]()),
    ):  # fmt: skip
        path.write_text(text, encoding="utf-8")
        assert recognised_by(path) == names, text


@needs_mocap
def test_real_captures_are_recognised() -> None:
    for extension, name in ((".bvh", "bvh"), (".amc", "amc"), (".asf", "asf")):
        paths = sorted(MOCAP.rglob(f"*{extension}"))
        assert paths
        for path in paths:
            assert recognised_by(path) == {name}, path
