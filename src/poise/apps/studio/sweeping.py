"""What dead sessions have left half-written: taken away when a studio has the folder to itself."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import time
from pathlib import Path

from poise.apps.studio.project import MOST_SEEN, Project

_TEMPORARY = re.compile(r"\..*\.[0-9a-f]{16}\.tmp", re.DOTALL)
"""What files are called until they are whole (`formats.atomic_write`)."""

_UNFINISHED = re.compile(rf"{_TEMPORARY.pattern}|\.export-.*\.tmp|preview\..*\.npz", re.DOTALL)

_DEAD_S = 3600.0
"""Outside of our own folder others write, too: nothing takes an hour to be put in its place."""


def sweep(project: Project) -> None:
    """Unfinished files of the studio's folder, and old ones in the rest of the project."""
    for here, folders, names in os.walk(project.documents):
        for name in (*folders, *names):
            if _UNFINISHED.fullmatch(name):
                _remove(Path(here) / name)
    before, seen = time.time() - _DEAD_S, 0
    for here, folders, names in os.walk(project.folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        for name in names:
            path = Path(here) / name
            with contextlib.suppress(OSError):  # it has gone meanwhile
                if _TEMPORARY.fullmatch(name) and path.lstat().st_mtime < before:
                    path.unlink()
        seen += len(names)
        if seen >= MOST_SEEN:
            return


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
