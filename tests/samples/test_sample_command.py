"""`poise sample` as a user meets it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import poise
from poise.apps.cli.main import app
from poise.contact import read_contacts
from poise.errors import BadValue, FileProblem, PoiseError, UnknownName
from poise.samples import SAMPLES


def run(*arguments: object) -> str:
    done = CliRunner().invoke(app, ["sample", *map(str, arguments)])
    if isinstance(done.exception, PoiseError):
        raise done.exception
    assert done.exit_code == 0, done.output
    return done.output


@pytest.mark.parametrize("name", SAMPLES)
def test_every_sample_can_be_made(name: str, tmp_path: Path) -> None:
    out = tmp_path / "clip.bvh"
    assert "31 frames at 60 Hz" in run(name, "-o", out, "--fps", 60, "--seconds", 0.5)
    assert poise.load(out).frame_count == 31


def test_help_names_every_sample() -> None:
    shown = CliRunner().invoke(app, ["sample", "--help"]).output
    for name in SAMPLES:
        assert name in shown


def test_contacts_are_the_truth(tmp_path: Path) -> None:
    out, truth = tmp_path / "walk.bvh", tmp_path / "truth.csv"
    said = run("walk", "-o", out, "--seconds", 1, "--contacts", truth, "--t-pose")
    contacts = read_contacts(truth)
    assert contacts.frame_count == poise.load(out).frame_count == 122
    expected = SAMPLES["walk"](seconds=1.0).contacts.touching
    np.testing.assert_array_equal(contacts.touching[1:], expected)
    assert "left_foot" in said


def test_defects_are_put_in_and_told(tmp_path: Path) -> None:
    out = tmp_path / "bad.npz"
    said = run("walk", "-o", out, "--seconds", 1, "--slide", 12, "--sink", 2, "--noise", 0.5)
    assert "foot slide 12 cm/s: foot_slide.mean should read 12 cm/s" in said
    assert (
        "penetration 2 cm: penetration.deepest should read 2 cm with the floor at height 0" in said
    )
    clean = SAMPLES["walk"](seconds=1.0).clip
    moved = poise.load(out).root_positions_m - clean.root_positions_m
    assert moved[:, 1].mean() == pytest.approx(-0.02, abs=1e-4)
    assert moved[-1, 0] == pytest.approx(0.12, abs=0.003)


def test_a_wrong_rate_and_a_slide_keep_their_sizes_together(tmp_path: Path) -> None:
    said = run("jump", "-o", tmp_path / "j.bvh", "--wrong-rate", 2, "--slide", 10)
    assert "193 frames at 120 Hz" in said
    assert "gravity should read 39.24 m/s²" in said and "should read 10 cm/s" in said


def test_mistakes_are_named(tmp_path: Path) -> None:
    out = tmp_path / "x.bvh"
    with pytest.raises(UnknownName, match="Did you mean 'squat'"):
        run("sqat", "-o", out)
    with pytest.raises(BadValue, match="stands still"):
        run("walk", "-o", out, "--lean", 3)
    with pytest.raises(BadValue, match="--drop"):
        run("walk", "-o", out, "--seconds", 1, "--drop", 500)
    with pytest.raises(BadValue, match="--fps"):
        run("walk", "-o", out, "--fps", 0)
    with pytest.raises(BadValue, match="seconds"):
        run("walk", "-o", out, "--seconds", "nan")
    assert not out.exists()
    out.write_text("mine", encoding="utf-8")
    with pytest.raises(FileProblem, match="overwrite"):
        run("walk", "-o", out)
    assert out.read_text(encoding="utf-8") == "mine"
