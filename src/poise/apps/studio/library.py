"""The documents of a project: those that are open, and those that were left."""

from __future__ import annotations

import json
import secrets
import shutil
import threading
from pathlib import Path
from typing import Any

from poise.apps.studio.document import Document
from poise.apps.studio.history import FILE, History
from poise.apps.studio.project import Project
from poise.apps.studio.solving import read
from poise.apps.studio.to_page import Recoverable
from poise.errors import FileProblem, PoiseError, UnknownName
from poise.formats import load_clip
from poise.formats.table import extensions
from poise.recipes import load_recipe
from poise.samples import SAMPLES

KEPT: list[dict[str, Any]] = [
    {"plant": {"name": f"{side} foot", "part": f"{side}_foot", "mode": "follow", "frames": "all"}}
    for side in ("left", "right")
] + [{"place_center_of_mass": {"name": "balance", "frames": "all", "priority": 3}}]
"""What a new document keeps of its capture, until the user says otherwise: whoever drags a hand
does not mean that the feet leave the ground."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class Documents:
    """Documents by their ids. May be used from many threads."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._open: dict[str, Document] = {}
        self._lock = threading.Lock()

    def sample(self, name: str) -> Document:
        """A new document of a clip made by code."""
        if name not in SAMPLES:
            raise UnknownName("sample", name, SAMPLES)
        return self._new(name, {"sample": name})

    def file(self, name: str) -> Document:
        """A new document of a clip or a recipe of the folder.

        Raises:
            PoiseError: outside of the folder, or not to be read.
        """
        path = self.project.path(name)
        if path.suffix.lower() in (".yaml", ".yml"):
            return self._of_recipe(path)
        load_clip(path)  # says what is wrong with it
        return self._new(path.name, {"file": self.project.name(path)})

    def uploaded(self, name: str, data: bytes) -> Document:
        """A new document of a file that was dropped on the page; it is copied beside the document.

        Raises:
            PoiseError: not a clip; nothing is kept of it.
        """
        bare = Path(name.replace("\\", "/")).name
        known = {*extensions("read_motion"), *extensions("read_clip")}
        if not bare or bare.startswith(".") or Path(bare).suffix.lower() not in known:
            raise FileProblem(name, f"a clip ({', '.join(sorted(known))})", "another file")
        id = _new_id()
        folder = self.project.documents / id
        folder.mkdir(parents=True)
        path = folder / bare
        try:
            path.write_bytes(data)
            load_clip(path)
            return self._new(bare, {"file": self.project.name(path)}, id)
        except PoiseError as problem:
            shutil.rmtree(folder, ignore_errors=True)
            raise _without_folder(problem, path, bare) from None

    def open(self, id: str) -> Document:
        """A document that there is, from memory or as it was left.

        Raises:
            UnknownName: none of that id.
        """
        if not id or not set(id) <= _LETTERS:
            raise UnknownName("document", id, ())
        with self._lock:
            if id not in self._open:
                folder = self.project.documents / id
                if not (folder / FILE).is_file():
                    raise UnknownName("document", id, tuple(self._open))
                self._open[id] = Document(id, self.project, History.read(folder))
            return self._open[id]

    def recoverable(self) -> tuple[Recoverable, ...]:
        """What was worked on before, the last first."""
        found: list[Recoverable] = []
        for path in self.project.documents.glob(f"*/{FILE}"):
            try:
                said: Any = json.loads(path.read_bytes())
                edits, changed = int(said["now"]), str(said["changed"])
                found.append(Recoverable(path.parent.name, str(said["name"]), edits, changed))
            except (OSError, ValueError, KeyError, TypeError):
                continue
        return tuple(sorted(found, key=lambda each: each.changed, reverse=True)[:50])

    def close(self) -> None:
        """End all that runs."""
        for document in self._open.values():
            document.close()

    def _new(self, name: str, clip: dict[str, Any], id: str = "") -> Document:
        recipe = {"poise": 1, "clip": clip, "steps": [{"deform": {"constraints": KEPT}}]}
        return self._add(name, recipe, id)

    def _of_recipe(self, path: Path) -> Document:
        from poise.apps.studio.saving import moved_recipe

        recipe = load_recipe(path)
        plain = {} if recipe.written is None else recipe.written.plain()
        moved = moved_recipe(plain, path.parent, self.project.folder)
        read(moved, self.project.folder)
        return self._add(path.stem, moved)

    def _add(self, name: str, recipe: dict[str, Any], id: str = "") -> Document:
        id = id or _new_id()
        history = History(self.project.documents / id, name, recipe)
        history.save()
        with self._lock:
            self._open[id] = Document(id, self.project, history)
            return self._open[id]


def _new_id() -> str:
    return secrets.token_hex(8)


def _without_folder(problem: PoiseError, path: Path, name: str) -> PoiseError:
    """The same, of a file as the user calls it."""
    return PoiseError(str(problem).replace(str(path), name))
