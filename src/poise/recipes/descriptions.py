"""What a recipe may hold somewhere, in words."""

from __future__ import annotations

from collections.abc import Mapping
from types import NoneType
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from poise.recipes.models import members
from poise.recipes.places import Location

_ONE: dict[Any, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
}
_MANY: dict[Any, str] = {str: "words", int: "whole numbers", float: "numbers", bool: "true/false"}


def type_at(hint: Any, location: Location) -> Any:
    """The type that a recipe of a given type has at a location; None where it has none."""
    if not location:
        return hint
    part, rest = location[0], location[1:]
    for each in members(hint):
        found = None
        if is_model(each) and isinstance(part, str) and part in each.model_fields:
            found = type_at(each.model_fields[part].annotation, rest)
        elif get_origin(each) is tuple and isinstance(part, int):
            inner = get_args(each)
            same = inner[-1] is ... or part >= len(inner)
            found = type_at(inner[0] if same else inner[part], rest)
        elif get_origin(each) in (dict, Mapping):
            found = type_at(get_args(each)[1], rest)
        if found is not None:
            return found
    return None


def keys_at(hint: Any, location: Location) -> tuple[str, ...]:
    """The keys a mapping may have there."""
    models = [each for each in members(type_at(hint, location)) if is_model(each)]
    return tuple(key for model in models for key in model.model_fields)


def choices_at(hint: Any, location: Location) -> tuple[str, ...]:
    """The words that may stand there, where only some may."""
    found = type_at(hint, location)
    literal = [each for each in members(found) if get_origin(each) is Literal]
    return tuple(str(word) for each in literal for word in get_args(each))


def is_model(hint: Any) -> bool:
    """Whether a type is a pydantic model."""
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def described(hint: Any) -> str:
    """A type in words."""
    words = [_described(each) for each in members(hint) if each is not NoneType]
    return " or ".join(dict.fromkeys(words)) or "nothing"


def _described(hint: Any) -> str:
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
    if is_model(hint):
        return f"keys and values ({', '.join(hint.model_fields)})"
    return "keys and values" if get_origin(hint) in (dict, Mapping) else "a value"


def _listed(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
