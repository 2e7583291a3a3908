"""Errors while a recipe runs, at the place of the recipe that asked for it."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace

from poise.errors import BadValue, PoiseError, UnknownName
from poise.job.recipe import Recipe
from poise.yaml_nodes import Node, Place, Problem


@contextmanager
def located(recipe: Recipe, location: Location) -> Generator[None, None, None]:
    """Say of what goes wrong inside that this part of the recipe asked for it."""
    try:
        yield
    except RecipeProblem:
        raise
    except PoiseError as problem:
        if recipe.written is None or recipe.written.at(location) is None:
            raise
        raise RecipeProblem([problem_at(recipe, location, problem)]) from problem


def problem_at(recipe: Recipe, location: Location, problem: PoiseError) -> Problem:
    """A problem with a part of a recipe; one that was never written has no lines."""
    if recipe.written is None:
        return Problem(Place("recipe"), str(problem))
    return Problem(place_of(problem, recipe.written.nearest(location)), str(problem))


def constraint_location(recipe: Recipe, step: int, index: int) -> Location:
    """Where a constraint of a recipe stands."""
    chosen = recipe.steps[step]
    kind = chosen.constraints[index].kind
    return ("steps", step, chosen.method, "constraints", index, kind)


@contextmanager
def located_constraint(recipe: Recipe, step: int, index: int) -> Generator[None, None, None]:
    """Say of what goes wrong inside that this constraint is meant, whatever stands there now."""
    chosen = recipe.steps[step]
    here = ".".join(map(str, ("steps", step, chosen.method, "constraints", index)))
    try:
        yield
    except RecipeProblem as wrong:
        raise RecipeProblem(
            replace(each, place=Place(f"{here}.{each.place.label}")) for each in wrong.problems
        ) from wrong
    except PoiseError as problem:
        raise RecipeProblem([Problem(Place(here), str(problem))]) from problem


@contextmanager
def attribute_error(recipe: Recipe, step: int) -> Generator[None, None, None]:
    """Say of what goes wrong in a step which constraint is meant, if the message names one."""
    try:
        yield
    except RecipeProblem:
        raise
    except PoiseError as problem:
        for index, spec in enumerate(recipe.steps[step].constraints):
            if recipe.written is not None and spec.name and f"'{spec.name}'" in str(problem):
                location = constraint_location(recipe, step, index)
                raise RecipeProblem([problem_at(recipe, location, problem)]) from problem
        raise


MOST_SHOWN = 20
"""Problems in one message; a file with more of them is most likely no recipe."""

Location = tuple[str | int, ...]
"""Keys and list indices from the root of a recipe to a value."""

_STANDS_FOR = {"interval": ("frames", "seconds"), "easing": ("ease", "ease_seconds")}


class RecipeProblem(PoiseError):
    """All mistakes of a recipe, one line each, in the order of the file."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        found = dict.fromkeys(problems)
        self.problems = tuple(sorted(found, key=_order))
        lines = [str(problem) for problem in self.problems[:MOST_SHOWN]]
        hidden = len(self.problems) - len(lines)
        if hidden > 0:
            lines.append(f"{self.problems[0].place.label}: and {hidden} more.")
        super().__init__("\n".join(lines))


def _order(problem: Problem) -> tuple[int, int]:
    return problem.place.line or 0, problem.place.column or 0


def said(root: Node, location: Location) -> str:
    """`priority of 'reach'`, `strategy of settings of deform`, `entry 2 of through of 'reach'`."""
    words: list[str] = []
    for end in range(len(location), 0, -1):
        here, part = location[:end], location[end - 1]
        if end == 6 and here[0] == "steps" and here[3] == "constraints":
            words.append(_constraint_name(root, here))
            break
        words.append(f"entry {part + 1}" if isinstance(part, int) else part)
        if end == 3 and here[0] == "steps":  # a method
            break
    return " of ".join(words) if words else "the recipe"


def _constraint_name(root: Node, location: Location) -> str:
    named = root.at((*location, "name"))
    if named is not None and isinstance(named.content, str) and named.content:
        return f"'{named.content[:60]}'"
    return f"{location[5]} (constraint {int(location[4]) + 1})"


def methods_of(root: Node) -> Iterator[Location]:
    """The paths of the methods, as far as the tree has the right form."""
    steps = root.child("steps")
    for i, step in enumerate(() if steps is None else steps.entries()):
        for method in step.items():
            yield "steps", i, method


def constraints_of(root: Node) -> Iterator[Location]:
    """The paths of the constraints, likewise."""
    for method in methods_of(root):
        listed = root.at((*method, "constraints"))
        for i, entry in enumerate(() if listed is None else listed.entries()):
            for kind in entry.items():
                yield (*method, "constraints", i, kind)


def place_of(problem: PoiseError, here: Node) -> Place:
    """The place of the value that a message is about in a part of a recipe; else of the part."""
    if isinstance(problem, UnknownName):
        return _leaf(here, problem.name) or here.place
    if isinstance(problem, BadValue):
        subject = problem.argument.split()[0] if problem.argument else ""
        for key in (subject, *_STANDS_FOR.get(subject, ())):
            place = _key(here, key)
            if place is not None:
                return place
    return here.place


def _key(here: Node, key: str) -> Place | None:
    """The place of the value of a key, here or below; not in lists, which may have several."""
    if key in here.items():
        return here.items()[key].place
    return next((found for each in here.items().values() if (found := _key(each, key))), None)


def _leaf(here: Node, value: str) -> Place | None:
    """The place of a word."""
    below = (*here.items().values(), *here.entries())
    if not below:
        return here.place if here.content == value else None
    return next((found for each in below if (found := _leaf(each, value))), None)
