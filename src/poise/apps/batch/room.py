"""The folder of results: one batch at a time, files whole or not at all, others' work kept."""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from poise.apps.batch.library import OWN
from poise.errors import FileProblem


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
        self._lock = _Lock(own / "lock", folder)
        self._sweep()
        self.staging = own / f"staging-{secrets.token_hex(6)}"
        self.staging.mkdir()

    def job_folder(self, number: int) -> Path:
        """Where a worker is to write."""
        return self.staging / str(number)

    def place(self, number: int, row: Mapping[str, Any], old: Mapping[str, str]) -> list[str]:
        """Move what a worker has written to its place, and take away what it supersedes.

        Args:
            number: of the job.
            row: names what there is.
            old: files that an earlier run has written for this clip, and their hashes.

        Returns:
            What is to be said: files that were changed by hand have been kept under another name.
        """
        notes: list[str] = []
        new = {each["file"]: each["sha256"] for each in (row.get("outputs") or {}).values()}
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
        self._lock.release()

    def _sweep(self) -> None:
        """Take away what a run that was killed left half-done."""
        for left in (self.folder / OWN).glob("staging-*"):
            shutil.rmtree(left, ignore_errors=True)
        for left in self.folder.glob(".*.tmp"):
            left.unlink(missing_ok=True)


class _Lock:
    """Held as long as the process lives, however it ends."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._file = path.open("a+b")
        try:
            if sys.platform == "win32":
                import msvcrt

                msvcrt.locking(self._file.fileno(), msvcrt.LK_NBLCK, 1)
            else:
                import fcntl

                fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._file.close()
            advice = "Wait for it, or name another folder."
            raise FileProblem(
                folder, "a folder that no other batch writes to", "one at work", advice=advice
            ) from None

    def release(self) -> None:
        self._file.close()


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
