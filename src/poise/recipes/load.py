"""Reading a recipe: all that is wrong with it at once, each with file, line and column."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from poise.environment import Entry, entries_from, place_from, read_entries
from poise.errors import FileProblem
from poise.recipes.changes import Change, changed
from poise.recipes.checks import check
from poise.recipes.complaints import complaints
from poise.recipes.places import Problem, RecipeProblem, expected
from poise.recipes.recipe import CharacterChoice, ClipChoice, Outputs, Recipe, Step, Wish
from poise.recipes.records import record_from, settings_from
from poise.recipes.refusals import refusals
from poise.recipes.schema import recipe_model
from poise.recipes.vocabulary import Vocabulary, vocabulary
from poise.recipes.written import Written, entry_from, file_problem, written_from, written_located

_WHAT = "a recipe"


def load_recipe(
    path: str | Path,
    *,
    changes: Sequence[str | Change] = (),
    without: Sequence[str] = (),
    words: Vocabulary | None = None,
) -> Recipe:
    """Read a recipe from a YAML or JSON file.

    Args:
        path: the file; paths in the recipe start in its folder.
        changes: values to change first, such as "reach.priority=3" (see `changes.changed`).
        without: names of constraints to leave out.
        words: the constraints and methods there are; by default all of Poise's.

    Raises:
        FileProblem: not text or not YAML.
        RecipeProblem: all that is wrong, each with its place.
    """
    path = Path(path)
    return _recipe(read_entries(path, _WHAT), path, changes, without, words)


def recipe_from_text(
    text: str,
    *,
    path: str | Path = "recipe.yaml",
    changes: Sequence[str | Change] = (),
    without: Sequence[str] = (),
    words: Vocabulary | None = None,
) -> Recipe:
    """A recipe from text at hand; `path` is where it would stand, the rest as `load_recipe`."""
    path = Path(path)
    entry = entries_from(text.encode("utf-8"), path, _WHAT)
    return _recipe(entry, path, changes, without, words)


def recipe_from_values(values: Mapping[str, Any], path: str | Path) -> Recipe:
    """A recipe from plain values, as a program has them; `path` is where it would stand.

    Raises:
        RecipeProblem: all that is wrong, each labelled by its place, such as `steps.0.deform`.
    """
    return _checked(written_located(values), Path(path), vocabulary(), [])


def _recipe(
    entry: Entry,
    path: Path,
    changes: Sequence[str | Change],
    without: Sequence[str],
    words: Vocabulary | None,
) -> Recipe:
    words = words or vocabulary()
    root, problems = written_from(entry, str(path))
    if not isinstance(root.content, Mapping):
        wanted = "keys and values for a recipe"
        raise RecipeProblem([*problems, expected(root.place, wanted, root.kind)])
    if changes or without:
        if problems:
            raise RecipeProblem(problems)
        root = changed(root, changes, without)
    return _checked(root, path, words, problems)


def _checked(root: Written, path: Path, words: Vocabulary, known: list[Problem]) -> Recipe:
    """A recipe from values that know where they stand, and what is already wrong with them."""
    model = recipe_model(words)
    problems = list(check(root, words))
    checked: Any = None
    try:
        checked = model.model_validate(root.plain()).model_dump(exclude_unset=True)
    except ValidationError as refused:
        problems += complaints(refused, root, model)
    problems += [*_place_problems(root, path), *refusals(root, words)]
    taken = {problem.place for problem in known}
    problems = [*known, *(each for each in problems if each.place not in taken)]
    if problems:
        raise RecipeProblem(problems)
    return Recipe(
        steps=[_step(step, words) for step in checked["steps"]],
        clip=_clip(checked.get("clip")),
        character=record_from(CharacterChoice, checked.get("character") or {}),
        environment=checked.get("environment"),
        outputs=Outputs(**(checked.get("outputs") or {})),
        about=checked.get("about") or "",
        folder=path.parent,
        written=root,
    )


def _clip(checked: Any) -> ClipChoice:
    return ClipChoice(file=checked) if isinstance(checked, str) else ClipChoice(**(checked or {}))


def _step(checked: Mapping[str, Any], words: Vocabulary) -> Step:
    ((method, content),) = checked.items()
    content = content or {}
    settings = settings_from(method, content.get("settings") or {}, words)
    wishes = [
        Wish(kind, values)
        for entry in content.get("constraints") or ()
        for kind, values in entry.items()
    ]
    return Step(method, settings, wishes, content.get("contacts"), content.get("pattern"))


def _place_problems(root: Written, path: Path) -> Iterator[Problem]:
    """What is wrong with a place that is written out here and names no files."""
    here = root.at(("environment",))
    if here is None or not isinstance(here.content, Mapping) or _names_a_file(here):
        return
    try:
        place_from(entry_from(here, path, "environment"))
    except FileProblem as problem:
        yield file_problem(problem, here.place.label)


def _names_a_file(here: Written) -> bool:
    if isinstance(here.content, Mapping):
        return "file" in here.content or any(map(_names_a_file, here.content.values()))
    return isinstance(here.content, tuple) and any(map(_names_a_file, here.content))
