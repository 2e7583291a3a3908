"""Running a recipe: prepare, then one step after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from poise.constraints import Constraint, StageEdit, tasks_of
from poise.errors import BadValue, PoiseError
from poise.methods import Edit, ProgressCallback, Result
from poise.motion import Clip
from poise.recipes.another_body import MovedFrom
from poise.recipes.known_contacts import known_contacts
from poise.recipes.locating import (
    blaming_constraints,
    constraint_location,
    located,
    problem_at,
)
from poise.recipes.pattern_file import load_pattern
from poise.recipes.places import Problem, RecipeProblem
from poise.recipes.prepare import Prepared, prepare
from poise.recipes.recipe import Recipe
from poise.recipes.records import constraint_from
from poise.recipes.timing import Clock
from poise.recipes.vocabulary import Vocabulary, vocabulary


@dataclass(frozen=True, eq=False)
class Outcome:
    """What went in, and what each step made of it."""

    prepared: Prepared
    """With `retarget`, as the steps after it find it: the other body, the place at its size."""
    results: tuple[Result[Any], ...]
    """One for each step; each starts from the clip of the one before."""

    @property
    def result(self) -> Result[Any]:
        """That of the last step."""
        return self.results[-1]

    @property
    def clip(self) -> Clip:
        """The edited clip."""
        return self.result.clip

    @property
    def start(self) -> Clip:
        """The captured motion, where it is to be: on its own body, on the ground it is put on."""
        source = self.prepared.moved_from
        start = self.prepared.clip if source is None else source.clip
        return start if source else self.results[0].start or start

    @property
    def converged(self) -> bool:
        """Whether every step has met all that it was asked for."""
        return all(result.status == "converged" for result in self.results)

    @property
    def notes(self) -> tuple[str, ...]:
        """All that the user should know, each once."""
        said = (*self.prepared.notes, *(n for result in self.results for n in result.notes))
        return tuple(dict.fromkeys(said))


def run_recipe(
    recipe: Recipe,
    *,
    clip: Clip | str | Path | None = None,
    words: Vocabulary | None = None,
    progress: ProgressCallback | None = None,
) -> Outcome:
    """Do what a recipe says; writes nothing.

    Args:
        recipe: what to do.
        clip: a clip or its file, instead of the recipe's own.
        words: the constraints and methods there are; by default all of Poise's.
        progress: is told how far a step is.

    Raises:
        RecipeProblem: what a step cannot do, with the place of the constraint that asks for it.
        PoiseError: a file that cannot be read, a body that is not recognised.
    """
    return run_prepared(recipe, prepare(recipe, clip), words=words, progress=progress)


def run_prepared(
    recipe: Recipe,
    prepared: Prepared,
    *,
    words: Vocabulary | None = None,
    progress: ProgressCallback | None = None,
    after: Sequence[Clip] = (),
) -> Outcome:
    """The steps of a recipe on what has been prepared for it.

    Args:
        recipe: has the steps.
        prepared: what they work on.
        words: as of `run_recipe`.
        progress: as of `run_recipe`.
        after: what the first steps have made already; only the others are run, and `prepared` is as
            those found it.
    """
    words = words or vocabulary()
    results: list[Result[Any]] = []
    for index, step in list(enumerate(recipe.steps))[len(after) :]:
        clip = results[-1].clip if results else after[-1] if after else prepared.clip
        edit = edit_of(recipe, index, prepared, clip, words)
        with blaming_constraints(recipe, index):
            method = words.methods[step.method]
            result = method.run(edit, step.settings, progress=progress)
        results.append(result)
        prepared = on_body_of(result, edit, prepared)
    return Outcome(prepared, tuple(results))


def on_body_of(result: Result[object], edit: Edit, prepared: Prepared) -> Prepared:
    """What later steps work on: the other body, its motion, its place, where a step changed it."""
    if result.character is None or result.contacts is None:
        return prepared
    source = MovedFrom(edit.clip, edit.character, result.clip, result.contacts, ())
    return replace(
        prepared, clip=result.clip, character=result.character, moved_from=source,
        environment=result.environment or prepared.environment, contacts=result.contacts,
        target=None, mapping=None,
    )  # fmt: skip


def edit_of(recipe: Recipe, index: int, prepared: Prepared, clip: Clip, words: Vocabulary) -> Edit:
    """What a step asks of its method.

    Raises:
        RecipeProblem: every constraint that cannot be had on this clip, each with its place.
    """
    clock = Clock(clip.rate_hz, clip.frame_count)
    moved_from = prepared.moved_from if clip is prepared.clip else None
    step, contacts = recipe.steps[index], prepared.contacts
    if step.contacts is not None:
        with located(recipe, ("steps", index, step.method, "contacts")):
            contacts = known_contacts(recipe.folder / step.contacts, clip, prepared.kept)
    pattern, character = None, prepared.character
    takes = words.takes(step.method)
    if step.pattern is None and takes.pattern:
        with located(recipe, ("steps", index, step.method)):
            raise BadValue("pattern", "given (see 'poise pattern learn')", None)
    if step.pattern is not None:
        with located(recipe, ("steps", index, step.method, "pattern")):
            pattern = load_pattern(recipe.folder / step.pattern)
            pattern.check_skeleton(clip.skeleton, clip.name or "the clip")
            character = pattern.with_tools(character)
    asked = Edit(
        clip,
        character,
        (),
        prepared.environment,
        contacts=contacts,
        original=None if moved_from is None else moved_from.original,
        pattern=pattern,
        target=prepared.target,
        mapping=prepared.mapping,
    )
    made: list[Constraint | StageEdit] = []
    problems: list[Problem] = []
    for i, wish in enumerate(step.constraints):
        try:
            constraint = constraint_from(wish, words, clock)
            if not takes.stages:
                tasks_of(constraint, asked.scene)  # says what is wrong with this one alone
            refused = takes.refusal(wish.kind, constraint)
            if refused is not None:
                raise refused
            made.append(constraint)
        except PoiseError as problem:
            location = constraint_location(recipe, index, i)
            problems.append(problem_at(recipe, location, problem))
    if problems:
        raise RecipeProblem(problems)
    return replace(asked, constraints=made)
