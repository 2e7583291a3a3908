"""Families and balls in files: what is written is read, what is damaged is said."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from poise import rotations
from poise.constraints import MoveStage
from poise.environment import Environment, Ground
from poise.errors import BadValue, FileProblem
from poise.formats import load_clip, save_clip
from poise.job import load_family, read_ball, save_family
from poise.methods.momentum.family import Family, build_family
from tests.methods.leaping import SETTINGS, jump, line

AHEAD = line("ahead", -1, (0.0, 0.0, 1.0), (0.0, 0.1, 0.3))
QUICK = replace(SETTINGS, iterations=1, family=(AHEAD,))


@cache
def made() -> Family:
    return build_family(jump(), QUICK)


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "family.npz"
    save_family(made(), path)
    return path


# Families


def test_a_family_comes_back_bit_for_bit(written: Path) -> None:
    family, again = made(), load_family(written)
    np.testing.assert_array_equal(again.roots_m, family.roots_m)
    np.testing.assert_array_equal(again.rotations_wxyz, family.rotations_wxyz)
    np.testing.assert_array_equal(again.stage_places_m, family.stage_places_m)
    np.testing.assert_array_equal(again.contacts.touching, family.contacts.touching)
    assert again.contacts.parts == family.contacts.parts
    assert again.contacts.rate_hz == family.contacts.rate_hz == again.clip.rate_hz
    for name in ("axes", "statuses", "stages", "notes"):
        assert getattr(again, name) == getattr(family, name), name
    assert again.clip.skeleton.joint_names == family.clip.skeleton.joint_names
    np.testing.assert_array_equal(again.clip.skeleton.offsets_m, family.clip.skeleton.offsets_m)
    assert again.clip.history == family.clip.history
    one, other = family.at((0.2,)), again.at((0.2,))
    np.testing.assert_array_equal(one.root_positions_m, other.root_positions_m)
    np.testing.assert_array_equal(one.rotations_wxyz, other.rotations_wxyz)


def test_the_leap_that_the_others_vary_comes_back(written: Path) -> None:
    again, clip = load_family(written).clip, made().clip
    np.testing.assert_array_equal(again.root_positions_m, clip.root_positions_m)
    np.testing.assert_array_equal(again.rotations_wxyz, clip.rotations_wxyz)
    np.testing.assert_array_equal(again.root_positions_m, jump().clip.root_positions_m)


def test_members_that_spin_come_back_as_the_same_poses(tmp_path: Path) -> None:
    # One after the other they are no smooth motion: signs of quaternions may differ.
    spun = build_family(jump(MoveStage("spun", -1, turn_deg=360.0)), QUICK)
    save_family(spun, tmp_path / "spun.npz")
    again = load_family(tmp_path / "spun.npz")
    np.testing.assert_array_equal(again.roots_m, spun.roots_m)
    assert rotations.angle_between(again.rotations_wxyz, spun.rotations_wxyz).max() < 1e-7
    for at in (0.0, 0.05, 0.2, 0.3):
        one, other = spun.at((at,)), again.at((at,))
        assert rotations.angle_between(one.rotations_wxyz, other.rotations_wxyz).max() < 1e-7


def test_the_ground_comes_back(tmp_path: Path) -> None:
    place = Environment((Ground.tilted(0.1, (1.0, 0.0, 1.0), height_m=0.3),))
    save_family(replace(made(), environment=place), tmp_path / "family.npz")
    (ground,) = load_family(tmp_path / "family.npz").environment.surfaces
    assert isinstance(ground, Ground)
    np.testing.assert_allclose(ground.normal, place.grounds[0].normal, atol=1e-15)
    assert ground.height_m == place.grounds[0].height_m


def test_other_places_are_refused(tmp_path: Path) -> None:
    two = Environment((Ground(0.0), Ground(-1.0)))
    with pytest.raises(BadValue, match="environment of a family must be one ground"):
        save_family(replace(made(), environment=two), tmp_path / "family.npz")
    assert not (tmp_path / "family.npz").exists()


def test_a_family_is_a_clip_of_the_leap_and_all_its_members(written: Path) -> None:
    clip = load_clip(written)
    assert clip.frame_count == (1 + made().member_count) * made().frame_count
    np.testing.assert_array_equal(clip.root_positions_m[:48], made().clip.root_positions_m)
    np.testing.assert_array_equal(clip.root_positions_m[48:96], made().roots_m[0])


def test_a_clip_is_no_family(tmp_path: Path) -> None:
    save_clip(jump().clip, tmp_path / "clip.npz")
    with pytest.raises(FileProblem, match="expected a motion family, found a clip") as problem:
        load_family(tmp_path / "clip.npz")
    assert "poise family build" in str(problem.value)


def test_what_is_no_family_or_no_longer_one_is_said(written: Path, tmp_path: Path) -> None:
    content = written.read_bytes()
    flipped = bytearray(content)
    flipped[len(content) // 2] ^= 0xFF
    save_clip(jump().clip, tmp_path / "clip.bvh")
    bad = {
        "cut.npz": content[: len(content) // 2], "empty.npz": b"", "flipped.npz": bytes(flipped),
        "text.npz": b"poise: 1\n", "clip.npz": (tmp_path / "clip.bvh").read_bytes(),
    }  # fmt: skip
    for name, data in bad.items():
        (tmp_path / name).write_bytes(data)
    for name in (*bad, "nowhere.npz"):
        with pytest.raises(FileProblem, match=name):
            load_family(tmp_path / name)


GONE = object()


def facts_with(path: Path, **changed: Any) -> None:
    """Write other facts into a family's file."""
    with np.load(path) as archive:
        members = dict(archive)
    facts = json.loads(str(members["family_json"]))
    facts = {k: v for k, v in {**facts, **changed}.items() if v is not GONE}
    members["family_json"] = np.array(json.dumps(facts))
    np.savez(path, **members)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *((key, GONE) for key in ("schema", "frames", "axes", "statuses", "stages", "contacts",
                                  "stage_places_m", "ground", "notes")),
        ("schema", 2), ("frames", 144), ("frames", -48), ("frames", "many"), ("frames", None),
        ("axes", []), ("axes", [{"name": "x"}]), ("axes", 3),
        ("axes", [{"name": "x", "stage": 0, "values": [2, 1, 0]}]),
        ("contacts", {"tail": [1]}), ("contacts", 5),
        ("statuses", 5), ("stages", [["ground", 0]]), ("stages", 5),
        ("ground", {"height_m": 0.0, "normal": [0, 1]}), ("ground", {"height_m": float("nan")}),
        ("stage_places_m", [[1, 2], [1]]),
        ("frames", 0),
        ("frames", 7),
        ("frames", float("inf")),
        ("frames", 10**13),
        ("contacts", {"left_foot": [999]}),
        ("contacts", {"left_foot": [-1]}),
        ("statuses", ["converged"]),
        ("statuses", ["great"] * 3),
        ("stages", [["sea", 0, 900]]),
        ("stage_places_m", "here"),
    ],
)  # fmt: skip
def test_facts_that_do_not_fit_are_said(written: Path, key: str, value: Any) -> None:
    facts_with(written, **{key: value})
    with pytest.raises(FileProblem, match=r"family\.npz: expected"):
        load_family(written)


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "7", '"family"', "[" * 100_000])
def test_facts_that_are_none_are_said(written: Path, text: str) -> None:
    with np.load(written) as archive:
        members = dict(archive)
    members["family_json"] = np.array(text)
    np.savez(written, **members)  # type: ignore[arg-type]
    with pytest.raises(FileProblem, match=r"family\.npz: expected"):
        load_family(written)


# Balls


def ball(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "ball.csv"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("title", ["", "frame,x,y,z\n", "Frame, X, Y, Z\n", "\ufeffframe,x,y,z\n"])
def test_the_path_of_a_ball_is_read(tmp_path: Path, title: str) -> None:
    places, first = read_ball(ball(tmp_path, f"{title}7, 1, 2, 3\n\n5,0.5,1e0,-2\n"))
    assert first == 5 and places.shape == (3, 3)
    np.testing.assert_array_equal(places[[0, 2]], [[0.5, 1.0, -2.0], [1.0, 2.0, 3.0]])
    assert np.isnan(places[1]).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected lines of frame, x, y, z, found none"),
        ("frame,x,y,z\n", "expected lines of frame, x, y, z, found none"),
        ("1,2,3\n", "expected frame,x,y,z: numbers, found '1,2,3'"),
        ("1,2,3,4,5\n", "expected frame,x,y,z: numbers"),
        ("1,2,three,4\n", "expected frame,x,y,z: numbers, found '1,2,three,4'"),
        ("1.5,2,3,4\n", "expected frame,x,y,z: numbers"),
        ("-1,2,3,4\n", "expected frame,x,y,z: numbers"),
        ("1,nan,3,4\n", "expected frame,x,y,z: numbers"),
        ("nan,1,3,4\n", "expected frame,x,y,z: numbers"),
        ("0,1,2,3\n9000000,1,2,3\n", "expected at most 1000000 frames"),
        ("inf,1,2,3\n", "expected frame,x,y,z"),
    ],
)
def test_a_table_that_is_no_path_is_said(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(FileProblem) as problem:
        read_ball(ball(tmp_path, text))
    assert said in str(problem.value) and "ball.csv" in str(problem.value)


def test_the_line_of_a_mistake_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileProblem) as problem:
        read_ball(ball(tmp_path, "0,1,2,3\n1,1,2,3\n2,1,2\n"))
    assert problem.value.line == 3


@pytest.mark.parametrize("text", ["frame,x,y,z\n0,1,2,3\n1,1,2\n", "0,1,2,3\n\n1,1,2\n"])
def test_titles_and_empty_lines_are_lines_too(tmp_path: Path, text: str) -> None:
    with pytest.raises(FileProblem) as problem:
        read_ball(ball(tmp_path, text))
    assert problem.value.line == 3


def test_no_table_at_all_is_said(tmp_path: Path) -> None:
    (tmp_path / "ball.csv").write_bytes(b"\xff\xfe\x00\x80")
    for path in (tmp_path / "ball.csv", tmp_path / "none.csv", tmp_path):
        with pytest.raises(FileProblem):
            read_ball(path)
