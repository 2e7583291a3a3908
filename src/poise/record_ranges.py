"""Ranges and choices of a record's fields: written once, as annotations, and checked by them.

`Annotated[float, Gt(0)]`, `Annotated[int, Interval(ge=1, le=100)]`, `Literal["a", "b"]`; of a
mapping, what its values may be. A field that may be None is checked where it is not. A text among
the annotations says the range in other words: `Annotated[float, Gt(0), "a positive number"]`.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from numbers import Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, Union, get_args, get_origin, get_type_hints

from annotated_types import Ge, GroupedMetadata, Gt, Interval, Le, Lt

from poise.errors import BadValue

Hint = Any
"""A type as annotations write it (`int | None`, `Annotated[float, Gt(0)]`): there is no type of
those."""

Positive = Annotated[float, Gt(0)]
NotNegative = Annotated[float, Ge(0)]
Window = Annotated[float, Interval(ge=0, le=60)]
"""Seconds to smooth over or to look at: a minute of frames still fits into memory."""

_HOLDS = {"gt": operator.gt, "ge": operator.ge, "lt": operator.lt, "le": operator.le}
_WORDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
_COMMAS_FROM = 10_000


def members(hint: Hint) -> tuple[Hint, ...]:
    """The types that a union joins, without annotations; a type that is none by itself."""
    while get_origin(hint) in (Annotated, NotRequired):
        hint = get_args(hint)[0]
    if get_origin(hint) not in (Union, UnionType):
        return (hint,)
    return tuple(each for inner in get_args(hint) for each in members(inner))


def check_record(record: object) -> None:
    """Raise unless every field of a dataclass is what its annotation allows.

    Raises:
        BadValue: the first that is not, by its name.
    """
    for name, rule in _rules(type(record)):
        value = getattr(record, name)
        of = {f"{name} of {key}": value[key] for key in value} if rule.of_values else {name: value}
        for label, each in of.items():
            if not rule.allows(each):
                raise BadValue(label, rule.in_words, each)


def range_words(hint: Hint) -> str:
    """The range or the choices of a field, as its messages say them; empty without any."""
    rule = _rule(hint)
    return "" if rule is None else rule.in_words


@dataclass(frozen=True)
class _Rule:
    """What one field may be."""

    choices: tuple[object, ...] = ()
    bounds: tuple[tuple[str, float], ...] = ()
    """Keys of `_HOLDS` and numbers."""
    whole: bool = False
    may_be_none: bool = False
    of_values: bool = False
    """Whether it is about the values of a mapping."""
    told: str = ""
    """Words of its own."""
    among_others: bool = False
    """Whether values of other types may stand there, too: those are not looked at."""

    def allows(self, value: object) -> bool:
        if value is None and self.may_be_none:
            return True
        if self.among_others and not isinstance(value, str if self.choices else int | float):
            return True
        if self.choices:
            return value in self.choices
        if self.whole and (isinstance(value, bool) or not hasattr(value, "__index__")):
            return False
        if not isinstance(value, Real) or not math.isfinite(value):
            return False
        return all(_HOLDS[kind](value, bound) for kind, bound in self.bounds)

    @property
    def in_words(self) -> str:
        if self.told:
            return self.told
        if self.choices:
            return f"one of {', '.join(map(str, self.choices))}"
        said = ", ".join(f"{_WORDS[kind]} {_written(bound)}" for kind, bound in self.bounds)
        match self.bounds:
            case (("gt", 0),):
                said = "more than zero"
            case (("ge", 0),):
                said = "zero or more"
            case (("ge", low), ("le", high)):
                said = f"from {_written(low)} to {_written(high)}"
            case _:
                pass
        return f"a whole number {said}" if self.whole else said


def _written(number: float) -> str:
    if abs(number) >= _COMMAS_FROM:
        return f"{number:,.0f}"
    return f"{number:g}".replace("e-0", "e-")


@cache
def _rules(record: type) -> tuple[tuple[str, _Rule], ...]:
    hints = get_type_hints(record, include_extras=True)
    found = ((each.name, _rule(hints[each.name])) for each in fields(record))
    return tuple((name, rule) for name, rule in found if rule is not None)


def _rule(hint: Hint) -> _Rule | None:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        types = [each for each in inner if each is not NoneType]
        rule = next((found for each in types if (found := _rule(each)) is not None), None)
        if rule is None or (rule.choices and str in types):  # any word will do
            return None
        return replace(rule, may_be_none=NoneType in inner, among_others=len(types) > 1)
    if origin is Literal:
        return _Rule(choices=inner)
    if origin is Annotated:
        told = next((each for each in inner[1:] if isinstance(each, str)), "")
        return _Rule(bounds=tuple(_bounds(inner[1:])), whole=inner[0] is int, told=told)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        rule = _rule(inner[1])
        return None if rule is None else replace(rule, of_values=True)
    return None


def _bounds(metadata: tuple[object, ...]) -> Iterator[tuple[str, float]]:
    """In the order in which they are said: the lower one first."""
    for each in metadata:
        if isinstance(each, GroupedMetadata):
            yield from _bounds(tuple(each))
        elif isinstance(each, Gt | Ge | Lt | Le):
            kind = type(each).__name__.lower()
            yield kind, getattr(each, kind)
