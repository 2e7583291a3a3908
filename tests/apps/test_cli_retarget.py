"""`poise retarget`: another body on the command line."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from poise.formats import load_clip, save_clip
from poise.recipes.retargeting import USUAL_RECIPE
from poise.samples import walking
from tests.apps.command_line import Command


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    save_clip(walking(seconds=1.2, rate_hz=30.0).clip, path)
    return path


def test_who_follows_whom_is_explained(command: Command, walk: Path, tmp_path: Path) -> None:
    done = command("retarget", walk, "--to", walk, "--explain")
    assert done.code == 0, done.err
    assert "LeftLeg" in done.out and "(left_knee)" in done.out
    assert list(tmp_path.iterdir()) == [walk]


def test_a_mapping_changes_it(command: Command, walk: Path, tmp_path: Path) -> None:
    mapping = tmp_path / "map.yaml"
    mapping.write_text("Head: Neck\nLeftHand: null\n", encoding="utf-8")
    done = command("retarget", walk, "--to", walk, "--mapping", mapping, "--explain")
    lines = {line.split()[0]: line for line in done.out.splitlines()}
    assert "Neck  (given)" in lines["Head"] and "stays at rest" in lines["LeftHand"]


def test_a_walk_on_its_own_body_is_written(command: Command, walk: Path, tmp_path: Path) -> None:
    done = command("retarget", walk, "--to", walk, "-o", "same.bvh", "--kinematic")
    assert done.code == 0, done.err
    assert "1.00 times as far" in done.out and "kinematic: converged" in done.out
    assert load_clip(tmp_path / "same.bvh").frame_count == load_clip(walk).frame_count


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "output must be given"),
        (("--robot", "angles.csv", "--kinematic"), "joints must be hinges"),
        (("-o", "walk.bvh"), "output must be a new file"),
        (("-o", "out.bvh", "--scale", "0", "--kinematic"), "scale must be from 0.01 to 100"),
        (("-o", "out.bvh", "--mapping", "walk.bvh"), "expected"),
    ],
)
def test_what_cannot_be_is_one_line(
    command: Command, walk: Path, options: tuple[str, ...], said: str
) -> None:
    done = command("retarget", walk, "--to", walk, *options)
    assert done.code == 2 and said in done.err and done.err.count("\n") <= 2, done.err


def test_what_is_no_human_is_named(command: Command, walk: Path, tmp_path: Path) -> None:
    other = tmp_path / "stick.bvh"
    other.write_text(
        "HIERARCHY\nROOT base\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition "
        "Zrotation Xrotation Yrotation\nJOINT tip\n{\nOFFSET 0 1 0\nCHANNELS 3 Zrotation "
        "Xrotation Yrotation\nEnd Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\n"
        "Frame Time: 0.033\n0 0 0 0 0 0 0 0 0\n",
        encoding="utf-8",
    )
    done = command("retarget", walk, "--to", other, "-o", "out.bvh")
    assert done.code == 2 and "left_knee" in done.err


def test_its_recipe_does_the_same(command: Command, walk: Path, tmp_path: Path) -> None:
    done = command("retarget", walk, "--to", walk, "-o", "one.npz", "--kinematic")
    assert done.code == 0, done.err
    done = command(
        "run", USUAL_RECIPE, "--clip", walk, "--set", f"character.to={walk.as_posix()}", "--set",
        "retarget.settings.balance=false", "-o", "two.npz", "--report", "page.html",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.startswith("retarget: 37 frames at 30 Hz\n  kinematic: converged: ")
    assert "slide of standing feet" in done.out and (tmp_path / "page.html").is_file()
    one, two = (load_clip(tmp_path / f"{name}.npz") for name in ("one", "two"))
    np.testing.assert_array_equal(one.rotations_wxyz, two.rotations_wxyz)
    np.testing.assert_array_equal(one.root_positions_m, two.root_positions_m)
