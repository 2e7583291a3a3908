"""Another body than the clip's own: put there before the first step, or by the step `retarget`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from poise.character import (
    Attachment,
    Character,
    complete_character,
    with_arms_and_legs,
    with_attachments,
    with_mass_factors,
    with_ranges,
)
from poise.contact import ContactSchedule, detect_contacts
from poise.environment import Environment, Ground
from poise.errors import BadValue, FileProblem, MissingRoles
from poise.formats import FORMATS, is_character, load_character, load_clip, read_bytes
from poise.job.error_context import located
from poise.job.recipe import CharacterChoice, Recipe
from poise.job.standing_pose import with_standing_pose
from poise.methods.retarget import SUITABLE, why_not
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.transfer import correspondence, onto_body
from poise.wording import shown
from poise.yaml_nodes import parse_yaml

# Which joint of a body follows which of another, where what is found is to be changed.
#
# A YAML mapping: a joint of the target, and the joint of the source that it follows; nothing, or
# `null`, leaves it at rest.
#
#     LeftFingers: lhand
#     Tail1: null
_WHAT = "a YAML mapping of joints"
_FORM = "joints of the target, each with one of the source"
_MOST_BYTES = 1 << 20


def read_mapping(path: Path) -> dict[str, str]:
    """Joints of the target, and what they follow: an empty text for nothing.

    Raises:
        FileProblem: anything else; a joint that comes twice.
    """
    data = read_bytes(path, max_bytes=_MOST_BYTES)
    try:
        root, problems = parse_yaml(data, str(path), "joints", max_bytes=_MOST_BYTES)
    except FileProblem as problem:
        wanted = _FORM if problem.expected == "joints" else _WHAT  # an empty file is YAML
        raise FileProblem(path, wanted, problem.found, line=problem.line) from None
    if not isinstance(root.content, dict):
        raise FileProblem(path, _FORM, root.kind, line=root.place.line)
    for key in root.odd_keys:  # YAML would keep the last, which may not be the one that is meant
        first = root.items().get(key.word)
        line = None if first is None or first.key_place is None else first.key_place.line
        again = f"'{key.word}' again (first in line {line})"
        raise FileProblem(path, "each joint once", again[:120], line=key.place.line)
    if problems:
        raise problems[0].of_file(path, _WHAT)
    made: dict[str, str] = {}
    for target, source in root.items().items():
        if not (source.content is None or isinstance(source.content, str)):
            found = f"{shown(target)}: {source.kind}"  # written out, aliases could have no end
            raise FileProblem(path, "names of joints", found, line=source.place.line)
        made[target] = source.content or ""
    return made


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
    # No constraint of `correct` brings feet back where they were: steps are as long as such legs.
    corrected = any(step.method == "correct" for step in recipe.steps[:1])
    grounds = environment.grounds or (Ground(),)
    scale = None if corrected and environment.grounds else 1.0
    put = onto_body(clip, character, body, scale=scale, ground=grounds[0])
    notes = (*put.clip.history[len(clip.history) :], *put.notes)
    return put.clip, body, MovedFrom(clip, character, put.original, contacts, notes)


def target_body(
    recipe: Recipe, source: Character, figure: Character | None = None
) -> tuple[Character, Mapping[str, str] | None]:
    """The body that a recipe asks `retarget` for, and the mapping where it names one.

    Args:
        recipe: its first step is `retarget`.
        source: the clip's own body.
        figure: the body, instead of the file that the recipe names.

    Raises:
        PoiseError: a body or mapping that cannot be read, joints that there are not, other bones
            for a robot.
    """
    choice = recipe.character
    with located(recipe, ("character", "to")):
        body = other_body(recipe, source, figure)
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


def other_body(recipe: Recipe, character: Character, figure: Character | None = None) -> Character:
    """The body that a recipe asks for, of the build that it asks for.

    Raises:
        PoiseError: a body that cannot be read or recognised.
    """
    choice = recipe.character
    body = character
    if choice.to is not None:
        with located(recipe, ("character", "to")):
            body = _body_of(recipe, choice.to, character, figure)
    arms, legs = choice.limbs * choice.arms, choice.limbs * choice.legs
    return with_arms_and_legs(body, arms=arms, legs=legs, trunk=choice.trunk)


def burdened(recipe: Recipe, character: Character) -> Character:
    """With its heavier parts, and with what it carries."""
    choice = recipe.character
    character = with_mass_factors(character, choice.heavier)
    return with_attachments(character, [Attachment(**vars(each)) for each in choice.carries])


def _body_of(
    recipe: Recipe, name: str, character: Character, figure: Character | None
) -> Character:
    """A human of the proportions of a file's skeleton; a robot as it is."""
    choice, path = recipe.character, recipe.folder / name
    figure = figure or figure_of(path, repaired=recipe.clip.clean is not False)
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
    moving = {e for f in FORMATS.values() if f.reads_clips for e in f.extensions}
    if path.suffix.lower() not in moving or is_character(path):
        return load_character(path)
    clip, notes = with_standing_pose(load_clip(path))
    if repaired:
        clip, _ = clean(clip, ("missing-thorax",))
    return Character(clip.skeleton, name=path.stem, notes=notes)
