"""The files a recipe leaves behind: checked before the work, written whole after it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from poise.errors import FileProblem
from poise.formats import check_can_write, save_clip
from poise.formats.atomic import atomic_write
from poise.recipes import Outcome, Recipe
from poise.recipes.locating import located
from poise.wording import counted

PAGES = (".html", ".htm")


@dataclass(frozen=True)
class PlannedOutputs:
    """Where things go."""

    files: dict[str, Path]
    """By the keys of a recipe's outputs: clip, glb, before, report."""
    notes: tuple[str, ...] = ()


def planned_outputs(
    recipe: Recipe,
    clip: Path | None,
    output: Path | None,
    report: Path | None,
    *,
    overwrite: bool,
) -> PlannedOutputs:
    """What the recipe and the command line ask for, when all of it can be written.

    The outputs of a recipe belong to its own clip: with another one they are left alone, or one
    clip after the other would be written over the same files.

    Raises:
        FileProblem: an extension that says nothing, a folder that is not there, a file that is.
    """
    own = recipe.outputs.items()
    notes: list[str] = []
    if clip is not None and recipe.has_clip and own:
        notes.append(f"outputs of the recipe not written: {clip.name} is not its own clip")
        own = {}
    files = {key: recipe.folder / name for key, name in own.items()}
    for key, path in files.items():
        with located(recipe, ("outputs", key)):
            _check(key, path)
    given = {"clip": output, "report": report}
    for key, path in given.items():
        if path is not None:
            files[key] = path
            _check(key, path)
    _check_different(list(files.values()))
    for path in files.values():
        if path.exists() and not overwrite:
            raise FileProblem(path, "a new file", "one that exists", advice="Add --overwrite.")
    return PlannedOutputs(files, tuple(notes))


def _check(key: str, path: Path) -> None:
    if key == "report":
        if path.suffix.lower() not in PAGES:
            raise FileProblem(path, "an extension of a page (.html)", f"'{path.suffix}'")
    else:
        check_can_write(path)
        if key == "glb" and path.suffix.lower() not in (".glb", ".gltf"):
            raise FileProblem(path, "an extension of glTF (.glb)", f"'{path.suffix}'")
    if not path.parent.is_dir():
        raise FileProblem(path, "an existing folder to write into", f"no {path.parent}")


def _check_different(paths: Sequence[Path]) -> None:
    seen: set[Path] = set()
    for path in paths:
        whole = path.resolve()
        if whole in seen:
            raise FileProblem(path, "different files for different outputs", "the same twice")
        seen.add(whole)


def write_outputs(
    planned: PlannedOutputs, recipe: Recipe, outcome: Outcome, name: str
) -> tuple[list[str], list[str]]:
    """Write them; returns a line about each, and notes."""
    lines: list[str] = []
    notes: list[str] = []
    for key, path in planned.files.items():
        if key == "report":
            size = _write_report(path, recipe, outcome, name, notes)
            lines.append(f"{path}: {size / 1e6:.2f} MB")
            continue
        clip = outcome.prepared.clip if key == "before" else outcome.clip
        notes += save_clip(clip, path)
        what = "the original, " if key == "before" else ""
        lines.append(f"{path}: {what}{counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz")
    return lines, notes


def _write_report(path: Path, recipe: Recipe, outcome: Outcome, name: str, notes: list[str]) -> int:
    from poise.apps.cli.run_text import constraint_notes
    from poise.apps.report.build import report_html
    from poise.measures import evaluate

    prepared = outcome.prepared
    before = prepared.moved_from or prepared
    found = evaluate(
        outcome.clip,
        prepared.character,
        prepared.environment,
        outcome.result.contacts,
        against=before.clip,
        against_character=before.character,
    )
    notes += found.notes
    said = (*constraint_notes(recipe, outcome), *outcome.notes, *found.notes)
    original = Path(before.clip.source.path).name if before.clip.source else before.clip.name
    page = report_html(found, name, against=original or "the original", notes=said).encode("utf-8")
    atomic_write(path, page)
    return len(page)
