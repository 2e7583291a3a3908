"""Frame rates that cannot be right: what stops, what is put right, what is only said."""

from __future__ import annotations

from pathlib import Path

import pytest

import poise
from poise.errors import FileProblem
from poise.job import (
    ClipChoice,
    Recipe,
    RecipeProblem,
    Step,
    WrongRate,
    edit_of,
    recipe_from_text,
    run_prepared,
    subject,
    vocabulary,
)
from poise.job.rate import keeps_laws
from poise.methods import correct, deform, filter, momentum, retarget
from poise.motion import Clip
from poise.samples import jumping, with_dropped_frames, with_t_pose, with_wrong_rate


@pytest.fixture(scope="module")
def hurried() -> Clip:
    return with_wrong_rate(jumping(), 2.0).clip


def recipe_of(step: Step, wrong_rate: WrongRate = "stop", rate_hz: float | None = None) -> Recipe:
    return Recipe([step], clip=ClipChoice(wrong_rate=wrong_rate, rate_hz=rate_hz))


LAWFUL = [
    Step("correct", correct.Settings()),
    Step("filter", filter.Settings()),
    Step("momentum", momentum.Settings()),
]
KINEMATIC = [
    Step("correct", correct.Settings(only="contacts")),
    Step("deform", deform.Settings()),
]


@pytest.mark.parametrize("step", LAWFUL, ids=lambda step: step.method)
def test_what_obeys_gravity_stops(step: Step, hurried: Clip) -> None:
    recipe = recipe_of(step)
    found = subject(recipe, hurried)  # it may be looked at
    with pytest.raises(FileProblem, match=r"39\.\d m/s².*--fix-rate.*--keep-rate"):
        edit_of(recipe, 0, found, found.clip, vocabulary())
    with pytest.raises(FileProblem, match="looks like"):
        run_prepared(recipe, found)


@pytest.mark.parametrize("step", KINEMATIC, ids=lambda step: step.method)
def test_what_only_moves_joints_goes_on_and_says_so(step: Step, hurried: Clip) -> None:
    recipe = recipe_of(step)
    found = subject(recipe, hurried)
    edit_of(recipe, 0, found, found.clip, vocabulary())
    assert any("Rate wrong" in note and "--fix-rate" in note for note in found.said)


def test_retarget_without_balance_is_kinematic() -> None:
    assert keeps_laws(Step("retarget", retarget.Settings()))
    assert not keeps_laws(Step("retarget", retarget.Settings(balance=False)))


@pytest.mark.parametrize("rate_hz", [None, 24.0])
def test_a_rate_is_put_right_before_anything_else(rate_hz: float | None, hurried: Clip) -> None:
    found = subject(recipe_of(LAWFUL[0], "fix", rate_hz), hurried)
    true = jumping().clip
    assert found.clip.duration_s == pytest.approx(true.duration_s, abs=0.1)
    assert found.clip.rate_hz == pytest.approx(rate_hz or 0.5 * hurried.rate_hz)
    assert any("Put right" in note for note in found.said)
    edit_of(recipe_of(LAWFUL[0], "fix"), 0, found, found.clip, vocabulary())


def test_a_rate_that_is_insisted_on_is_kept_and_said(hurried: Clip) -> None:
    recipe = recipe_of(LAWFUL[0], "keep")
    found = subject(recipe, hurried)
    edit_of(recipe, 0, found, found.clip, vocabulary())
    assert found.clip.rate_hz == hurried.rate_hz
    assert any("kept, as asked" in note for note in found.said)


def test_a_right_rate_is_not_spoken_of() -> None:
    choices: tuple[WrongRate, ...] = ("stop", "fix", "keep")
    for wrong_rate in choices:
        found = subject(recipe_of(LAWFUL[0], wrong_rate), jumping().clip)
        assert found.clip.rate_hz == jumping().clip.rate_hz
        assert not any("Rate" in note for note in found.said)


def test_the_recipe_is_named_where_it_names_the_clip(tmp_path: Path, hurried: Clip) -> None:
    poise.save(hurried, tmp_path / "hurried.npz")
    text = "poise: 1\nclip: hurried.npz\nsteps: [correct: {}]\n"
    recipe = recipe_from_text(text, path=tmp_path / "r.yaml")
    found = subject(recipe)
    with pytest.raises(RecipeProblem, match=r"r\.yaml:2:.*m/s²"):
        run_prepared(recipe, found)


def test_frames_that_were_never_captured_are_repaired_or_spoken_of() -> None:
    broken = with_t_pose(with_dropped_frames(jumping(), (30,))).clip
    repaired = subject(recipe_of(LAWFUL[0]), broken)
    assert any(note.startswith("t-pose") for note in repaired.said)
    assert any(note.startswith("dropped-frames") for note in repaired.said)
    kept = subject(Recipe([LAWFUL[0]], clip=ClipChoice(clean=False)), broken)
    assert sum("kept (clean)" in note for note in kept.said) == 2
