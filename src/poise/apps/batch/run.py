"""Leading a batch: hand out clips, put what comes back in its place, write it down."""

from __future__ import annotations

import contextlib
import os
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from poise.apps.batch.fingerprint import (
    files_of_recipe,
    is_file,
    named_files,
    order_hash,
    unread_fingerprint,
)
from poise.apps.batch.journal import Journal, replacing, write_table
from poise.apps.batch.journal_row import FAILED
from poise.apps.batch.library import PAGE, TABLE, Library
from poise.apps.batch.naming import Naming
from poise.apps.batch.one_clip import (
    ClipJob,
    Row,
    files_of,
    fingerprint_left,
    follow_recipe,
)
from poise.apps.batch.order import Order
from poise.apps.batch.output_folder import Room, check_ours
from poise.apps.batch.plan import Plan, Task, plan
from poise.errors import FileProblem
from poise.execution import Ended, Executor, Limits
from poise.formats import read_bytes
from poise.job import Recipe
from poise.version import __version__

MakePage = Callable[[Iterator[Row]], str]


@dataclass(frozen=True)
class Summary:
    """How a batch went."""

    statuses: Counter[str]
    """Of all clips of the library, by how they ended; in this run or before."""
    done: int
    """In this run."""
    left: int
    """Not begun or not ended: it was interrupted."""
    files: tuple[Path, ...]
    """The tables and the page."""

    @property
    def failed(self) -> int:
        """How many have no result."""
        return sum(self.statuses[status] for status in FAILED)


class Batch:
    """One recipe over a library, into a folder."""

    def __init__(
        self,
        library: Library,
        order: Order,
        folder: Path,
        limits: Limits,
        reader: Executor,
        *,
        retry: bool = False,
        dry: bool = False,
        watch: Callable[[int], None] | None = None,
    ) -> None:
        """Look at what there is; from here on the folder is this batch's alone, until it is closed.

        The limits are those of the executor that it will run on. The workers of `reader` look at
        files, of which any may be hostile. A dry one is only to look at the plan: nothing is made
        or locked.

        Raises:
            RecipeProblem: what is wrong with the recipe.
            FileProblem: a folder that is not for this.
        """
        recipe = order.followed_with()
        for path in named_files(recipe):
            if not is_file(path):
                read_bytes(path)  # says what is there instead
        self._order, self._limits = order, limits
        _check_apart(library, folder)
        check_ours(folder)
        self._journal = Journal(folder)
        gone = _files_of_others(self._journal, library)
        self._naming = Naming(library.names, recipe, order.format, order.pages, gone)
        _check_not_written_over(library, folder, self._naming)
        self._order_sha256 = _order_hash(order, recipe, reader)
        self._room = None if dry else Room(folder)
        try:
            self.plan: Plan = plan(
                library, self._order_sha256, self._journal, self._naming, folder, limits, reader,
                retry=retry, watch=watch,
            )  # fmt: skip
        except BaseException:
            self.close()
            raise
        self._statuses = Counter(self.plan.kept)
        self._done = 0

    def run(self, executor: Executor) -> Iterator[Row]:
        """Do what is left; gives the row of each clip when it is written down."""
        room = self._room
        assert room is not None, "a dry batch does not run"
        self._journal.compact()
        jobs = (self._job(room, number, task) for number, task in enumerate(self.plan.tasks))
        with contextlib.closing(executor.run(follow_recipe, jobs)) as endings:
            for ended in endings:
                row = self._row(room, ended)
                # Counted first: whoever interrupts us from here on finds it in the results.
                self._statuses[row["status"]] += 1
                self._done += 1
                self._journal.add(row)
                yield row

    def summary(self, page: MakePage | None = None) -> Summary:
        """Write the tables, and the page over all clips, of what is done so far."""
        self._journal.close()
        self._journal.compact()
        folder = self._journal.path.parent
        files = [self._journal.path, folder / TABLE]
        write_table(self._journal, files[-1])
        if page is not None:
            files.append(folder / PAGE)
            with replacing(files[-1]) as file:
                file.write(page(self._journal.rows()))
        left = len(self.plan.tasks) - self._done
        return Summary(self._statuses, self._done, left, tuple(files))

    def close(self) -> None:
        """Let go of the folder."""
        self._journal.close()
        if self._room is not None:
            self._room.close()

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _job(self, room: Room, number: int, task: Task) -> ClipJob:
        entry = task.entry
        folder = str(room.job_folder(number).absolute())
        files = self._naming.files(entry.name)
        return ClipJob(
            entry.name, str(entry.path), self._order, entry.changes, files, folder,
            self._order_sha256,
        )  # fmt: skip

    def _row(self, room: Room, ended: Ended[ClipJob, Row]) -> Row:
        task = self.plan.tasks[ended.index]
        found = ended.value if ended.how == "done" and ended.value else self._lost(room, ended)
        row: Row = {
            **found,
            "seconds": round(ended.seconds, 4),
            "attempts": ended.attempts,
            "peak_mb": round(ended.peak_bytes / 1e6, 1),
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        }
        try:
            notes = room.place(ended.index, row, task.old)
        except (OSError, FileProblem) as refused:
            room.clear(ended.index)
            reason = str(refused)
            if isinstance(refused, OSError):
                where = f"{refused.filename2 or refused.filename or room.folder}"
                reason = f"{where}: cannot be put in its place: {refused.strerror or refused}"
            return {**row, "status": "refused", "reason": reason, "outputs": {}, "passing": True}
        if notes:
            row["notes"] = [*row.get("notes", ()), *notes]
        return row

    def _lost(self, room: Room, ended: Ended[ClipJob, Row]) -> Row:
        """The row of a clip whose worker could not write one. Nothing of it is read here."""
        job = ended.job
        made = fingerprint_left(room.job_folder(ended.index)) or unread_fingerprint(
            Path(job.path), job.order_sha256, job.changes
        )
        row: Row = {
            "clip": job.name,
            "status": "bug" if ended.how == "raised" else ended.how,
            "reason": " ".join(str(ended.error).split()),
            "input_sha256": made.input_sha256,
            "recipe_sha256": made.recipe_sha256,
            "poise": __version__,
        }
        if ended.how == "out_of_time":
            row["limit"] = self._limits.seconds
        elif ended.how == "out_of_memory":
            row["limit"] = self._limits.memory_bytes
        return row


def _files_of_others(journal: Journal, library: Library) -> list[str]:
    """Files of clips that the library does not have, or has no more."""
    names = set(library.names)
    others = (row for row in journal.rows() if row["clip"] not in names)
    return [name for row in others for name in files_of(row)]


def _order_hash(order: Order, recipe: Recipe, reader: Executor) -> str:
    """Of an order; the files that it names are read by a worker."""
    if not files_of_recipe(recipe):
        return order_hash(order)
    (ended,) = reader.run(order_hash, [order])
    if ended.how == "done":
        return ended.result()
    files = ", ".join(path.name for path in files_of_recipe(recipe))
    raise FileProblem(order.recipe, f"files that can be read ({files})", str(ended.error))


def _check_apart(library: Library, folder: Path) -> None:
    """No clip lies among the results, which are moved and deleted when they are made again."""
    own = os.path.realpath(folder) + os.sep
    for entry in library.entries:
        if os.path.realpath(entry.path).startswith(own):
            raise _not_apart(folder, entry.name)


def _check_not_written_over(library: Library, folder: Path, naming: Naming) -> None:
    """No result would come to lie where a clip is, by whatever link."""
    inputs = {os.path.realpath(entry.path) for entry in library.entries}
    for entry in library.entries:
        for _, name in naming.files(entry.name):
            if os.path.realpath(folder / name) in inputs:
                raise _not_apart(folder, name)


def _not_apart(folder: Path, name: str) -> FileProblem:
    found = f"one where {name} is a clip of the library"
    return FileProblem(folder, "a folder apart from the clips", found)
