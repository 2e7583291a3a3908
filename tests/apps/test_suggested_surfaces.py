"""Steps that a clip shows: said by `inspect`, named by `correct`, and put there when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import poise
from poise.apps.inspection import ClipReport, clip_rows
from poise.apps.studio.saving import moved_recipe
from poise.contact import find_contacts, suggest_place
from poise.environment import Environment
from poise.job import SUGGESTED, named_files
from poise.samples import sample_character, with_t_pose
from tests.apps.command_line import Command
from tests.contact.lifted_walk import walk_on_steps

UP = (0.0, 0.0, 0.12, 0.24, 0.36)


@pytest.fixture(scope="module")
def stairs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("clips") / "stairs.npz"
    poise.save(walk_on_steps(UP), path)
    return path


def test_inspect_lists_the_steps(stairs: Path) -> None:
    report = poise.inspect(stairs)
    assert isinstance(report, ClipReport) and len(report.surfaces) == 3
    rows = clip_rows(report)
    (first,) = [row for row in rows if row.label == "surfaces"]
    assert "12 cm high" in first.text and first.tone == "warn"
    assert any("--suggest-surfaces" in row.text for row in rows)


def test_inspect_counts_frames_as_in_the_file(tmp_path: Path) -> None:
    first = suggest_place(walk_on_steps(UP), sample_character()).surfaces[0]
    assert first.words(1) != first.words() and str(first.frames[0] + 1) in first.words(1)
    poise.save(with_t_pose(walk_on_steps(UP)), tmp_path / "led.npz")
    led = poise.inspect(tmp_path / "led.npz")
    assert isinstance(led, ClipReport) and led.surfaces[0] == first.words(1)


def test_the_word_is_no_file(tmp_path: Path) -> None:
    recipe = {"clip": "walk.bvh", "environment": SUGGESTED}
    assert [name for _, name in named_files(recipe)] == ["walk.bvh"]
    moved = moved_recipe(recipe, tmp_path / "old", tmp_path)
    assert moved == {"clip": "old/walk.bvh", "environment": SUGGESTED}


def test_correct_names_the_option_and_takes_it(
    command: Command, stairs: Path, tmp_path: Path
) -> None:
    plain = command("correct", stairs, "-o", "plain.npz")
    assert plain.code == 3 and "Something that is not known carries the body" in plain.out
    assert "The clip shows 3 steps" in plain.err and "Add --suggest-surfaces" in plain.err
    asked = command("correct", stairs, "-o", "asked.npz", "--suggest-surfaces")
    assert "Something that is not known" not in asked.out
    assert "36 cm high" in asked.err and "not measured" in asked.err
    assert "Add --suggest-surfaces" not in asked.err


def test_a_place_cannot_be_both_given_and_suggested(
    command: Command, stairs: Path, tmp_path: Path
) -> None:
    (tmp_path / "place.yaml").write_text("ground: {height_m: 0.0}\n", encoding="utf-8")
    done = command(
        "correct", stairs, "-o", "o.npz", "--environment", tmp_path / "place.yaml",
        "--suggest-surfaces",
    )  # fmt: skip
    assert done.code == 2 and "--suggest-surfaces" in done.err


def test_python_asks_for_it_by_a_word(stairs: Path) -> None:
    made = poise.correct(stairs, place="suggested", only="contacts")
    assert len(made.outcome.prepared.environment.surfaces) == 4
    assert any("36 cm high" in note for note in made.notes)


def test_what_was_not_known_is_known_with_the_suggestion() -> None:
    clip, figure = walk_on_steps(UP), sample_character()
    before = find_contacts(clip, figure, Environment.flat())
    after = find_contacts(clip, figure, suggest_place(clip, figure).environment)
    assert before.unknown.mean() > 0.3 and not after.unknown.any()


def test_the_word_is_taken_for_the_place_itself(command: Command, stairs: Path) -> None:
    measured = command("measure", stairs, "--environment", "suggested")
    assert measured.code == 0 and "36 cm high" in measured.err
    asked = command(
        "correct", stairs, "-o", "o.npz", "--environment", "suggested", "--only", "contacts"
    )
    assert asked.code == 0 and "36 cm high" in asked.err
