"""Which clips a batch is about: all below a folder, or those that a manifest lists."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path, PurePosixPath

from poise.apps.batch.animations import by_animation
from poise.apps.batch.entry import Entry, LeftAlone
from poise.apps.batch.manifest import MANIFESTS, listed
from poise.errors import FileProblem
from poise.execution import Executor
from poise.formats import extensions, os_problem, read_bytes

RESULTS = "results.jsonl"
TABLE = "results.csv"
PAGE = "library.html"
BOOKS = (RESULTS, TABLE, PAGE)
"""What a batch writes about all clips, beside their files."""
OWN = ".poise/batch"
"""The folder among results that is the batch's own."""
MARKER = f"{OWN}/marker"
"""What says that the folder around it is one of results."""


@dataclass(frozen=True)
class Library:
    """What was found."""

    entries: tuple[Entry, ...]
    names: tuple[str, ...]
    """Of all that there are, those that were not picked among them."""
    left_alone: tuple[LeftAlone, ...] = ()
    """What was found beside them, and why nothing is made of it."""


def find_clips(
    source: Path,
    *,
    only: Sequence[str] = (),
    leave_out: Sequence[Path] = (),
    reader: Executor | None = None,
    animation: str | None = None,
) -> Library:
    """The clips below a folder, or of a manifest, or a single one.

    Args:
        source: a folder; a list of clips (.txt, a path in each line; .csv or .jsonl with `clip` and
            values of the recipe to change, such as `correct.settings.preset`); or a clip.
        only: patterns of names, one of which is to fit: `*.bvh`, `walks/*`.
        leave_out: folders that are not entered.
        reader: looks into files, each of which may be hostile, for how many animations they hold;
            each of them is a clip then.
        animation: name or number of the one to take of files that hold several.

    Raises:
        FileProblem: nothing there, or a manifest that cannot be read.
    """
    others: list[LeftAlone] = []
    left_out = {_whole(folder) for folder in leave_out}
    if _whole(source) in left_out:
        raise FileProblem(source, "a library apart from the results", "one folder for both")
    if source.is_dir():
        found, others = _walked(source, left_out)
    elif source.suffix.lower() in MANIFESTS:
        found = listed(source)
    else:
        read_bytes(source)  # says what is there instead
        found = [Entry(source.name, source.resolve())]
    if reader is not None:
        found, still = by_animation(found, reader, animation)
        others += still
    entries = [e for e in found if not only or any(_fits(e.name, glob) for glob in only)]
    if not entries:
        wanted = f"clips ({', '.join(_clip_extensions())})"
        wanted += f" with an animation '{animation}'" if animation is not None else ""
        wanted += f" called {' or '.join(only)}" if only else ""
        first = f": {others[0].name}: {others[0].reason}" if others else ""
        raise FileProblem(source, wanted, f"none among {len(others) + len(found)} files{first}")
    return Library(tuple(entries), tuple(entry.name for entry in found), tuple(others))


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


def _walked(root: Path, leave_out: set[Path]) -> tuple[list[Entry], list[LeftAlone]]:
    known = _clip_extensions()
    found: list[Entry] = []
    others: list[LeftAlone] = []
    for folder, names in _folders(root, leave_out):
        # A folder called like a clip is looked through; an empty one is a clip that is none.
        if not names and folder.suffix.lower() in known and not any(folder.iterdir()):
            found.append(Entry(folder.relative_to(root).as_posix(), folder.absolute()))
        for name in sorted(names):
            path = folder / name
            called = path.relative_to(root).as_posix()
            reason = _no_clip(name, known)
            if reason:
                others.append(LeftAlone(called, reason))
            else:
                found.append(Entry(called, path.absolute()))
    return found, others


def _no_clip(name: str, known: Sequence[str]) -> str:
    """Why a file is no clip, by its name alone; nothing if it may be one."""
    kind = Path(name).suffix.lower()
    if name.startswith("."):
        return "a hidden file"
    if kind in known:
        return ""
    return "a body without motion" if kind in extensions("read_character") else "not a motion file"


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
