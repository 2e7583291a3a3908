"""A root that jumps: said by whoever measures, refused by whoever would solve around it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.errors import PoiseError
from poise.job import evaluate_files, recipe_from_text, run_recipe, subject
from poise.job.recipe import Recipe
from poise.motion import Clip
from poise.samples import walk

SAID = "faster than a body can move: 1 jump of Hips by 100 m"


@pytest.fixture(scope="module")
def jumping() -> Clip:
    clip = walk(seconds=1.5)
    roots = clip.root_positions_m.copy()
    roots[90:] += (0.0, 0.0, 100.0)
    return replace(clip, root_positions_m=roots)


@pytest.fixture(scope="module")
def file(jumping: Clip, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("jumps") / "jumping.bvh"
    poise.save(jumping, path)
    return path


def recipe(method: str, clip: str = "{}") -> Recipe:
    body = "character: {to: jumping.bvh}\n" if method == "retarget" else ""
    return recipe_from_text(f"poise: 1\nclip: {clip}\n{body}steps: [{{{method}: {{}}}}]\n")


@pytest.mark.parametrize("method", ["correct", "filter", "momentum", "retarget"])
def test_methods_that_solve_refuse_it_and_say_how_it_is_taken_out(
    file: Path, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(file.parent)
    with pytest.raises(PoiseError, match=SAID) as caught:
        run_recipe(recipe(method), clip=file)
    assert "(frame 90)" in str(caught.value)
    assert "poise convert jumping.bvh OUT --clean root-jumps" in str(caught.value)


def test_deform_goes_on_and_says_it(file: Path) -> None:
    done = run_recipe(recipe("deform"), clip=file)
    assert any(SAID in note and "frame 90" in note for note in done.notes)


def test_a_part_without_the_jump_is_taken(jumping: Clip) -> None:
    assert subject(recipe("correct", "{frames: [0, 89]}"), jumping).jumps is None
    found = subject(recipe("correct", "{frames: [60, 120]}"), jumping).jumps
    assert found is not None and found.frames == (90,)


def test_clean_all_takes_it_out(jumping: Clip) -> None:
    made = subject(recipe("correct", "{clean: all}"), jumping)
    assert made.jumps is None
    assert any(note.startswith("root-jumps: move what follows") for note in made.notes)
    whole = walk(seconds=1.5).root_positions_m
    # The walk's own change of speed across the jump is not known again.
    np.testing.assert_allclose(made.clip.root_positions_m, whole, atol=0.002)


def test_measures_say_it(file: Path) -> None:
    _, notes = evaluate_files(file, Recipe(()))
    assert any(SAID in note for note in notes)
