"""Documents as earlier versions wrote them: one JSON file, written anew with every edit."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from poise.errors import FileProblem
from poise.formats import read_bytes

OLD_FILE = "document.json"


@dataclass(frozen=True)
class OldEdit:
    """A state of the recipe, and what led to it."""

    recipe: Mapping[str, object]
    label: str
    merge: str


@dataclass(frozen=True)
class OldHistory:
    """What such a file holds."""

    name: str
    now: int
    changed: str
    edits: tuple[OldEdit, ...]


def read_old(folder: Path) -> OldHistory:
    """One of them.

    Raises:
        FileProblem: a file that is not one of ours.
    """
    try:
        said = json.loads(read_bytes(folder / OLD_FILE))
        edits = tuple(
            OldEdit(each["recipe"], str(each["label"]), str(each["merge"]))
            for each in said["edits"]
        )
        if not all(isinstance(each["recipe"], dict) for each in said["edits"]):
            raise TypeError("a recipe that is none")
        found = OldHistory(str(said["name"]), int(said["now"]), str(said["changed"]), edits)
        if not 0 <= found.now < len(edits):
            raise IndexError(f"edit {found.now} of {len(edits)}")
    except (
        ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError
    ) as problem:  # fmt: skip
        raise FileProblem(OLD_FILE, "a document of the studio", str(problem)[:200]) from None
    return found
