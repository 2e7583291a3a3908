"""What the records of constraints check about themselves, in words that name the constraint."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, Protocol

from poise.constraints.recruiting import Recruit
from poise.constraints.task import Interval
from poise.errors import BadValue

Vector = tuple[float, float, float]

Mode = Literal["absolute", "relative", "offset"]
"""`absolute`: in the world. `relative`: in the frame of the joint `relative_to`. `offset`: on top
of the original, in the world or in the frame of `relative_to` when it is given."""

MODES = ("absolute", "relative", "offset")


class Record(Protocol):
    """What every constraint has."""

    @property
    def name(self) -> str:
        """What messages and reports call it."""
        ...

    @property
    def interval(self) -> Interval:
        """When it holds."""
        ...

    @property
    def priority(self) -> int:
        """1 is the most important."""
        ...

    @property
    def weight(self) -> float:
        """Against others of the same priority."""
        ...

    @property
    def recruit(self) -> Recruit:
        """Which joints may help."""
        ...


def check_record(record: Record) -> None:
    """Raise unless what every constraint has is in order; numbers become plain ones."""
    name = record.name
    if not _is(name, str) or not name:
        raise BadValue("name of a constraint", "some text", name)
    if not _is(record.interval, Interval):
        raise BadValue(f"interval of '{name}'", "an Interval", record.interval)
    if not _is(record.recruit, Recruit):
        raise BadValue(f"recruit of '{name}'", "a Recruit", record.recruit)
    priority = whole(name, "priority", record.priority)
    if priority < 1:
        raise BadValue(f"priority of '{name}'", "1 (the most important) or more", record.priority)
    weight = number(name, "weight", record.weight)
    if weight < 0:
        raise BadValue(f"weight of '{name}'", "zero or more", record.weight)
    put(record, priority=priority, weight=weight)


def _is(value: object, kind: type) -> bool:
    """For values whose annotation only says what they should be."""
    return isinstance(value, kind)


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


def choice(name: str, field: str, value: object, allowed: Sequence[str]) -> None:
    """Raise unless the value is one of those allowed."""
    if value not in allowed:
        raise BadValue(f"{field} of '{name}'", f"one of {', '.join(allowed)}", value)


def check_mode(name: str, mode: str, relative_to: str | None) -> None:
    """Raise unless the mode is one there is, with a joint to be relative to where it needs one."""
    choice(name, "mode", mode, MODES)
    if relative_to is not None:
        words(name, "relative_to", relative_to)
    if mode == "relative" and relative_to is None:
        raise BadValue(f"relative_to of '{name}'", "a joint or role in relative mode", None)
    if mode == "absolute" and relative_to is not None:
        raise BadValue(
            f"relative_to of '{name}'", "left out in absolute mode (or use mode: relative)",
            relative_to,
        )  # fmt: skip


def check_axes(name: str, axes: object) -> None:
    """Raise unless the axes are some of the letters x, y and z."""
    if (
        not isinstance(axes, str)
        or not axes
        or set(axes) - set("xyz")
        or len(set(axes)) < len(axes)
    ):
        raise BadValue(f"axes of '{name}'", "one, two or all of the letters xyz", axes)


def axis_flags(axes: str) -> tuple[bool, bool, bool]:
    """Which of x, y and z count."""
    return "x" in axes, "y" in axes, "z" in axes
