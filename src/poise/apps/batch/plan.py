"""What is left to do: clips that are new, have changed, or whose recipe or results have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from poise.apps.batch.entry import Entry
from poise.apps.batch.fingerprint import Fingerprint, unread_fingerprint
from poise.apps.batch.journal import Journal
from poise.apps.batch.journal_row import DONE
from poise.apps.batch.library import Library
from poise.apps.batch.naming import Naming
from poise.apps.batch.one_clip import OutputFile, Row, files_of
from poise.apps.batch.result_check import ResultCheck, check_result
from poise.execution import Executor, Limits


@dataclass(frozen=True)
class Task:
    """A clip that is to be done."""

    entry: Entry
    old: Mapping[str, OutputFile] = field(default_factory=dict[str, OutputFile])
    """Files of an earlier run, by their names."""


@dataclass(frozen=True)
class Plan:
    """What a run of a batch has to do."""

    tasks: tuple[Task, ...]
    """Largest first: a long clip that came last would have the others wait for it."""
    kept: Counter[str]
    """How many are done already, by how they ended."""
    gone: int
    """Clips of earlier runs that the library no longer has; their results stay."""


@dataclass(frozen=True)
class _Former:
    """What is needed of the row of an earlier run."""

    status: str
    fingerprint: Fingerprint
    files: Mapping[str, OutputFile]
    may_hold: bool
    """Whether nothing but the content of files can tell that it is out of date."""


def plan(
    library: Library,
    order: str,
    journal: Journal,
    naming: Naming,
    folder: Path,
    limits: Limits,
    reader: Executor,
    *,
    retry: bool = False,
    watch: Callable[[int], None] | None = None,
) -> Plan:
    """Compare what there is with what has been done by an order of this hash.

    Clips and results are read by the workers of `reader`: no file ends more than one of them. What
    took too much under lesser limits is tried again; with `retry`, all that failed. `watch` is told
    how many results have been looked at.
    """

    def may_hold(row: Row, entry: Entry) -> bool:
        if not entry.changes and row["recipe_sha256"] != order:
            return False
        if row["status"] in DONE:
            return _is_named(row, naming.files(entry.name))
        return not (retry or row.get("passing") or _allowed_more(row, limits))

    entries = {entry.name: entry for entry in library.entries}
    former: dict[str, _Former] = {}
    gone: set[str] = set()
    for row in journal.rows():  # the last of a clip counts
        entry = entries.get(row["clip"])
        if entry is None:
            gone.add(row["clip"])
            continue
        made = Fingerprint(row["input_sha256"], row["recipe_sha256"])
        held = may_hold(row, entry)
        former[entry.name] = _Former(row["status"], made, files_of(row), held)
    looked = [(entries[name], each) for name, each in former.items() if each.may_hold]
    kept: dict[str, str] = {}
    for entry, each in _holding(looked, order, folder, reader, watch):
        kept[entry.name] = each.status
    left = sorted(
        (entry for entry in library.entries if entry.name not in kept),
        key=lambda entry: (-entry.size, entry.name),
    )
    tasks = [Task(e, former[e.name].files if e.name in former else {}) for e in left]
    return Plan(tuple(tasks), Counter(kept.values()), len(gone))


def _holding(
    looked: list[tuple[Entry, _Former]],
    order: str,
    folder: Path,
    reader: Executor,
    watch: Callable[[int], None] | None,
) -> Iterable[tuple[Entry, _Former]]:
    """Those whose clip, recipe and results have the content that their rows say."""
    if not looked:  # no worker is started for nothing
        return
    whole = folder.absolute()
    jobs = (
        ResultCheck(str(e.path), order, e.changes, str(whole), tuple(former.files.values()))
        for e, former in looked
    )
    for number, ended in enumerate(reader.run(check_result, jobs), 1):
        entry, former = looked[ended.index]
        if ended.how == "done" and ended.value is not None:
            found, is_whole = ended.value.fingerprint, ended.value.is_whole
        else:  # it is no better than when it was done, if it did not survive that either
            found = unread_fingerprint(entry.path, order, entry.changes)
            is_whole = former.status not in DONE
        if is_whole and found == former.fingerprint:
            yield entry, former
        if watch is not None:
            watch(number)


def _is_named(row: Row, files: Iterable[tuple[str, str]]) -> bool:
    """Whether results are called as they would be now."""
    names = dict(files)
    return all(names.get(k) == each["file"] for k, each in (row.get("outputs") or {}).items())


def _allowed_more(row: Row, limits: Limits) -> bool:
    """Whether a clip that took too much may take more now."""
    was, status = row.get("limit"), row["status"]
    if was is None or status not in ("out_of_time", "out_of_memory"):
        return False
    now = limits.seconds if status == "out_of_time" else limits.memory_bytes
    return now is None or now > was
