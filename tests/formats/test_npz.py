"""The native format: what goes in comes out, to the last bit."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from poise.formats import load_clip, save_clip
from poise.motion.clip import provenance_of
from tests.formats.made_clips import rich_clip
from tests.shared_data import MOCAP, needs_mocap


def test_everything_comes_back_exactly(tmp_path: Path) -> None:
    clip = rich_clip()
    assert save_clip(clip, tmp_path / "clip.npz") == ()
    back = load_clip(tmp_path / "clip.npz")
    a, b = clip.skeleton, back.skeleton
    assert (b.joint_names, b.kinds, b.end_sites.names) == (
        a.joint_names,
        a.kinds,
        a.end_sites.names,
    )
    for name in ("parents", "offsets_m", "hinge_axes", "limits_rad"):
        np.testing.assert_array_equal(getattr(b, name), getattr(a, name))
    np.testing.assert_allclose(b.rest_wxyz, a.rest_wxyz, rtol=0, atol=2e-16)
    np.testing.assert_array_equal(b.end_sites.joints, a.end_sites.joints)
    np.testing.assert_array_equal(b.end_sites.offsets_m, a.end_sites.offsets_m)
    for name in ("root_positions_m", "rotations_wxyz", "moving_offsets_m"):
        np.testing.assert_array_equal(getattr(back, name), getattr(clip, name))
    for name in ("rate_hz", "moving_joints", "name", "history"):
        assert getattr(back, name) == getattr(clip, name)
    assert back.source is not None
    assert clip.source is not None
    for name in ("format", "path", "sha256", "unit", "up", "up_reason", "notes"):
        assert getattr(back.source, name) == getattr(clip.source, name)
    assert back.source.channels is None


def test_the_same_clip_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one.npz", "two.npz"):
        save_clip(rich_clip(), tmp_path / name)
    content = (tmp_path / "one.npz").read_bytes()
    assert content == (tmp_path / "two.npz").read_bytes()
    save_clip(load_clip(tmp_path / "one.npz"), tmp_path / "three.npz")
    again = (tmp_path / "three.npz").read_bytes()
    assert hashlib.sha256(again).hexdigest() == hashlib.sha256(content).hexdigest()


def test_numpy_alone_can_use_the_file(tmp_path: Path) -> None:
    clip = rich_clip()
    save_clip(clip, tmp_path / "clip.npz")
    with np.load(tmp_path / "clip.npz", allow_pickle=False) as found:
        assert int(found["schema"]) == 1
        assert float(found["rate_hz"]) == clip.rate_hz
        assert tuple(found["joint_names"]) == clip.skeleton.joint_names
        np.testing.assert_array_equal(found["rotations_wxyz"], clip.rotations_wxyz)


def test_the_file_says_where_it_came_from(tmp_path: Path) -> None:
    clip = rich_clip()
    save_clip(clip, tmp_path / "clip.npz")
    with np.load(tmp_path / "clip.npz") as members:
        meta = json.loads(str(members["meta_json"]))
    assert meta["provenance"] == provenance_of(clip).as_dict()


@needs_mocap
@pytest.mark.parametrize("name", ["cmu/02_01.bvh", "cmu_asfamc/02_01.amc"])
def test_a_clip_finds_its_way_back_to_its_own_format(tmp_path: Path, name: str) -> None:
    source = MOCAP / name
    clip = load_clip(source)
    save_clip(clip, tmp_path / "clip.npz")
    back = load_clip(tmp_path / "clip.npz")
    straight, around = tmp_path / f"a{source.suffix}", tmp_path / f"b{source.suffix}"
    save_clip(clip, straight)
    save_clip(back, around)
    assert around.read_bytes() == straight.read_bytes()
