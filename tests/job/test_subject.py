"""Subjects: clip, body and place from files, and what is said when they cannot be had."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.contact import write_contacts
from poise.environment import Environment
from poise.errors import BadValue, FileProblem, MissingRoles
from poise.job import (
    AS_IT_IS,
    SUGGESTED,
    CharacterChoice,
    ClipChoice,
    Recipe,
    RecipeProblem,
    Step,
    known_contacts,
    measurable,
    recipe_from_text,
    recipe_text,
    subject,
)
from poise.methods.correct import Settings as Correct
from poise.methods.deform import Settings as Deform
from poise.motion import Clip
from poise.samples import walk, walking, with_dropped_frames, with_t_pose
from tests.contact.lifted_walk import walk_on_steps
from tests.job.test_run import steps, written
from tests.shared_data import ROBOTS, needs_robots


@pytest.fixture(scope="module")
def clips(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("clips")
    poise.save(walk(seconds=1.0), folder / "walk.bvh")
    poise.save(with_t_pose(with_dropped_frames(walk(seconds=1.0), (60,))), folder / "damaged.bvh")
    return folder


def test_the_body_and_the_place_are_found(tmp_path: Path, clips: Path) -> None:
    clip = f"clip: {clips / 'walk.bvh'}"
    found = subject(written(tmp_path, clip, "character: {mass_kg: 60}", steps()))
    assert found.character.body is not None and found.character.ranges is not None
    assert found.character.body.total_mass_kg == pytest.approx(60.0)
    assert abs(found.environment.grounds[0].height_m) < 0.01
    assert any("floor" in note.lower() or "ground" in note.lower() for note in found.notes)
    free = subject(written(tmp_path, clip, "character: {ranges: none}", steps()))
    assert free.character.ranges is None


@pytest.mark.parametrize(
    "place", ["place.yaml", "{ground: {height_m: 0.25}, parts: [box: {size_m: [1, 1, 1]}]}"]
)
def test_a_place_stands_in_a_file_or_in_the_recipe(tmp_path: Path, clips: Path, place: str) -> None:
    text = "ground: {height_m: 0.25}\nparts: [box: {size_m: [1, 1, 1]}]"
    recipe = written(
        tmp_path, f"clip: {clips / 'walk.bvh'}", f"environment: {place}", steps(), place=text
    )
    for prepared in (subject(recipe), subject(Recipe(recipe.steps, recipe.clip,
                                                     environment=recipe.environment,
                                                     folder=recipe.folder))):  # fmt: skip
        assert prepared.environment.grounds[0].height_m == 0.25
        assert len(prepared.environment.surfaces) == 2


def test_artificial_frames_are_left_out_and_the_shift_is_said(tmp_path: Path, clips: Path) -> None:
    lines = f"clip: {{file: '{clips / 'damaged.bvh'}', frames: [0, 50]}}"
    found = subject(written(tmp_path, lines, steps()))
    assert found.clip.frame_count == 50
    assert "frame 0 of the recipe is frame 1 of the file" in found.notes
    later = subject(written(tmp_path, lines.replace("[0, 50]", "[11, 50]"), steps()))
    assert not any("frame 0 of the recipe" in note for note in later.notes)
    np.testing.assert_array_equal(later.clip.rotations_wxyz[0], found.clip.rotations_wxyz[10])
    raw = subject(written(tmp_path, lines.replace("}", ", clean: false}"), steps()))
    assert raw.clip.frame_count == 51


def test_a_clip_that_ends_early_is_said(tmp_path: Path, clips: Path) -> None:
    lines = f"clip: {{file: '{clips / 'walk.bvh'}', frames: [0, 500]}}"
    found = subject(written(tmp_path, lines, steps()))
    assert "the clip has only 121 frames: kept 0 to 120" in found.notes
    recipe = written(tmp_path, lines.replace("[0, 500]", "[500, 600]"), steps())
    with pytest.raises(
        RecipeProblem, match=r"r\.yaml:2:.*: frames must be a range inside 0:121, got \(500, 600\)"
    ):
        subject(recipe)


def test_another_clip_takes_the_place_of_the_recipes(tmp_path: Path, clips: Path) -> None:
    recipe = written(tmp_path, "clip: {file: none.bvh, rate_hz: 60}", steps())
    for given in (clips / "walk.bvh", str(clips / "walk.bvh"), walk(seconds=1.0)):
        found = subject(recipe, given)
        assert isinstance(found.clip, Clip) and found.clip.rate_hz == 60.0
    with pytest.raises(FileProblem, match=r"^lost\.bvh: expected an existing file"):
        subject(recipe, "lost.bvh")
    nameless = written(tmp_path, "clip: {rate_hz: 30}", steps())
    assert subject(nameless, walk(seconds=1.0)).clip.rate_hz == 30.0
    with pytest.raises(RecipeProblem, match="clip must be named in the recipe or given beside it"):
        subject(nameless)


def test_files_that_are_not_there_are_said_with_the_line(tmp_path: Path, clips: Path) -> None:
    here = f"clip: {clips / 'walk.bvh'}"
    for lines in (
        ("clip: none.bvh", "about: x"),
        (here, "environment: none.yaml"),
        (here, "character: {roles: none.yaml}"),
    ):
        line = 2 if "none.bvh" in lines[0] else 3
        with pytest.raises(RecipeProblem, match=rf"r\.yaml:{line}:\d+: .*none\.(bvh|yaml)"):
            subject(written(tmp_path, *lines, steps()))


STICK = """\
HIERARCHY
ROOT a
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT b
  {
    OFFSET 0 1 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 1 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 0 0 0 0 0 0 0 0
0 0 0 0 0 0 0 0 1
0 0 0 0 0 0 0 0 2
"""


def test_an_unrecognised_skeleton_says_what_to_write(tmp_path: Path) -> None:
    (tmp_path / "stick.bvh").write_text(STICK, encoding="utf-8")
    clip = "clip: {file: stick.bvh, unit: m}"
    recipe = written(tmp_path, clip, "character: {sex: male}", steps())
    with pytest.raises(RecipeProblem) as refused:
        subject(recipe)
    said = str(refused.value)
    assert said.startswith(f"{tmp_path / 'r.yaml'}:3:12: expected a skeleton that can be ")
    assert "'character: {roles: {left_knee: LShin}}'" in said and "--roles" not in said


def test_roles_stand_in_a_file_or_in_the_recipe(tmp_path: Path, clips: Path) -> None:
    here = f"clip: {clips / 'walk.bvh'}"
    for roles in ("roles.yaml", "{left_knee: LeftLeg}"):
        lines = (here, f"character: {{roles: {roles}}}", steps())
        found = subject(written(tmp_path, *lines, roles="left_knee: LeftLeg"))
        assert found.character.roles is not None
        assert found.character.roles.joints["left_knee"] == "LeftLeg"


def test_asked_about_without_a_recipe_a_skeleton_is_told_by_its_roles(tmp_path: Path) -> None:
    (tmp_path / "stick.bvh").write_text(STICK, encoding="utf-8")
    asked = replace(AS_IT_IS, clip=ClipChoice(unit="m", clean=False))
    with pytest.raises(MissingRoles):
        subject(asked, tmp_path / "stick.bvh")
    drawn = subject(asked, tmp_path / "stick.bvh", to_draw=True)
    assert drawn.clip.frame_count == 3 and drawn.character.body is None
    assert "--roles" in drawn.notes[-1]


@needs_robots
def test_a_robot_to_draw_stands_at_rest() -> None:
    robot = ROBOTS / "unitree_g1" / "g1.xml"
    drawn = subject(AS_IT_IS, robot, to_draw=True)
    assert drawn.clip.frame_count == drawn.kept.total == 1
    assert drawn.character.body is not None and drawn.kept.left_out == 0
    with pytest.raises(FileProblem, match="expected an extension"):
        subject(AS_IT_IS, robot)


def test_asking_about_a_clip_says_nothing_of_recipes_and_keeps_joints_free(clips: Path) -> None:
    found = measurable(clips / "damaged.bvh")
    assert found.kept.left_out == 1 and found.kept.total == found.clip.frame_count + 1
    assert not any("recipe" in note for note in found.notes)
    assert found.character.ranges is None and found.place_said == found.environment.notes
    assert found.notes == (*found.said, *found.place_said)


def test_two_frames_are_too_few_to_measure(tmp_path: Path) -> None:
    poise.save(walk(seconds=1.0).sliced(0, 2), tmp_path / "two.bvh")
    with pytest.raises(BadValue, match="at least 3 frames, got 2"):
        measurable(tmp_path / "two.bvh")


def test_a_true_rate_takes_the_place_of_a_wrong_one(clips: Path) -> None:
    asked = Recipe((), ClipChoice(capture_rate_hz=60.0), CharacterChoice(ranges="none"))
    found = subject(asked, clips / "walk.bvh")
    assert found.clip.rate_hz == 60.0
    assert "captured at 60 Hz, though the file says 120 Hz" in found.notes


def test_known_contacts_are_of_the_clip_of_its_file_or_of_another_rate(
    tmp_path: Path, clips: Path
) -> None:
    found, truth = measurable(clips / "damaged.bvh"), walking(1.0).contacts
    of_file = replace(truth, touching=np.concatenate([truth.touching[:1], truth.touching]))
    for name, schedule in (("of_clip.csv", truth), ("of_file.csv", of_file)):
        write_contacts(schedule, tmp_path / name)
        known = known_contacts(tmp_path / name, found.clip, found.kept)
        np.testing.assert_array_equal(known.touching, truth.touching)
        assert known.rate_hz == found.clip.rate_hz
    write_contacts(replace(truth, touching=truth.touching[::2], rate_hz=60.0), tmp_path / "60.csv")
    slow = known_contacts(tmp_path / "60.csv", found.clip, found.kept)
    np.testing.assert_array_equal(slow.touching[::2], truth.touching[::2])
    write_contacts(truth.sliced(50), tmp_path / "part.csv")
    with pytest.raises(BadValue, match=r"121 frames like the clip \(or 122 like its file\)"):
        known_contacts(tmp_path / "part.csv", found.clip, found.kept)


def test_a_suggested_place_has_the_steps_that_the_clip_shows() -> None:
    clip = walk_on_steps((0.0, 0.0, 0.12, 0.24, 0.36))
    lawful = Step("correct", Correct())
    plain = subject(Recipe([lawful]), clip)
    assert len(plain.environment.surfaces) == 1
    (hint,) = [note for note in plain.place_said if "--suggest-surfaces" in note]
    assert "3 steps" in hint and "environment: suggested" in hint
    found = subject(Recipe([lawful], environment=SUGGESTED), clip)
    assert len(found.environment.surfaces) == 4
    assert "not measured" in found.place_said[0]
    assert not any("--suggest-surfaces" in note for note in found.notes)


def test_what_only_moves_joints_is_not_told_of_steps() -> None:
    clip = walk_on_steps((0.0, 0.0, 0.12, 0.24, 0.36))
    found = subject(Recipe([Step("deform", Deform())]), clip)
    assert not any("--suggest-surfaces" in note for note in found.notes)


def test_a_given_place_is_left_as_it_is() -> None:
    clip, flat = walk_on_steps((0.0, 0.0, 0.12, 0.24, 0.36)), Environment.flat()
    found = subject(Recipe([Step("correct", Correct())]), clip, place=flat)
    assert found.environment is flat and not found.place_said


def test_a_suggested_place_can_be_drawn() -> None:
    clip = walk_on_steps((0.0, 0.0, 0.12, 0.24, 0.36))
    found = subject(Recipe((), environment=SUGGESTED), clip, to_draw=True)
    assert len(found.environment.surfaces) == 4


def test_suggested_is_a_word_of_recipes_that_comes_back() -> None:
    recipe = recipe_from_text("poise: 1\nenvironment: suggested\nsteps: [correct: {}]\n")
    assert recipe.environment == SUGGESTED
    assert recipe_from_text(recipe_text(recipe)).environment == SUGGESTED
