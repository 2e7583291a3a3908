"""A line of the journal as a row, if it is one in all that is read of it later.

The folder of results may come from anywhere, so nothing in it is taken on trust: not types, not
sizes, and least of all names of files, which are moved and deleted when a clip is done again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import PurePosixPath
from typing import cast

from poise.apps.batch.entry import stem_of
from poise.apps.batch.library import BOOKS
from poise.apps.batch.one_clip import Row

MOST_CHARACTERS = 2**22
"""Of a line: a row has a few thousand."""

MOST_BYTES = 2**33
"""Of an output: a clip that can be read is far smaller."""

DONE = ("met", "not_met")
"""Ends of clips whose files are written."""
FAILED = ("refused", "bug", "crashed", "out_of_time", "out_of_memory")
"""Ends of clips that have no files."""

_REQUIRED = ("clip", "status", "reason", "poise", "input_sha256", "recipe_sha256")
_OUTPUT_KEYS = ("file", "bytes", "sha256")
_LARGEST = 1e300


def row_from(line: str) -> Row | None:
    """The row of a line; None where it is none."""
    if not line.endswith("\n"):
        return None
    try:
        row = json.loads(line, parse_constant=_refused)
    except (ValueError, RecursionError):
        return None
    if not isinstance(row, dict):
        return None
    given = cast("dict[str, object]", row)
    if any(key not in given for key in _REQUIRED):
        return None
    if not all(is_right(given[key]) for key, is_right in _KINDS.items() if key in given):
        return None
    clip, outputs = str(given["clip"]), cast("dict[str, object]", given.get("outputs", {}))
    if not all(_is_output(each, clip) for each in outputs.values()):
        return None
    # One that claims a result without a file has none.
    return cast(Row, row) if given["status"] in FAILED or "clip" in outputs else None


def is_result_name(name: str, clip: str) -> bool:
    """Whether a file below the folder may be a result of a clip, by its letters alone.

    Results are called as their clip is, with another ending (see `Naming`). On Windows even to look
    at some names is to call another machine, so the system is not asked.
    """
    try:
        os.fsencode(name)
    except UnicodeError:
        return False
    path = PurePosixPath(name)
    is_plain = path.as_posix() == name and not path.is_absolute() and ".." not in path.parts
    if "\0" in name or not is_plain or name.lower() in BOOKS:
        return False
    if os.name == "nt" and ("\\" in name or ":" in name):
        return False
    rest = name.removeprefix(stem_of(clip))
    return rest != name and rest.startswith(".") and "/" not in rest


def _is_output(found: object, clip: str) -> bool:
    if not isinstance(found, dict):
        return False
    file, size, digest = (cast("dict[str, object]", found).get(k) for k in _OUTPUT_KEYS)
    return (
        isinstance(file, str)
        and isinstance(digest, str)
        and type(size) is int
        and 0 <= size <= MOST_BYTES
        and is_result_name(file, clip)
    )


def _is_text(found: object) -> bool:
    return isinstance(found, str)


def _is_number(found: object) -> bool:
    return type(found) in (int, float) and abs(cast(float, found)) < _LARGEST


def _is_number_or_none(found: object) -> bool:
    return found is None or _is_number(found)


def _is_flag(found: object) -> bool:
    return isinstance(found, bool)


def _is_list_of_text(found: object) -> bool:
    return isinstance(found, list) and all(map(_is_text, cast("list[object]", found)))


def _is_table(found: object) -> bool:
    return isinstance(found, dict)


def _is_table_of_numbers(found: object) -> bool:
    if not isinstance(found, dict):
        return False
    return all(map(_is_number_or_none, cast("Mapping[str, object]", found).values()))


def _is_table_of_text(found: object) -> bool:
    if not isinstance(found, dict):
        return False
    return all(map(_is_text, cast("Mapping[str, object]", found).values()))


_KINDS: dict[str, Callable[[object], bool]] = {
    **dict.fromkeys(("clip", "reason", "input_sha256", "poise"), _is_text),
    **dict.fromkeys(("recipe_sha256", "finished"), _is_text),
    "status": lambda found: found in (*DONE, *FAILED),
    **dict.fromkeys(("frames", "rate_hz", "seconds", "attempts", "peak_mb"), _is_number),
    **dict.fromkeys(("before", "after", "stages_s"), _is_table_of_numbers),
    "unknown": _is_table_of_text,
    "outputs": _is_table,
    "notes": _is_list_of_text,
    "passing": _is_flag,
    "limit": _is_number_or_none,
}
"""What is read of a row, and what it is to be."""


def _refused(constant: str) -> None:
    raise ValueError(constant)
