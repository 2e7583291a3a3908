"""Dataclasses as pydantic models: one definition of a field serves Python, recipes and editors.

Two things are written differently in a recipe than in a record. An `Interval` stands as `frames`
or `seconds` with `ease` or `ease_seconds`; and a `frame` may be given as `second` instead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, reduce
from operator import or_
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model

from poise.constraints import Interval
from poise.recipes.field_docs import field_docs, summary
from poise.recipes.timing import IN_SECONDS

CONFIG = ConfigDict(
    extra="forbid", strict=True, allow_inf_nan=False, protected_namespaces=(), frozen=True
)

_INTERVAL_FIELDS: dict[str, tuple[Any, str]] = {
    "frames": (
        tuple[int, int] | Literal["all"],
        "First and last frame, both included, counted from 0; or all.",
    ),
    "seconds": (tuple[float, float], "The same in seconds from the first frame."),
    "ease": (
        int | tuple[int, int],
        "Frames over which it comes and goes: one number for both, or two.",
    ),
    "ease_seconds": (float | tuple[float, float], "The same in seconds."),
}


def is_record(hint: Any) -> bool:
    """Whether a type is a dataclass (and not an instance of one)."""
    return isinstance(hint, type) and is_dataclass(hint)


@cache
def hints_of(record: type) -> dict[str, Any]:
    """The types of a dataclass's fields."""
    hints = get_type_hints(record)
    return {each.name: hints[each.name] for each in fields(record)}


def members(hint: Any) -> tuple[Any, ...]:
    """The types a union joins; a type that is none by itself."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


@cache
def has_interval(hint: Any) -> bool:
    """Whether a field holds an interval."""
    return Interval in members(hint)


@cache
def is_moment(name: str, hint: Any) -> bool:
    """Whether a field holds the number of a frame."""
    return name in IN_SECONDS and set(members(hint)) <= {int, NoneType}


@cache
def record_inside(hint: Any) -> type | None:
    """The dataclass that a field holds: one, or a tuple of them, or nothing else."""
    for each in members(hint):
        for inner in (each, *get_args(each)):
            if is_record(inner):
                return inner
    return None


@cache
def model_of(record: type) -> type[BaseModel]:
    """A model with the fields of a dataclass, as a recipe writes them."""
    docs = field_docs(record)
    definitions: dict[str, Any] = {}
    for each, hint in zip(fields(record), hints_of(record).values(), strict=True):
        if has_interval(hint):
            definitions |= _optional(_INTERVAL_FIELDS)
        elif is_moment(each.name, hint):
            about = docs.get(each.name, "The frame, counted from 0.")
            same = f"`{each.name}` in seconds from the first frame."
            both = {each.name: (int, about), IN_SECONDS[each.name]: (float, same)}
            definitions |= _optional(both)
        else:
            about = Field(**_default(each), description=docs.get(each.name))
            definitions[each.name] = (_converted(hint), about)
    return create_model(record.__name__, __config__=CONFIG, __doc__=summary(record), **definitions)


def _optional(described: Mapping[str, tuple[Any, str]]) -> dict[str, Any]:
    """Fields of which one is enough; which may be left out is checked elsewhere."""
    return {
        key: (hint | None, Field(None, description=about))
        for key, (hint, about) in described.items()
    }


def _default(each: Any) -> dict[str, Any]:
    """What an editor is told; the record itself fills in what is left out."""
    if each.default is MISSING and each.default_factory is MISSING:
        return {}
    if each.default is MISSING or is_dataclass(each.default):
        return {"default_factory": lambda: None}
    return {"default": each.default}


def _converted(hint: Any) -> Any:
    """A type with models in the place of dataclasses."""
    if is_record(hint):
        return model_of(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return reduce(or_, (_converted(each) for each in inner))
    if origin is tuple:
        return tuple[tuple(each if each is ... else _converted(each) for each in inner)]
    return hint
