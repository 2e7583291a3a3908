"""What pydantic refuses, in the words and with the places of a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError

from poise.errors import nearest_name
from poise.formats import shown
from poise.recipes.descriptions import choices_at, described, keys_at, type_at
from poise.recipes.places import Location, Problem, expected
from poise.recipes.recipe import VERSION
from poise.recipes.whereabouts import said
from poise.recipes.written import Written

_VERSION = f"A recipe begins with 'poise: {VERSION}', the version of the format."
_WRONG_LENGTH = ("too_long", "too_short")


@dataclass(frozen=True)
class _Complaint:
    location: Location
    kind: str
    message: str
    union: Location | None
    """Where several types may stand, of which each complains for itself."""
    branch: str
    """Which of them this is about."""


def complaints(refused: ValidationError, root: Written, model: type[BaseModel]) -> list[Problem]:
    """Every complaint as a problem of the recipe."""
    found = [
        _complaint(error["loc"], error["type"], error["msg"], root)
        for error in refused.errors(include_url=False, include_context=False, include_input=False)
    ]
    return [_problem(each, root, model) for each in _one_branch_each(found)]


def _complaint(loc: Location, kind: str, message: str, root: Written) -> _Complaint:
    """Leave out of a location what names one of several types instead of a key."""
    here: Written | None = root
    location: Location = ()
    union: Location | None = None
    branch = ""
    for i, part in enumerate(loc):
        below = here.child(part) if here is not None else None
        last = i == len(loc) - 1
        if below is not None or (last and kind == "missing"):
            location, here = (*location, part), below
        elif union is None:
            union, branch = location, str(part)
    if kind == "missing" and isinstance(loc[-1], int):  # a list that is too short
        location, kind = location[:-1], "too_short"
    return _Complaint(location, kind, message, union, branch)


def _one_branch_each(found: list[_Complaint]) -> Iterator[_Complaint]:
    """Where several types may stand, the complaints of the one that fits best.

    That is the one whose form was right so far down that it had only small things to say.
    """
    unions: dict[Location, dict[str, list[_Complaint]]] = {}
    for each in found:
        if each.union is None:
            yield each
        else:
            unions.setdefault(each.union, {}).setdefault(each.branch, []).append(each)
    for location, branches in unions.items():
        depths = {b: min(len(each.location) for each in own) for b, own in branches.items()}
        best = max(depths, key=lambda branch: depths[branch])
        if depths[best] > len(location):
            yield from branches[best]
        else:
            yield _Complaint(location, "type", "", None, "")


def _problem(each: _Complaint, root: Written, model: type[BaseModel]) -> Problem:
    location, here = each.location, root.nearest(each.location)
    where = said(root, location)
    if each.kind == "missing":
        wanted = f"'{location[-1]}' in {said(root, location[:-1])}"
        return expected(here.place, wanted, "none", _VERSION if location == ("poise",) else "")
    if each.kind == "extra_forbidden":
        return _unknown_key(here, root, location, keys_at(model, location[:-1]))
    hint = type_at(model, location)
    if each.kind == "type" or each.kind.endswith("_type") or each.kind in _WRONG_LENGTH:
        wanted = f"{described(hint)} for {where}"
        return expected(here.place, wanted, here.kind, _quoting(hint, here))
    if each.kind == "literal_error":
        advice = _nearest(str(here.content), choices_at(model, location))
        advice = _VERSION if location == ("poise",) else advice
        return expected(here.place, f"{described(hint)} for {where}", here.kind, advice)
    message = each.message.removeprefix("Input should be ").rstrip(".")
    return expected(here.place, f"{message} for {where}", here.kind)


def _unknown_key(
    here: Written, root: Written, location: Location, known: tuple[str, ...]
) -> Problem:
    name = str(location[-1])
    place = here.key_place or here.place
    if name == "constraints" and len(location) == 4:  # of a step
        where = said(root, location[:-1])
        return expected(place, f"no constraints in {where}", here.kind, "Other methods take them.")
    advice = f"{_nearest(name, known)} Known: {', '.join(known)}.".strip()
    return expected(place, f"a key of {said(root, location[:-1])}", shown(name), advice)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = nearest_name(name, known)
    return f"Did you mean '{near}'?" if near else ""


def _quoting(hint: Any, here: Written) -> str:
    wants_text = described(hint) == "text"
    plain = isinstance(here.content, bool | int | float)
    return "Put quotes around it if it is a name." if wants_text and plain else ""
