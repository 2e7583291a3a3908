"""Where a clip happens: as the recipe says, else as the clip shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contact import (
    ShownSurface,
    belt_velocity_m_s,
    estimate_ground,
    shown_place,
    suggest_place,
)
from poise.environment import Entry, Environment, load_environment, place_from
from poise.job.rate import keeps_laws
from poise.job.recipe import SUGGESTED, Recipe
from poise.motion import Clip
from poise.wording import counted
from poise.yaml_nodes import node_from


def place_of(recipe: Recipe, clip: Clip, character: Character) -> Environment:
    """The place, with notes on what was assumed.

    Without one in the recipe it is the ground that the feet show. What else the clip shows to be
    there is then only said: a solid that nobody has asked for is no silent default.
    """
    if recipe.environment == SUGGESTED:
        return suggest_place(clip, character).environment
    if recipe.environment is not None:
        return _named_place(recipe)
    belt = belt_velocity_m_s(clip, character)
    if belt is not None:
        ground, note = estimate_ground(clip, character, belt)
        return Environment((ground,), (note, belt_in_words(belt)))
    if recipe.retargets:
        place, notes = shown_place(clip, character)  # another body sits only on a seat
    else:
        ground, note = estimate_ground(clip, character)
        place, notes = Environment((ground,)), (note,)
    if any(keeps_laws(step) for step in recipe.steps):
        shown = suggest_place(clip, character).surfaces
        missing = [each for each in shown if each.kind != "seat" or not recipe.retargets]
        notes += missing_in_words(missing)
    return replace(place, notes=notes)


def belt_in_words(velocity_m_s: Array) -> str:
    """What is said of a figure that walks in place."""
    speed = float(np.linalg.norm(velocity_m_s))
    return (
        f"The figure walks or runs in place: its feet stand on a belt of {speed:.2f} m/s "
        "(a treadmill, or a cycle). Another place is given with --environment."
    )


def missing_in_words(surfaces: Sequence[ShownSurface]) -> tuple[str, ...]:
    """What is said of surfaces that a clip shows and its place does not have."""
    if not surfaces:
        return ()
    kinds = dict.fromkeys(shown.kind for shown in surfaces)
    counts = [counted(sum(shown.kind == kind for shown in surfaces), kind) for kind in kinds]
    return (
        f"The clip shows {' and '.join(counts)} that the place does not have. Add "
        "--suggest-surfaces (in a recipe, 'environment: suggested'), or give the place "
        "(--environment).",
    )


def _named_place(recipe: Recipe) -> Environment:
    named = recipe.environment
    assert named is not None
    if not isinstance(named, Mapping):
        return load_environment(recipe.folder / named)
    written = recipe.written.at(("environment",)) if recipe.written is not None else None
    label = "" if recipe.written is None else Path(recipe.written.place.label).name
    file = recipe.folder / (label or "recipe")
    return place_from(Entry(file, written or node_from(named, "recipe"), "environment"))
