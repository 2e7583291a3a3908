"""What the records of constraints check about themselves, in words that name the constraint."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from types import NoneType
from typing import Literal, get_args, get_origin, get_type_hints

from poise import rotations
from poise.constraints.recruiting import Recruit
from poise.constraints.task import Interval
from poise.errors import BadValue
from poise.record_ranges import members

Vector = tuple[float, float, float]
Turn = tuple[float, float, float, float]
"""A quaternion wxyz of any length; made unit."""

Mode = Literal["absolute", "relative", "offset"]
"""`absolute`: in the world. `relative`: in the frame of the joint `relative_to`. `offset`: on top
of the original, in the world or in the frame of `relative_to` when it is given."""

_Check = Callable[[str, str, object], object]
"""From the names of a constraint and a field, and a value: the value as it is kept."""


def check_record(record: object, *, apart_from: str = "") -> None:
    """Raise unless the fields of a constraint hold what they should; numbers become plain ones.

    Args:
        record: with a name and a priority, a weight, an interval and recruits.
        apart_from: a field that it checks itself.
    """
    name: object = getattr(record, "name", None)
    if not isinstance(name, str) or not name:
        raise BadValue("name of a constraint", "some text", name)
    given = {field: getattr(record, field) for field, _, _ in _LEAST}
    check_fields(record, name, apart_from=apart_from)
    for field, least, allowed in _LEAST:
        if getattr(record, field) < least:
            raise BadValue(f"{field} of '{name}'", allowed, given[field])


_LEAST = (("priority", 1, "1 (the most important) or more"), ("weight", 0.0, "zero or more"))


def check_fields(record: object, name: str, *, apart_from: str = "") -> None:
    """Raise unless each field of a plain type holds a value of that type, or None if it may."""
    for field, may_be_none, check in _checks(type(record)):
        value: object = getattr(record, field)
        if field != apart_from and not (value is None and may_be_none):
            put(record, **{field: check(name, field, value)})


@cache
def _checks(record: type) -> tuple[tuple[str, bool, _Check], ...]:
    """Fields, whether they may be None, and what checks them."""
    found: list[tuple[str, bool, _Check]] = []
    for field, hint in get_type_hints(record).items():
        types = [each for each in members(hint) if each is not NoneType]
        check = _BY_FIELD.get(field) or (_BY_TYPE.get(types[0]) if len(types) == 1 else None)
        if get_origin(types[0]) is Literal:
            check = partial(choice, allowed=get_args(types[0]))
        if check is not None:
            found.append((field, NoneType in members(hint), check))
    return tuple(found)


def put(record: object, **values: object) -> None:
    """Set fields of a frozen record while it is being made."""
    for field, value in values.items():
        object.__setattr__(record, field, value)


def number(name: str, field: str, value: object) -> float:
    """A finite float."""
    try:
        result = float(value)  # type: ignore[arg-type]  # whatever has a float is welcome
    except (TypeError, ValueError):
        raise BadValue(f"{field} of '{name}'", "a number", value) from None
    if isinstance(value, bool | str) or not math.isfinite(result):
        raise BadValue(f"{field} of '{name}'", "a finite number", value)
    return result


def whole(name: str, field: str, value: object) -> int:
    """A whole number."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise BadValue(f"{field} of '{name}'", "a whole number", value)
    return int(value)  # type: ignore[call-overload]  # has __index__


def items(name: str, field: str, value: object, wanted: str) -> list[object]:
    """The items of a list, tuple or array."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise BadValue(f"{field} of '{name}'", wanted, value)
    return list(value)


def numbers(name: str, field: str, value: object, count: int) -> tuple[float, ...]:
    """So many finite floats."""
    listed = items(name, field, value, f"{count} numbers")
    if len(listed) != count:
        raise BadValue(f"{field} of '{name}'", f"{count} numbers", value)
    return tuple(number(name, field, part) for part in listed)


def vector(name: str, field: str, value: object) -> Vector:
    """Three finite floats."""
    x, y, z = numbers(name, field, value, 3)
    return x, y, z


def words(name: str, field: str, value: object) -> str:
    """Some text."""
    if not isinstance(value, str) or not value:
        raise BadValue(f"{field} of '{name}'", "a name", value)
    return value


def choice(name: str, field: str, value: object, allowed: Sequence[str]) -> object:
    """One of those allowed."""
    if value not in allowed:
        raise BadValue(f"{field} of '{name}'", f"one of {', '.join(allowed)}", value)
    return value


def check_mode(name: str, mode: str, relative_to: str | None) -> None:
    """Raise unless there is a joint to be relative to where the mode needs one, and only there."""
    if mode == "relative" and relative_to is None:
        raise BadValue(f"relative_to of '{name}'", "a joint or role in relative mode", None)
    if mode == "absolute" and relative_to is not None:
        allowed = "left out in absolute mode (or use mode: relative)"
        raise BadValue(f"relative_to of '{name}'", allowed, relative_to)


def _unit_turn(name: str, field: str, value: object) -> Turn:
    w, x, y, z = numbers(name, field, value, 4)
    if not any((w, x, y, z)):
        raise BadValue(f"{field} of '{name}'", "a quaternion other than zero", (w, x, y, z))
    w, x, y, z = rotations.normalize((w, x, y, z)).tolist()
    return w, x, y, z


def _axes(name: str, field: str, value: object) -> str:
    letters = value if isinstance(value, str) else ""
    if not letters or set(letters) - set("xyz") or len(set(letters)) < len(letters):
        raise BadValue(f"{field} of '{name}'", "one, two or all of the letters xyz", value)
    return letters


def axis_flags(axes: str) -> tuple[bool, bool, bool]:
    """Which of x, y and z count."""
    return "x" in axes, "y" in axes, "z" in axes


def _flag(name: str, field: str, value: object) -> object:
    if value not in (True, False):
        raise BadValue(f"{field} of '{name}'", "true or false", value)
    return value


def _instance(name: str, field: str, value: object, kind: type, allowed: str) -> object:
    if not isinstance(value, kind):
        raise BadValue(f"{field} of '{name}'", allowed, value)
    return value


_BY_TYPE: dict[object, _Check] = {
    str: words,
    int: whole,
    float: number,
    bool: _flag,
    Vector: vector,
    Turn: _unit_turn,
    Interval: partial(_instance, kind=Interval, allowed="an Interval"),
    Recruit: partial(_instance, kind=Recruit, allowed="a Recruit"),
}
_BY_FIELD: dict[str, _Check] = {"axes": _axes}
