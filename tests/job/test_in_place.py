"""Cycles in place: found, said, and worked on as if they travelled."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import samples
from poise.environment import Environment, load_environment
from poise.job import Outcome, recipe_from_text, run_recipe
from poise.job.travelling import belt_of, in_place, moved, travelling
from poise.measures import evaluate
from poise.methods import Edit, Result
from poise.motion import Clip

SPEED_M_S = 1.148
CHAIR = Path(__file__).resolve().parents[2] / "examples" / "recipes" / "correct" / "chair.yaml"


def cycle(sways: bool = False) -> Clip:
    """A walk kept in place, that sways to and fro by 1.5 cm if asked."""
    clip = moved(samples.walking(3.0, 60.0).clip, np.array([0.0, 0.0, -SPEED_M_S]))
    roots = clip.root_positions_m.copy()
    if sways:
        roots[:, 0] += 0.015 * np.sin(2.0 * np.pi * 1.3 * np.arange(clip.frame_count) / 60.0)
    return replace(clip, root_positions_m=roots, source=None)


def outcome(step: str, clip: Clip) -> Outcome:
    return run_recipe(recipe_from_text(f"poise: 1\nsteps: [{{{step}: {{}}}}]\n"), clip=clip)


def test_a_cycle_is_corrected_in_place() -> None:
    made = outcome("correct", cycle(sways=True))
    assert any("in place" in note and "1.1" in note for note in made.notes)
    place, body = made.prepared.environment, made.prepared.character
    before = evaluate(made.start, body, place)
    after = evaluate(made.clip, body, place, made.result.contacts)
    assert before.value("foot_slide.mean") > 3.0
    assert after.value("foot_slide.mean") < 0.5
    assert np.ptp(made.clip.root_positions_m[:, 2]) < 0.2  # it stays where it is
    assert made.result.status == "converged"


def test_what_knows_no_belts_is_given_the_clip_as_it_would_travel() -> None:
    made = outcome("filter", cycle())
    slide = evaluate(made.clip, made.prepared.character, made.prepared.environment)
    assert np.ptp(made.clip.root_positions_m[:, 2]) < 0.2
    assert slide.value("foot_slide.mean") < 1.0


def test_there_and_back_is_where_it_was() -> None:
    clip, character = cycle(), samples.sample_character()
    place = Environment.flat(0.0, (0.0, 0.0, -SPEED_M_S))
    edit, belt = Edit(clip, character, environment=place), belt_of(place)
    assert belt is not None
    task = travelling(edit, belt)
    assert belt_of(task.environment) is None
    gone = task.clip.root_positions_m[-1, 2] - clip.root_positions_m[-1, 2]
    assert gone == pytest.approx(SPEED_M_S * (clip.frame_count - 1) / clip.rate_hz)
    back = in_place(Result(task.clip, "converged", "", None), edit, belt)
    np.testing.assert_allclose(back.clip.root_positions_m, clip.root_positions_m, atol=1e-12)


def test_another_body_is_put_back_by_as_much_as_it_travelled() -> None:
    clip, character = cycle(), samples.sample_character()
    place = Environment.flat(0.0, (0.0, 0.0, -SPEED_M_S))
    edit = Edit(clip, character, environment=place)
    task = travelling(edit, np.array([0.0, 0.0, -SPEED_M_S]))
    half = replace(task.clip, root_positions_m=0.5 * task.clip.root_positions_m)
    result = Result(half, "converged", "", None, character=character, environment=task.environment)
    back = in_place(result, edit, np.array([0.0, 0.0, -SPEED_M_S]))
    assert np.ptp(back.clip.root_positions_m[:, 2]) < 0.1
    assert back.environment is not None
    found = belt_of(back.environment)
    assert found is not None and found[2] == pytest.approx(-0.5 * SPEED_M_S, rel=0.01)


def test_a_place_with_more_than_a_belt_is_left_alone() -> None:
    belt = Environment.flat(0.0, (1.0, 0.0, 0.0))
    rail = load_environment(CHAIR).surfaces[-1]
    assert belt_of(belt) is not None
    assert belt_of(Environment((*belt.surfaces, rail))) is None
    assert belt_of(Environment.flat()) is None
