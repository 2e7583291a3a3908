"""Names of files in a recipe: which values they are, and the folder that they are seen from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import cast

from poise.job.error_context import Location
from poise.job.recipe import HUMAN, SUGGESTED

FILE_KEYS = frozenset(
    {
        "clip",
        "file",
        "to",
        "mapping",
        "roles",
        "skeleton",
        "contacts",
        "pattern",
        "environment",
        "body",
    }
)
"""Last keys of values that are files to read, where the value is text."""


def names_file(location: Location, value: str) -> bool:
    """Whether the text at a place of a recipe is the name of a file, to read or to write."""
    match location:
        case ("clip",) | ("clip", "file" | "skeleton") | ("character", "roles" | "to" | "mapping"):
            return True
        case ("character", "body"):
            return value != HUMAN
        case ("environment",):
            return value != SUGGESTED
        case ("clip", "stand_in", "set", str(path), *inner):
            last = [*path.split("."), *inner][-1]
            return last in FILE_KEYS and value not in (HUMAN, SUGGESTED)
        case ("environment", *_, "file") | ("steps", _, _, "contacts" | "pattern"):
            return True
        case ("outputs", key):
            return key not in ("layout", "root_motion")
        case _:
            return False


def with_files(value: object, renamed: Callable[[str], str], location: Location = ()) -> object:
    """Plain values of a recipe, or of the part at a location, with other names for its files."""
    if isinstance(value, Mapping):
        items = cast("Mapping[str, object]", value).items()
        return {key: with_files(each, renamed, (*location, key)) for key, each in items}
    if isinstance(value, list | tuple):
        listed = enumerate(cast("Sequence[object]", value))
        return [with_files(each, renamed, (*location, i)) for i, each in listed]
    if isinstance(value, str) and value and names_file(location, value):
        return renamed(value)
    return value


def seen_from(folder: Path, value: object, location: Location) -> object:
    """A value for a place of a recipe, with files as they are seen from a folder."""
    return with_files(value, lambda name: str(folder / name), location)


def named_files(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Names of the files that plain values of a recipe read, each with its place, with dots."""
    for key in values:
        if key == "outputs":
            continue
        found: list[tuple[Location, str]] = []
        _collect(values[key], (key,), found)
        yield from ((".".join(map(str, where)), name) for where, name in found)


def _collect(value: object, location: Location, found: list[tuple[Location, str]]) -> None:
    if isinstance(value, Mapping):
        for key, each in cast("Mapping[str, object]", value).items():
            _collect(each, (*location, key), found)
    elif isinstance(value, list | tuple):
        for index, each in enumerate(cast("Sequence[object]", value)):
            _collect(each, (*location, index), found)
    elif isinstance(value, str) and names_file(location, value):
        found.append((location, value))
