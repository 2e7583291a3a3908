"""What is left to do: clips that are new, have changed, or whose recipe has."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from poise.apps.batch.fingerprint import clip_hash, with_changes
from poise.apps.batch.journal import Journal
from poise.apps.batch.library import Entry, Library
from poise.apps.batch.one_clip import Row, files_of
from poise.apps.batch.output_folder import Naming
from poise.execution import Limits

DONE = ("met", "not_met")
"""Ends of clips whose files are written."""


@dataclass(frozen=True)
class Task:
    """A clip that is to be done."""

    entry: Entry
    recipe_sha256: str
    old: Mapping[str, str] = field(default_factory=dict[str, str])
    """Files of an earlier run and their hashes."""


@dataclass(frozen=True)
class Plan:
    """What a run of a batch has to do."""

    tasks: tuple[Task, ...]
    """Largest first: a long clip that came last would have the others wait for it."""
    kept: Counter[str]
    """How many are done already, by how they ended."""
    gone: int
    """Clips of earlier runs that the library no longer has; their results stay."""


def plan(
    library: Library,
    order: str,
    journal: Journal,
    naming: Naming,
    folder: Path,
    limits: Limits,
    *,
    retry: bool = False,
    watch: Callable[[int], None] | None = None,
) -> Plan:
    """Compare what there is with what has been done by an order of this hash.

    What took too much under lesser limits is tried again; with `retry`, all that failed. `watch` is
    told how many clips have been looked at.
    """

    def still_holds(row: Row, entry: Entry) -> bool:
        if row.get("recipe_sha256") != with_changes(order, entry.changes):
            return False
        if row["status"] not in DONE:
            if retry or row.get("passing") or _allowed_more(row, limits):
                return False
        elif not _in_place(row, naming.files(entry.name), folder):
            return False
        return row.get("input_sha256") == clip_hash(entry.path)

    entries = {entry.name: entry for entry in library.entries}
    kept: dict[str, str] = {}
    old: dict[str, dict[str, str]] = {}
    gone: set[str] = set()
    for number, row in enumerate(journal.rows(), 1):
        name = row["clip"]
        kept.pop(name, None)
        old.pop(name, None)
        entry = entries.get(name)
        if entry is None:
            gone.add(name)
        elif still_holds(row, entry):
            kept[name] = row["status"]
        else:
            old[name] = files_of(row)
        if watch is not None:
            watch(number)
    left = sorted(
        (entry for entry in library.entries if entry.name not in kept),
        key=lambda entry: (-entry.size, entry.name),
    )
    tasks = [Task(e, with_changes(order, e.changes), old.get(e.name, {})) for e in left]
    return Plan(tuple(tasks), Counter(kept.values()), len(gone))


def _in_place(row: Row, files: Iterable[tuple[str, str]], folder: Path) -> bool:
    names = dict(files)
    return all(
        names.get(key) == each["file"] and (folder / each["file"]).is_file()
        for key, each in (row.get("outputs") or {}).items()
    )


def _allowed_more(row: Row, limits: Limits) -> bool:
    """Whether a clip that took too much may take more now."""
    was, status = row.get("limit"), row["status"]
    if was is None or status not in ("out_of_time", "out_of_memory"):
        return False
    now = limits.seconds if status == "out_of_time" else limits.memory_bytes
    return now is None or now > was
