"""What every clip format promises: what goes in comes out, and no broken file breaks Poise.

A format that is missing from `CASES` fails the first test.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.character import Sites, Skeleton
from poise.errors import FileProblem
from poise.formats import FORMATS
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from poise.motion.resample import resample
from poise.samples import walk
from tests.shared_data import MOCAP, needs_mocap


@dataclass(frozen=True)
class Case:
    """A format with how exactly it keeps a clip."""

    extension: str
    position_m: float
    rate: float = 0.0


CASES = {
    ".bvh": Case(".bvh", 1e-9),
    ".glb": Case(".glb", 1e-6),
    ".gltf": Case(".gltf", 1e-6),
    ".npz": Case(".npz", 0.0),
}
NEEDS_ITS_OWN_SOURCE = {".amc"}
"""Formats that only clips of the same format can be written to; tested with real clips."""

every_case = pytest.mark.parametrize("case", CASES.values(), ids=CASES)


def test_no_writable_format_is_left_out() -> None:
    writable = {e for f in FORMATS.values() if f.write_clip for e in f.extensions}
    assert writable == set(CASES) | NEEDS_ITS_OWN_SOURCE


def positions(clip: Clip) -> np.ndarray:
    state = forward_kinematics(clip.skeleton, *clip.pose)
    ends = site_positions(state, clip.skeleton.end_sites)
    return np.concatenate([state.positions_m, ends], axis=1)


def assert_same(again: Clip, clip: Clip, case: Case) -> None:
    assert again.skeleton.joint_names == clip.skeleton.joint_names
    assert again.skeleton.parents.tolist() == clip.skeleton.parents.tolist()
    assert again.skeleton.end_sites.names == clip.skeleton.end_sites.names
    assert again.rate_hz == pytest.approx(clip.rate_hz, rel=1e-12)
    assert again.frame_count == clip.frame_count
    assert np.abs(positions(again) - positions(clip)).max() <= case.position_m


@every_case
def test_what_is_saved_is_loaded(case: Case, tmp_path: Path) -> None:
    clip = walk(seconds=0.5)
    path = tmp_path / f"clip{case.extension}"
    poise.save(clip, path)
    assert_same(poise.load(path), clip, case)


@every_case
@pytest.mark.parametrize("rate_hz", [23.976, 50.0, 59.94, 119.88, 1000.0])
def test_odd_rates_survive(case: Case, rate_hz: float, tmp_path: Path) -> None:
    clip = resample(walk(seconds=0.3), rate_hz)
    path = tmp_path / f"clip{case.extension}"
    poise.save(clip, path)
    again = poise.load(path)
    assert again.rate_hz == pytest.approx(rate_hz, rel=1e-9)
    assert again.frame_count == clip.frame_count


@every_case
def test_position_channels_on_inner_joints_survive(case: Case, tmp_path: Path) -> None:
    clip = walk(seconds=0.2)
    frames = clip.frame_count
    head = clip.skeleton.index("Head")
    stretch = clip.skeleton.offsets_m[head] * (1 + 0.1 * np.sin(np.arange(frames)))[:, None]
    clip = Clip(
        clip.skeleton,
        clip.rate_hz,
        clip.root_positions_m,
        clip.rotations_wxyz,
        moving_joints=(head,),
        moving_offsets_m=stretch[:, None],
    )
    path = tmp_path / f"clip{case.extension}"
    poise.save(clip, path)
    again = poise.load(path)
    assert again.moving_joints == (head,)
    assert_same(again, clip, case)


@every_case
def test_one_joint_and_one_frame_are_a_clip_too(case: Case, tmp_path: Path) -> None:
    dot = Skeleton(("dot",), np.array([-1]), np.zeros((1, 3)), end_sites=Sites())
    clip = Clip(dot, 30.0, np.array([[0.1, 0.2, 0.3]]), np.array([[[1.0, 0, 0, 0]]]))
    path = tmp_path / f"clip{case.extension}"
    poise.save(clip, path)
    again = poise.load(path, **({"unit": "cm"} if case.extension == ".bvh" else {}))
    assert_same(again, clip, case)


@every_case
def test_a_second_writing_gives_the_same_bytes(case: Case, tmp_path: Path) -> None:
    clip = walk(seconds=0.2)
    first, second = tmp_path / f"a{case.extension}", tmp_path / f"b{case.extension}"
    poise.save(clip, first)
    poise.save(clip, second)
    assert first.read_bytes() == second.read_bytes()


@every_case
def test_a_file_cut_anywhere_is_refused_or_read_but_never_breaks(
    case: Case, tmp_path: Path
) -> None:
    path = tmp_path / f"clip{case.extension}"
    poise.save(walk(seconds=0.05), path)
    whole = path.read_bytes()
    for cut in np.linspace(0, len(whole) - 2, 40).astype(int):
        path.write_bytes(whole[:cut])
        try:
            poise.load(path)
        except FileProblem as problem:
            assert path.name in str(problem)


@every_case
def test_a_write_that_fails_leaves_the_old_file(
    case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import os

    path = tmp_path / f"clip{case.extension}"
    path.write_text("mine")

    def refuse(*_: object, **__: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(Path, "replace", refuse)
    with pytest.raises(FileProblem, match="clip"):
        poise.save(walk(seconds=0.05), path)
    assert path.read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


@needs_mocap
@every_case
@pytest.mark.parametrize("name", ["cmu/02_01.bvh", "tennis/adorozco_Reves_8seg.bvh"])
def test_real_clips_go_through_every_format(case: Case, name: str, tmp_path: Path) -> None:
    clip = poise.load(MOCAP / name).sliced(0, 60)
    path = tmp_path / f"clip{case.extension}"
    poise.save(clip, path)
    assert_same(poise.load(path), clip, case)


@needs_mocap
def test_a_trimmed_amc_comes_back(tmp_path: Path) -> None:
    clip = poise.load(MOCAP / "cmu_asfamc" / "02_01.amc").sliced(10, 40)
    path = tmp_path / "part.amc"
    poise.save(clip, path)
    again = poise.load(path, skeleton=MOCAP / "cmu_asfamc" / "02.asf")
    assert_same(again, clip, Case(".amc", 1e-9))
