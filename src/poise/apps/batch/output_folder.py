"""The folder of results: whose it is, and how files get there.

Whole or not at all; one batch at a time, and others' work kept. What is in it is not trusted.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import IO

from poise.apps.batch.journal import is_begun
from poise.apps.batch.library import BOOKS, MARKER, OWN
from poise.apps.batch.one_clip import OutputFile, Row, files_of, forget_fingerprint
from poise.apps.batch.result_check import is_as_written
from poise.errors import FileProblem
from poise.formats import atomic_write, kind_of, read_bytes

_BEGINNING = b"poise batch\n"
_SAYING = (
    _BEGINNING + b"This folder holds results; the files that results.jsonl names are its own.\n"
)


class Room:
    """A folder that results are put into."""

    def __init__(self, folder: Path) -> None:
        """Make it ready.

        Raises:
            FileProblem: something else is there, or another batch is at it.
        """
        check_ours(folder)
        self.folder = folder
        own = folder / OWN
        own.mkdir(parents=True, exist_ok=True)
        self._lock = _locked(own / "lock", folder)
        if not (folder / MARKER).exists():
            atomic_write(folder / MARKER, _SAYING)
        self._sweep()
        self.staging = own / f"staging-{secrets.token_hex(6)}"
        self.staging.mkdir()

    def job_folder(self, number: int) -> Path:
        """Where a worker is to write."""
        return self.staging / str(number)

    def place(self, number: int, row: Row, old: Mapping[str, OutputFile]) -> list[str]:
        """Move what a worker has written to its place, and take away what it supersedes.

        What is to be said: files of an earlier run (`old`) that were changed by hand have been kept
        under another name.

        Raises:
            OSError: what the system refuses.
            FileProblem: a link in the folder that leads out of it.
        """
        notes: list[str] = []
        new = files_of(row)
        for name in {**old, **new}:
            self._check_below(name)
        for name in {**old, **new}:
            path = self.folder / name
            if not os.path.lexists(path) or path.is_dir():
                continue
            # What a run that was killed has put there is what is put there now.
            known = (each[name] for each in (old, new) if name in each)
            if not any(is_as_written(self.folder, each) for each in known):
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
        forget_fingerprint(self.job_folder(number))

    def _check_below(self, name: str) -> None:
        """Names are checked where rows are read; folders on their way may be links."""
        parent = (self.folder / name).parent
        try:
            below = parent.resolve().is_relative_to(self.folder.resolve())
        except RuntimeError:  # a link to itself
            below = False
        if not below:
            raise FileProblem(parent, "a folder of the results", "a link that leads outside")

    def close(self) -> None:
        """Leave nothing that is not whole."""
        shutil.rmtree(self.staging, ignore_errors=True)
        self._lock.close()

    def _sweep(self) -> None:
        """Take away what a run that was killed left half-done."""
        for left in (self.folder / OWN).glob("staging-*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in self.folder.glob(".*.tmp"):
            if is_begun(left.name):
                with contextlib.suppress(OSError):
                    left.unlink()


def check_ours(folder: Path) -> None:
    """Nothing, if a batch may have a folder: it is new, or empty, or has the marker of one.

    All that a batch writes to by a fixed name is to be a plain file or folder: a link would have it
    write elsewhere.

    Raises:
        FileProblem: a folder of others; or one whose own files are none.
    """
    if os.path.lexists(folder) and not folder.is_dir():
        raise FileProblem(folder, "a folder for the results", "a file")
    for part in (PurePosixPath(OWN).parts[0], OWN):
        _check_plain(folder / part, stat.S_ISDIR, "a folder")
    for name in (*BOOKS, MARKER, f"{OWN}/lock"):
        _check_plain(folder / name, stat.S_ISREG, "a plain file")
    if not folder.is_dir() or _is_fresh(folder):
        return
    try:
        if read_bytes(folder / MARKER, max_bytes=4096).startswith(_BEGINNING):
            return
    except FileProblem:
        pass  # it is not there, which is what is said
    advice = "Name another one; a batch goes on only with its own."
    raise FileProblem(folder, "a new or empty folder", "files in it", advice=advice)


def _check_plain(path: Path, is_right: Callable[[int], bool], wanted: str) -> None:
    if not os.path.lexists(path):
        return
    mode = os.lstat(path).st_mode
    junction = stat.S_ISDIR(mode) and path.resolve() != path.parent.resolve() / path.name
    if junction or not is_right(mode):
        found = "a link" if junction or stat.S_ISLNK(mode) else kind_of(mode)
        raise FileProblem(path, f"{wanted} of a batch", found, advice="Name another folder.")


def _is_fresh(folder: Path) -> bool:
    """Whether it is empty, but for what a batch makes before its marker."""
    for part in PurePosixPath(OWN).parts:
        names = os.listdir(folder)
        if names != [part]:
            return not names
        folder = folder / part
    return all(name == "lock" or is_begun(name) for name in os.listdir(folder))


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
        if not os.path.lexists(aside):
            return aside
        number += 1
