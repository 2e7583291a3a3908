"""The folder that is open: what is in it, and that nothing outside of it is touched."""

from __future__ import annotations

import os
from pathlib import Path

from poise.apps.studio.to_page import FileEntry
from poise.errors import FileProblem
from poise.formats.table import extensions

OWN = Path(".poise") / "studio"
"""Where documents are kept, below the folder."""

MOST_FILES = 2000
"""That are listed; a library of thousands is for `poise batch`."""


class Project:
    """A folder of clips, bodies, places and recipes."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise FileProblem(folder, "a folder to work in", "none")
        self.folder = folder.resolve()

    @property
    def documents(self) -> Path:
        """Where documents are kept."""
        return self.folder / OWN

    def path(self, name: str) -> Path:
        """A file of the folder by its name below it.

        Raises:
            FileProblem: a name that leads out of it.
        """
        given = Path(name)
        whole = (self.folder / given).resolve() if "\0" not in name else self.folder
        if given.is_absolute() or not whole.is_relative_to(self.folder) or whole == self.folder:
            raise FileProblem(name, "a file in the project folder", "one outside of it")
        return whole

    def name(self, path: Path) -> str:
        """What a file is called below the folder."""
        return path.relative_to(self.folder).as_posix()

    def files(self) -> tuple[FileEntry, ...]:
        """What can be opened; hidden folders are left out."""
        clips = {*extensions("read_motion"), *extensions("read_clip")}
        bodies = set(extensions("read_character")) - clips
        kinds = {".yaml": "recipe", ".yml": "recipe", ".obj": "place", ".stl": "place"}
        kinds |= dict.fromkeys(bodies, "body") | dict.fromkeys(clips, "clip")
        found: list[FileEntry] = []
        for here, folders, names in os.walk(self.folder):
            folders[:] = sorted(f for f in folders if not f.startswith("."))
            for name in sorted(names):
                what = kinds.get(Path(name).suffix.lower())
                path = Path(here) / name
                if what is not None and not name.startswith(".") and path.is_file():
                    size = path.stat().st_size
                    found.append(FileEntry(self.name(path), size, what))  # type: ignore[arg-type]
                if len(found) >= MOST_FILES:
                    return tuple(found)
        return tuple(found)
