"""Ranges and choices that stand in the annotations of a record, checked in its `__post_init__`.

`Annotated[float, Gt(0)]` is a positive number and `Literal["walk", "run"]` one of two words. A text
among the annotations says the range in other words: `Annotated[float, Gt(0), "a length"]`.
"""

from __future__ import annotations

import math
from dataclasses import fields
from functools import cache
from types import UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from annotated_types import BaseMetadata, Ge, GroupedMetadata, Gt, Le, Lt

from poise.errors import BadValue


def check_record(record: object) -> None:
    """Check the fields of a record against their annotations.

    Raises:
        BadValue: a number outside its range, a word that is none of the choices.
    """
    for name, choices, bounds, words in _checked_fields(type(record)):
        value = getattr(record, name)
        if isinstance(value, str):
            if choices and value not in choices:
                raise BadValue(name, words, value)
        elif bounds and isinstance(value, int | float) and not _inside(value, bounds):
            raise BadValue(name, words, value)


def range_words(hint: object) -> str:
    """The range or the choices of a field, as its messages say them."""
    return _facts(hint)[2]


@cache
def _checked_fields(
    record: type[Any],
) -> tuple[tuple[str, tuple[str, ...], tuple[BaseMetadata, ...], str], ...]:
    hints = get_type_hints(record, include_extras=True)
    found = [(each.name, *_facts(hints[each.name])) for each in fields(record)]
    return tuple(each for each in found if each[1] or each[2])


def _facts(hint: object) -> tuple[tuple[str, ...], tuple[BaseMetadata, ...], str]:
    """Choices, bounds, and both in words. Words beside other types are no choices."""
    members = get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)
    literals = [each for each in members if get_origin(each) is Literal]
    free = any(each is str for each in members)
    choices = tuple(word for each in literals for word in get_args(each) if isinstance(word, str))
    marks = [m for each in members if get_origin(each) is Annotated for m in get_args(each)[1:]]
    bounds: list[BaseMetadata] = []
    for mark in marks:
        several = isinstance(mark, GroupedMetadata)
        bounds += [m for m in (mark if several else (mark,)) if isinstance(m, Gt | Ge | Lt | Le)]
    told = next((mark for mark in marks if isinstance(mark, str)), "")
    said = told or _said(bounds) or " or ".join((", ".join(choices[:-1]), *choices[-1:]))
    return (() if free else choices), tuple(bounds), said


def _inside(value: float, bounds: tuple[BaseMetadata, ...]) -> bool:
    return math.isfinite(value) and all(_holds(value, each) for each in bounds)


def _holds(value: float, bound: Any) -> bool:
    if isinstance(bound, Gt | Ge):
        return value > _of(bound) if isinstance(bound, Gt) else value >= _of(bound)
    return value < _of(bound) if isinstance(bound, Lt) else value <= _of(bound)


def _of(bound: Any) -> float:
    """The number in a bound; each kind calls it by its own name."""
    return getattr(bound, type(bound).__name__.lower())


def _said(bounds: list[BaseMetadata]) -> str:
    low = next((_of(each) for each in bounds if isinstance(each, Gt | Ge)), None)
    high = next((_of(each) for each in bounds if isinstance(each, Lt | Le)), None)
    is_open = any(isinstance(each, Gt) for each in bounds)
    if low is not None and high is not None:
        return f"between {low:g} and {high:g}" if is_open else f"from {low:g} to {high:g}"
    if low == 0:
        return "a positive number" if is_open else "zero or more"
    if low is not None:
        return f"more than {low:g}" if is_open else f"at least {low:g}"
    return "" if high is None else f"at most {high:g}"
