"""Errors of pydantic, in the words and with the places of a recipe."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from types import NoneType
from typing import Literal, cast, get_args, get_origin

from pydantic import ValidationError
from typing_extensions import is_typeddict

from poise.errors import BadValue, PoiseError, nearest_name
from poise.job.constraint_spec import hints_of
from poise.job.error_context import Location, place_of, said
from poise.job.recipe import VERSION, Values
from poise.job.schema import REFUSED
from poise.record_ranges import Hint, members, range_words
from poise.yaml_nodes import Node, Problem, expected

_VERSION = f"A recipe begins with 'poise: {VERSION}', the version of the format."
_WRONG_FORM = ("type", "too_long", "too_short", "finite_number")
_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
_OUT_OF_RANGE = ("greater_than", "greater_than_equal", "less_than", "less_than_equal")

_ONE: dict[Hint, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_MANY: dict[Hint, str] = {str: "words", int: "whole numbers", float: "numbers", bool: "true/false"}


@dataclass(frozen=True)
class _Error:
    location: Location
    kind: str
    message: str
    union: Location | None
    """Where several types may stand, of which each has errors for itself."""
    branch: str
    """Which of them this is about."""
    refused: PoiseError | None = None
    """What a record raised."""


def problems_from(failed: ValidationError, root: Node, model: Hint) -> list[Problem]:
    """Every error as a problem of the recipe."""
    found = [
        _error(error["loc"], error["type"], error["msg"], error.get("ctx", {}), root)
        for error in failed.errors(include_url=False, include_input=False)
    ]
    return [_problem(each, root, model) for each in _one_branch_each(found)]


def _error(loc: Location, kind: str, message: str, context: Values, root: Node) -> _Error:
    """Leave out of a location what names one of several types instead of a key."""
    here: Node | None = root
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
    refused = context.get("error")
    refused = refused if isinstance(refused, PoiseError) else None
    return _Error(location, kind, message, union, branch, refused)


def _one_branch_each(found: list[_Error]) -> Iterator[_Error]:
    """Where several types may stand, the errors of the one that fits best.

    That is the one whose form was right so far down that only details were wrong.
    """
    unions: dict[Location, dict[str, list[_Error]]] = {}
    for each in found:
        if each.union is None:
            yield each
        else:
            unions.setdefault(each.union, {}).setdefault(each.branch, []).append(each)
    for location, branches in unions.items():
        depths = {
            branch: min(len(each.location) + (each.kind == REFUSED) for each in own)
            for branch, own in branches.items()
        }
        best = max(depths, key=lambda branch: depths[branch])
        if depths[best] > len(location):
            yield from branches[best]
        else:
            yield _Error(location, "type", "", None, "")


def _problem(each: _Error, root: Node, model: Hint) -> Problem:
    location, here = each.location, root.nearest(each.location)
    where = said(root, location)
    if each.refused is not None:
        return Problem(place_of(each.refused, here), str(each.refused))
    if each.kind == "missing":
        wanted = f"'{location[-1]}' in {said(root, location[:-1])}"
        return expected(here.place, wanted, "none", _VERSION if location == ("poise",) else "")
    if each.kind in _UNKNOWN_KEY:
        return _unknown_key(here, root, location, keys_at(model, location[:-1]))
    hint = type_at(model, location)
    if each.kind.endswith("_type") or each.kind in _WRONG_FORM:
        wanted = f"{described(hint)} for {where}"
        return expected(here.place, wanted, here.kind, _quoting(hint, here))
    if each.kind == "literal_error":
        advice = _nearest(str(here.content), _choices(hint))
        advice = _VERSION if location == ("poise",) else advice
        return expected(here.place, f"{described(hint)} for {where}", here.kind, advice)
    words = range_words(hint)
    if each.kind in _OUT_OF_RANGE and words:
        got = float(cast("float", here.content)) if float in members(hint) else here.content
        return Problem(here.place, str(BadValue(str(location[-1]), words, got)))
    message = each.message.removeprefix("Input should be ").rstrip(".")
    return expected(here.place, f"{message} for {where}", here.kind)


def _unknown_key(here: Node, root: Node, location: Location, known: tuple[str, ...]) -> Problem:
    name = str(location[-1])
    place = here.key_place or here.place
    if name == "constraints" and len(location) == 4:  # of a step
        where = said(root, location[:-1])
        return expected(place, f"no constraints in {where}", here.kind, "Other methods take them.")
    advice = f"{_nearest(name, known)} Known: {', '.join(known)}.".strip()
    found = Node(name, place).kind
    return expected(place, f"a key of {said(root, location[:-1])}", found, advice)


def _nearest(name: str, known: Iterable[str]) -> str:
    near = nearest_name(name, known)
    return f"Did you mean '{near}'?" if near else ""


def _quoting(hint: Hint, here: Node) -> str:
    wants_text = described(hint) == "text"
    plain = isinstance(here.content, bool | int | float)
    return "Put quotes around it if it is a name." if wants_text and plain else ""


def type_at(hint: Hint, location: Location) -> Hint:
    """The type that a recipe of a given type has at a location; None where it has none."""
    if not location:
        return hint
    part, rest = location[0], location[1:]
    for each in members(hint):
        found = None
        if _has_keys(each) and part in hints_of(each):
            found = type_at(hints_of(each)[str(part)], rest)
        elif get_origin(each) is tuple and isinstance(part, int):
            inner = get_args(each)
            same = inner[-1] is ... or part >= len(inner)
            found = type_at(inner[0] if same else inner[part], rest)
        elif get_origin(each) in (dict, Mapping):
            found = type_at(get_args(each)[1], rest)
        if found is not None:
            return found
    return None


def keys_at(hint: Hint, location: Location) -> tuple[str, ...]:
    """The keys a mapping may have there."""
    models = [each for each in members(type_at(hint, location)) if _has_keys(each)]
    return tuple(key for model in models for key in hints_of(model))


def _choices(hint: Hint) -> tuple[str, ...]:
    """The words that may stand there, where only some may."""
    literal = [each for each in members(hint) if get_origin(each) is Literal]
    return tuple(str(word) for each in literal for word in get_args(each))


def _has_keys(hint: Hint) -> bool:
    return isinstance(hint, type) and (is_dataclass(hint) or is_typeddict(hint))


def described(hint: Hint) -> str:
    """A type in words."""
    words = [_described(each) for each in members(hint) if each is not NoneType]
    return " or ".join(dict.fromkeys(words)) or "nothing"


def _described(hint: Hint) -> str:
    if hint in _ONE:
        return _ONE[hint]
    inner = get_args(hint)
    if get_origin(hint) is Literal:
        return _listed([f"'{each}'" if isinstance(each, str) else str(each) for each in inner])
    if get_origin(hint) is tuple:
        if inner[-1] is ...:
            many = _MANY.get(inner[0])
            return f"a list of {many}" if many else f"a list, each {described(inner[0])}"
        if len(set(inner)) == 1 and inner[0] in _MANY:
            return f"a list of {len(inner)} {_MANY[inner[0]]}"
        return f"a list of {' and '.join(described(each) for each in inner)}"
    if _has_keys(hint):
        return f"keys and values ({', '.join(hints_of(hint))})"
    return "keys and values" if get_origin(hint) in (dict, Mapping) else "a value"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
