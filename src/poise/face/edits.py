"""From a Python call to a run: the same records as a recipe, without any text in between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints import Constraint, FlightHeight, MoveStage, StageEdit
from poise.contact import ContactSchedule
from poise.environment import Environment, load_environment
from poise.errors import BadValue
from poise.face.result import Result
from poise.job import (
    SUGGESTED,
    CharacterChoice,
    ClipChoice,
    Recipe,
    Step,
    WrongRate,
    edit_of,
    figure_of,
    load_recipe,
    run_prepared,
    run_recipe,
    spec_from,
    subject,
    vocabulary,
)  # fmt: skip
from poise.methods import ProgressCallback
from poise.methods.momentum import Settings, captured, captured_flight_m
from poise.methods.pattern import Pattern
from poise.motion import Clip

Place = Environment | str | Path | None


def apply(
    method: str,
    clip: Clip | str | Path,
    constraints: Sequence[Constraint | StageEdit] = (),
    *,
    settings: Mapping[str, object],
    contacts: ContactSchedule | None = None,
    place: Place = None,
    pattern: Pattern | None = None,
    body: CharacterChoice | None = None,
    target: Character | None = None,
    wrong_rate: WrongRate = "stop",
    progress: ProgressCallback | None = None,
) -> Result:
    """Run one method on a clip.

    Args:
        method: its name.
        clip: the motion, or its file.
        constraints: what must hold.
        settings: knobs by name, with a `preset` where the method has them.
        contacts: what touches when, where it is known.
        place: where; "suggested" is what the clip shows, with steps and seats; by default the floor
            that the feet show.
        pattern: for the method `pattern`.
        body: how heavy, which joint is what.
        target: another body, for `retarget`.
        wrong_rate: what is done where flights do not fall at 9.8 m/s²: `stop`, `fix` or `keep`.
        progress: called while it runs.
    """
    words = vocabulary()
    specs = [spec_from(each, words) for each in constraints]
    step = Step(method, words.settings_from(method, settings), specs)
    choice = body or CharacterChoice()
    if target is not None:
        choice = replace(choice, to=target.name or "another body")
    recipe = Recipe(
        [step],
        clip=ClipChoice(wrong_rate=wrong_rate),
        character=choice,
        environment=SUGGESTED if _is_suggested(place) else None,
    )
    found = subject(recipe, clip, place=_place(place), target=target)
    if contacts is not None:
        found = replace(found, contacts=contacts)
    return Result(run_prepared(recipe, found, pattern=pattern, progress=progress), recipe)


def retargeted(clip: Clip | str | Path, body: Character | str | Path, **options: Any) -> Result:
    """The same motion on another body, given as a character or as its file."""
    target = body if isinstance(body, Character) else figure_of(Path(body), repaired=True)
    return apply("retarget", clip, target=target, **options)


def leap_edits(
    clip: Clip | str | Path,
    place: Place,
    wrong_rate: WrongRate,
    *,
    further: float | None,
    by_m: Sequence[float] | None,
    turn_deg: float,
    higher: float | None,
) -> list[StageEdit]:
    """What `poise.leap` asks for, as edits of the last landing and the last flight."""
    if further is not None and by_m is not None:
        raise BadValue("further", "left out beside by_m", further)
    moved = np.zeros(3) if by_m is None else np.asarray(by_m, dtype=np.float64)
    if further is not None:
        moved = (further - 1.0) * _last_flight_m(clip, place, wrong_rate)
    edits: list[StageEdit] = []
    if moved.any() or turn_deg:
        x, y, z = moved.tolist()
        edits.append(MoveStage("landing", -1, (x, y, z), turn_deg))
    if higher is not None:
        edits.append(FlightHeight("higher", -1, higher))
    return edits


def _last_flight_m(clip: Clip | str | Path, place: Place, wrong_rate: WrongRate) -> Array:
    """(3,) over the ground, from the last take-off to the last landing."""
    settings = Settings()
    recipe = Recipe(
        [Step("momentum", settings)],
        clip=ClipChoice(wrong_rate=wrong_rate),
        environment=SUGGESTED if _is_suggested(place) else None,
    )
    found = subject(recipe, clip, place=_place(place))
    base = captured(edit_of(recipe, 0, found, found.clip, vocabulary()), settings)
    return captured_flight_m(base, base.flights[-1])


def run_recipe_file(
    recipe: Recipe | str | Path, clip: Clip | str | Path | None, progress: ProgressCallback | None
) -> Result:
    """What a recipe says."""
    read = (recipe if isinstance(recipe, Recipe) else load_recipe(recipe)).for_clip(clip)
    return Result(run_recipe(read, clip=clip, progress=progress), read)


def _is_suggested(place: Place) -> bool:
    return isinstance(place, str) and place == SUGGESTED


def _place(place: Place) -> Environment | None:
    if _is_suggested(place):
        return None
    return load_environment(place) if isinstance(place, str | Path) else place
