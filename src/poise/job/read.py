"""Reading a recipe: all mistakes at once, each with file, line and column."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

from pydantic import ValidationError

from poise.errors import BadValue
from poise.formats import read_bytes
from poise.job.changes import Change, changed
from poise.job.error_context import RecipeProblem
from poise.job.pydantic_errors import problems_from
from poise.job.recipe import (
    VERSION,
    CharacterChoice,
    ClipChoice,
    ConstraintSpec,
    Outputs,
    Recipe,
    Step,
    Values,
)
from poise.job.record_validation import check
from poise.job.schema import recipe_type, recipe_validator
from poise.job.stand_in import capture_file, is_missing, standing_in, with_values
from poise.job.vocabulary import Vocabulary, vocabulary
from poise.yaml_nodes import Node, Place, Problem, expected, node_from, parse_yaml

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

MAX_VALUES = 100_000
"""Most values a recipe may have once its aliases are written out."""


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
        changes: values to change first, as `Change(("reach", "priority"), 3)` or as people type
            them, "reach.priority=3" (see `changes.changed`).
        without: names of constraints to leave out.
        words: the constraints and methods there are; by default all of Poise's.

    Raises:
        FileProblem: not text or not YAML.
        RecipeProblem: all mistakes, each with its place.
    """
    return _recipe(read_bytes(Path(path)), Path(path), changes, without, words)


def recipe_from_text(
    text: str,
    *,
    path: str | Path = "recipe.yaml",
    changes: Sequence[str | Change] = (),
    without: Sequence[str] = (),
    words: Vocabulary | None = None,
) -> Recipe:
    """A recipe from text at hand; `path` is where it would stand, the rest as `load_recipe`."""
    return _recipe(text.encode("utf-8"), Path(path), changes, without, words)


def recipe_from_values(values: Values, path: str | Path) -> Recipe:
    """A recipe from plain values, as a program has them; `path` is where it would stand.

    Raises:
        RecipeProblem: all mistakes, each labelled by its keys, such as `steps.0.deform`.
    """
    return _resolved(node_from(values), Path(path), vocabulary(), [], (), ())


def question(changes: Sequence[str | Change] = ()) -> Recipe:
    """What is asked about a clip: a recipe without steps, as measures and pictures need it.

    Args:
        changes: how to read the clip, whose it is and where, as of `load_recipe`.

    Raises:
        RecipeProblem: all mistakes, each labelled by the option that makes it.
    """
    if not changes:  # nothing to check, for which the whole vocabulary would be compiled
        return Recipe((), character=CharacterChoice(ranges="none"))
    usual: Values = {"poise": VERSION, "clip": {}, "steps": [{"deform": None}]}
    root = changed(node_from(usual), changes, ())
    made = _checked(root, Path("options"), vocabulary(), [])
    if made.character.is_another or made.character.mapping is not None:
        allowed = "of the clip's own build (no to, mapping, limbs, arms, legs or trunk)"
        raise BadValue("body", allowed, "another build")
    character = replace(made.character, ranges="none")
    return replace(made, steps=(), character=character, written=None)


def constraint_from_values(values: Values) -> ConstraintSpec:
    """One constraint from plain values, `{hold_point: {...}}`, checked like one of a recipe.

    Raises:
        RecipeProblem: all mistakes, each labelled by its keys, such as `hold_point.place_m`.
    """
    alone: Values = {"poise": VERSION, "steps": [{"deform": {"constraints": [values]}}]}
    try:
        return recipe_from_values(alone, "constraint").steps[0].constraints[0]
    except RecipeProblem as wrong:
        raise RecipeProblem(
            replace(each, place=Place(each.place.label.removeprefix(_ALONE)))
            for each in wrong.problems
        ) from None


_ALONE = "steps.0.deform.constraints.0."


class _Method(TypedDict, total=False):
    """A step, checked: what is left out of a recipe is left out here."""

    settings: DataclassInstance | None
    constraints: Sequence[Mapping[str, Values]] | None
    contacts: str | None
    pattern: str | None


def _recipe(
    data: bytes,
    path: Path,
    changes: Sequence[str | Change],
    without: Sequence[str],
    words: Vocabulary | None,
) -> Recipe:
    root, problems = parse_yaml(data, str(path), "a recipe", max_values=MAX_VALUES)
    if not isinstance(root.content, dict):
        wanted = "keys and values for a recipe"
        raise RecipeProblem([*problems, expected(root.place, wanted, root.kind)])
    if problems and (changes or without):
        raise RecipeProblem(problems)
    return _resolved(root, path, words or vocabulary(), problems, changes, without)


def _resolved(
    root: Node,
    path: Path,
    words: Vocabulary,
    known: list[Problem],
    changes: Sequence[str | Change],
    without: Sequence[str],
) -> Recipe:
    """The recipe; where its capture is missing and has a stand-in, the recipe about that.

    Both are checked on every machine.
    """
    own = changed(root, changes, without)
    recipe = _checked(own, path, words, known)
    if recipe.clip.stand_in is None or recipe.clip.file is None:
        return recipe
    capture = capture_file(path.parent, recipe.clip.file)
    made = standing_in(changed(with_values(root), changes, without), capture)
    stands = replace(_checked(made, path, words, []), for_capture=recipe)
    return stands if is_missing(own, path.parent) else recipe


def _checked(root: Node, path: Path, words: Vocabulary, known: list[Problem]) -> Recipe:
    """A recipe from a tree of values, and the mistakes that are known already."""
    problems = list(check(root, path, words))
    values = None
    try:
        values = recipe_validator(words).validate_python(root.plain())
    except ValidationError as failed:
        problems += problems_from(failed, root, recipe_type(words))
    taken = {problem.place for problem in known}
    problems = [*known, *(each for each in problems if each.place not in taken)]
    if problems or values is None:
        raise RecipeProblem(problems)
    clip = values.get("clip")
    return Recipe(
        steps=[_step(step, words) for step in values["steps"]],
        clip=ClipChoice(file=clip) if isinstance(clip, str) else clip or ClipChoice(),
        character=values.get("character") or CharacterChoice(),
        environment=values.get("environment"),
        outputs=values.get("outputs") or Outputs(),
        about=values.get("about") or "",
        folder=path.parent,
        written=root,
    )


def _step(values: Mapping[str, _Method | None], words: Vocabulary) -> Step:
    ((method, content),) = values.items()
    content = content or _Method()
    settings = content.get("settings") or words.settings_from(method, {})
    constraints = [
        ConstraintSpec(kind, fields)
        for entry in content.get("constraints") or ()
        for kind, fields in entry.items()
    ]
    return Step(method, settings, constraints, content.get("contacts"), content.get("pattern"))
