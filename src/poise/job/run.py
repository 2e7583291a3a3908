"""Running a recipe: what it is about, then one step after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from poise.constraints import Constraint, StageEdit, tasks_of
from poise.errors import BadValue, PoiseError
from poise.job.constraint_spec import Clock, constraint_from
from poise.job.error_context import (
    RecipeProblem,
    attribute_error,
    constraint_location,
    located,
    problem_at,
)
from poise.job.jumps import check_jumps
from poise.job.known_contacts import known_contacts
from poise.job.pattern_file import load_pattern
from poise.job.rate import check_rate
from poise.job.recipe import Recipe
from poise.job.subject import Subject, remembering, subject
from poise.job.travelling import belt_of, in_place, travelling
from poise.job.vocabulary import Vocabulary, vocabulary
from poise.methods import Edit, Method, ProgressCallback, Result, run_method, status_words
from poise.methods.pattern import Pattern
from poise.motion import Clip
from poise.one_line import framed
from poise.yaml_nodes import Problem


@dataclass(frozen=True, eq=False)
class Outcome:
    """What went in, and what each step made of it."""

    prepared: Subject
    """As the last step found it: after `retarget`, the other body and the place at its size."""
    results: tuple[Result[Any], ...]
    """One for each step; each starts from the clip of the one before."""

    def __repr__(self) -> str:
        ends = ", ".join(status_words(result.status) for result in self.results)
        return framed("Outcome", f"{ends}; {self.clip!r}")

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
        source, first = self.prepared.moved_from, self.results[0]
        if source is not None:
            return source.clip
        return first.start or self.prepared.clip

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
    recipe = recipe.for_clip(clip)
    return run_prepared(recipe, subject(recipe, clip), words=words, progress=progress)


def run_prepared(
    recipe: Recipe,
    prepared: Subject,
    *,
    words: Vocabulary | None = None,
    progress: ProgressCallback | None = None,
    after: Sequence[Clip] = (),
    pattern: Pattern | None = None,
) -> Outcome:
    """The steps of a recipe on what has been prepared for it.

    Args:
        recipe: has the steps.
        prepared: what they work on.
        words: as of `run_recipe`.
        progress: as of `run_recipe`.
        after: what the first steps have made already; only the others are run, and `prepared` is as
            those found it.
        pattern: instead of the files that steps name.
    """
    words = words or vocabulary()
    clip = after[-1] if after else prepared.clip
    results: list[Result[Any]] = []
    for index in range(len(after), len(recipe.steps)):
        edit = edit_of(recipe, index, prepared, clip, words, pattern)
        step = recipe.steps[index]
        with attribute_error(recipe, index):
            result = _result(words.methods[step.method], edit, step.settings, progress)
        if result.character is not None and result.contacts is not None:
            place = result.environment or prepared.environment
            prepared = prepared.on_body(result.character, result.clip, result.contacts, place)
        clip = remembering(result.clip, prepared.character)
        results.append(replace(result, clip=clip))
    return Outcome(prepared, tuple(results))


def _result(
    method: Method, edit: Edit, settings: object, progress: ProgressCallback | None
) -> Result[Any]:
    """What a method makes of an edit, on a belt, too."""
    belt = None if method.takes.belts else belt_of(edit.environment)
    if belt is None or edit.constraints:  # which may name places beside the belt
        return run_method(method, edit, settings, progress)
    made = run_method(method, travelling(edit, belt), settings, progress)
    return in_place(made, edit, belt)


def edit_of(
    recipe: Recipe, index: int, prepared: Subject, clip: Clip, words: Vocabulary,
    pattern: Pattern | None = None,
) -> Edit:  # fmt: skip
    """What a step asks of its method.

    Raises:
        FileProblem: a clip whose rate is wrong, before a step that obeys gravity; one whose root
            jumps, before a step that would be solved around that.
        RecipeProblem: every constraint that cannot be had on this clip, each with its place.
    """
    step, contacts = recipe.steps[index], prepared.contacts
    with located(recipe, ("clip",)):
        check_jumps(step, prepared.clip, prepared.jumps)
        check_rate(recipe, step, prepared.clip, prepared.rate)
    if step.contacts is not None:
        with located(recipe, ("steps", index, step.method, "contacts")):
            contacts = known_contacts(recipe.folder / step.contacts, clip, prepared.kept)
    pattern = pattern or _pattern_of(recipe, index, words)
    if pattern is not None:
        with located(recipe, ("steps", index, step.method, "pattern")):
            pattern.check_skeleton(clip.skeleton, clip.name or "the clip")
    source = prepared.moved_from if clip is prepared.clip else None
    asked = Edit(
        clip,
        prepared.character if pattern is None else pattern.with_tools(prepared.character),
        (),
        prepared.environment,
        contacts=contacts,
        original=None if source is None else source.original,
        pattern=pattern,
        target=prepared.target,
        mapping=prepared.mapping,
    )
    return replace(asked, constraints=_constraints(recipe, index, asked, words))


def _pattern_of(recipe: Recipe, index: int, words: Vocabulary) -> Pattern | None:
    step = recipe.steps[index]
    if step.pattern is None:
        if words.takes(step.method).pattern:
            with located(recipe, ("steps", index, step.method)):
                raise BadValue("pattern", "given (see 'poise pattern learn')", None)
        return None
    with located(recipe, ("steps", index, step.method, "pattern")):
        return load_pattern(recipe.folder / step.pattern)


def _constraints(
    recipe: Recipe, index: int, asked: Edit, words: Vocabulary
) -> list[Constraint | StageEdit]:
    step = recipe.steps[index]
    takes = words.takes(step.method)
    clock = Clock(asked.clip.rate_hz, asked.clip.frame_count)
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
    return made
