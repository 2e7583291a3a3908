"""The folder that is open: what is in it, and that nothing outside of it is touched."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from pathlib import Path

from poise.apps.studio.to_page import FileEntry, Use
from poise.errors import FileProblem
from poise.formats import FORMATS, extensions
from poise.job import is_pattern_file


def is_below(name: str) -> bool:
    """Whether a name can be that of a file below a folder, by its letters alone.

    Asked before the system is: on Windows, to look at a name of another machine is to call it.
    """
    path = Path(name)
    return not (path.is_absolute() or path.drive or name.startswith(("//", "\\\\")))


def endings() -> dict[str, tuple[str, ...]]:
    """Extensions of files that the studio takes, by what they are."""
    clips = dict.fromkeys((*extensions("read_motion"), *extensions("read_clip")))
    bodies = [f for f in FORMATS.values() if f.read_character and not f.reads_clips]
    return {
        "clip": tuple(clips),
        "companion": (".asf", ".bin"),
        "body": tuple(dict.fromkeys(each for f in bodies for each in f.extensions)),
        "mesh": (".obj", ".stl"),
        "written": (".yaml", ".yml"),
    }


_USES: dict[str, Use] = {"written": "recipe", "mesh": "place", "body": "body", "clip": "clip"}

OWN = Path(".poise") / "studio"
"""Where documents are kept, below the folder."""

_LONGEST_SHOWN = 100
_HEAD_BYTES = 16_384
_OF_PLACES = re.compile(rb"^(ground|parts|height_field)\s*:", re.MULTILINE)
_OF_RECIPES = re.compile(rb"^(poise|steps)\s*:", re.MULTILINE)

MOST_FILES, MOST_SEEN = 2000, 100_000
"""That are listed, and looked at; a library of thousands is for `poise batch`."""


class Project:
    """A folder of clips, bodies, places and recipes."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise FileProblem(folder, "a folder to work in", "none")
        self.folder = folder.resolve()
        if not self.documents.resolve().is_relative_to(self.folder):
            raise FileProblem(self.documents, "a folder of the project", "a link that leads out")

    @property
    def documents(self) -> Path:
        """Where documents are kept."""
        return self.folder / OWN

    def path(self, name: str) -> Path:
        """A file of the folder by its name below it.

        Raises:
            FileProblem: a name that leads out of it.
        """
        if not is_below(name):
            raise FileProblem(name, "a file in the project folder", "one outside of it")
        try:
            whole = (self.folder / name).resolve()
            whole.exists()
        except (OSError, RuntimeError, ValueError):  # a link to itself, far too long, a null byte
            shown = name if len(name) < _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
            raise FileProblem(shown, "a file in the project folder", "no such name") from None
        if not whole.is_relative_to(self.folder) or whole == self.folder:
            raise FileProblem(name, "a file in the project folder", "one outside of it")
        return whole

    def name(self, path: Path) -> str:
        """What a file is called below the folder."""
        return path.relative_to(self.folder).as_posix()

    def files(self) -> tuple[FileEntry, ...]:
        """What can be opened; hidden folders are left out."""
        kinds: dict[str, Use] = {}
        for what, use in _USES.items():
            kinds |= dict.fromkeys(endings()[what], use)
        found: list[FileEntry] = []
        seen = 0
        for here, folders, names in os.walk(self.folder):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for name in sorted(names):
                what = kinds.get(Path(name).suffix.lower())
                path = Path(here) / name
                seen += 1
                if what is not None and not name.startswith("."):
                    with contextlib.suppress(OSError):  # it has gone meanwhile
                        found += self._entry(path, what)
                if len(found) >= MOST_FILES or seen >= MOST_SEEN:
                    return tuple(found)
        return tuple(found)

    def _entry(self, path: Path, what: Use) -> list[FileEntry]:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            return []
        if path.suffix.lower() == ".npz" and is_pattern_file(path):
            what = "pattern"
        if what == "recipe" and _is_place(path):
            what = "place"
        return [FileEntry(self.name(path), status.st_size, what)]


def _is_place(path: Path) -> bool:
    """Whether a file of YAML has the keys of a place, and not those of a recipe."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    return bool(_OF_PLACES.search(head)) and not _OF_RECIPES.search(head)
