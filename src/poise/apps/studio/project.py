"""The folder that is open: what is in it, and that nothing outside of it is touched."""

from __future__ import annotations

import os
from pathlib import Path

from poise.apps.studio.to_page import FileEntry
from poise.errors import FileProblem
from poise.formats.table import extensions
from poise.recipes.pattern_file import is_pattern_file

OWN = Path(".poise") / "studio"
"""Where documents are kept, below the folder."""

_LONGEST_SHOWN = 100

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
        try:
            whole = (self.folder / name).resolve()
            whole.exists()
        except (OSError, RuntimeError, ValueError):  # a link to itself, far too long, a null byte
            shown = name if len(name) < _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
            raise FileProblem(shown, "a file in the project folder", "no such name") from None
        inside = whole.is_relative_to(self.folder) and whole != self.folder
        if Path(name).is_absolute() or not inside:
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
                    npz = path.suffix.lower() == ".npz"
                    what = "pattern" if npz and is_pattern_file(path) else what
                    size = path.stat().st_size
                    found.append(FileEntry(self.name(path), size, what))  # type: ignore[arg-type]
                if len(found) >= MOST_FILES:
                    return tuple(found)
        return tuple(found)
