"""From a recipe in plain values to a solution: quick ones here, others in a process."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from poise.announce import announce
from poise.apps.report.contact_doubts import Stretch, unknown_carriers
from poise.apps.studio.families import built, family_settings
from poise.apps.studio.project import is_below
from poise.apps.studio.to_page import ProblemLine
from poise.apps.studio.views import outcome_of
from poise.arrays import Array
from poise.character import Character
from poise.contact import ContactSchedule
from poise.environment import Environment
from poise.errors import FileProblem, PoiseError
from poise.formats import check_readable, reading_below, save_clip
from poise.job import (
    Outcome,
    Recipe,
    RecipeProblem,
    Subject,
    load_pattern,
    named_files,
    recipe_from_values,
    run_prepared,
    subject,
)
from poise.methods import METHODS, Parcel, Progress
from poise.methods.momentum import Family, statuses_in_words
from poise.methods.pattern import Pattern, PatternReport
from poise.methods.retarget import RetargetReport
from poise.motion import Clip
from poise.yaml_nodes import Place, Problem

NAME = "recipe.yaml"
"""What a recipe is called that stands in no file."""


@dataclass(frozen=True, eq=False)
class Solution:
    """What came of a recipe."""

    prepared: Subject
    """Body and place, as the last step finds them."""
    clips: tuple[Clip, ...]
    """What each step has made of it."""
    contacts: ContactSchedule | None
    start: Clip
    """The captured motion, where it is to be."""
    start_character: Character
    status: str
    summary: str
    notes: tuple[str, ...]
    """What the methods say first, then what was assumed about clip, body and place."""
    met: Mapping[str, tuple[bool, str]]
    """Constraints of all steps by name: whether they are met, and how far off."""
    family: Family | None = None
    """Where the recipe asks for one: the clip is its middle."""
    scatter: tuple[Pattern, Array | None] | None = None
    """The pattern of the last step, and the coefficients of the edited motion."""
    earlier: Solution | None = None
    """Without the last step, where there are several and it is known."""
    scale: float = 1.0
    """How many times as far it goes on another body."""
    unknown: tuple[Stretch, ...] = ()
    """Where something that is not known carries the body."""

    @property
    def clip(self) -> Clip:
        """The edited motion."""
        return self.clips[-1]

    @property
    def character(self) -> Character:
        """Whose motion it is."""
        return self.prepared.character

    @property
    def environment(self) -> Environment:
        """Where it is."""
        return self.prepared.environment


def read(recipe: Mapping[str, object], folder: Path) -> Recipe:
    """A recipe from plain values.

    Raises:
        RecipeProblem: all that is wrong with it; and files that may not be read here.
    """
    _check_names(recipe, folder)
    made = recipe_from_values(recipe, folder / NAME)
    if made.for_capture is not None and made.written is not None:
        _check_names(made.written.plain(), folder)  # what its stand-in names
    return made


def _check_names(recipe: Mapping[str, object], folder: Path) -> None:
    """Files that a recipe names lie in the folder."""
    led_out: list[Problem] = []
    for place, name in named_files(recipe):
        try:
            if is_below(name):
                check_readable(folder / name)
                continue
        except FileProblem:
            pass
        outside = FileProblem(name, "a file in the project folder", "one outside of it")
        led_out.append(Problem(Place(place), str(outside)))
    if led_out:
        raise RecipeProblem(led_out)


def problem_lines(problem: PoiseError, folder: Path) -> tuple[ProblemLine, ...]:
    """What is wrong, each with where in the recipe that is, and files as the project calls them."""
    if not isinstance(problem, RecipeProblem):
        return (ProblemLine(without_folder(str(problem), folder)),)
    return tuple(
        ProblemLine(without_folder(sentence[:1].upper() + sentence[1:], folder), each.place.label)
        for each in problem.problems
        for sentence in [each.sentence]
    )


def bug_lines(bug: Exception) -> tuple[ProblemLine]:
    """What went wrong that should not have."""
    return (ProblemLine(f"A bug in Poise: {type(bug).__name__}: {str(bug)[:300]}"),)


def without_folder(text: str, folder: Path) -> str:
    """Words about files, without where the folder itself lies."""
    return text.replace(f"{folder}{os.sep}", "").replace(str(folder), "the project folder")


def is_quick(recipe: Recipe) -> bool:
    """Whether it is solved in a blink, so that nobody has to ask for it."""
    return all(METHODS[step.method].is_quick for step in recipe.steps)


def solution_of(outcome: Outcome) -> Solution:
    """What the page needs of an outcome."""
    prepared, first, last = outcome.prepared, outcome.results[0].report, outcome.result
    own = [note for result in outcome.results for note in result.notes]
    *without_last, _ = outcome.results
    earlier = solution_of(Outcome(prepared, tuple(without_last))) if without_last else None
    before = prepared.moved_from or prepared
    rows = [row for result in outcome.results for row in result.constraints]
    return Solution(
        prepared=prepared,
        clips=tuple(result.clip for result in outcome.results),
        contacts=last.contacts,
        start=outcome.start,
        start_character=before.character,
        status=next((r.status for r in outcome.results if r.status != "converged"), last.status),
        summary=next((r.summary for r in outcome.results if r.status != "converged"), last.summary),
        notes=tuple(dict.fromkeys((*own, *prepared.notes))),
        met=outcome_of(rows),
        earlier=earlier,
        scale=first.scale if isinstance(first, RetargetReport) else 1.0,
        unknown=unknown_carriers(outcome.results),
    )


def solved_on_top(recipe: Recipe, base: Solution) -> Solution:
    """The steps of a recipe after those that `base` is of.

    Raises:
        PoiseError: what cannot be had.
    """
    on_top = solution_of(run_prepared(recipe, base.prepared, after=base.clips))
    missed = base if base.status != "converged" else on_top
    same = on_top.clip.frame_count == base.clip.frame_count
    return replace(
        on_top, clips=(*base.clips, *on_top.clips), start=base.start,
        start_character=base.start_character, status=missed.status, summary=missed.summary,
        notes=tuple(dict.fromkeys((*on_top.notes, *base.notes))), met={**base.met, **on_top.met},
        contacts=on_top.contacts or base.contacts, earlier=base, scatter=None, scale=base.scale,
        unknown=base.unknown if same else (),
    )  # fmt: skip


@dataclass(frozen=True)
class SolveJob:
    """A recipe for another process."""

    recipe: str
    """As JSON."""
    folder: str
    preview: str
    """Where clips go that are not the last word: this name, and a number; told when there."""


def solve_in_child(job: SolveJob) -> Parcel[Solution]:
    """Solve a recipe; says on the way how far it is. Nothing outside of the folder is read."""
    with reading_below(Path(job.folder)):
        return Parcel(_solved(job))


def _solved(job: SolveJob) -> Solution:
    recipe = read(json.loads(job.recipe), Path(job.folder))
    prepared = subject(recipe)
    methods = ", ".join(step.method for step in recipe.steps)
    numbers = count()

    def progress(told: Progress) -> None:
        preview = ""
        if told.preview is not None:
            preview = f"{job.preview}.{next(numbers)}.npz"
            save_clip(told.preview, preview)
        announce(json.dumps([methods, told.stage, told.done, told.total, preview]))

    progress(Progress("begins", 0, 0))
    family = family_settings(recipe)
    if family is not None:
        return family_solution(built(recipe, family, prepared, progress), prepared)
    outcome = run_prepared(recipe, prepared, progress=progress)
    return replace(solution_of(outcome), scatter=_scatter(recipe, outcome))


def family_solution(family: Family, prepared: Subject) -> Solution:
    """A family, shown by the leap in its middle."""
    missed = [each for each in family.statuses if each != "converged"]
    return Solution(
        prepared=replace(prepared, environment=family.environment),
        clips=(family.at([0.5 * (low + high) for low, high in family.bounds]),),
        contacts=family.contacts,
        start=prepared.clip,
        start_character=prepared.character,
        status=missed[0] if missed else "converged",
        summary=f"A family of {family.member_count} leaps: {statuses_in_words(family.statuses)}.",
        notes=(*prepared.notes, *family.notes),
        met={},
        family=family,
    )


def _scatter(recipe: Recipe, outcome: Outcome) -> tuple[Pattern, Array | None] | None:
    named = recipe.steps[-1].pattern
    if named is None:
        return None
    report = outcome.result.report
    now = report.coefficients_after if isinstance(report, PatternReport) else None
    return load_pattern(recipe.folder / named), now
