"""The documents of a project: those that are open, and those that were left."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import threading
from collections import OrderedDict
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from poise.apps.studio.document import Document
from poise.apps.studio.families import recipe_of
from poise.apps.studio.first_recipe import first_recipe
from poise.apps.studio.history import FILE, History
from poise.apps.studio.old_history import OLD_FILE
from poise.apps.studio.project import Project, endings
from poise.apps.studio.project_lock import ProjectLock
from poise.apps.studio.saving import moved_recipe
from poise.apps.studio.solving import read, without_folder
from poise.apps.studio.sweeping import sweep
from poise.apps.studio.to_page import Recoverable
from poise.apps.studio.uploads import Upload, bare_name, check_apart, new_folder, put_file
from poise.errors import BadValue, PoiseError, UnknownName
from poise.formats import load_clip, reading_below
from poise.job import (
    Change,
    changed_values,
    is_family_file,
    load_family,
    load_recipe,
    question,
    read_captured,
    subject,
)
from poise.samples import SAMPLES

_MOST_LISTED = 50

MOST_OPEN = 8
"""Documents in memory that nobody looks at; as all edits are on disk, nothing is lost."""

_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class Documents:
    """Documents by their ids. May be used from many threads, by one studio at a time."""

    def __init__(self, project: Project) -> None:
        """Those of a folder, which is ours until `close`; what dead sessions have left goes.

        Raises:
            FileProblem: another studio has it open.
        """
        self.project = project
        self._project_lock = ProjectLock(project.folder, project.documents)
        sweep(project)
        self._open: OrderedDict[str, Document] = OrderedDict()
        """The last used at the end."""
        self._lock = threading.Lock()

    def sample(self, name: str) -> Document:
        """A new document of a clip made by code."""
        if name not in SAMPLES:
            raise UnknownName("sample", name, SAMPLES)
        return self._add(name, first_recipe({"sample": name}, SAMPLES[name]().clip.skeleton))

    def file(self, name: str, changes: Sequence[Change] = ()) -> Document:
        """A new document of a clip, a family or a recipe of the folder.

        Args:
            name: of the file, below the folder.
            changes: of its recipe, as options of the command line make them.

        Raises:
            PoiseError: outside of the folder, or not to be read.
        """
        path = self.project.path(name)
        with reading_below(self.project.folder):
            if path.suffix.lower() in (".yaml", ".yml"):
                return self._of_recipe(path, changes)
            return self._add(path.name, self._recipe_for(path, changes))

    def uploaded(self, files: Sequence[Upload]) -> Document:
        """A new document of a file that was dropped on the page; it is copied beside the document.

        Args:
            files: a clip, and what belongs to it: the skeleton of an .amc, the buffers of a .gltf.

        Raises:
            PoiseError: not a clip; nothing is kept of it.
        """
        known, (clip, *others) = endings(), files
        names = [bare_name(clip.name, known["clip"], "a clip")]
        companions = known["companion"]
        names += [bare_name(each.name, companions, "what belongs to a clip") for each in others]
        check_apart(names)
        id = _new_id()
        folder = self.project.documents / id
        path = folder / names[0]
        try:
            for name, each in zip(names, files, strict=True):
                put_file(folder / name, each.data)
            with reading_below(self.project.folder):
                return self._add(names[0], self._recipe_for(path), id)
        except PoiseError as problem:
            shutil.rmtree(folder, ignore_errors=True)
            raise PoiseError(without_folder(str(problem), folder)) from None

    def attached(self, id: str, files: Sequence[Upload]) -> list[str]:
        """Files for a document that there is: bodies, places, patterns; their names in the folder.

        Raises:
            PoiseError: files that nothing reads here.
        """
        document = self.open(id)
        known = {".csv", *chain(*endings().values())}
        names = [bare_name(each.name, known, "a body, a place or a pattern") for each in files]
        check_apart(names)
        folder = new_folder(document.history.folder)
        for name, each in zip(names, files, strict=True):
            put_file(folder / name, each.data)
        return [self.project.name(folder / name) for name in names]

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
                if not ((folder / FILE).is_file() or (folder / OLD_FILE).is_file()):
                    raise UnknownName("document", id, tuple(self._open))
                with reading_below(self.project.folder):
                    history = History.read(folder)
                self._open[id] = Document(id, self.project, history)
            return self._used(id)

    def recoverable(self) -> tuple[Recoverable, ...]:
        """What was worked on before, the last first; not what was only looked at."""
        found: list[Recoverable] = []
        for folder in self._stored():
            try:
                with reading_below(self.project.folder):
                    seen = History.glance(folder)
                if seen.is_touched or len(os.listdir(folder)) > 1:
                    found.append(Recoverable(folder.name, seen.name, seen.edits, seen.changed))
            except (PoiseError, OSError):
                continue
            if len(found) == _MOST_LISTED:
                break
        return tuple(sorted(found, key=lambda each: each.changed, reverse=True))

    def _stored(self) -> list[Path]:
        """Folders of documents, the last written first."""
        times: dict[Path, float] = {}
        for name in (OLD_FILE, FILE):
            for path in self.project.documents.glob(f"*/{name}"):
                with contextlib.suppress(OSError):
                    times[path.parent] = path.stat().st_mtime
        return sorted(times, key=lambda folder: times[folder], reverse=True)

    def cancel(self) -> None:
        """End all that runs, soon."""
        for document in tuple(self._open.values()):
            document.cancel()

    def close(self) -> None:
        """End all that runs, and let other studios in."""
        self.cancel()
        for document in tuple(self._open.values()):
            document.close()
        self._project_lock.close()

    def _recipe_for(self, path: Path, changes: Sequence[Change] = ()) -> dict[str, object]:
        """What a document of a clip, or of a family of leaps, begins with."""
        name = self.project.name(path)
        if is_family_file(path):
            if changes:
                raise BadValue(changes[0].label, "left out: a family holds its own clip", path.name)
            return recipe_of(load_family(path), name)
        if not changes:
            return first_recipe({"file": name}, load_clip(path).skeleton)
        skeleton = read_captured(question(changes), path).skeleton
        return self._of_options(first_recipe({"file": name}, skeleton), changes)

    def _of_options(
        self, recipe: dict[str, object], changes: Sequence[Change]
    ) -> dict[str, object]:
        """A recipe with the options of a command line in it, its files below the folder."""
        folder = self.project.folder
        made = moved_recipe(changed_values(recipe, changes), folder, folder)
        subject(read(made, folder))  # says what is wrong with it
        return made

    def _of_recipe(self, path: Path, changes: Sequence[Change] = ()) -> Document:
        recipe = load_recipe(path, changes=changes)
        plain = {} if recipe.written is None else recipe.written.plain()
        if recipe.clip.stand_in is not None:  # it has done its work: what is edited from here on
            plain["clip"].pop("stand_in")  # would not fit it
        moved = moved_recipe(plain, path.parent, self.project.folder)
        subject(read(moved, self.project.folder))  # says what is wrong with it
        return self._add(path.stem, moved)

    def _add(self, name: str, recipe: dict[str, object], id: str = "") -> Document:
        id = id or _new_id()
        history = History(self.project.documents / id, name, recipe)
        history.save()
        with self._lock:
            self._open[id] = Document(id, self.project, history)
            return self._used(id)

    def _used(self, id: str) -> Document:
        """One that was just asked for; of others, old ones that no page has open are closed."""
        self._open.move_to_end(id)
        for old in list(self._open)[:-MOST_OPEN]:
            if self._open[old].is_alone:
                self._open.pop(old).close()
        return self._open[id]


def _new_id() -> str:
    return secrets.token_hex(8)
