"""Constraints as a recipe writes them, and the records they become once a clip is known.

Two things are written differently than in the record. An `Interval` stands as `frames` or `seconds`
with `ease` or `ease_seconds`; and a `frame` may be given as `second` instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass, fields, is_dataclass
from functools import cache, reduce
from math import floor
from operator import or_
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NotRequired, TypeVar, Union, cast, get_args, get_origin

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict, get_type_hints

from poise.constraints import Interval
from poise.job.error_context import Location
from poise.job.field_docs import field_docs, summary
from poise.job.recipe import ConstraintSpec
from poise.job.vocabulary import Vocabulary

ALL = "all"
INTERVAL_KEYS = ("frames", "seconds", "ease", "ease_seconds")
"""What stands in a recipe for the interval of a constraint."""

IN_SECONDS = {"frame": "second", "until": "until_second"}
"""Fields of records that hold a frame, and the key that gives the same in seconds."""


@dataclass(frozen=True)
class Clock:
    """What a clip says about time."""

    rate_hz: float
    frame_count: int

    def frame(self, second: float) -> int:
        """The frame nearest to a time, counted from the first."""
        return floor(second * self.rate_hz + 0.5)

    def interval(self, values: Mapping[str, Any]) -> Interval:
        """The frames that `frames` or `seconds`, with `ease` or `ease_seconds`, stand for."""
        if values.get("seconds") is not None:
            first, last = (self.frame(second) for second in values["seconds"])
        elif values["frames"] == ALL:
            first, last = 0, self.frame_count - 1
        else:
            first, last = values["frames"]
        if values.get("ease_seconds") is not None:
            into, out = (self.frame(second) for second in _pair(values["ease_seconds"]))
            if self._fits(values):
                # Rounding to frames alone must not make it too long.
                over = max(0, into + out - (last - first))
                into, out = into - min(over, into), out - max(0, over - into)
        else:
            into, out = _pair(values.get("ease") or 0)
        return Interval(first, last, into, out)

    def _fits(self, values: Mapping[str, Any]) -> bool:
        """Whether easing given in seconds is no longer than the interval."""
        if values.get("seconds") is None:
            return False
        first, last = values["seconds"]
        return sum(_pair(values["ease_seconds"])) <= last - first + 1e-9


def _pair(value: Any) -> tuple[Any, Any]:
    """Easing in and out: one number for both, or two."""
    return (value[0], value[1]) if isinstance(value, tuple) else (value, value)


T = TypeVar("T")

CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)

_INTERVAL_KEYS: dict[str, tuple[Any, str]] = {
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


@cache
def hints_of(record: type) -> dict[str, Any]:
    """The types of the keys of a dataclass or a typed dict, with their annotations."""
    hints = get_type_hints(record, include_extras=True)
    if not is_dataclass(record):
        return hints
    return {each.name: hints[each.name] for each in fields(record)}


def members(hint: Any) -> tuple[Any, ...]:
    """The types that a union joins, without annotations; a type that is none by itself."""
    while get_origin(hint) in (Annotated, NotRequired):
        hint = get_args(hint)[0]
    if get_origin(hint) not in (Union, UnionType):
        return (hint,)
    return tuple(each for inner in get_args(hint) for each in members(inner))


@cache
def record_inside(hint: Any) -> type | None:
    """The dataclass that a field holds: one, or a tuple of them, or nothing else."""
    for each in members(hint):
        for inner in (each, *get_args(each)):
            if isinstance(inner, type) and is_dataclass(inner):
                return inner
    return None


@dataclass(frozen=True, eq=False)
class _Written:
    """A field of a record and how a recipe writes it."""

    name: str
    hint: Any
    is_interval: bool
    times: tuple[tuple[str, str], ...]
    """Keys of which one is enough: in frames, in seconds."""
    needed: bool
    inner: type | None
    """The record inside."""


@cache
def _fields(record: type) -> tuple[_Written, ...]:
    made: list[_Written] = []
    for each, hint in zip(fields(record), hints_of(record).values(), strict=True):
        name, needed = each.name, each.default is MISSING and each.default_factory is MISSING
        times: tuple[tuple[str, str], ...] = ()
        if Interval in members(hint):
            times = (("frames", "seconds"), ("ease", "ease_seconds"))
        elif name in IN_SECONDS and set(members(hint)) <= {int, NoneType}:
            times = ((name, IN_SECONDS[name]),)
        inner = None if times else record_inside(hint)
        made.append(_Written(name, hint, len(times) == 2, times, needed, inner))
    return tuple(made)


@dataclass(frozen=True, eq=False)
class Key:
    """A key of a record as a recipe writes it."""

    name: str
    hint: Any
    about: str = ""
    default: Any = None
    """The value without it; `MISSING` where there is no plain one."""
    is_needed: bool = False


@cache
def keys_of(record: type) -> tuple[Key, ...]:
    """The keys that stand for the fields of a record."""
    docs = field_docs(record)
    keys: list[Key] = []
    for each, field in zip(fields(record), _fields(record), strict=True):
        about = docs.get(each.name, "")
        if field.is_interval:
            keys += [Key(k, h | None, a) for k, (h, a) in _INTERVAL_KEYS.items()]
        elif field.times:
            # Which of the two may be left out is checked elsewhere.
            same = f"`{each.name}` in seconds from the first frame."
            keys.append(Key(each.name, int | None, about or "The frame, counted from 0."))
            keys.append(Key(IN_SECONDS[each.name], float | None, same))
        else:
            default = MISSING if is_dataclass(each.default) else each.default
            keys.append(Key(each.name, field.hint, about, default, field.needed))
    return tuple(keys)


@cache
def spec_type(record: type) -> Any:
    """A typed dict with these keys: what is left out of a recipe is left out of its values."""
    given = {key.name: _annotated(key) for key in keys_of(record)}
    return typed_dict(record.__name__, summary(record), given)


def typed_dict(name: str, about: str, keys: Mapping[str, Any], **config: Any) -> Any:
    """A type of mappings with these keys and no others."""
    made = cast("Any", TypedDict)(name, dict(keys))
    made.__doc__ = about
    made.__pydantic_config__ = {**CONFIG, **config}
    return made


def _annotated(key: Key) -> Any:
    # Typed dicts have no defaults; editors are told all the same.
    extra = {} if key.default is MISSING else {"default": key.default}
    about = Field(description=key.about or None, json_schema_extra=extra)
    hint = Annotated[_converted(key.hint), about]
    return hint if key.is_needed else NotRequired[hint]


def _converted(hint: Any) -> Any:
    """A type with specs in the place of records."""
    if isinstance(hint, type) and is_dataclass(hint):
        return spec_type(hint)
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return reduce(or_, (_converted(each) for each in inner))
    if origin is tuple:
        return tuple[tuple(each if each is ... else _converted(each) for each in inner)]
    return hint


def _times(
    record: type, values: Any, path: Location = ()
) -> Iterator[tuple[Location, Mapping[str, Any], tuple[str, str], bool]]:
    """The times of a record and of those inside: path, values there, the two keys, if needed."""
    if not isinstance(values, Mapping):
        return
    given = cast("Mapping[str, Any]", values)
    for field in _fields(record):
        for keys in field.times:
            yield path, given, keys, field.needed and keys[0] != "ease"
        value = None if field.inner is None else given.get(field.name)
        if value is None:
            continue
        entries = [(i, each) for i, each in enumerate(value)] if isinstance(value, tuple) else []
        for below, each in [((), value), *(((i,), each) for i, each in entries)]:
            yield from _times(cast("type", field.inner), each, (*path, field.name, *below))


def wrong_times(record: type, values: Any) -> Iterator[tuple[Location, tuple[str, str], str]]:
    """Times that are given twice, or not at all: where, the two keys, "both" or "none"."""
    for path, given, keys, needed in _times(record, values):
        count = sum(given.get(key) is not None for key in keys)
        if count > 1 or (needed and not count):
            yield path, keys, "both" if count else "none"


def clock_for_trial(record: type, values: Mapping[str, Any]) -> Clock | None:
    """A clock under which a record can be tried before a clip is known.

    None when frames and seconds are mixed: only a clip can say how they relate.
    """
    times = [(given.get(frames), given.get(seconds)) for _, given, (frames, seconds), _ in
             _times(record, values)]  # fmt: skip
    in_frames = any(frames not in (None, ALL) for frames, _ in times)
    return None if in_frames and any(seconds is not None for _, seconds in times) else _TRIAL


_TRIAL = Clock(rate_hz=1000.0, frame_count=10**9)
"""So fine that rounding to frames decides nothing, and longer than any interval of a recipe."""


def try_record(record: type, values: Mapping[str, Any]) -> None:
    """Make a record before a clip is known, as far as times allow it.

    Raises:
        PoiseError: the record refuses the values.
    """
    clock = clock_for_trial(record, values)
    if clock is not None and not any(wrong_times(record, values)):
        record_from(record, values, clock)


def record_from(record: type[T], values: Mapping[str, Any], clock: Clock) -> T:
    """A record from checked values; fields that are left out have their defaults.

    Raises:
        PoiseError: the record refuses them.
    """
    given: dict[str, Any] = {}
    for field in _fields(record):
        name, inner = field.name, field.inner
        if field.is_interval:
            if any(values.get(key) is not None for key in field.times[0]):
                given[name] = clock.interval(values)
        elif field.times and values.get(field.times[0][1]) is not None:
            given[name] = clock.frame(values[field.times[0][1]])
        elif name in values:
            value = values[name]
            if inner is not None and isinstance(value, Mapping):
                value = record_from(inner, cast("Mapping[str, Any]", value), clock)
            elif inner is not None and isinstance(value, tuple):
                entries = cast("tuple[Any, ...]", value)
                value = tuple(record_from(inner, each, clock) for each in entries)
            given[name] = value
    return record(**given)


def constraint_from(spec: ConstraintSpec, words: Vocabulary, clock: Clock) -> Any:
    """The constraint record that a spec stands for in a clip."""
    return record_from(words.constraints[spec.kind], spec.values, clock)


def spec_from(constraint: Any, words: Vocabulary) -> ConstraintSpec:
    """A constraint record as a recipe writes it, in frames."""
    return ConstraintSpec(words.kind_of(constraint), plain_from(constraint))


def plain_from(record: Any, usual: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The fields of a record that differ from their defaults, in plain values.

    Args:
        record: a dataclass.
        usual: other defaults of some fields, as a preset has them.
    """
    usual = usual or {}
    plain: dict[str, Any] = {}
    for each in fields(record):
        value = getattr(record, each.name)
        made = each.default if each.default_factory is MISSING else each.default_factory()
        if isinstance(value, Interval):
            plain |= _plain_interval(value)
        elif value != usual.get(each.name, made):
            plain[each.name] = _plain(value)
    return plain


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_plain(each) for each in cast("tuple[Any, ...]", value))
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in cast("Mapping[str, Any]", value).items()}
    return plain_from(value) if is_dataclass(value) else value


def _plain_interval(interval: Interval) -> dict[str, Any]:
    plain: dict[str, Any] = {"frames": (interval.first, interval.last)}
    if interval.ease_in or interval.ease_out:
        same = interval.ease_in == interval.ease_out
        plain["ease"] = interval.ease_in if same else (interval.ease_in, interval.ease_out)
    return plain
