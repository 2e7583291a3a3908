"""The options of a clip do the same in every command; files are seen from where the user stands."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import poise
from poise import job
from poise.apps.cli.clip_options import ClipOptions
from poise.apps.studio.library import Documents
from poise.apps.studio.project import Project
from poise.errors import BadValue, PoiseError
from poise.samples import jumping, walking, with_t_pose, with_wrong_rate
from tests.apps.command_line import Command
from tests.apps.test_batch_animations import named, with_animations
from tests.shared_data import FOREIGN, MOCAP, needs_foreign, needs_mocap

RECIPE = """\
poise: 1
clip: {file: walk.bvh}
steps:
  - deform:
      constraints:
        - hold_point: {name: hand, point: left_wrist, frames: [5, 12], ease: 3,
                       place_m: [0.02, 0.03, 0.0], mode: offset}
"""


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    path = tmp_path / "walk.bvh"
    poise.save(walking(1.0, 30.0).clip, path)
    return path


@pytest.fixture
def recipe(tmp_path: Path, walk: Path) -> Path:
    """A recipe with its clip, in a folder where nobody stands."""
    folder = tmp_path / "recipes"
    folder.mkdir()
    (folder / "walk.bvh").write_bytes(walk.read_bytes())
    path = folder / "edit.yaml"
    path.write_text(RECIPE)
    return path


# Relative names of files


def test_outputs_of_set_lie_where_the_user_stands(
    command: Command, walk: Path, tmp_path: Path
) -> None:
    package = Path(job.__file__).parent
    before = set(package.iterdir())
    done = command(
        "correct", walk, "--only", "contacts", "--accept", "--set", "outputs.contacts=x.csv",
        "-o", "out.bvh",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert (tmp_path / "x.csv").is_file() and (tmp_path / "out.bvh").is_file()
    assert set(package.iterdir()) == before


def test_files_of_set_are_read_where_the_user_stands(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    poise.save(walking(0.7, 30.0).clip, tmp_path / "short.bvh")
    (tmp_path / "hall.yaml").write_text("ground: {height_m: -0.5}\n")
    asked = ("run", recipe, "--set", "outputs.clip=o.bvh", "--overwrite", "--accept")
    assert command(*asked, "--set", "clip.file=short.bvh").code == 0
    assert poise.load(tmp_path / "o.bvh").frame_count == 22
    assert command(*asked).code == 0
    assert poise.load(tmp_path / "o.bvh").frame_count == 31  # the recipe's own, beside it
    done = command(*asked, "--set", "environment=hall.yaml")
    assert done.code == 0 and "Floor estimated" not in done.err
    lost = command(*asked, "--set", "environment=nowhere.yaml")
    assert lost.code == 2 and str(tmp_path / "nowhere.yaml") in lost.err
    assert not (recipe.parent / "o.bvh").exists()


def test_outputs_of_the_recipe_stay_beside_it(command: Command, recipe: Path) -> None:
    recipe.write_text(RECIPE + "outputs: {clip: own.bvh}\n")
    assert command("run", recipe, "--accept").code == 0
    assert (recipe.parent / "own.bvh").is_file()


# The same in all commands


@pytest.mark.parametrize(
    "words",
    [
        ("convert", "{clip}", "out.bvh"),
        ("run", "{recipe}", "--clip", "{clip}", "-o", "out.bvh"),
        ("deform", "{clip}", "--recipe", "{recipe}", "-o", "out.bvh"),
        ("correct", "{clip}", "--only", "contacts", "-o", "out.bvh", "--accept"),
    ],
)
def test_frames_unit_up_and_rate_reach_every_clip_that_is_written(
    command: Command, walk: Path, recipe: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    filled = [each.format(clip=walk, recipe=recipe) for each in words]
    asked = ("--frames", "4:24", "--rate", "60", "--unit", "0.0095", "--up", "y")
    done = command(*filled, *asked)
    assert done.code == 0, done.err
    assert "captured at 60 Hz, though the file says 30 Hz" in done.err
    made, whole = poise.load(tmp_path / "out.bvh", unit="0.0095"), poise.load(walk, unit="0.0095")
    assert (made.frame_count, round(made.rate_hz)) == (20, 60)
    away = made.root_positions_m - whole.root_positions_m[4:24]
    assert np.abs(away[:, [0, 2]]).max() < 0.08  # an edit may move it a little


@pytest.mark.parametrize(
    "words",
    [
        ("inspect", "{clip}"),
        ("convert", "{clip}", "out.bvh"),
        ("measure", "{clip}"),
        ("contacts", "{clip}"),
        ("report", "{clip}", "-o", "out.html"),
        ("render", "{clip}", "-o", "out.png"),
        ("run", "{recipe}", "--clip", "{clip}", "-o", "out.bvh"),
        ("deform", "{clip}", "--recipe", "{recipe}", "-o", "out.bvh"),
        ("filter", "{clip}", "--to", "{clip}", "-o", "out.bvh"),
        ("correct", "{clip}", "-o", "out.bvh"),
        ("leap", "{clip}", "--by", "0", "0", "1", "-o", "out.bvh"),
        ("retarget", "{clip}", "--to", "{clip}", "-o", "out.bvh"),
        ("pattern", "learn", "{clip}", "{clip}", "-o", "out.npz"),
        ("stream", "{clip}", "--to", "{clip}", "-o", "out.bvh"),
    ],
)
def test_an_option_that_does_not_fit_the_file_is_refused(
    command: Command, walk: Path, recipe: Path, tmp_path: Path, words: tuple[str, ...]
) -> None:
    filled = [each.format(clip=walk, recipe=recipe) for each in words]
    done = command(*filled, "--animation", "run")
    assert done.code == 2 and "animation must be left out" in done.err, done.err
    assert not list(tmp_path.glob("out.*"))


def test_one_of_several_animations_is_read_everywhere(
    command: Command, recipe: Path, tmp_path: Path
) -> None:
    moves = with_animations(tmp_path / "moves.glb", named("Walk"), named("Run"))
    for words in (
        ("inspect", moves),
        ("measure", moves),
        ("contacts", moves),
        ("run", recipe, "--clip", moves, "-o", "a.bvh"),
        ("correct", moves, "--only", "contacts", "--accept", "-o", "b.bvh"),
    ):
        assert "Did you mean 'Run'?" in command(*words, "--animation", "Rum").err
        done = command(*words, "--animation", "Run", "--frames", ":16")
        assert done.code == 0, done.err
        assert "Read animation 'Run'; others: Walk" in done.err + done.out
    assert poise.load(tmp_path / "a.bvh").frame_count == 16


def test_the_true_rate_is_taken_everywhere(command: Command, tmp_path: Path) -> None:
    fast = with_wrong_rate(jumping(1.5, 120.0), 2.0).clip
    poise.save(fast, tmp_path / "fast.bvh")
    taken = "taken as captured at"
    for words in (
        ("convert", "fast.bvh", "true.bvh"),
        ("measure", "fast.bvh"),
        ("contacts", "fast.bvh"),
        ("render", "fast.bvh", "-o", "a.png"),
    ):
        done = command(*words, "--fix-rate")
        assert done.code == 0, done.err
    assert taken in command("measure", "fast.bvh", "--fix-rate").err
    assert abs(poise.load(tmp_path / "true.bvh").rate_hz - fast.rate_hz / 2) < 2.0
    plain = json.loads(command("inspect", "fast.bvh", "--json").out)
    fixed = json.loads(command("inspect", "fast.bvh", "--json", "--fix-rate").out)
    assert plain["rate_check"]["verdict"] == "wrong" != fixed["rate_check"]["verdict"]
    assert "It is kept, as asked" in command("measure", "fast.bvh", "--keep-rate").err


def test_a_body_file_is_whose_body_it_is(command: Command, walk: Path, tmp_path: Path) -> None:
    (tmp_path / "actor.yaml").write_text("mass_kg: 91.5\nsex: female\n")
    told = json.loads(command("inspect", walk, "--json", "--body", "actor.yaml").out)
    assert told["mass_kg"] == pytest.approx(91.5)
    said = command("measure", walk, "--body", "actor.yaml", "--table", "winter").err
    assert "Winter 1990" in said and "Mass not given" not in said
    assert command("measure", walk, "--body", walk).code == 0
    (tmp_path / "actor.txt").write_text("mass_kg: 91.5\n")
    wrong = command("measure", walk, "--body", "actor.txt")
    assert wrong.code == 2 and "'.txt'" in wrong.err and ".urdf" in wrong.err


def test_the_original_is_read_like_the_clip(command: Command, walk: Path, tmp_path: Path) -> None:
    words = ("measure", walk, "--against", walk, "--json", "--unit", "0.0095")
    figures = json.loads(command(*words, "--frames", "5:25").out)["measures"]
    assert figures["likeness.rotation"]["value"] == pytest.approx(0.0, abs=1e-6)
    assert figures["likeness.position"]["value"] == pytest.approx(0.0, abs=1e-6)
    poise.save(poise.load(walk), tmp_path / "walk.glb")
    mixed = command("measure", "walk.glb", "--against", walk, "--animation", "0", "--json")
    assert mixed.code == 0, mixed.err


def test_contacts_of_some_frames_are_of_those(command: Command, tmp_path: Path) -> None:
    poise.save(with_t_pose(walking(1.0, 30.0)).clip, tmp_path / "posed.bvh")
    for frames, rows in ((":", 32), (":20", 20), ("1:20", 19), ("5:20", 15)):
        asked = ("--frames", frames)
        done = command("contacts", "posed.bvh", "-o", "touches.csv", "--overwrite", *asked)
        assert done.code == 0, done.err
        assert len((tmp_path / "touches.csv").read_text().splitlines()) == 1 + rows
        measured = command("measure", "posed.bvh", "--contacts", "touches.csv", *asked)
        assert measured.code == (0 if frames != ":20" else measured.code), measured.err


# Streams


def test_a_stream_says_which_options_need_the_whole_clip(
    command: Command, walk: Path, recipe: Path
) -> None:
    recipe.write_text(RECIPE.replace("deform", "filter"))
    for words in (
        ("stream", walk, "--to", walk),
        ("filter", walk, "--recipe", recipe, "--stream"),
    ):
        for option in (("--frames", "3:9"), ("--clean", "all"), ("--fix-rate",)):
            done = command(*words, *option)
            assert done.code == 2 and f"{option[0]} must be left out: a stream" in done.err


def test_a_stream_has_the_rate_that_it_is_told(
    command: Command, walk: Path, tmp_path: Path
) -> None:
    done = command("stream", walk, "--to", walk, "-o", "out.bvh", "--rate", 60)
    assert done.code == 0, done.err
    assert "60 frames a second" in done.err
    assert poise.load(tmp_path / "out.bvh").rate_hz == pytest.approx(60.0, rel=1e-6)


# The studio


def test_a_document_begins_with_the_options_of_its_clip(
    walk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "hall.yaml").write_text("ground: {height_m: 0.0}\n")
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    read = ClipOptions(unit="cm", frames="3:20", mass=66.0, environment=Path("../hall.yaml"))
    documents = Documents(Project(tmp_path))
    try:
        recipe = documents.file("walk.bvh", read.changes()).history.recipe
        assert recipe["clip"] == {"file": "walk.bvh", "unit": "cm", "frames": "3:20"}
        assert recipe["character"] == {"mass_kg": 66.0}
        assert recipe["environment"] == "hall.yaml"
        with pytest.raises(BadValue, match=r"left out for walk\.bvh"):
            documents.file("walk.bvh", ClipOptions(animation="run").changes())
        monkeypatch.chdir("/")
        outside = ClipOptions(environment=Path("elsewhere.yaml"))
        with pytest.raises(PoiseError, match="a file in the project folder"):
            documents.file("walk.bvh", outside.changes())
    finally:
        documents.close()


def test_options_of_a_clip_need_one_in_the_studio(command: Command, tmp_path: Path) -> None:
    done = command("studio", tmp_path, "--unit", "cm", "--no-browser")
    assert done.code == 2 and "--unit must be left out: it is for a clip" in done.err


# Real files


@needs_mocap
def test_an_amc_takes_its_skeleton_and_rate(command: Command, tmp_path: Path) -> None:
    (tmp_path / "trial.amc").write_bytes((MOCAP / "cmu_asfamc" / "02_01.amc").read_bytes())
    skeleton = MOCAP / "cmu_asfamc" / "02.asf"
    asked = ("--skeleton", skeleton, "--rate", 60, "--frames", "10:70")
    done = command("convert", "trial.amc", "out.bvh", *asked)
    assert done.code == 0, done.err
    made = poise.load(tmp_path / "out.bvh")
    assert (made.frame_count, round(made.rate_hz)) == (60, 60)
    told = json.loads(command("inspect", "trial.amc", "--json", *asked).out)
    assert (told["frames"], told["rate_hz"]) == (60, 60.0)
    assert command("measure", "trial.amc", *asked).code == 0


@needs_foreign
def test_an_animation_of_a_real_file(command: Command, tmp_path: Path) -> None:
    file = FOREIGN / "threejs" / "RobotExpressive.glb"
    done = command("convert", file, "walk.bvh", "--animation", "Walking", "--frames", ":10")
    assert done.code == 0 and "Read animation 'Walking'" in done.err
    assert poise.load(tmp_path / "walk.bvh").frame_count == 10
