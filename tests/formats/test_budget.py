"""What files may unfold to: by their size, and refused before it is made."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from poise.errors import FileProblem
from poise.formats import load_clip
from poise.formats.budget import (
    ALWAYS_ALLOWED,
    MOST_FRAMES,
    MOST_JOINT_POSES,
    MOST_JOINTS,
    check_budget,
)
from tests.formats.hostile_files import BOMBS, hostile_files

PATH = Path("walk.bvh")

ALLOWED = {
    "a usual clip": (1000, 31, 10**6),
    "the longest small file": (ALWAYS_ALLOWED // 31, 31, 10),
    "an hour at 120 Hz of 38 joints": (432_000, 38, 200 * 2**20),
    "the most frames": (MOST_FRAMES, 1, 2**21),
    "the most joints": (1, MOST_JOINTS, 10),
}
REFUSED = {
    "more than a small file may have": (ALWAYS_ALLOWED // 31 + 1, 31, 10, 1),
    "more than any file may have": (MOST_JOINT_POSES // 100 + 1, 100, 2**30, 1),
    "more frames": (MOST_FRAMES + 1, 1, 2**30, 1),
    "more joints": (1, MOST_JOINTS + 1, 2**30, 1),
    "what weighs more": (ALWAYS_ALLOWED // 31, 31, 10, 4),
}


@pytest.mark.parametrize("name", ALLOWED)
def test_sizes_that_a_file_bears_out(name: str) -> None:
    frames, joints, size = ALLOWED[name]
    check_budget(PATH, frames, joints, size)


@pytest.mark.parametrize("name", REFUSED)
def test_sizes_that_it_does_not(name: str) -> None:
    frames, joints, size, weight = REFUSED[name]
    with pytest.raises(FileProblem, match="at most") as refused:
        check_budget(PATH, frames, joints, size, weight=weight, line=7)
    assert refused.value.line == 7


REFUSED_BOMBS = {
    "a million frames of fixed joints.bvh": "frames of 1000 joints",
    "a joint for more than a million frames.bvh": "1048576 frames of 1 joint",
    "more frames of fixed bones.amc": "frames of 1901 joints",
    "keys an hour apart.glb": "key times that span at most",
    "keys far apart for many joints.glb": "frames of 1901 joints",
    "more joints than may be.glb": "2000 joints",
    "the same keys for all joints.glb": "keys in all channels",
    "a deep tree above the joints.glb": "frames of 901 joints",
    "more compressed stillness than may be.npz": "bytes declared",
    "joints without end.npz": "2000 joints",
    "a rate of 1e-300.npz": "rate_hz from 0.001",
    "places at the end of numbers.npz": "in root_positions_m",
}


@pytest.mark.parametrize("name", REFUSED_BOMBS)
def test_what_is_small_in_a_file_and_large_in_memory(name: str, tmp_path: Path) -> None:
    item = next(each for each in hostile_files() if each.name == name)
    assert name in BOMBS
    path = item.write(tmp_path)
    tracemalloc.start()
    with pytest.raises(FileProblem) as refused:
        load_clip(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert REFUSED_BOMBS[name] in str(refused.value)
    assert peak < 200 * 2**20
