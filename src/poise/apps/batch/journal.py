"""The results of a batch on disk: a line a clip, appended as it is done, and tables made of it.

`results.jsonl` is the truth: a line is written and forced to disk when the files it speaks of are
in their places. A line cut off by a power failure is no line; where a clip has several, the last.
"""

from __future__ import annotations

import csv
import json
import os
import re
import secrets
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from poise.apps.batch.fingerprint import is_file
from poise.apps.batch.journal_row import MOST_CHARACTERS, row_from
from poise.apps.batch.library import BOOKS, RESULTS
from poise.apps.batch.one_clip import Row
from poise.wording import NUMBER

FIRST_COLUMNS = (
    "clip", "status", "reason", "frames", "rate_hz", "seconds", "attempts", "peak_mb", "output",
    "report", "finished", "poise", "input_sha256", "recipe_sha256", "unknown",
)  # fmt: skip


class Journal:
    """The results file of a batch."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / RESULTS
        self._file: IO[str] | None = None

    def rows(self) -> Iterator[Row]:
        """What is written, line by line; what is no row is passed over."""
        if not is_file(self.path):
            return
        with self.path.open(encoding="utf-8", errors="replace") as file:
            begun = False  # a line that is too long for a row
            while line := file.readline(MOST_CHARACTERS):
                row = None if begun else row_from(line)
                begun = not line.endswith("\n")
                if row is not None:
                    yield row

    def compact(self) -> None:
        """Rewrite it with whole rows alone, the last of each clip."""
        last = {row["clip"]: number for number, row in enumerate(self.rows())}
        with replacing(self.path) as file:
            for number, row in enumerate(self.rows()):
                if last[row["clip"]] == number:
                    file.write(_line(row))

    def add(self, row: Row) -> None:
        """Append a row; when this returns, it is on disk."""
        if self._file is None:
            self._file = self.path.open("a", encoding="utf-8")
        self._file.write(_line(row))
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            self._file.close()
            self._file = None


def write_table(journal: Journal, path: Path) -> None:
    """The same as a table, a column for every measure before and after.

    Read twice rather than held: a library has more clips than a laptop has memory to spare.
    """
    measures: dict[str, None] = {}
    for row in journal.rows():
        measures |= dict.fromkeys(_figures(row))
    with replacing(path) as file:
        table = csv.writer(file)
        table.writerow(map(as_cell, (*FIRST_COLUMNS, *measures)))
        for row in journal.rows():
            table.writerow(_cells(row, measures))


def _cells(row: Row, measures: Iterable[str]) -> list[object]:
    files = {key: each["file"] for key, each in (row.get("outputs") or {}).items()}
    own: Mapping[str, object] = row
    unknown = (f"{key}: {why}" for key, why in (row.get("unknown") or {}).items())
    told = "; ".join(unknown) or None
    cells = {
        **own,
        **_figures(row),
        "unknown": told,
        "output": files.get("clip"),
        "report": files.get("report"),
    }
    found = [cells.get(column) for column in (*FIRST_COLUMNS, *measures)]
    return [as_cell(cell) for cell in found]


def as_cell(found: object) -> object:
    """A value as a spreadsheet may have it: what would be a formula there is text.

    Names of clips and messages may begin like one. A quote before it says that it is none;
    numbers stay as they are.
    """
    if found is None:
        return ""
    if not isinstance(found, str) or not found.startswith(_FORMULAS) or NUMBER.fullmatch(found):
        return found
    return f"'{found}"


_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Beginnings that spreadsheets take for one of a formula, or skip; the last four are wide."""


def _figures(row: Row) -> dict[str, float | None]:
    before, after = row.get("before") or {}, row.get("after") or {}
    found = {f"before.{key}": value for key, value in before.items()}
    return found | {f"after.{key}": value for key, value in after.items()}


@contextmanager
def replacing(path: Path) -> Generator[IO[str], None, None]:
    """A text file that takes the place of another when all of it is written."""
    new = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with new.open("w", encoding="utf-8", errors="backslashreplace", newline="") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, path)
    finally:
        new.unlink(missing_ok=True)


def is_begun(name: str) -> bool:
    """Whether a file is one that was to take the place of a book, by its name."""
    return bool(_BEGUN.fullmatch(name))


_BEGUN = re.compile(
    rf"\.(?:{'|'.join(map(re.escape, (*BOOKS, 'marker')))})\.[0-9a-f]{{12,16}}\.tmp"
)


def _line(row: Row) -> str:
    return json.dumps(row, allow_nan=False, separators=(",", ":")) + "\n"
