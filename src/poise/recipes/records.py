"""From the plain values of a recipe to records, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar

from poise.constraints import Interval
from poise.recipes.models import has_interval, hints_of, is_moment, record_inside
from poise.recipes.recipe import Wish
from poise.recipes.timing import ALL, IN_SECONDS, Clock
from poise.recipes.vocabulary import Vocabulary

T = TypeVar("T")


def record_from(record: type[T], values: Mapping[str, Any], clock: Clock | None = None) -> T:
    """A dataclass from checked plain values; what is left out has its default.

    Args:
        record: the dataclass.
        values: what `models.model_of(record)` has let through.
        clock: how seconds become frames; without one there may be no times among the values.

    Raises:
        PoiseError: what the record itself refuses.
    """
    given: dict[str, Any] = {}
    for name, hint in hints_of(record).items():
        in_seconds = IN_SECONDS.get(name, "")
        if has_interval(hint):
            if any(values.get(key) is not None for key in ("frames", "seconds")):
                assert clock is not None
                given[name] = clock.interval(values)
        elif is_moment(name, hint) and values.get(in_seconds) is not None:
            assert clock is not None
            given[name] = clock.frame(values[in_seconds])
        elif name in values:
            given[name] = _built(hint, values[name], clock)
    return record(**given)


def settings_from(method: str, values: Mapping[str, Any], words: Vocabulary) -> Any:
    """A method's settings: those given, and for the rest those of the preset.

    Raises:
        PoiseError: what the settings refuse.
    """
    record = words.settings(method)
    preset = words.preset(method, values.get("preset", getattr(record, "preset", None)))
    return record_from(record, {**preset, **values})


def _built(hint: Any, value: Any, clock: Clock | None) -> Any:
    inner = record_inside(hint)
    if inner is not None and isinstance(value, Mapping):
        return record_from(inner, value, clock)
    if inner is not None and isinstance(value, tuple):
        return tuple(record_from(inner, each, clock) for each in value)
    return value


def constraint_from(wish: Wish, words: Vocabulary, clock: Clock) -> Any:
    """The constraint record a wish stands for in a clip."""
    return record_from(words.constraints[wish.kind], wish.values, clock)


def wish_from(constraint: Any, words: Vocabulary) -> Wish:
    """A constraint record as a recipe says it, in frames."""
    return Wish(words.kind_of(constraint), plain_from(constraint))


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
        if isinstance(value, Interval):
            plain |= _plain_interval(value)
        elif value != usual.get(each.name, _default(each)):
            plain[each.name] = _plain(value)
    return plain


def _default(each: Field[Any]) -> Any:
    """What a field has when nothing is said; nothing equals it when it has none."""
    if each.default_factory is not MISSING:
        return each.default_factory()
    return each.default


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_plain(each) for each in value)
    if isinstance(value, Mapping):
        return {key: _plain(each) for key, each in value.items()}
    return plain_from(value) if is_dataclass(value) else value


def _plain_interval(interval: Interval) -> dict[str, Any]:
    plain: dict[str, Any] = {"frames": (interval.first, interval.last)}
    if interval.ease_in or interval.ease_out:
        same = interval.ease_in == interval.ease_out
        plain["ease"] = interval.ease_in if same else (interval.ease_in, interval.ease_out)
    return plain


def clock_for_trial(record: type, values: Mapping[str, Any]) -> Clock | None:
    """A clock under which a record can be tried before a clip is known.

    None when frames and seconds are mixed: only a clip can say how they relate.
    """
    mixed = {"frames", "seconds"} <= _times(record, values)
    return None if mixed else Clock(_TRIAL_RATE_HZ, _TRIAL_FRAMES)


_TRIAL_RATE_HZ = 1000.0
"""Fine enough that rounding to frames decides nothing."""
_TRIAL_FRAMES = 10**9
"""Longer than any interval that a recipe can hold."""


def _times(record: type, values: Mapping[str, Any]) -> set[str]:
    """Which of "frames" and "seconds" the times of a record are given in."""
    found: set[str] = set()
    for name, hint in hints_of(record).items():
        pairs: tuple[tuple[str, str], ...] = ()
        if has_interval(hint):
            pairs = (("frames", "seconds"), ("ease", "ease_seconds"))
        elif is_moment(name, hint):
            pairs = ((name, IN_SECONDS[name]),)
        for frames, seconds in pairs:
            found |= {"seconds"} if values.get(seconds) is not None else set()
            found |= {"frames"} if values.get(frames) not in (None, ALL) else set()
        inner, value = record_inside(hint), values.get(name)
        for each in value if isinstance(value, tuple) else (value,):
            if inner is not None and isinstance(each, Mapping):
                found |= _times(inner, each)
    return found
