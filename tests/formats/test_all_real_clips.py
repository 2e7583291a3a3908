"""Every real clip through every format, all frames: the slow proof behind the fast samples."""

from __future__ import annotations

from pathlib import Path

import pytest

import poise
from tests.formats.test_every_format import CASES, Case, assert_same
from tests.shared_data import MOCAP, clips, needs_mocap

ALL = [*clips("**/*.bvh"), *clips("**/*.amc")]

pytestmark = [pytest.mark.slow, needs_mocap]


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(MOCAP).as_posix())
def test_a_real_clip_survives_every_format(path: Path, tmp_path: Path) -> None:
    clip = poise.load(path)
    for case in CASES.values():
        copy = tmp_path / f"copy{case.extension}"
        poise.save(clip, copy)
        assert_same(poise.load(copy), clip, case)


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.relative_to(MOCAP).as_posix())
def test_a_real_clip_goes_back_to_its_own_format_unchanged(path: Path, tmp_path: Path) -> None:
    clip = poise.load(path)
    copy = tmp_path / path.name
    poise.save(clip, copy)
    options = (
        {"skeleton": next(path.parent.glob(f"{path.stem.split('_')[0]}.asf"))}
        if path.suffix == ".amc"
        else {}
    )
    again = poise.load(copy, **options)
    assert_same(again, clip, Case(path.suffix, 1e-6))
    assert again.source is not None and clip.source is not None
    assert again.source.unit.metres == clip.source.unit.metres
    assert again.source.channels is not None and clip.source.channels is not None
    assert (again.source.channels == clip.source.channels).all()
