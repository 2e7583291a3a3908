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
from typing import (
    TYPE_CHECKING,
    Annotated,
    Literal,
    NotRequired,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
)

from pydantic import ConfigDict, Field
from typing_extensions import TypedDict, get_type_hints

from poise.constraints import Constraint, Interval, StageEdit
from poise.job.error_context import Location
from poise.job.field_docs import field_docs, summary
from poise.job.recipe import ConstraintSpec, Values
from poise.job.vocabulary import Vocabulary
from poise.record_ranges import Hint, members

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

ALL = "all"

IN_SECONDS = {"frame": "second", "until": "until_second"}
"""Fields of records that hold a frame, and the key that gives the same in seconds."""


class When(TypedDict, total=False):
    """What stands in a recipe for the interval of a constraint."""

    frames: tuple[int, int] | Literal["all"] | None
    """First and last frame, both included, counted from 0; or all."""
    seconds: tuple[float, float] | None
    """The same in seconds from the first frame."""
    ease: int | tuple[int, int] | None
    """Frames over which it comes and goes: one number for both, or two."""
    ease_seconds: float | tuple[float, float] | None
    """The same in seconds."""


INTERVAL_KEYS = tuple(When.__annotations__)


@dataclass(frozen=True)
class Clock:
    """What a clip says about time."""

    rate_hz: float
    frame_count: int

    def frame(self, second: float) -> int:
        """The frame nearest to a time, counted from the first."""
        return floor(second * self.rate_hz + 0.5)

    def interval(self, given: When) -> Interval:
        """The frames that `frames` or `seconds`, with `ease` or `ease_seconds`, stand for."""
        frames, seconds, eased = (
            given.get("frames"),
            given.get("seconds"),
            given.get("ease_seconds"),
        )
        if seconds is not None:
            first, last = map(self.frame, seconds)
        elif frames is None or frames == ALL:
            first, last = 0, self.frame_count - 1
        else:
            first, last = frames
        if eased is None:
            return Interval(first, last, *_pair(given.get("ease") or 0))
        into, out = map(self.frame, _pair(eased))
        if seconds is not None and sum(_pair(eased)) <= seconds[1] - seconds[0] + 1e-9:
            # Rounding to frames alone must not make it too long.
            over = max(0, into + out - (last - first))
            into, out = into - min(over, into), out - max(0, over - into)
        return Interval(first, last, into, out)


N = TypeVar("N", int, float)
T = TypeVar("T")


def _pair(value: N | tuple[N, N]) -> tuple[N, N]:
    """Easing in and out: one number for both, or two."""
    return value if isinstance(value, tuple) else (value, value)


CONFIG = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, use_attribute_docstrings=True)


@cache
def hints_of(record: type) -> dict[str, Hint]:
    """The types of the keys of a dataclass or a typed dict, with their annotations."""
    hints = get_type_hints(record, include_extras=True)
    if not is_dataclass(record):
        return hints
    return {each.name: hints[each.name] for each in fields(record)}


@cache
def record_inside(hint: Hint) -> type | None:
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
    hint: Hint
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
    hint: Hint
    about: str = ""
    default: object = None
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
            whens = field_docs(When)
            keys += [Key(k, hint, whens.get(k, "")) for k, hint in hints_of(When).items()]
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
def spec_type(record: type) -> Hint:
    """A typed dict with these keys: what is left out of a recipe is left out of its values."""
    given = {key.name: _annotated(key) for key in keys_of(record)}
    return typed_dict(record.__name__, summary(record), given)


def typed_dict(name: str, about: str, keys: Mapping[str, Hint], **config: object) -> Hint:
    """A type of mappings with these keys and no others."""
    made = cast("Hint", TypedDict)(name, dict(keys))
    made.__doc__ = about
    made.__pydantic_config__ = {**CONFIG, **config}
    return made


def _annotated(key: Key) -> Hint:
    # Typed dicts have no defaults; editors are told all the same.
    extra: dict[str, Hint] = {} if key.default is MISSING else {"default": key.default}
    about = Field(description=key.about or None, json_schema_extra=extra)
    hint = Annotated[_converted(key.hint), about]
    return hint if key.is_needed else NotRequired[hint]


def _converted(hint: Hint) -> Hint:
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
    record: type, values: object, path: Location = ()
) -> Iterator[tuple[Location, Values, tuple[str, str], bool]]:
    """The times of a record and of those inside: path, values there, the two keys, if needed."""
    if not isinstance(values, Mapping):
        return
    given = cast("Values", values)
    for field in _fields(record):
        for keys in field.times:
            yield path, given, keys, field.needed and keys[0] != "ease"
        if field.inner is None:
            continue
        value, here = given.get(field.name), (*path, field.name)
        yield from _times(field.inner, value, here)
        for i, each in enumerate(_entries(value)):
            yield from _times(field.inner, each, (*here, i))


def _entries(value: object) -> tuple[object, ...]:
    return cast("tuple[object, ...]", value) if isinstance(value, tuple) else ()


def wrong_times(record: type, values: object) -> Iterator[tuple[Location, tuple[str, str], str]]:
    """Times that are given twice, or not at all: where, the two keys, "both" or "none"."""
    for path, given, keys, needed in _times(record, values):
        count = sum(given.get(key) is not None for key in keys)
        if count > 1 or (needed and not count):
            yield path, keys, "both" if count else "none"


def clock_for_trial(record: type, values: Values) -> Clock | None:
    """A clock under which a record can be tried before a clip is known.

    None when frames and seconds are mixed: only a clip can say how they relate.
    """
    times = [
        (given.get(keys[0]), given.get(keys[1])) for _, given, keys, _ in _times(record, values)
    ]
    in_frames = any(frames not in (None, ALL) for frames, _ in times)
    return None if in_frames and any(seconds is not None for _, seconds in times) else _TRIAL


_TRIAL = Clock(rate_hz=1000.0, frame_count=10**9)
"""So fine that rounding to frames decides nothing, and longer than any interval of a recipe."""


def try_record(record: type, values: Values) -> None:
    """Make a record before a clip is known, as far as times allow it.

    Raises:
        PoiseError: the record refuses the values.
    """
    clock = clock_for_trial(record, values)
    if clock is not None and not any(wrong_times(record, values)):
        record_from(record, values, clock)


def record_from(record: type[T], values: Values, clock: Clock) -> T:
    """A record from checked values; fields that are left out have their defaults.

    Raises:
        PoiseError: the record refuses them.
    """
    given: dict[str, object] = {}
    for field in _fields(record):
        name, inner = field.name, field.inner
        second = values.get(field.times[0][1]) if field.times else None
        if field.is_interval:
            if any(values.get(key) is not None for key in field.times[0]):
                given[name] = clock.interval(cast("When", values))
        elif second is not None:
            given[name] = clock.frame(cast("float", second))
        elif name in values:
            value = given[name] = values[name]
            if inner is not None and isinstance(value, Mapping):
                given[name] = record_from(inner, cast("Values", value), clock)
            elif inner is not None and isinstance(value, tuple):
                made = [record_from(inner, cast("Values", each), clock) for each in _entries(value)]
                given[name] = tuple(made)
    return record(**given)


def constraint_from(
    spec: ConstraintSpec, words: Vocabulary, clock: Clock
) -> Constraint | StageEdit:
    """The constraint record that a spec stands for in a clip."""
    return record_from(words.constraints[spec.kind], spec.values, clock)


def spec_from(constraint: Constraint | StageEdit, words: Vocabulary) -> ConstraintSpec:
    """A constraint record as a recipe writes it, in frames."""
    return ConstraintSpec(words.kind_of(constraint), plain_from(constraint))


def plain_from(record: DataclassInstance, usual: Values | None = None) -> dict[str, object]:
    """The fields of a record that differ from their defaults, in plain values.

    Args:
        record: a dataclass.
        usual: other defaults of some fields, as a preset has them.
    """
    usual = usual or {}
    plain: dict[str, object] = {}
    for each in fields(record):
        value = getattr(record, each.name)
        made = each.default if each.default_factory is MISSING else each.default_factory()
        if isinstance(value, Interval):
            plain |= _plain_interval(value)
        elif value != usual.get(each.name, made):
            plain[each.name] = _plain(value)
    return plain


def _plain(value: object) -> object:
    if isinstance(value, tuple):
        return tuple(map(_plain, _entries(value)))
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in cast("Values", value).items()}
    return plain_from(value) if is_dataclass(value) and not isinstance(value, type) else value


def _plain_interval(interval: Interval) -> dict[str, object]:
    plain: dict[str, object] = {"frames": (interval.first, interval.last)}
    if interval.ease_in or interval.ease_out:
        same = interval.ease_in == interval.ease_out
        plain["ease"] = interval.ease_in if same else (interval.ease_in, interval.ease_out)
    return plain
