"""The folder of results: what files are called there, and how they get there.

As in the library; whole or not at all; one batch at a time, and others' work kept.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path, PurePosixPath
from typing import IO

from poise.apps.batch.journal import TABLE
from poise.apps.batch.library import OWN, RESULTS
from poise.apps.batch.one_clip import Row, files_of
from poise.errors import FileProblem
from poise.formats import extensions
from poise.job import Recipe

PAGE = "library.html"
_RESERVED = {RESULTS, TABLE, PAGE}
_EXTRAS = ("glb", "before", "contacts", "robot")
"""Keys of a recipe's outputs that have a file beside the clip."""


class Naming:
    """Names for the files of all clips of a library, none twice."""

    def __init__(
        self,
        names: Sequence[str],
        recipe: Recipe,
        form: str,
        pages: bool,
        taken: Iterable[str] = (),
    ) -> None:
        """Names of all clips count, also of those left out of a run: names must not depend on that.

        Clips get the extension `form`, or that of the recipe's own output, or keep theirs. Files of
        clips that the library has no more are `taken`.
        """
        self._outputs = recipe.outputs.items()
        said = self._outputs.get("clip")
        self._form = form or ("" if said is None else PurePosixPath(said).suffix)
        self._pages = pages or "report" in self._outputs
        self._other_body = recipe.character.is_another
        self._writable = extensions("write_clip")
        self._bases = self._distinct(names, {*_RESERVED, *(name.lower() for name in taken)})

    def files(self, name: str) -> tuple[tuple[str, str], ...]:
        """Keys and names of what is written for a clip."""
        return self._files(name, self._bases.get(name, _short(name)))

    def _distinct(self, names: Sequence[str], taken: set[str]) -> dict[str, str]:
        """What the files of clips begin with, where that is not the clip's name alone.

        Walk.bvh and walk.bvh are one file on some systems, and a file cannot be where a folder is.
        """

        def lowered(name: str, base: str) -> list[str]:
            return [file.lower() for _, file in self._files(name, base)]

        taken |= {str(each).lower() for name in names for each in PurePosixPath(name).parents}
        short = {name: lowered(name, _short(name)) for name in names}
        counts = Counter(file for files in short.values() for file in files)
        found: dict[str, str] = {}
        for name, files in short.items():
            if any(counts[file] > 1 or file in taken for file in files):
                found[name] = name
        used = taken.union(*(files for name, files in short.items() if name not in found))
        for name in sorted(found):
            number = 1
            while used.intersection(lowered(name, found[name])):
                number += 1
                found[name] = f"{name}~{number}"
            used.update(lowered(name, found[name]))
        return found

    def _files(self, name: str, base: str) -> tuple[tuple[str, str], ...]:
        clip = f"{base}{self._extension(name)}"
        found = {"clip": clip}
        for key in _EXTRAS:
            said = self._outputs.get(key)
            if said is not None:
                middle = "" if key == "glb" else f".{key}"
                found[key] = f"{base}{middle}{PurePosixPath(said).suffix}"
        if self._pages:
            found["report"] = f"{base}.html"
        if found.get("glb") == clip:
            del found["glb"]
        return tuple(found.items())

    def _extension(self, name: str) -> str:
        """Of the written clip."""
        own = PurePosixPath(name).suffix
        if self._form:
            return self._form
        if own.lower() == ".gltf":
            return ".glb"
        if own.lower() not in self._writable or (own.lower() == ".amc" and self._other_body):
            return ".bvh"
        return own


def _short(name: str) -> str:
    return str(PurePosixPath(name).with_suffix(""))


class Room:
    """A folder that results are put into."""

    def __init__(self, folder: Path) -> None:
        """Make it ready.

        Raises:
            FileProblem: something else is there, or another batch is at it.
        """
        self.folder = folder
        own = folder / OWN
        if folder.exists() and not folder.is_dir():
            raise FileProblem(folder, "a folder for the results", "a file")
        if not own.is_dir() and folder.is_dir() and any(folder.iterdir()):
            advice = "Name another one; a batch goes on only with its own."
            raise FileProblem(folder, "a new or empty folder", "files in it", advice=advice)
        own.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(own / "lock", folder)
        self._sweep()
        self.staging = own / f"staging-{secrets.token_hex(6)}"
        self.staging.mkdir()

    def job_folder(self, number: int) -> Path:
        """Where a worker is to write."""
        return self.staging / str(number)

    def place(self, number: int, row: Row, old: Mapping[str, str]) -> list[str]:
        """Move what a worker has written to its place, and take away what it supersedes.

        What is to be said: files of an earlier run (`old`, with their hashes) that were changed by
        hand have been kept under another name.
        """
        notes: list[str] = []
        new = files_of(row)
        for name in {**old, **new}:
            path = self.folder / name
            if not os.path.lexists(path) or path.is_dir():
                continue
            # What a run that was killed has put there is what is put there now.
            if _hash(path) not in (old.get(name), new.get(name)):
                aside = _aside(path)
                os.replace(path, aside)
                how = "had been changed by hand" if name in old else "was there already"
                notes.append(f"{name} {how}: kept as {aside.name}")
            elif name not in new:
                path.unlink()
        for name in new:
            target = self.folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.job_folder(number) / name, target)
        self.clear(number)
        return notes

    def clear(self, number: int) -> None:
        """Take away what a worker has left."""
        shutil.rmtree(self.job_folder(number), ignore_errors=True)

    def close(self) -> None:
        """Leave nothing that is not whole."""
        shutil.rmtree(self.staging, ignore_errors=True)
        self._lock.close()

    def _sweep(self) -> None:
        """Take away what a run that was killed left half-done."""
        for left in (self.folder / OWN).glob("staging-*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in self.folder.glob(".*.tmp"):
            left.unlink(missing_ok=True)


def _locked(path: Path, folder: Path) -> IO[bytes]:
    """A file that is ours as long as the process lives, however it ends, or until it is closed."""
    file = path.open("a+b")
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        advice = "Wait for it, or name another folder."
        raise FileProblem(
            folder, "a folder that no other batch writes to", "one at work", advice=advice
        ) from None
    return file


def _aside(path: Path) -> Path:
    """A name beside it that is free."""
    number = 1
    while True:
        aside = path.with_name(f"{path.stem}.by_hand_{number}{path.suffix}")
        if not aside.exists():
            return aside
        number += 1


def _hash(path: Path) -> str:
    if not path.is_file():
        return ""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
