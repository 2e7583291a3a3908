"""`poise leap` as a user meets it: which stages there are, further, higher, turned, by a recipe."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import poise
from poise.apps.cli.run import Watching
from poise.apps.outcome_text import result_lines
from poise.contact import write_contacts
from poise.methods import METHODS, Progress, Result
from poise.methods.momentum.report import StageReport
from poise.samples import walking
from tests.apps.command_line import Command
from tests.methods.leaping import jump

QUICK = ("--set", "momentum.settings.knots_per_s=6")

RECIPE = """\
poise: 1
steps:
  - momentum:
      settings: {knots_per_s: 6}
      constraints:
        - move_stage: {name: further, stage: -1, by_m: [0, 0, 0.3]}
        - flight_height: {name: higher, scale: 1.3}
        - hold_point:
            {name: hand, point: left_wrist, frames: [22, 22], mode: offset, place_m: [0.1, 0.1, 0]}
"""


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "jump.bvh"
    poise.save(jump().clip, path)
    return path


def test_stages_are_listed_and_nothing_is_written(
    command: Command, clip: Path, tmp_path: Path
) -> None:
    done = command("leap", clip, "--stages")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [
        "stage 0   on the ground: frames 0-16, 0.57 s  (left foot, right foot)",
        "flight 0  in the air: frames 17-28, 0.40 s, rises 15 cm, falls at 9.81 m/s²",
        "stage 1   on the ground: frames 29-47, 0.63 s  (left foot, right foot)",
    ]
    assert "note: Floor estimated" in done.err
    assert not list(tmp_path.iterdir())


def test_a_landing_is_moved(command: Command, clip: Path, tmp_path: Path) -> None:
    done = command("leap", clip, "--by", "0", "0", "0.3", "-o", "out.bvh", *QUICK)
    assert done.code == 0, done.err
    lines = done.out.splitlines()
    assert lines[0] == "momentum: 1 constraint on 48 frames at 30 Hz"
    assert lines[1].startswith("  flight 0: 0.8") and "m far (was 0.52), 15 cm high" in lines[1]
    assert lines[2] == "  stage 1: moved 30 cm, turned 0 degrees"
    assert lines[3].startswith("converged: Feet, momentum and joint ranges hold to ")
    assert lines[4] == "out.bvh: 48 frames at 30 Hz"
    before, after = poise.load(clip), poise.load(tmp_path / "out.bvh")
    gap = after.root_positions_m - before.root_positions_m
    np.testing.assert_allclose(gap[-1], (0.0, 0.0, 0.3), atol=0.03)
    assert np.linalg.norm(gap[0]) < 0.03


def test_turned_and_higher_with_a_report(command: Command, clip: Path, tmp_path: Path) -> None:
    done = command(
        "leap", clip, "--turn", "90", "--higher", "1.3", "-o", "out.glb", "--report", "out.html",
        *QUICK,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "stage 1: moved 0 cm, turned 90 degrees" in done.out
    assert "higher      flight_height  1" in done.out
    assert "note: Flights last longer or shorter: 49 frames instead of 48." in done.err
    assert poise.load(tmp_path / "out.glb").frame_count == 49
    assert "out.html: " in done.out and "jump.bvh" in (tmp_path / "out.html").read_text("utf-8")


def test_a_longer_leap_can_be_read_again(command: Command, clip: Path, tmp_path: Path) -> None:
    done = command("leap", clip, "--higher", "1.3", "-o", "out.npz", *QUICK)
    assert done.code == 0, done.err
    assert poise.load(tmp_path / "out.npz").frame_count == 49


def test_higher_by_gravity_and_another_stage(command: Command, clip: Path, tmp_path: Path) -> None:
    done = command(
        "leap", clip, "--by", "0.1", "0", "0", "--stage", "0", "--higher", "1.2", "--flight", "0",
        "--by-gravity", "-o", "out.bvh", *QUICK,
    )  # fmt: skip
    assert done.code == 0, done.err
    assert "stage 0: moved 10 cm" in done.out and "falls at 11.0" in done.out
    assert poise.load(tmp_path / "out.bvh").frame_count == 48


def test_a_recipe_says_more_and_may_be_changed(
    command: Command, clip: Path, tmp_path: Path
) -> None:
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    done = command("leap", clip, "--recipe", "r.yaml", "-o", "out.bvh")
    assert done.code == 0, done.err
    assert done.out.startswith("momentum: 3 constraints on 48 frames at 30 Hz\n")
    assert "hand        hold_point     1      22-22" in done.out and "moved 30 cm" in done.out
    less = command(
        "leap", clip, "--recipe", "r.yaml", "-o", "less.bvh", "--without", "higher",
        "--set", "further.by_m=[0, 0, 0.1]",
    )  # fmt: skip
    assert less.code == 0 and "moved 10 cm" in less.out and "flight_height" not in less.out
    assert poise.load(tmp_path / "less.bvh").frame_count == 48
    again = command("run", "r.yaml", "--clip", clip, "-o", "again.bvh")
    assert again.code == 0, again.err
    assert (tmp_path / "again.bvh").read_bytes() == (tmp_path / "out.bvh").read_bytes()
    listed = command(
        "leap", clip, "--recipe", "r.yaml", "--stages",
        "--set", "momentum.settings.stage_changes=[15, 31]",
    )  # fmt: skip
    assert listed.code == 0 and "in the air: frames 15-30" in listed.out


def test_stages_that_are_told_are_listed_without_brackets(command: Command, clip: Path) -> None:
    listed = command("leap", clip, "--stages", "--set", "momentum.settings.stage_changes=[17, 29]")
    assert listed.code == 0 and "()" not in listed.out


def test_stages_are_those_of_the_recipes_contacts(
    command: Command, clip: Path, tmp_path: Path
) -> None:
    known = jump().contacts
    assert known is not None
    touching = known.touching.copy()
    touching[15:31] = False
    write_contacts(replace(known, touching=touching), tmp_path / "c.csv")
    text = RECIPE.replace("  - momentum:\n", "  - momentum:\n      contacts: c.csv\n")
    (tmp_path / "r.yaml").write_text(text, encoding="utf-8")
    listed = command("leap", clip, "--recipe", "r.yaml", "--stages")
    assert listed.code == 0 and "in the air: frames 15-30" in listed.out


@pytest.mark.parametrize("idle", ["--by-gravity", "--flight=3", "--stage=7"])
def test_options_that_are_about_nothing_are_not_passed_over(
    command: Command, clip: Path, idle: str
) -> None:
    assert command("leap", clip, idle, "-o", "out.bvh", *QUICK).code == 2


def test_what_cannot_be_had_ends_with_3_and_is_written(
    command: Command, clip: Path, tmp_path: Path
) -> None:
    few = ("--set", "momentum.settings.iterations=1", *QUICK)
    done = command("leap", clip, "--turn", "90", "-o", "out.bvh", *few)
    assert done.code == 3 and "not fully solved: Worst is " in done.out
    assert (tmp_path / "out.bvh").is_file()
    again = command("leap", clip, "--turn", "90", "-o", "out.bvh", *few, "--overwrite", "--accept")
    assert again.code == 0


def test_nothing_is_written_over(command: Command, clip: Path, tmp_path: Path) -> None:
    for option, name in {"-o": "o.bvh", "--report": "r.html"}.items():
        (tmp_path / name).write_text("mine", encoding="utf-8")
        done = command("leap", clip, "--by", "0", "0", "1", option, name, *QUICK)
        assert done.code == 2 and f"{name}: expected a new file" in done.err
        assert (tmp_path / name).read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ((), "output must be given, or nothing would be written (-o OUT)"),
        (("--by", "0", "0", "1"), "output must be given, or nothing would be written (-o OUT)"),
        (("-o", "out.bvh", "--by", "0", "0"), "'--by'"),
        (("-o", "out.bvh", "--by", "0", "0", "nan"), "the options: expected a number"),
        (("-o", "out.bvh", "--turn", "inf"), "the options: expected a number"),
        (("-o", "out.bvh", "--by", "1e99", "0", "0"), "expected a number of at most 1e+09"),
        (("-o", "out.bvh", "--turn", "90", "--stage", "5"),
         "the options: stage of 'moved' must be 0 to 1: the clip has 2 ground stages, got 5"),
        (("-o", "out.bvh", "--higher", "1.2", "--flight", "3"),
         "the options: flight of 'higher' must be 0 to 0"),
        (("-o", "out.bvh", "--higher", "0"), "scale of 'higher' must be more than zero"),
        (("-o", "out.bvh", "--higher", "-1"), "scale of 'higher' must be more than zero"),
        (("-o", "out.bvh", "--higher", "90"), "height of 'higher' must be one whose flight lasts"),
        (("-o", "out.bvh", "--by", "0", "2", "0", "--higher", "1.2"),
         "height of 'higher' must be more than"),
        (("-o", "out.bvh", "--by", "0", "0", "1", "--recipe", "r.yaml"),
         "--by, --turn and --higher must be left out beside --recipe"),
        (("-o", "out.bvh", "--recipe", "deform.yaml"), "at least one of 'momentum'"),
        (("-o", "out.bvh", "--recipe", "none.yaml"), "none.yaml: expected"),
        (("-o", "out.xyz", "--turn", "90"), "an extension that a clip can be written to"),
        (("-o", "out.bvh", "--environment", "none.yaml"), "--environment none.yaml: "),
        (("-o", "out.bvh", "--set", "momentum.settings.iteration=3"), "Did you mean 'iterations'?"),
        (("-o", "out.bvh", "--set", "momentum.settings.stage_changes=[29, 17]"),
         "rising frames between 0 and 48"),
        (("--stages", "--set", "momentum.settings.stage_changes=[3, 29]"),
         "ground stage at frame 0 must be at least 6 frames"),
        (("--stages", "--set", "momentum.settings.gravity=mars"), "gravity"),
        (("-o", "out.bvh", "--without", "ghost"), "ghost"),
    ],
)  # fmt: skip
def test_bad_input_is_one_line(
    command: Command, clip: Path, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    (tmp_path / "deform.yaml").write_text("poise: 1\nsteps:\n  - deform:\n", encoding="utf-8")
    (tmp_path / "r.yaml").write_text(RECIPE, encoding="utf-8")
    done = command("leap", clip, *options)
    assert done.code == 2 and said in done.err, done.err
    assert len(done.err.splitlines()) == 1 and not done.out
    assert not (tmp_path / "out.bvh").exists()


def test_a_clip_that_does_not_leap_is_one_line(command: Command, tmp_path: Path) -> None:
    poise.save(walking(1.0, 30.0).clip, tmp_path / "walk.bvh")
    for options in (("--stages",), ("--by", "0", "0", "1", "-o", "out.bvh")):
        done = command("leap", "walk.bvh", *options)
        assert done.code == 2 and "a clip that leaves the ground" in done.err
        assert len(done.err.splitlines()) == 1 and not done.out
    gone = command("leap", "none.bvh", "--stages")
    assert gone.code == 2 and "none.bvh: expected an existing file" in gone.err


def test_infeasible_leaps_end_with_3(
    command: Command, clip: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = METHODS["momentum"].run

    def vain(*arguments: Any, **more: Any) -> Result[Any]:
        return replace(real(*arguments, **more), status="infeasible", summary="It is too far.")

    monkeypatch.setitem(METHODS.own, "momentum", replace(METHODS["momentum"], run=vain))
    done = command("leap", clip, "--by", "0", "0", "0.1", "-o", "out.bvh", *QUICK)
    assert done.code == 3 and "infeasible: It is too far." in done.out


def test_stages_of_a_result_are_said_in_words() -> None:
    ground = StageReport("ground", 0, 9, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    flight = StageReport("flight", 9, 20, 0.0, 0.0, 3.71, 0.456, 0.123, 2.345, 1.0)
    lines = result_lines([ground, flight, replace(ground, moved_m=0.5, turned_deg=-90.0)])
    assert lines == [
        "flight 0: 2.35 m far (was 1.00), 46 cm high (was 12), falls at 3.71 m/s²",
        "stage 1: moved 50 cm, turned -90 degrees",
    ]
    assert result_lines([ground]) == []


def test_progress_is_said_in_words() -> None:
    said: list[str] = []
    Watching(said.append, None)(Progress("leap", 7, 120))
    assert len(said) == 1 and "7" in said[0] and "\n" not in said[0]
