"""Recipes of leaps: stages are asked for by their own words, and other methods refuse them."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.constraints import FlightHeight, Gravity, HoldPoint, Interval, MoveStage
from poise.errors import FileProblem
from poise.job import (
    Recipe,
    RecipeProblem,
    edit_of,
    recipe_from_text,
    recipe_text,
    run_recipe,
    subject,
    vocabulary,
)
from poise.methods.momentum import Settings
from poise.methods.momentum.family_axes import FamilyAxis
from tests.job.test_any_recipe import YAML_FILE, dumped, paths_of, values

GOOD = """\
poise: 1
clip: {sample: jump, frames: [84, 275], rate_hz: 20}
steps:
  - momentum:
      settings:
        knots_per_s: 6
        stage_changes: [12, 19]
        family:
          - {name: aside, stage: -1, values: [0, 0.2], by_m: [1, 0, 0]}
          - {name: around, stage: -1, values: [-30, 30], turn_deg: 1, around_stage: 0}
      constraints:
        - move_stage: {name: landing, stage: -1, by_m: [0, 0, 0.2], turn_deg: 20}
        - flight_height: {name: higher, scale: 1.2}
        - gravity: {name: moon, gravity_m_s2: 9, flight: 0}
        - hold_point:
            {name: hand, point: left_wrist, frames: [14, 16], mode: offset, place_m: [0, 0.05, 0]}
"""
TREE = YAML_FILE.load(GOOD)


def test_what_a_recipe_says_about_stages_becomes_records() -> None:
    recipe = recipe_from_text(GOOD)
    prepared = subject(recipe)
    edit = edit_of(recipe, 0, prepared, prepared.clip, vocabulary())
    assert edit.constraints == (
        MoveStage("landing", -1, (0.0, 0.0, 0.2), 20.0),
        FlightHeight("higher", 0, 1.2),
        Gravity("moon", 9.0, 0),
        HoldPoint("hand", "left_wrist", (0.0, 0.05, 0.0), Interval(14, 16), "offset"),
    )
    assert recipe.steps[0].settings == Settings(
        stage_changes=(12, 19),
        knots_per_s=6.0,
        family=(
            FamilyAxis("aside", -1, (0.0, 0.2), (1.0, 0.0, 0.0)),
            FamilyAxis("around", -1, (-30.0, 30.0), turn_deg=1.0, around_stage=0),
        ),
    )
    assert edit.clip.frame_count == 32


def test_it_comes_back_as_text() -> None:
    recipe = recipe_from_text(GOOD)
    again = recipe_from_text(recipe_text(recipe))
    assert again == recipe and recipe_text(again) == recipe_text(recipe)


def test_it_is_run() -> None:
    text = GOOD.replace("by_m: [0, 0, 0.2], turn_deg: 20", "by_m: [0, 0, 0.1]")
    outcome = run_recipe(recipe_from_text(text))
    assert outcome.converged, outcome.result.summary
    stages = outcome.result.report.stages
    assert stages[-1].moved_m == pytest.approx(0.1) and stages[1].gravity_m_s2 == 9.0
    told = {row.name: row.met for row in outcome.result.constraints}
    assert told == {"higher": True, "hand": True}
    assert outcome.clip.frame_count == len(outcome.result.report.frame_times) > 31
    # What a page shows as before has as many frames.
    assert outcome.start.frame_count == outcome.clip.frame_count


@pytest.mark.parametrize("method", ["deform", "filter"])
def test_other_methods_refuse_stages_where_they_are_asked_for(method: str) -> None:
    tree = copy.deepcopy(TREE)
    ((_, step),) = tree["steps"][0].items()
    tree["steps"] = [{method: {"constraints": step["constraints"]}}]
    recipe = recipe_from_text(dumped(tree))
    with pytest.raises(RecipeProblem) as problem:
        run_recipe(recipe)
    lines = str(problem.value).splitlines()
    # All of them, each by its name and place, and not the hand.
    assert len(lines) == 3
    for line, name in zip(lines, ("landing", "higher", "moon"), strict=True):
        assert f"constraint '{name}' must be one that holds in frames" in line
        assert "stages are for the method momentum" in line


def test_correct_refuses_them_like_all_constraints() -> None:
    tree = copy.deepcopy(TREE)
    tree["steps"] = [{"correct": {"constraints": TREE["steps"][0]["momentum"]["constraints"][:1]}}]
    with pytest.raises(RecipeProblem, match="constraints"):
        recipe_from_text(dumped(tree))


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("stage: -1, by_m: [0, 0, 0.2]", "stage: 1.5, by_m: [0, 0, 0.2]", "stage of 'landing'"),
        ("by_m: [0, 0, 0.2]", "by_m: [0, 0]", "by_m of 'landing'"),
        ("by_m: [0, 0, 0.2]", "frames: [1, 2]", "'frames'"),
        ("scale: 1.2", "scale: 1.2, rise_m: 0.3", "scale of 'higher' must be given, or rise_m"),
        ("scale: 1.2", "by: time", "scale of 'higher' must be given, or rise_m"),
        ("scale: 1.2", "scale: 1.2, by: magic", "by of 'higher'"),
        ("gravity_m_s2: 9", "gravity_m_s2: -9", "gravity_m_s2 of 'moon' must be zero or more"),
        ("{name: moon, gravity_m_s2: 9, flight: 0}", "{name: moon}", "gravity_m_s2"),
        ("move_stage:", "move_stages:", "Did you mean 'move_stage'?"),
        ("name: higher", "name: landing", "landing"),
        ("values: [0, 0.2]", "values: [0.2, 0]", "values of 'aside' must be at least one, rising"),
        ("values: [0, 0.2]", "values: 3", "values"),
        ("name: around", "name: aside", "axes with different names"),
        ("stage_changes: [12, 19]", "stage_changes: [12.5]", "stage_changes"),
        ("knots_per_s: 6", "knots_per_s: 0", "knots_per_s must be from 1 to 200"),
    ],
)
def test_mistakes_are_said_with_their_place(old: str, new: str, said: str) -> None:
    assert old in GOOD
    with pytest.raises(RecipeProblem) as problem:
        recipe_from_text(GOOD.replace(old, new))
    (line,) = str(problem.value).splitlines()
    assert said in line and any(char.isdigit() for char in line.split(":")[1]), line


@pytest.mark.parametrize(
    ("old", "new", "said", "at"),
    [
        ("stage: -1, by_m: [0, 0, 0.2]", "stage: 7", "stage of 'landing' must be 0 to 1", (12,)),
        ("scale: 1.2", "scale: 1.2, flight: 3", "flight of 'higher' must be 0 to 0", (13,)),
        (
            "scale: 1.2",
            "scale: 1.2, by: gravity",
            "'moon' must be about something other than",
            (13, 14),
        ),
        ("point: left_wrist", "point: third_hand", "'third_hand'", (15, 16)),
        ("frames: [14, 16]", "frames: [14, 160]", "interval of 'hand'", (15, 16)),
    ],
)
def test_what_a_clip_does_not_have_is_said_where_it_is_asked_for(
    old: str, new: str, said: str, at: tuple[int, ...]
) -> None:
    assert old in GOOD
    recipe = recipe_from_text(GOOD.replace(old, new))
    with pytest.raises(RecipeProblem) as problem:
        run_recipe(recipe)
    (line,) = str(problem.value).splitlines()
    assert said in line
    assert int(line.split(":")[1]) in at, line


@given(path=st.sampled_from(paths_of(TREE)), value=values)
@settings(max_examples=150, deadline=None)
def test_any_value_anywhere_is_read_or_refused(path: tuple[Any, ...], value: Any) -> None:
    tree = copy.deepcopy(TREE)
    parent = tree
    for part in path[:-1]:
        parent = parent[part]
    parent[path[-1]] = value
    try:
        recipe = recipe_from_text(dumped(tree))
    except (RecipeProblem, FileProblem):
        return
    assert isinstance(recipe, Recipe)
    assert recipe_from_text(recipe_text(recipe)) == recipe
