"""What was done to a document, to be taken back and done again; on disk after every change."""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar, cast

from poise.errors import FileProblem
from poise.formats import atomic_write, os_problem, read_bytes

T = TypeVar("T")


class Kept(Generic[T]):
    """Things by key, up to so many bytes in all; the last is kept however large it is."""

    def __init__(self, most_bytes: int, size_of: Callable[[T], int]) -> None:
        self._most, self._size_of = most_bytes, size_of
        self._things: OrderedDict[str, T] = OrderedDict()
        self._bytes = 0

    def get(self, key: str) -> T | None:
        """What is kept; to ask for it is to use it."""
        found = self._things.get(key)
        if found is not None:
            self._things.move_to_end(key)
        return found

    def put(self, key: str, thing: T) -> None:
        """Keep something."""
        if key in self._things:
            self._bytes -= self._size_of(self._things.pop(key))
        self._things[key] = thing
        self._bytes += self._size_of(thing)
        while self._bytes > self._most and len(self._things) > 1:
            _, old = self._things.popitem(last=False)
            self._bytes -= self._size_of(old)


FILE = "document.json"
MOST_EDITS = 200
"""That can be taken back."""


@dataclass(frozen=True)
class Edit:
    """A state of the recipe, and what led to it."""

    recipe: Mapping[str, object]
    label: str
    merge: str = ""


class History:
    """The states of a recipe."""

    def __init__(self, folder: Path, name: str, recipe: Mapping[str, object]) -> None:
        self.folder = folder
        self.name = name
        self._edits = [Edit(recipe, "open")]
        self._now = 0
        self._stamp: tuple[int, int] | None = None

    @staticmethod
    def read(folder: Path) -> History:
        """As it was left.

        Raises:
            FileProblem: a file that is not one of ours.
        """
        path = folder / FILE
        try:
            said = json.loads(read_bytes(path))
            edits = [Edit(each["recipe"], each["label"], each["merge"]) for each in said["edits"]]
            made = History(folder, str(said["name"]), edits[0].recipe)
            made._edits, made._now = edits, int(said["now"])
            if not all(isinstance(each["recipe"], dict) for each in said["edits"]):
                raise TypeError("a recipe that is none")
            if not 0 <= made._now < len(edits):
                raise IndexError(f"edit {made._now} of {len(edits)}")
        except (
            ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError
        ) as problem:  # fmt: skip
            raise FileProblem(FILE, "a document of the studio", str(problem)[:200]) from None
        made._stamp = made._on_disk()
        return made

    @property
    def recipe(self) -> Mapping[str, object]:
        """As it is now."""
        return self._edits[self._now].recipe

    @property
    def undo_label(self) -> str:
        """What would be taken back; empty: nothing."""
        return self._edits[self._now].label if self._now > 0 else ""

    @property
    def redo_label(self) -> str:
        """What would be done again; empty: nothing."""
        return self._edits[self._now + 1].label if self._now + 1 < len(self._edits) else ""

    def add(self, recipe: Mapping[str, object], label: str, merge: str = "") -> None:
        """A new state; what was taken back before is gone."""
        edits = self._edits[: self._now + 1]
        last = edits[-1]
        if merge and last.merge == merge and self._now > 0:
            edits[-1] = Edit(recipe, label, merge)
        elif recipe != last.recipe:
            edits.append(Edit(recipe, label, merge))
        if len(edits) > MOST_EDITS:
            del edits[1 : len(edits) - MOST_EDITS + 1]
        self._save(edits, len(edits) - 1)

    def go(self, by: int) -> bool:
        """Back (-1) or on (1) by one edit; False when there is nothing."""
        if not 0 <= self._now + by < len(self._edits):
            return False
        self._save(self._edits, self._now + by)
        return True

    def save(self) -> None:
        """Put it on disk, whole.

        Raises:
            FileProblem: what the system refuses.
        """
        self._save(self._edits, self._now)

    @property
    def is_as_left(self) -> bool:
        """Whether nobody else has written to it since."""
        return self._on_disk() in (None, self._stamp)  # one that is gone is written again

    def _on_disk(self) -> tuple[int, int] | None:
        try:
            status = (self.folder / FILE).stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _save(self, edits: list[Edit], now: int) -> None:
        """What is not on disk has not happened."""
        if self._stamp is not None and not self.is_as_left:
            found = "that another poise studio has changed it"
            raise FileProblem(FILE, "a document that nobody else works on", found,
                              advice="Open it again.")  # fmt: skip
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as refused:
            raise os_problem(self.folder, refused, "write") from None
        said = {
            "name": self.name,
            "now": now,
            "changed": datetime.now(UTC).isoformat(timespec="seconds"),
            "edits": [vars(each) for each in edits],
        }
        atomic_write(self.folder / FILE, json.dumps(said).encode())
        self._stamp = self._on_disk()
        self._edits, self._now = edits, now


Steps = Sequence[Mapping[str, Mapping[str, object] | None]]
"""Of a recipe in plain values: the method of each, and its content."""


def steps_of(recipe: Mapping[str, object]) -> Steps:
    """The steps of a recipe that was read before, or may have been."""
    return cast("Steps", recipe.get("steps") or ())


def key_of(recipe: Mapping[str, object]) -> str:
    """What results depend on: all but words and the names of outputs."""
    counts = {key: value for key, value in recipe.items() if key not in ("about", "outputs")}
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:24]
