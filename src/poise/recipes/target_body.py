"""The body that the step `retarget` is to put a motion on, and which joints are given a match."""

from __future__ import annotations

from collections.abc import Mapping

from poise.character import Character, with_ranges
from poise.errors import BadValue, FileProblem
from poise.recipes.another_body import burdened, other_body
from poise.recipes.locating import located
from poise.recipes.mapping_file import read_mapping
from poise.recipes.recipe import CharacterChoice, Recipe
from poise.transfer import correspondence


def target_body(recipe: Recipe, source: Character) -> tuple[Character, Mapping[str, str] | None]:
    """The body that a recipe asks `retarget` for, and the mapping where it names one.

    Args:
        recipe: its first step is `retarget`.
        source: the clip's own body.

    Raises:
        PoiseError: a body or mapping that cannot be read, joints that there are not, other bones
            for a robot.
    """
    choice = recipe.character
    with located(recipe, ("character", "to")):
        body = other_body(recipe, source)
    hinged = "hinge" in body.skeleton.kinds
    with located(recipe, ("character",)):
        if hinged:
            _check_bones(choice)
        body = burdened(recipe, body)
    if choice.ranges != "none" and not hinged:
        body = with_ranges(body)
    with located(recipe, ("character", "to" if choice.mapping is None else "mapping")):
        path = None if choice.mapping is None else recipe.folder / choice.mapping
        given = None if path is None else read_mapping(path)
        matches = correspondence(source, body, given)  # says here what does not match
        follows = map(matches.follows, range(1, body.skeleton.joint_count))
        if path is not None and not any(follows):
            wanted = "a joint that follows one of the source"
            raise FileProblem(path, wanted, "nothing but null: the body would stay at rest")
    return body, given


def _check_bones(choice: CharacterChoice) -> None:
    """A robot is as its file says."""
    for name in ("limbs", "arms", "legs", "trunk"):
        factor = getattr(choice, name)
        if factor != 1.0:
            raise BadValue(name, "1 for a robot (its bones are those of its file)", factor)
