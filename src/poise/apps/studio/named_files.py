"""The files that a recipe names, in plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, cast

_KEYS = {
    "clip", "file", "to", "mapping", "roles", "skeleton", "contacts", "pattern", "environment",
}  # fmt: skip


def is_below(name: str) -> bool:
    """Whether a name can be that of a file below a folder, by its letters alone.

    Asked before the system is: on Windows, to look at a name of another machine is to call it.
    """
    path = Path(name)
    return not (path.is_absolute() or path.drive or name.startswith(("//", "\\\\")))


def is_file_key(key: str) -> bool:
    """Whether a text under this key is the name of a file."""
    return key in _KEYS


def named_files(values: Any, location: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """All names of files that are read, each with where it stands, with dots."""
    if isinstance(values, Mapping):
        for key, each in cast("Mapping[str, Any]", values).items():
            if location or key != "outputs":
                yield from named_files(each, (*location, key))
    elif isinstance(values, list | tuple):
        for index, each in enumerate(cast("list[Any]", values)):
            yield from named_files(each, (*location, str(index)))
    elif isinstance(values, str) and location and is_file_key(location[-1]):
        yield ".".join(location), values
