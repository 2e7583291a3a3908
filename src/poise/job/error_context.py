"""Errors while a recipe runs, at the place of the recipe that asked for it."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import replace

from poise.errors import PoiseError
from poise.job.recipe import Recipe
from poise.job.recipe_path import Location, RecipeProblem, place_of
from poise.yaml_nodes import Place, Problem


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
