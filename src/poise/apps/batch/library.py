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

from poise.errors import FileProblem
from poise.formats import extensions, os_problem, read_bytes
from poise.job import SUGGESTED, Change

MANIFESTS = (".csv", ".jsonl", ".txt")
RESULTS = "results.jsonl"
TABLE = "results.csv"
PAGE = "library.html"
BOOKS = (RESULTS, TABLE, PAGE)
"""What a batch writes about all clips, beside their files."""
OWN = ".poise/batch"
"""The folder among results that is the batch's own."""
MARKER = f"{OWN}/marker"
"""What says that the folder around it is one of results."""

_FILE_KEYS = ("environment", "contacts", "pattern", "to", "mapping", "roles", "skeleton")
"""Last parts of the paths of values that are files."""


_Rows = Iterator[tuple[int, dict[str, object]]]
"""Lines of a manifest, by their numbers."""


def stem_of(name: str) -> str:
    """What a clip is called without its extension."""
    return name.removesuffix(PurePosixPath(name).suffix)


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
    left_out = {_whole(folder) for folder in leave_out}
    if _whole(source) in left_out:
        raise FileProblem(source, "a library apart from the results", "one folder for both")
    if source.is_dir():
        found, others = _walked(source, left_out)
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


def _whole(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError) as problem:  # a loop of links, mostly
        refused = OSError(str(problem)) if isinstance(problem, RuntimeError) else problem
        raise os_problem(path, refused, "read") from None


def _fits(name: str, pattern: str) -> bool:
    return fnmatch(name, pattern) or fnmatch(PurePosixPath(name).name, pattern)


def _clip_extensions() -> tuple[str, ...]:
    return tuple(dict.fromkeys((*extensions("read_motion"), *extensions("read_clip"))))


def _walked(root: Path, leave_out: set[Path]) -> tuple[list[Entry], int]:
    known = _clip_extensions()
    found: list[Entry] = []
    others = 0
    for folder, names in _folders(root, leave_out):
        # A folder called like a clip is looked through; an empty one is a clip that is none.
        if not names and folder.suffix.lower() in known and not any(folder.iterdir()):
            found.append(Entry(folder.relative_to(root).as_posix(), folder.absolute()))
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
        if not isinstance(error, FileNotFoundError):  # it has gone meanwhile
            raise error

    for here, folders, names in os.walk(root, followlinks=True, onerror=refused):
        whole = Path(here).resolve()
        is_result = RESULTS in names and (whole / MARKER).is_file()
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
        if not PurePosixPath(name).suffix or not _is_possible(name):
            raise FileProblem(manifest, "the path of a clip", repr(told), line=line)
        if name in lines:
            first = f"{name} once more (first in line {lines[name]})"
            raise FileProblem(manifest, "every clip once", first, line=line)
        lines[name] = line
        given = {key: value for key, value in row.items() if value is not None and value != ""}
        changes = tuple(_change(key, value, folder) for key, value in given.items())
        found.append(Entry(name, path, changes))
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
    """As `--set` takes it where a person typed it; files are seen from the manifest."""
    if isinstance(value, str) and key.split(".")[-1] not in _FILE_KEYS:
        return f"{key}={value}"
    named = isinstance(value, str) and not (key.strip() == "environment" and value == SUGGESTED)
    given = str(folder / str(value)) if named else value
    return Change(key.strip(), given, f"--set {key}={json.dumps(given)}"[:86])


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
