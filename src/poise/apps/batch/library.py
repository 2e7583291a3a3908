"""Which clips a batch is about: all below a folder, or those that a manifest lists."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath
from typing import Any

from poise.errors import FileProblem
from poise.formats import extensions, read_bytes
from poise.job import Change

MANIFESTS = (".csv", ".jsonl", ".txt")
RESULTS = "results.jsonl"
OWN = ".poise"
"""The folder among results that is the batch's own."""

_FILE_KEYS = ("environment", "contacts", "pattern", "to", "mapping", "roles", "skeleton")
"""Last parts of the paths of values that are files."""


@dataclass(frozen=True)
class Entry:
    """A clip of the library."""

    name: str
    """Its path below the folder, with slashes: what the results call it."""
    path: Path
    changes: tuple[str | Change, ...] = ()
    """Values of the recipe that are others for this clip."""

    @property
    def size(self) -> int:
        """Bytes; 0 when it is not there."""
        try:
            return self.path.stat().st_size
        except (OSError, ValueError):  # a name that no file can have
            return 0


@dataclass(frozen=True)
class Library:
    """What was found."""

    entries: tuple[Entry, ...]
    names: tuple[str, ...]
    """Of all that there are, those that were not picked among them."""
    others: int = 0
    """Files that are no clips, and were left alone."""


def find_clips(
    source: Path, *, only: Sequence[str] = (), leave_out: Sequence[Path] = ()
) -> Library:
    """The clips below a folder, or of a manifest, or a single one.

    Args:
        source: a folder; a list of clips (.txt, a path in each line; .csv or .jsonl with `clip` and
            values of the recipe to change, such as `correct.settings.preset`); or a clip.
        only: patterns of names, one of which is to fit: `*.bvh`, `walks/*`.
        leave_out: folders that are not entered.

    Raises:
        FileProblem: nothing there, or a manifest that cannot be read.
    """
    others = 0
    if source.resolve() in {folder.resolve() for folder in leave_out}:
        raise FileProblem(source, "a library apart from the results", "one folder for both")
    if source.is_dir():
        found, others = _walked(source, {folder.resolve() for folder in leave_out})
    elif source.suffix.lower() in MANIFESTS:
        found = _listed(source)
    else:
        read_bytes(source)  # says what is there instead
        found = [Entry(source.name, source.resolve())]
    entries = [e for e in found if not only or any(_fits(e.name, glob) for glob in only)]
    if not entries:
        wanted = f"clips ({', '.join(_clip_extensions())})"
        if only:
            wanted += f" called {' or '.join(only)}"
        raise FileProblem(source, wanted, f"none among {others + len(found)} files")
    return Library(tuple(entries), tuple(entry.name for entry in found), others)


def _fits(name: str, pattern: str) -> bool:
    return fnmatch(name, pattern) or fnmatch(PurePosixPath(name).name, pattern)


def _clip_extensions() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*extensions("read_motion"), *extensions("read_clip"))))


def _walked(root: Path, leave_out: set[Path]) -> tuple[list[Entry], int]:
    known = _clip_extensions()
    found: list[Entry] = []
    others = 0
    for folder, names in _folders(root, leave_out):
        for name in sorted(names):
            if Path(name).suffix.lower() in known and not name.startswith("."):
                path = folder / name
                found.append(Entry(path.relative_to(root).as_posix(), path.absolute()))
            else:
                others += 1
    return found, others


def _folders(root: Path, leave_out: set[Path]) -> Iterator[tuple[Path, list[str]]]:
    """Folders below, links followed once; those that may not be entered are an error, not silence.

    Hidden ones are not entered, nor the results of batches.
    """
    seen: set[Path] = set()

    def refused(error: OSError) -> None:
        raise error

    for here, folders, names in os.walk(root, followlinks=True, onerror=refused):
        whole = Path(here).resolve()
        is_result = OWN in folders and RESULTS in names
        if whole in seen or whole in leave_out or is_result:
            folders.clear()
            continue
        seen.add(whole)
        folders[:] = sorted(folder for folder in folders if not folder.startswith("."))
        yield Path(here), names


def _listed(manifest: Path) -> list[Entry]:
    text = _text(read_bytes(manifest))
    kind = manifest.suffix.lower()
    rows = {".csv": _from_csv, ".jsonl": _from_jsonl, ".txt": _from_txt}[kind](manifest, text)
    folder = manifest.absolute().parent
    found: list[Entry] = []
    lines: dict[str, int] = {}
    for line, row in rows:
        told = row.pop("clip", None)
        if not isinstance(told, str) or not told.strip():
            raise FileProblem(manifest, "'clip', the path of a clip", "none", line=line)
        name = told.strip().replace("\\", "/") if os.name == "nt" else told.strip()
        path = folder / name
        name = _below(path, folder)
        if not PurePosixPath(name).suffix or "\0" in name:
            raise FileProblem(manifest, "the path of a clip", repr(told), line=line)
        if name in lines:
            first = f"{name} once more (first in line {lines[name]})"
            raise FileProblem(manifest, "every clip once", first, line=line)
        lines[name] = line
        changes = tuple(_change(key, value, folder) for key, value in row.items() if _given(value))
        found.append(Entry(name, path, changes))
    return found


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


def _given(value: Any) -> bool:
    return value is not None and value != ""


def _change(key: str, value: Any, folder: Path) -> str | Change:
    """As `--set` takes it where a person typed it; files are seen from the manifest."""
    if isinstance(value, str) and key.split(".")[-1] not in _FILE_KEYS:
        return f"{key}={value}"
    given = str(folder / value) if isinstance(value, str) else value
    return Change(key.strip(), given, f"--set {key}={json.dumps(given)}"[:86])


def _from_csv(manifest: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.DictReader(io.StringIO(text, newline=""), strict=True)
    try:
        names = reader.fieldnames or ()
        if "clip" not in names:
            raise FileProblem(manifest, "a column 'clip'", ", ".join(names) or "nothing", line=1)
        for row in reader:
            extra: Any = row.pop(None, None)  # type: ignore[call-overload]
            if extra or None in row.values():
                given = sum(value is not None for value in row.values()) + len(extra or ())
                count = f"{given} values"
                raise FileProblem(manifest, f"{len(names)} values", count, line=reader.line_num)
            yield reader.line_num, {str(key): value for key, value in row.items()}
    except csv.Error as problem:
        raise FileProblem(manifest, "CSV", str(problem), line=reader.reader.line_num) from None


def _from_jsonl(manifest: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError as problem:
            raise FileProblem(manifest, "a JSON object", str(problem), line=number) from None
        if not isinstance(row, dict):
            raise FileProblem(manifest, "a JSON object", type(row).__name__, line=number)
        yield number, {str(key): value for key, value in row.items()}  # type: ignore[misc]


def _from_txt(manifest: Path, text: str) -> Iterator[tuple[int, dict[str, Any]]]:
    del manifest
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, {"clip": line.rstrip("\r")}
