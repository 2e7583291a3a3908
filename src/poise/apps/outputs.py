"""The files a recipe leaves behind: checked before the work, written whole after it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from poise.apps.report.page import built
from poise.contact import detect_contacts, write_contacts
from poise.errors import FileProblem
from poise.formats import atomic_write, check_can_write, check_robot_file, save_clip
from poise.measures import Evaluation
from poise.recipes import Outcome, Recipe
from poise.recipes.locating import located
from poise.wording import counted

PAGES = (".html", ".htm")
TABLES = (".csv", ".json")


@dataclass(frozen=True)
class PlannedOutputs:
    """Where things go."""

    files: dict[str, Path]
    """By the keys of a recipe's outputs, and preview."""
    notes: tuple[str, ...] = ()


def planned_outputs(
    recipe: Recipe,
    clip: Path | None,
    given: Mapping[str, Path | None],
    *,
    overwrite: bool,
) -> PlannedOutputs:
    """What the recipe and the command line ask for, when all of it can be written.

    The outputs of a recipe belong to its own clip: with another one they are left alone, or one
    clip after the other would be written over the same files.

    Args:
        recipe: its outputs are wanted.
        clip: another clip than the recipe's.
        given: files of the command line, by the same keys, which come first; None: not asked for.
        overwrite: whether files may be replaced.

    Raises:
        FileProblem: an extension that says nothing, a folder that is not there, a file that is.
    """
    own = recipe.outputs.items()
    notes: list[str] = []
    if clip is not None and recipe.has_clip and own:
        notes.append(f"outputs of the recipe not written: {clip.name} is not its own clip")
        own = {}
    files = {key: recipe.folder / name for key, name in own.items()}
    layout = recipe.outputs.layout
    for key, path in files.items():
        with located(recipe, ("outputs", key)):
            _check(key, path, layout)
    for key, path in given.items():
        if path is not None:
            files[key] = path
            _check(key, path, layout)
    _check_different(list(files.values()))
    for path in files.values():
        if path.exists() and not overwrite:
            raise FileProblem(path, "a new file", "one that exists", advice="Add --overwrite.")
    return PlannedOutputs(files, tuple(notes))


def _check(key: str, path: Path, layout: str) -> None:
    if key == "report":
        if path.suffix.lower() not in PAGES:
            raise FileProblem(path, "an extension of a page (.html)", f"'{path.suffix}'")
        built()
    elif key == "contacts":
        if path.suffix.lower() not in TABLES:
            raise FileProblem(path, "an extension of contacts (.csv, .json)", f"'{path.suffix}'")
    elif key == "robot":
        check_robot_file(path, layout)
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
    planned: PlannedOutputs,
    recipe: Recipe,
    outcome: Outcome,
    found: Evaluation | None,
    name: str,
) -> tuple[list[str], list[str]]:
    """Write them; returns a line about each, and notes.

    Args:
        planned: what goes where.
        recipe: what was asked.
        outcome: what came of it.
        found: the figures of a report.
        name: the report's.
    """
    lines: list[str] = []
    notes: list[str] = []
    for key, path in planned.files.items():
        if key == "report":
            assert found is not None
            notes += found.notes
            size = _write_report(path, recipe, outcome, found, name)
            lines.append(f"{path}: {size / 1e6:.2f} MB")
            continue
        if key == "contacts":
            contacts = outcome.result.contacts
            if contacts is None:
                notes.append(f"{path} not written: nobody asked what touches when")
                continue
            write_contacts(contacts, path)
            lines.append(f"{path}: what touches in {counted(contacts.frame_count, 'frame')}")
            continue
        if key == "robot":
            _write_robot(path, recipe, outcome)
            frames = counted(outcome.clip.frame_count, "frame")
            lines.append(f"{path}: {frames} of a robot at {outcome.clip.rate_hz:g} Hz")
            continue
        clip = outcome.start if key == "before" else outcome.clip
        notes += save_clip(clip, path)
        what = "the original, " if key == "before" else ""
        lines.append(f"{path}: {what}{counted(clip.frame_count, 'frame')} at {clip.rate_hz:g} Hz")
    return lines, notes


def _write_robot(path: Path, recipe: Recipe, outcome: Outcome) -> None:
    from poise.apps.robot_output import write_robot_file

    prepared = outcome.prepared
    contacts = outcome.result.contacts or prepared.contacts
    if contacts is None:
        contacts = detect_contacts(outcome.clip, prepared.character, prepared.environment)
    impossible = next(
        (each.trace["impossible"] for each in outcome.results if "impossible" in each.trace), ()
    )
    with located(recipe, ("outputs", "robot")):
        write_robot_file(
            path, recipe.outputs.layout, outcome.clip, prepared.character, prepared.environment,
            contacts, impossible,
        )  # fmt: skip


def _write_report(
    path: Path, recipe: Recipe, outcome: Outcome, found: Evaluation, name: str
) -> int:
    from poise.apps.outcome_text import constraint_notes
    from poise.apps.report.build import report_html

    said = (*constraint_notes(recipe, outcome), *outcome.notes, *found.notes)
    before = outcome.start
    original = Path(before.source.path).name if before.source else before.name
    page = report_html(found, name, against=original or "the original", notes=said).encode(
        "utf-8", "replace"
    )
    atomic_write(path, page)
    return len(page)
