"""What records refuse, as problems at a place of the recipe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from poise.errors import BadValue, PoiseError, UnknownName
from poise.recipes.checks import check_times
from poise.recipes.models import model_of
from poise.recipes.places import Location, Place, Problem
from poise.recipes.recipe import CharacterChoice, ClipChoice
from poise.recipes.records import clock_for_trial, record_from, settings_from
from poise.recipes.vocabulary import Vocabulary
from poise.recipes.whereabouts import constraints_of, methods_of
from poise.recipes.written import Written

_STANDS_FOR = {"interval": ("frames", "seconds"), "easing": ("ease", "ease_seconds")}


def refusals(root: Written, words: Vocabulary) -> Iterator[Problem]:
    """What the records of a recipe say about themselves, tried before a clip is known.

    Parts whose values are of a wrong type are passed over: the schema has complained already.
    """
    parts: list[tuple[Location, type | None, str]] = [
        (("clip",), ClipChoice, ""),
        (("character",), CharacterChoice, ""),
    ]
    for location in methods_of(root):
        name = str(location[-1])
        record = words.settings(name) if name in words.methods else None
        parts.append(((*location, "settings"), record, name))
    parts += [(at, words.constraints.get(str(at[-1])), "") for at in constraints_of(root)]
    for location, record, method in parts:
        here = root.at(location)
        if record is None or here is None or not isinstance(here.content, Mapping):
            continue
        refused = _refused(record, root, location, words, method)
        if refused is not None:
            yield Problem(place_of(refused, here), str(refused))


def _refused(
    record: type, root: Written, location: Location, words: Vocabulary, method: str
) -> PoiseError | None:
    here = root.at(location)
    if here is None or any(check_times(record, root, location)):
        return None
    try:
        values = model_of(record).model_validate(here.plain()).model_dump(exclude_unset=True)
    except ValidationError:
        return None
    clock = clock_for_trial(record, values)
    if clock is None:
        return None
    try:
        if method:
            settings_from(method, values, words)
        else:
            record_from(record, values, clock)
    except PoiseError as refused:
        return refused
    return None


def place_of(problem: PoiseError, here: Written) -> Place:
    """Where in a part of a recipe the value stands that a message is about; else the part."""
    if isinstance(problem, UnknownName):
        return _leaf(here, problem.name) or here.place
    if isinstance(problem, BadValue):
        subject = problem.argument.split()[0] if problem.argument else ""
        for key in (subject, *_STANDS_FOR.get(subject, ())):
            place = _key(here, key)
            if place is not None:
                return place
    return here.place


def _key(here: Written, key: str) -> Place | None:
    """Where the value of a key stands, here or below; of lists it cannot be said which entry."""
    if not isinstance(here.content, Mapping):
        return None
    if key in here.content:
        return here.content[key].place
    return next((found for each in here.content.values() if (found := _key(each, key))), None)


def _leaf(here: Written, value: Any) -> Place | None:
    """Where a word stands."""
    if isinstance(here.content, Mapping):
        below = list(here.content.values())
    else:
        below = list(here.content) if isinstance(here.content, tuple) else []
    if not below:
        return here.place if here.content == value else None
    return next((found for each in below if (found := _leaf(each, value))), None)
