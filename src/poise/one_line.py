"""What records show of themselves in a console: one line that tells what matters, never an array.

Packages call `show_records(globals())` at their end: every record that they export and that does
not say how it looks itself gets `one_line` for its `repr`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, cast

import numpy as np

WIDEST = 100
"""Characters; what is longer ends in an ellipsis."""
_WORDS = 32
"""Characters of a text among others."""
_FEW = 3
"""Longer lists are counted."""
_SMALL = 4
"""Numbers of an array that is shown: a place, a quaternion."""


def show_records(names: Mapping[str, object]) -> None:
    """Give the records of a package their one line.

    Args:
        names: what it exports (`globals()`).
    """
    for value in names.values():
        if isinstance(value, type) and _is_bare(value):
            setattr(value, "__repr__", one_line)  # noqa: B010


def one_line(record: object) -> str:
    """`<HoldPoint reach: point='left_wrist', place_m=(0.3, 1.4, 2.6), ...>`: what is not usual."""
    told: list[str] = []
    name = ""
    for key, value, is_usual in _values(record):
        if key == "name" and isinstance(value, str):
            name = f" {short(value)}" if value else ""
        elif not is_usual:
            told.append(f"{key}={_shown(value)}")
    return framed(f"{type(record).__name__}{name}", ", ".join(told))


def framed(title: str, text: str) -> str:
    """`<title: text>`, cut where it is too long."""
    whole = " ".join(f"{title}: {text}".split()) if text else title
    return f"<{whole}>" if len(whole) <= WIDEST - 2 else f"<{whole[: WIDEST - 3]}…>"


def short(text: str, most: int = _WORDS) -> str:
    """A text on one line, cut where it is too long."""
    plain = " ".join(text.split())
    plain = plain if plain.isprintable() else plain.encode("unicode_escape").decode("ascii")
    return plain if len(plain) <= most else f"{plain[: most - 1]}…"


def _values(record: object) -> list[tuple[str, object, bool]]:
    """Fields, their values, and whether those are the usual ones."""
    if not is_dataclass(record):
        row = cast("Any", record)
        return [(key, getattr(row, key), False) for key in row._fields]
    shown = (each for each in fields(record) if each.repr)
    return [(f.name, v, _is_usual(f, v)) for f in shown for v in (getattr(record, f.name),)]


def _is_usual(field: Field[Any], value: object) -> bool:
    usual = field.default
    if usual is MISSING and field.default_factory is not MISSING:
        usual = field.default_factory()
    if isinstance(value, np.ndarray) or isinstance(usual, np.ndarray):
        return bool(np.size(cast("Any", value)) == 0)
    return usual is not MISSING and (value is usual or bool(value == usual))


def _shown(value: object) -> str:
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.size <= _SMALL:
            return f"({', '.join(map(_shown, value.tolist()))})"
        return f"{value.dtype}{list(value.shape)}"
    if isinstance(value, str):
        return f"'{short(value)}'"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, bytes):
        return f"{len(value)} bytes"
    if is_dataclass(value) or callable(value) or hasattr(value, "_fields"):
        return value.__name__ if isinstance(value, type) else type(value).__name__
    if isinstance(value, Mapping):
        return f"{len(cast('Mapping[Any, Any]', value))} keys"
    if isinstance(value, list | tuple | set | frozenset):
        every = tuple(cast("tuple[object, ...]", value))
        if len(every) > _FEW or any(isinstance(each, np.ndarray) for each in every):
            return f"{len(every)} items"
        return f"({', '.join(map(_shown, every))})"
    return short(repr(value))


def _is_bare(kind: type) -> bool:
    """Whether a class is a record that says nothing about how it looks."""
    if is_dataclass(kind):
        # What `dataclass` writes is wrapped, against records that hold themselves.
        return hasattr(kind.__dict__.get("__repr__"), "__wrapped__")
    return issubclass(kind, tuple) and hasattr(kind, "_fields")
