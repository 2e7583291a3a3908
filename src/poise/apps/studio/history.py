"""What was done to a document, to be taken back and done again; on disk after every change."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, TypeVar, cast

from poise.apps.studio.edit_log import Log, Record
from poise.apps.studio.old_history import OLD_FILE, read_old
from poise.errors import FileProblem

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


FILE = "edits.log"
MOST_EDITS = 200
"""That can be taken back."""

_LEAST_WASTE_BYTES = 16 * 2**20
"""Of edits that nothing leads back to; with less of them the file is not written anew."""


@dataclass(frozen=True)
class Edit:
    """A state of the recipe, and what led to it; the recipe itself is on disk."""

    label: str
    merge: str
    record: Record


@dataclass(frozen=True)
class Glance:
    """What there is to know of a document without reading its recipes."""

    name: str
    edits: int
    """That led to its state."""
    changed: str
    """When, as ISO time."""
    is_touched: bool
    """Whether anything was ever done to it."""


class History:
    """The states of a recipe; only the one that is shown is in memory."""

    def __init__(self, folder: Path, name: str, recipe: Mapping[str, object]) -> None:
        """A new one, which is on disk with the first `save` or `add`."""
        self.folder = folder
        self.name = name
        self.note = ""
        """What was found when it was read; empty: nothing to say."""
        self.recipe = recipe
        """As it is now."""
        self._log = Log(folder / FILE)
        self._edits: list[Edit] = []
        self._now = 0
        self._stamp: tuple[int, int] | None = None

    @staticmethod
    def read(folder: Path) -> History:
        """As it was left.

        Raises:
            FileProblem: a file that is not one of ours.
        """
        made = History(folder, "", {})
        if not made._log.path.is_file() and (folder / OLD_FILE).is_file():
            return made._from_old()
        records = made._log.read()
        try:
            made.name, made._edits, made._now = _replayed(records)
            made.recipe = made._recipe(made._now)
        except (ValueError, KeyError, TypeError, IndexError, RecursionError) as problem:
            raise FileProblem(FILE, "a document of the studio", str(problem)[:200]) from None
        if made._log.torn:
            made.note = (
                f"The last change of '{made.name}' was not whole on disk, as the studio was ended "
                "while writing it. It is left out; everything before it is here."
            )
        made._stamp = made._on_disk()
        return made

    @staticmethod
    def glance(folder: Path) -> Glance:
        """Without its recipes.

        Raises:
            FileProblem: a file that is not one of ours.
        """
        log = Log(folder / FILE)
        if not log.path.is_file():
            old = read_old(folder)
            return Glance(old.name, old.now, old.changed, len(old.edits) > 1)
        records = log.read()
        try:
            name, edits, now = _replayed(records)
            changed = str(records[-1].head["at"])
        except (ValueError, KeyError, TypeError, IndexError) as problem:
            raise FileProblem(FILE, "a document of the studio", str(problem)[:200]) from None
        return Glance(name, now, changed, len(edits) > 1)

    @property
    def undo_label(self) -> str:
        """What would be taken back; empty: nothing."""
        return self._edits[self._now].label if self._now > 0 else ""

    @property
    def redo_label(self) -> str:
        """What would be done again; empty: nothing."""
        return self._edits[self._now + 1].label if self._now + 1 < len(self._edits) else ""

    def add(self, recipe: Mapping[str, object], label: str, merge: str = "") -> None:
        """A new state; what was taken back before is gone.

        Raises:
            BadValue: too large to be kept.
            FileProblem: what the system refuses; what is not on disk has not happened.
        """
        self._prepare()
        last = self._edits[self._now]
        replaces = bool(merge) and last.merge == merge and self._now > 0
        if not replaces and recipe == self.recipe:
            return
        head = {"edit": label, "merge": merge, "replaces": replaces, "at": _time()}
        record = self._append(head, _packed(recipe))
        self._edits = _with(self._edits, self._now, Edit(label, merge, record), replaces)
        self._now = len(self._edits) - 1
        self.recipe = recipe
        self._tidy()

    def go(self, by: int) -> bool:
        """Back (-1) or on (1) by one edit; False when there is nothing.

        Raises:
            FileProblem: what the system refuses, or a state that is damaged on disk.
        """
        if not 0 <= self._now + by < len(self._edits):
            return False
        self._prepare()
        if not 0 <= self._now + by < len(self._edits):
            return False
        recipe = self._recipe(self._now + by)
        self._append({"now": self._now + by, "at": _time()})
        self._now += by
        self.recipe = recipe
        return True

    def save(self) -> None:
        """Put a new one on disk.

        Raises:
            BadValue: too large to be kept.
            FileProblem: what the system refuses.
        """
        self._prepare()

    @property
    def is_as_left(self) -> bool:
        """Whether nobody else has written to it since."""
        return self._on_disk() in (None, self._stamp)  # one that is gone is written again

    def _on_disk(self) -> tuple[int, int] | None:
        try:
            status = self._log.path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _recipe(self, index: int) -> Mapping[str, object]:
        said = json.loads(self._log.content(self._edits[index].record))
        if not isinstance(said, dict):
            raise TypeError("a recipe that is none")
        return cast("dict[str, object]", said)

    def _prepare(self) -> None:
        """Have a file that can be appended to: the one that was read, or a new one."""
        found = self._on_disk()
        if found is None:
            head = {"edit": "open", "merge": "", "at": _time()}
            self._put([(head, _packed(self.recipe))], now=0)
        elif found != self._stamp:
            problem = "that another program has changed it"
            raise FileProblem(FILE, "a document that nobody else works on", problem,
                              advice="Open it again.")  # fmt: skip

    def _append(self, head: Mapping[str, object], content: bytes = b"") -> Record:
        try:
            return self._log.append(head, content)
        finally:
            self._stamp = self._on_disk()

    def _put(self, edits: Iterable[tuple[Mapping[str, object], bytes]], now: int) -> None:
        """A file of these edits alone, in place of what there is."""

        def records() -> Iterator[tuple[Mapping[str, object], bytes]]:
            yield {"poise_edits": 1, "name": self.name, "at": _time()}, b""
            yield from edits
            yield {"now": now, "at": _time()}, b""

        _, self._edits, self._now = _replayed(self._log.begin(records()))
        self._stamp = self._on_disk()

    def _from_old(self) -> History:
        """A document of an earlier version, written anew as they are now."""
        old = read_old(self.folder)
        self.name, self.recipe = old.name, old.edits[old.now].recipe
        heads = [{"edit": e.label, "merge": e.merge, "at": old.changed} for e in old.edits]
        self._put(zip(heads, (_packed(e.recipe) for e in old.edits), strict=True), old.now)
        with contextlib.suppress(OSError):
            (self.folder / OLD_FILE).unlink()
        return self

    def _tidy(self) -> None:
        """Leave out what nothing leads back to, once that is most of the file."""
        live = sum(each.record.size for each in self._edits)
        if self._log.end - live <= max(live, _LEAST_WASTE_BYTES):
            return
        with contextlib.suppress(FileProblem):  # then it is as large as it was
            heads = [{**each.record.head, "replaces": False} for each in self._edits]
            contents = (self._log.content(each.record) for each in self._edits)
            self._put(zip(heads, contents, strict=True), self._now)


def _replayed(records: Sequence[Record]) -> tuple[str, list[Edit], int]:
    """Name, states, and which is shown."""
    if not records or records[0].head.get("poise_edits") != 1:
        raise ValueError("another file")
    edits: list[Edit] = []
    now = -1
    for record in records[1:]:
        head = record.head
        if "now" in head:
            now = head["now"]
            if not isinstance(now, int) or not 0 <= now < len(edits):
                raise IndexError(f"edit {now} of {len(edits)}")
            continue
        edit = Edit(str(head["edit"]), str(head["merge"]), record)
        edits = _with(edits, now, edit, bool(head.get("replaces")) and now > 0)
        now = len(edits) - 1
    if not edits:
        raise IndexError("no edits")
    return str(records[0].head["name"]), edits, now


def _with(edits: Sequence[Edit], now: int, edit: Edit, replaces: bool) -> list[Edit]:
    """States after one more edit; of many, the first and the last are kept."""
    kept = [*edits[: now + 1 - replaces], edit]
    if len(kept) > MOST_EDITS:
        del kept[1 : len(kept) - MOST_EDITS + 1]
    return kept


def _packed(recipe: Mapping[str, object]) -> bytes:
    return json.dumps(recipe).encode()


def _time() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


Steps = Sequence[Mapping[str, Mapping[str, object] | None]]
"""Of a recipe in plain values: the method of each, and its content."""


def steps_of(recipe: Mapping[str, object]) -> Steps:
    """The steps of a recipe that was read before, or may have been."""
    return cast("Steps", recipe.get("steps") or ())


def key_of(recipe: Mapping[str, object]) -> str:
    """What results depend on: all but words and the names of outputs."""
    counts = {key: value for key, value in recipe.items() if key not in ("about", "outputs")}
    return hashlib.sha256(json.dumps(counts, sort_keys=True).encode()).hexdigest()[:24]
