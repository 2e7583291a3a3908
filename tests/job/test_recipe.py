"""Records made in Python are checked by the same annotations as recipes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from poise.errors import BadValue
from poise.job import CharacterChoice, ClipChoice, Outputs, Recipe, Step, recipe_from_text
from tests.job.fakes import WORDS, Settings

MADE: dict[str, tuple[Callable[[], Any], str]] = {
    "no rate": (
        lambda: ClipChoice(rate_hz=0.0),
        "rate_hz must be above 0 and at most 1,000,000 Hz, got 0.0.",
    ),
    "no end": (
        lambda: ClipChoice(capture_rate_hz=float("inf")),
        "capture_rate_hz must be above 0 and at most 1,000,000 Hz, got inf.",
    ),
    "no weight": (
        lambda: CharacterChoice(mass_kg=0.0), "mass_kg must be between 0 and 1000, got 0.0."
    ),
    "a giant": (
        lambda: CharacterChoice(limbs=9.0), "limbs must be a factor from 0.2 to 5, got 9.0."
    ),
    "long arms on long limbs": (
        lambda: CharacterChoice(limbs=3.0, arms=3.0),
        "arms times limbs must be a factor from 0.2 to 5, got 9.0.",
    ),
    "no such table": (
        lambda: CharacterChoice(table="winer"),  # type: ignore[arg-type]
        "table must be one of de_leva, winter, got 'winer'.",
    ),
    "no such layout": (
        lambda: Outputs(layout="csv"),  # type: ignore[arg-type]
        "layout must be one of poise, unitree, gmr, got 'csv'.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", MADE)
def test_what_is_out_of_range_is_refused(name: str) -> None:
    make, message = MADE[name]
    with pytest.raises(BadValue) as refused:
        make()
    assert str(refused.value) == message


def test_a_recipe_made_in_python_is_the_one_that_is_read() -> None:
    text = "poise: 1\nclip: {file: a.bvh, unit: cm}\nsteps: [lift: {settings: {passes: 2}}]"
    made = Recipe([Step("lift", Settings(passes=2))], ClipChoice(file="a.bvh", unit="cm"))
    assert recipe_from_text(text, words=WORDS) == made


def test_ranges_and_types_are_said_together() -> None:
    text = "poise: 1\nclip: {rate_hz: -1, frames: 3}\nsteps: [lift: ]"
    with pytest.raises(Exception) as refused:
        recipe_from_text(text, words=WORDS)
    assert str(refused.value).splitlines() == [
        "recipe.yaml:2:17: rate_hz must be above 0 and at most 1,000,000 Hz, got -1.0.",
        "recipe.yaml:2:29: expected a list of 2 whole numbers or text for frames of clip, found 3.",
    ]
