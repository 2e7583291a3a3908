"""Files that leave the studio: clips, recipes, reports."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Protocol, cast

from poise import job
from poise.apps.studio.from_page import SaveFile
from poise.apps.studio.history import History
from poise.apps.studio.measuring import evaluated
from poise.apps.studio.project import Project, is_below
from poise.apps.studio.solving import Solution, read
from poise.apps.studio.to_page import Saved
from poise.apps.studio.wire import Told, told
from poise.errors import FileProblem, PoiseError
from poise.formats import atomic_write, check_can_write, os_problem, save_clip

PAGES, RECIPES = (".html",), (".yaml", ".yml")


class Savable(Protocol):
    """What of a document is written."""

    history: History
    project: Project

    def solution(self) -> Solution:
        """The result of its recipe as it is."""
        ...


def save_file(document: Savable, message: SaveFile) -> Told:
    """Write into the project folder.

    Raises:
        FileProblem: outside of it, there already, or one that the document is made from.
    """
    project = document.project
    path = project.path(message.path)
    if path.is_relative_to(project.documents):
        raise FileProblem(
            message.path, "another folder", "the one that the studio keeps its own in"
        )
    if path in set(_made_from(document)):
        # The edit would be done again, on what it has made.
        raise FileProblem(message.path, "another name", "a file that this document is made from")
    if path.exists() and not message.overwrite:
        raise FileProblem(message.path, "a new file", "one that exists", advice="Overwrite it?")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        notes = write(path, document)
        return told(Saved(message.path, path.stat().st_size, tuple(notes)))
    except OSError as refused:
        raise os_problem(path, refused, "write") from None


def _made_from(document: Savable) -> Iterator[Path]:
    for _, name in job.named_files(document.history.recipe):
        with contextlib.suppress(FileProblem):
            yield document.project.path(name)


def exported(document: Savable, form: str) -> tuple[bytes, str]:
    """The bytes of a file and what it is to be called."""
    name = f"{Path(document.history.name).stem}.{form}"
    project = document.project
    if f".{form}" in RECIPES:  # with files as they are seen from the project folder
        text = recipe_text(document.history.recipe, project, project.folder / f"recipe.{form}")
        return text.encode(), name
    # In our own folder: what a studio that is killed leaves there, the next one sweeps.
    own = project.documents
    own.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".export-", suffix=".tmp", dir=own) as folder:
        path = Path(folder) / f"clip.{form}"
        try:
            write(path, document)
        except PoiseError as problem:
            raise PoiseError(str(problem).replace(str(path), name)) from None
        return path.read_bytes(), name


def write(path: Path, document: Savable) -> tuple[str, ...]:
    """A recipe, a report or the edited clip, as the extension says."""
    kind = path.suffix.lower()
    if kind in RECIPES:
        atomic_write(path, recipe_text(document.history.recipe, document.project, path).encode())
        return ()
    if kind in PAGES:
        atomic_write(path, _report(document.solution(), document.history.name).encode())
        return ()
    check_can_write(path)
    return save_clip(document.solution().clip, path)


def recipe_text(recipe: Mapping[str, object], project: Project, path: Path) -> str:
    """The recipe as `poise run` reads it, with paths as they are seen from its file."""
    inside = path.resolve().is_relative_to(project.folder)
    folder = path.resolve().parent if inside else project.folder
    return job.recipe_text(read(moved_recipe(recipe, project.folder, folder), folder))


def moved_recipe(recipe: Mapping[str, object], old: Path, new: Path) -> dict[str, object]:
    """Plain values with files as they are seen from another folder; by their letters alone."""

    def moved(name: str) -> str:
        whole = Path(os.path.normpath(name))
        if not is_below(name):
            return whole.relative_to(new).as_posix() if whole.is_relative_to(new) else name
        with contextlib.suppress(ValueError):  # a name that no file can have
            return Path(os.path.relpath(old / name, new)).as_posix()
        return name

    return cast("dict[str, object]", job.with_files(recipe, moved))


def _report(solution: Solution, name: str) -> str:
    from poise.apps.report.build import report_html

    found = evaluated(solution)
    notes = (solution.summary, *solution.notes, *found.notes)
    return report_html(found, name, against="the capture", notes=notes, unknown=solution.unknown)
