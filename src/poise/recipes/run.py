"""Running a recipe: prepare, then one step after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from poise.constraints import Constraint, StageEdit, tasks_of
from poise.errors import BadValue, PoiseError
from poise.job import (
    RETARGET,
    Clock,
    Recipe,
    RecipeProblem,
    Vocabulary,
    attribute_error,
    constraint_from,
    constraint_location,
    located,
    problem_at,
    vocabulary,
)
from poise.methods import Edit, Result
from poise.motion import Clip
from poise.recipes.known_contacts import known_contacts
from poise.recipes.pattern_file import load_pattern
from poise.recipes.prepare import Prepared, prepare
from poise.recipes.retarget_step import run_retarget
from poise.yaml_nodes import Problem

Watcher = Callable[[Any], None]
"""Takes what a method says of how far it is."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What went in, and what each step made of it."""

    prepared: Prepared
    """With `retarget`, as the steps after it find it: the other body, the place at its size."""
    results: tuple[Result, ...]
    """One for each step; each starts from the clip of the one before."""

    @property
    def result(self) -> Result:
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
        return start if source else self.results[0].trace.get("start", start)

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
    watch: Watcher | None = None,
) -> Outcome:
    """Do what a recipe says; writes nothing.

    Args:
        recipe: what to do.
        clip: a clip or its file, instead of the recipe's own.
        words: the constraints and methods there are; by default all of Poise's.
        watch: is told how far a step is, by methods that know it.

    Raises:
        RecipeProblem: what a step cannot do, with the place of the constraint that asks for it.
        PoiseError: a file that cannot be read, a body that is not recognised.
    """
    return run_prepared(recipe, prepare(recipe, clip), words=words, watch=watch)


def run_prepared(
    recipe: Recipe,
    prepared: Prepared,
    *,
    words: Vocabulary | None = None,
    watch: Watcher | None = None,
    after: Sequence[Clip] = (),
) -> Outcome:
    """The steps of a recipe on what has been prepared for it.

    Args:
        recipe: has the steps.
        prepared: what they work on.
        words: as of `run_recipe`.
        watch: as of `run_recipe`.
        after: what the first steps have made already; only the others are run, and `prepared` is as
            those found it.
    """
    words = words or vocabulary()
    results: list[Result] = []
    for index, step in list(enumerate(recipe.steps))[len(after) :]:
        if step.method == RETARGET:
            with located(recipe, ("steps", index, RETARGET)):
                prepared, result = run_retarget(step, prepared, watch)
            results.append(result)
            continue
        clip = results[-1].clip if results else after[-1] if after else prepared.clip
        edit = edit_of(recipe, index, prepared, clip, words)
        with attribute_error(recipe, index):
            results.append(words.run(step.method, edit, step.settings, watch))
    return Outcome(prepared, tuple(results))


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
    if step.pattern is None and words.takes_pattern(step.method):
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
    )
    made: list[Constraint | StageEdit] = []
    problems: list[Problem] = []
    for i, wish in enumerate(step.constraints):
        try:
            constraint = constraint_from(wish, words, clock)
            if not words.takes_stage_edits(step.method):
                tasks_of(constraint, asked.scene)  # says what is wrong with this one alone
            made.append(constraint)
        except PoiseError as problem:
            location = constraint_location(recipe, index, i)
            problems.append(problem_at(recipe, location, problem))
    if problems:
        raise RecipeProblem(problems)
    return replace(asked, constraints=made)
