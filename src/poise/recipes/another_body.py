"""The motion of a recipe on another body than the clip's own."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from poise.character import (
    Attachment,
    Character,
    complete_character,
    with_arms_and_legs,
    with_attachments,
    with_mass_factors,
)
from poise.contact import ContactSchedule, detect_contacts
from poise.environment import Environment
from poise.errors import FileProblem, MissingRoles
from poise.formats import FORMATS, load_character, load_clip
from poise.job import Recipe, located
from poise.methods.correct import on_other_build
from poise.methods.filter import onto_body
from poise.methods.retarget import SUITABLE, why_not
from poise.motion import Clip
from poise.motion.cleanup import clean


@dataclass(frozen=True, eq=False)
class MovedFrom:
    """A motion before it was put on another body."""

    clip: Clip
    character: Character
    original: Clip
    """The same places in the joints of the other body: what constraints are read against."""
    contacts: ContactSchedule
    """What touches when: the other body is to touch then, too."""
    notes: tuple[str, ...]


def on_another_body(
    recipe: Recipe, clip: Clip, character: Character, environment: Environment
) -> tuple[Clip, Character, MovedFrom]:
    """The clip on the body that a recipe asks for, that body, and where the motion comes from.

    Args:
        recipe: asks for another body.
        clip: cut, cleaned and resampled.
        character: the clip's own body.
        environment: where it moves.

    Raises:
        PoiseError: a body that cannot be read, or that the motion cannot be put on.
    """
    body = other_body(recipe, character)
    contacts = detect_contacts(clip, character, environment)
    same = body.skeleton.joint_names == clip.skeleton.joint_names
    corrected = any(step.method == "correct" for step in recipe.steps[:1])
    if corrected and same and environment.grounds:
        # No constraint will bring the feet back where they were: steps are as long as such legs.
        moved = on_other_build(clip, character, body, environment.grounds[0])
        notes = moved.history[len(clip.history) :]
        return moved, body, MovedFrom(clip, character, moved, contacts, notes)
    put = onto_body(clip, character, body)
    notes = (*put.clip.history[len(clip.history) :], *put.notes)
    return put.clip, body, MovedFrom(clip, character, put.original, contacts, notes)


def other_body(recipe: Recipe, character: Character) -> Character:
    """The body that a recipe asks for, of the build that it asks for.

    Raises:
        PoiseError: a body that cannot be read or recognised.
    """
    choice = recipe.character
    body = character
    if choice.to is not None:
        with located(recipe, ("character", "to")):
            body = _body_of(recipe, choice.to, character)
    arms, legs = choice.limbs * choice.arms, choice.limbs * choice.legs
    return with_arms_and_legs(body, arms=arms, legs=legs, trunk=choice.trunk)


def burdened(recipe: Recipe, character: Character) -> Character:
    """With its heavier parts, and with what it carries."""
    choice = recipe.character
    character = with_mass_factors(character, choice.heavier)
    return with_attachments(character, [Attachment(**vars(each)) for each in choice.carries])


def _body_of(recipe: Recipe, name: str, character: Character) -> Character:
    """A human of the proportions of a file's skeleton; a robot as it is."""
    choice, path = recipe.character, recipe.folder / name
    figure = figure_of(path, repaired=recipe.clip.clean is not False)
    same = figure.skeleton.joint_names == character.skeleton.joint_names
    try:
        return complete_character(
            figure,
            mass_kg=choice.mass_kg,
            table=choice.table,
            sex=choice.sex,
            # Names that the recipe had to explain are explained for both.
            overrides=dict(character.roles.joints) if same and character.roles else None,
        )
    except MissingRoles as missing:
        found = why_not(figure) or f"nothing for {', '.join(missing.missing)}"
        raise FileProblem(path, SUITABLE, found, advice=_UNSUITABLE) from None


_UNSUITABLE = (
    "Take another body; or, if it is such a one, call its joints by what they are (left_knee, "
    "left_elbow)."
)


def figure_of(path: Path, *, repaired: bool) -> Character:
    """The figure of a file of any kind; a thorax that the clip got back, it gets back too.

    Raises:
        FileProblem: a file that cannot be read.
    """
    moving = [f for f in FORMATS if f.read_motion or f.read_clip]
    if any(path.suffix.lower() in f.extensions for f in moving):
        clip = load_clip(path)
        if repaired:
            clip, _ = clean(clip, ("missing-thorax",))
        return Character(clip.skeleton, name=path.stem)
    return load_character(path)
