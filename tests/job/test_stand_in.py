"""Clips made by code that stand in for missing captures: when, with which values, and said."""

from __future__ import annotations

from pathlib import Path

import pytest

import poise
from poise.apps.batch.order import order_from
from poise.errors import PoiseError
from poise.job import load_recipe, recipe_from_text, recipe_text, run_recipe, subject
from poise.job.stand_in import CAPTURES, capture_file
from poise.samples import DEFECTS, walking

RECIPE = """\
poise: 1
about: A hand that is held.
clip:
  file: cmu/35_03.bvh
  rate_hz: 40
  unit: cmu
  frames: [0, 30]
  stand_in:
    sample: walk
    seconds: 2
    frames: [12, 131]
    set:
      hold.place_m: [0, 0.02, 0]
      deform.settings.passes: 1
      environment: {ground: {height_m: 0}}
steps:
  - deform:
      constraints:
        - hold_point:
            {name: hold, point: left_wrist, mode: offset, place_m: [0, 0.5, 0], frames: [5, 15]}
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv(CAPTURES, raising=False)
    (tmp_path / "held.yaml").write_text(RECIPE, encoding="utf-8")
    return tmp_path


def put_capture(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    poise.save(walking(1.0, 40.0).clip, path)


def test_a_missing_capture_is_stood_in_for_and_the_run_says_so(folder: Path) -> None:
    recipe = load_recipe(folder / "held.yaml")
    assert (recipe.clip.file, recipe.clip.sample, recipe.clip.unit) == (None, "walk", None)
    assert recipe.clip.rate_hz == 40.0
    assert recipe.steps[0].constraints[0].values["place_m"] == (0, 0.02, 0)
    outcome = run_recipe(recipe)
    assert outcome.clip.frame_count == 40
    said = "A clip made by code ('walk') stands in for 35_03.bvh"
    assert outcome.notes[0].startswith(said)
    assert str(folder / "cmu") in outcome.notes[0]
    assert recipe.about.startswith(said) and recipe.about.endswith("A hand that is held.")


def test_a_capture_that_is_there_is_used_with_its_own_values(folder: Path) -> None:
    put_capture(folder / "cmu" / "35_03.bvh")
    recipe = load_recipe(folder / "held.yaml", changes=["clip.unit=cm"])
    assert recipe.for_capture is None and recipe.clip.file == "cmu/35_03.bvh"
    assert recipe.steps[0].constraints[0].values["place_m"] == (0, 0.5, 0)
    outcome = run_recipe(recipe)
    assert outcome.clip.frame_count == 31
    assert not any("stands in" in note for note in outcome.notes)


def test_captures_are_looked_for_where_the_environment_says(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_capture(folder / "cmu" / "35_03.bvh")
    elsewhere = tmp_path / "elsewhere"
    monkeypatch.setenv(CAPTURES, str(elsewhere))
    name = "../../shared/mocap/cmu/35_03.bvh"
    assert load_recipe(folder / "held.yaml").for_capture is not None  # hidden by the variable
    assert capture_file(folder, name) == elsewhere / "35_03.bvh"
    for kept in ("35_03.bvh", "cmu/35_03.bvh", "mocap/cmu/35_03.bvh"):
        put_capture(elsewhere / kept)
        assert capture_file(folder, name) == elsewhere / kept
    assert load_recipe(folder / "held.yaml").for_capture is None


def test_nothing_stands_in_for_a_clip_that_is_given(folder: Path) -> None:
    recipe, given = load_recipe(folder / "held.yaml"), walking(1.0, 40.0).clip
    asked = recipe.for_clip(given)
    assert asked.clip.sample is None
    assert asked.steps[0].constraints[0].values["place_m"] == (0, 0.5, 0)
    outcome = run_recipe(recipe, clip=given)
    assert outcome.clip.frame_count == 31
    assert not any("stands in" in note for note in outcome.notes)
    assert poise.run(folder / "held.yaml", given).recipe.for_capture is None


def test_a_batch_runs_the_clips_of_its_library(folder: Path) -> None:
    recipe = order_from(folder / "held.yaml").followed_with()
    assert recipe.for_capture is None
    assert recipe.steps[0].constraints[0].values["place_m"] == (0, 0.5, 0)


def test_changes_of_the_user_come_on_top(folder: Path) -> None:
    changes = ["hold.place_m=[0, 0.01, 0]", "clip.rate_hz=30", "clip.frames=[0, 59]"]
    recipe = load_recipe(folder / "held.yaml", changes=changes)
    assert recipe.steps[0].constraints[0].values["place_m"] == (0, 0.01, 0)
    assert subject(recipe).clip.frame_count == 15  # frames of the clip made by code, at 120 Hz
    assert load_recipe(folder / "held.yaml", without=["hold"]).steps[0].constraints == ()


def test_a_file_named_on_the_command_line_is_not_stood_in_for(folder: Path) -> None:
    recipe = load_recipe(folder / "held.yaml", changes=["clip.file=other.bvh"])
    assert recipe.for_capture is None
    with pytest.raises(PoiseError, match=r"other\.bvh"):
        subject(recipe)


def test_a_stand_in_is_checked_where_the_capture_is_there_too(folder: Path) -> None:
    put_capture(folder / "cmu" / "35_03.bvh")
    text = RECIPE.replace("hold.place_m: [0, 0.02, 0]", "hodl.place_m: [0, 0.02, 0]")
    with pytest.raises(PoiseError, match=r"held\.yaml:13:.*hodl.*hold"):
        recipe_from_text(text, path=folder / "held.yaml")
    text = RECIPE.replace("place_m: [0, 0.02, 0]", "place_m: here")
    with pytest.raises(PoiseError, match=r"held\.yaml:13:.*here"):
        recipe_from_text(text, path=folder / "held.yaml")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("sample: walk", "sample: wlak", "walk"),
        ("seconds: 2", "seconds: -2", "above 0"),
        ("frames: [12, 131]", "frames: [12, 1]", "a first frame from 0 to the last"),
        ("seconds: 2", "defects: {slide: 2}", "slide_cm_s"),
        ("seconds: 2", "defects: {slide_cm_s: -2}", "a size from 0"),
        ("  file: cmu/35_03.bvh\n", "", "given only with a file"),
        ("  file: cmu/35_03.bvh\n", "  sample: walk\n", "given only with a file"),
    ],
)
def test_bad_stand_ins_are_refused(folder: Path, old: str, new: str, said: str) -> None:
    assert old in RECIPE
    with pytest.raises(PoiseError, match=said):
        recipe_from_text(RECIPE.replace(old, new, 1), path=folder / "held.yaml")


def test_what_is_written_is_read_again(folder: Path) -> None:
    put_capture(folder / "cmu" / "35_03.bvh")
    recipe = load_recipe(folder / "held.yaml")
    assert recipe_from_text(recipe_text(recipe), path=folder / "held.yaml") == recipe
    (folder / "cmu" / "35_03.bvh").unlink()
    made = load_recipe(folder / "held.yaml")
    assert recipe_from_text(recipe_text(made), path=folder / "held.yaml") == made


@pytest.mark.parametrize("defect", DEFECTS)
def test_samples_in_recipes_take_defects(folder: Path, defect: str) -> None:
    text = f"poise: 1\nclip: {{sample: stand, seconds: 1, defects: {{{defect}: 2}}}}\nsteps:\n"
    text += "  - correct: {settings: {only: contacts}}\n"
    clip = subject(recipe_from_text(text, path=folder / "x.yaml")).clip
    assert clip.frame_count == 121
    assert any("defect" in line for line in clip.history)
