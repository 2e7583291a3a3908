"""`poise filter --to`: the motion of a clip on the body of another file."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.apps.cli.main import main
from poise.character import with_proportions
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.samples import sample_character, walk

Command = Callable[..., tuple[int, str]]


@pytest.fixture
def command(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Command:
    """The command line inside this process, in a folder with a walk and another body."""
    monkeypatch.chdir(tmp_path)
    poise.save(walk(seconds=1.0, rate_hz=30.0), tmp_path / "walk.bvh")
    small = with_proportions(sample_character(), limbs=0.85, trunk=1.1)
    still = walk(seconds=0.1)
    body = Clip(small.skeleton, 30.0, still.root_positions_m, still.rotations_wxyz)
    poise.save(body, tmp_path / "small.bvh")

    def run(*arguments: str) -> tuple[int, str]:
        monkeypatch.setattr(sys, "argv", ["poise", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        said = capsys.readouterr()
        assert "Traceback" not in said.err and "internal error" not in said.err, said.err
        return int(stopped.value.code or 0), said.out + said.err

    return run


@pytest.mark.parametrize("method", ["filter", "deform"])
def test_feet_go_where_they_went_without_a_recipe(
    command: Command, tmp_path: Path, method: str
) -> None:
    code, said = command(method, "walk.bvh", "--to", "small.bvh", "-o", "out.bvh")
    assert code == 0 and "All constraints are met" in said and "cm lower" in said
    out, before = poise.load(tmp_path / "out.bvh"), poise.load(tmp_path / "walk.bvh")
    body = poise.load(tmp_path / "small.bvh")
    np.testing.assert_allclose(out.skeleton.offsets_m[1:], body.skeleton.offsets_m[1:], atol=1e-4)
    foot = out.skeleton.index("LeftFoot")
    mine, wanted = (
        forward_kinematics(c.skeleton, *c.pose).positions_m[:, foot] for c in (out, before)
    )
    np.testing.assert_allclose(mine, wanted, atol=1e-3)


def test_a_recipe_may_say_what_else_is_wanted(command: Command, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "r.yaml").write_text(
        "poise: 1\nsteps:\n  - filter:\n      constraints:\n"
        "        - plant: {name: foot, part: left_foot, mode: follow, frames: all}\n",
        encoding="utf-8",
    )
    code, said = command(
        "filter", "walk.bvh", "--recipe", "sub/r.yaml", "--to", "small.bvh", "-o", "out.glb",
        "--set", "filter.settings.updates=5",
    )  # fmt: skip
    assert code == 0 and "1 constraint" in said


def test_without_a_recipe_and_a_body_there_is_nothing_to_do(command: Command) -> None:
    code, said = command("filter", "walk.bvh", "-o", "out.bvh")
    assert code == 2 and "--recipe" in said and "--to" in said


def test_a_body_that_is_not_there_is_said(command: Command) -> None:
    code, said = command("filter", "walk.bvh", "--to", "none.bvh", "-o", "out.bvh")
    assert code == 2 and "none.bvh" in said
