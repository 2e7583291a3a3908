"""The body that the step `retarget` is to put a motion on, and which joint of it follows which."""

from __future__ import annotations

from dataclasses import dataclass

from poise.character import Character, with_ranges
from poise.errors import BadValue, FileProblem
from poise.job import CharacterChoice, Recipe, located, read_mapping
from poise.methods.retarget import Correspondence, correspondence
from poise.recipes.another_body import burdened, other_body


@dataclass(frozen=True, eq=False)
class Target:
    """Who is to move like the clip."""

    character: Character
    matches: Correspondence
    """Which of its joints follows which of the clip's body."""


def target_body(recipe: Recipe, source: Character) -> Target:
    """The body that a recipe asks `retarget` for.

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
        if choice.mapping is None:
            return Target(body, correspondence(source, body))
        path = recipe.folder / choice.mapping
        matches = correspondence(source, body, read_mapping(path))
        if not any(matches.follows(joint) for joint in range(1, body.skeleton.joint_count)):
            wanted = "a joint that follows one of the source"
            raise FileProblem(path, wanted, "nothing but null: the body would stay at rest")
        return Target(body, matches)


def _check_bones(choice: CharacterChoice) -> None:
    """A robot is as its file says."""
    for name in ("limbs", "arms", "legs", "trunk"):
        factor = getattr(choice, name)
        if factor != 1.0:
            raise BadValue(name, "1 for a robot (its bones are those of its file)", factor)
