"""The files that a recipe names, in plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast

_KEYS = {
    "clip", "file", "to", "mapping", "roles", "skeleton", "contacts", "pattern", "environment",
}  # fmt: skip


def is_file_key(key: str) -> bool:
    """Whether a text under this key is the name of a file."""
    return key in _KEYS


def named_files(values: Any, location: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """All names of files, each with where it stands, with dots."""
    if isinstance(values, Mapping):
        for key, each in cast("Mapping[str, Any]", values).items():
            yield from named_files(each, (*location, key))
    elif isinstance(values, list | tuple):
        for index, each in enumerate(cast("list[Any]", values)):
            yield from named_files(each, (*location, str(index)))
    elif isinstance(values, str) and location and is_file_key(location[-1]):
        yield ".".join(location), values
