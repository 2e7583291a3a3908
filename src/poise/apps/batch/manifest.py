"""Lists of clips, with values of the recipe that are others for each."""

from __future__ import annotations

import codecs
import contextlib
import csv
import io
import json
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from poise.apps.batch.entry import Entry
from poise.errors import FileProblem, PoiseError
from poise.formats import read_bytes
from poise.job import FILE_KEYS, Change, typed_change

MANIFESTS = (".csv", ".jsonl", ".txt")
ANIMATION = "clip.animation"
"""The column that names one of several animations in a file."""

_Rows = Iterator[tuple[int, dict[str, object]]]
"""Lines of a manifest, by their numbers."""


def listed(manifest: Path) -> list[Entry]:
    """The clips of a list (.txt, a path in each line; .csv or .jsonl with values to change).

    Raises:
        FileProblem: what is wrong with it, with the line.
    """
    text = _text(read_bytes(manifest))
    kind = manifest.suffix.lower()
    rows = {".csv": _from_csv, ".jsonl": _from_jsonl, ".txt": _from_txt}[kind](manifest, text)
    folder = manifest.absolute().parent
    found: list[Entry] = []
    lines: dict[tuple[str, str], int] = {}
    for line, row in rows:
        told = row.pop("clip", None)
        if not isinstance(told, str) or not told.strip():
            raise FileProblem(manifest, "'clip', the path of a clip", "none", line=line)
        name = told.strip().replace("\\", "/") if os.name == "nt" else told.strip()
        path = folder / name
        name = _below(path, folder)
        if not PurePosixPath(name).suffix or not _is_possible(name):
            raise FileProblem(manifest, "the path of a clip", repr(told), line=line)
        given = {key: value for key, value in row.items() if value is not None and value != ""}
        animation = given.get(ANIMATION)
        once = (name, str(animation))
        if once in lines:
            first = f"{name} once more (first in line {lines[once]})"
            raise FileProblem(manifest, "every clip once", first, line=line)
        lines[once] = line
        changes = tuple(_change(key, value, folder) for key, value in given.items())
        pinned = animation if isinstance(animation, str | int) else None
        found.append(Entry(name, path, changes, pinned))
    return found


def _is_possible(name: str) -> bool:
    """Whether the system could have such a name at all."""
    try:
        return b"\0" not in os.fsencode(name)
    except UnicodeError:
        return False


def _text(data: bytes) -> str:
    """UTF-8, or UTF-16 where it begins so; names that are no text keep their bytes."""
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return data.decode("utf-16", "replace")
    return data.decode("utf-8-sig", "surrogateescape")


def _below(path: Path, folder: Path) -> str:
    """A name for it; one that lies elsewhere goes by its whole path, without its root."""
    whole = Path(os.path.normpath(path))
    try:
        return whole.relative_to(folder).as_posix()
    except ValueError:
        return PurePosixPath(*whole.parts[1:]).as_posix()


def _change(key: str, value: object, folder: Path) -> str | Change:
    """As `--set` takes it where a person typed it; files are seen from the manifest.

    One that is no change stays as it was typed: the row of its clip says what is wrong with it.
    """
    if isinstance(value, str) and key.split(".")[-1] not in FILE_KEYS:
        with contextlib.suppress(PoiseError):
            return typed_change(f"{key}={value}", folder)
        return f"{key}={value}"
    return Change(key.strip(), value, f"--set {key}={json.dumps(value)}"[:86], folder)


def _from_csv(manifest: Path, text: str) -> _Rows:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        names = next(reader, [])
        if "clip" not in names:
            raise FileProblem(manifest, "a column 'clip'", ", ".join(names) or "nothing", line=1)
        for row in filter(None, reader):
            if len(row) != len(names):
                wanted, found = f"{len(names)} values", f"{len(row)} values"
                raise FileProblem(manifest, wanted, found, line=reader.line_num)
            yield reader.line_num, dict(zip(names, row, strict=True))
    except csv.Error as problem:
        raise FileProblem(manifest, "CSV", str(problem), line=reader.line_num) from None


def _from_jsonl(manifest: Path, text: str) -> _Rows:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as problem:
            deep = isinstance(problem, RecursionError)
            found = "very deep nesting" if deep else str(problem)
            raise FileProblem(manifest, "a JSON object", found, line=number) from None
        if not isinstance(row, dict):
            raise FileProblem(manifest, "a JSON object", type(row).__name__, line=number)
        yield number, row


def _from_txt(manifest: Path, text: str) -> _Rows:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, {"clip": line.rstrip("\r")}
