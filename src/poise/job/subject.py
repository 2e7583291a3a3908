"""From files to what is worked on: a clip, its body, its place. There is no other way.

Every command, the studio and batch come through `subject`. What only asks about a clip (measuring,
drawing) asks with a recipe that has no steps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from poise.character import (
    Character,
    RoleOverrides,
    complete_character,
    read_role_file,
    with_ranges,
)
from poise.contact import (
    ContactSchedule,
    GravityCheck,
    detect_contacts,
    fit_soles,
)
from poise.environment import Environment
from poise.errors import BadValue, FileProblem, MissingRoles, PoiseError, UnusualStature
from poise.formats import check_readable, is_character, load_character, load_clip, reading_options
from poise.job.another_body import (
    MovedFrom,
    burdened,
    figure_of,
    on_another_body,
    target_body,
)
from poise.job.control_rig import ControlRig, control_rig
from poise.job.error_context import RecipeProblem, located
from poise.job.jumps import in_words as jumps_in_words
from poise.job.jumps import jumps_in
from poise.job.place import place_of
from poise.job.rate import in_words as rate_in_words
from poise.job.rate import put_right, rate_of
from poise.job.recipe import HUMAN, SUGGESTED, ClipChoice, Recipe
from poise.job.stand_in import capture_file, stand_in_note
from poise.job.standing_pose import with_standing_pose
from poise.methods.retarget import SUITABLE, why_not
from poise.motion import Clip, resample, with_root_at_hips
from poise.motion.cleanup import Finding, Kept, cleaning_steps, kept_broken, trim
from poise.one_line import framed
from poise.samples import DEFECTS, SAMPLES
from poise.yaml_nodes import Place, Problem


def clip_of(
    recipe: Recipe, clip: Clip | str | Path | None = None
) -> tuple[Clip, tuple[str, ...], Kept]:
    """The clip alone, read, cleaned, cut and resampled; what is to be said; which frames it has.

    Args:
        recipe: says which, and how it is read.
        clip: a file or a clip instead of the recipe's own.
    """
    captured = _captured(recipe, clip)
    made = _resampled(recipe, captured.clip)
    return made, captured.said(made), captured.kept


@dataclass(frozen=True, eq=False)
class _Captured:
    """A clip at the rate of its capture: read, cleaned and cut."""

    clip: Clip
    read: tuple[str, ...]
    """What its file said,"""
    begun: int
    """how much of its history is the file's own,"""
    remarks: tuple[str, ...]
    """and what is to be said of the cut."""
    kept: Kept
    jumps: Finding | None = None
    """Of the root, as far as nobody took them out."""
    rig: ControlRig | None = None
    """Of which the clip is the body."""

    def said(self, made: Clip) -> tuple[str, ...]:
        """All of it, with what was done to the clip until it was this."""
        return (*self.read, *made.history[self.begun :], *self.remarks)


def _captured(recipe: Recipe, clip: Clip | str | Path | None) -> _Captured:
    if clip is not None and not isinstance(clip, Clip):
        clip = read_captured(
            recipe, clip
        )  # what is wrong with another file is not the recipe's fault
    with located(recipe, ("clip",)):
        return _chosen(recipe.for_clip(clip), clip)


def _chosen(recipe: Recipe, given: Clip | None) -> _Captured:
    choice = recipe.clip
    if given is not None:
        clip = given
    elif choice.sample is not None:
        clip = _made(choice.sample, choice)
    elif choice.file is not None:
        clip = read_captured(recipe, _own_file(recipe, choice.file))
    else:
        raise BadValue("clip", "named in the recipe or given beside it (--clip)", "none")
    notes = [*_stand_in_notes(recipe), *(clip.source.notes if clip.source else ())]
    before = len(clip.history)
    with located(recipe, ("character",)):
        clip, stood = with_standing_pose(clip, _fitting_roles(recipe, clip))
    if {step.method for step in recipe.steps} & {*_OF_FIXED_BONES}:
        clip = with_root_at_hips(clip)
    steps = cleaning_steps(choice.clean)
    remarks = [*stood, *kept_broken(clip, steps)]
    trimmed = trim(clip, choice.frames, steps)
    clip, kept = trimmed.clip, trimmed.kept
    remarks += trimmed.notes
    if recipe.steps and kept.artificial:
        remarks.append(f"frame 0 of the recipe is frame {kept.left_out} of the file")
    rig = control_rig(clip)
    if rig is not None:
        clip = rig.body()
        remarks.append(rig.note)
    jumps = jumps_in(clip, kept.first)
    if jumps is not None:
        remarks.append(jumps_in_words(jumps))
    return _Captured(clip, tuple(notes), before, tuple(remarks), kept, jumps, rig)


def _made(name: str, choice: ClipChoice) -> Clip:
    seconds, make = choice.seconds, SAMPLES[name]
    sample = make() if seconds is None else make(seconds=seconds)
    for defect, damage in DEFECTS.items():
        if defect in choice.defects:
            sample = damage(sample, choice.defects[defect])
    return sample.clip


def _own_file(recipe: Recipe, name: str) -> Path:
    return (
        recipe.folder / name if recipe.clip.stand_in is None else capture_file(recipe.folder, name)
    )


def _stand_in_notes(recipe: Recipe) -> list[str]:
    """What is to be said where a clip made by code stands in for a capture."""
    if recipe.for_capture is None or recipe.clip.sample is None:
        return []
    name = recipe.for_capture.clip.file or ""
    return [stand_in_note(recipe.clip.sample, capture_file(recipe.folder, name))]


def _resampled(recipe: Recipe, clip: Clip) -> Clip:
    if recipe.clip.rate_hz is None:
        return clip
    with located(recipe, ("clip",)):
        return resample(clip, recipe.clip.rate_hz)


def of_original(recipe: Recipe, path: Path) -> Recipe:
    """The recipe for the original of a clip: read alike, as far as its format takes the options."""
    taken, choice = reading_options(path), recipe.clip
    left_out = [name for name in ("unit", "up", "skeleton", "animation") if name not in taken]
    return replace(recipe, clip=replace(choice, **dict.fromkeys(left_out)))


def read_captured(recipe: Recipe, path: str | Path) -> Clip:
    """The clip of a file, read as a recipe says and otherwise as it is."""
    choice = recipe.clip
    return load_clip(
        path,
        unit=None if choice.unit is None else str(choice.unit),
        up=choice.up,
        rate_hz=choice.capture_rate_hz,
        skeleton=None if choice.skeleton is None else recipe.folder / choice.skeleton,
        animation=choice.animation,
    )


USUAL_RECIPES = Path(__file__).parent
"""Where the recipes are that commands follow without one."""
_NAME_JOINTS = (
    "Take another motion; or, if it is of such a body, name its joints in a file, one "
    "'left_knee: LShin' per line (--roles FILE)."
)
_OF_FIXED_BONES = ("correct", "filter", "momentum")
"""Methods that refuse bones whose length changes."""
_SAME_REST = 1e-4
"""Of quaternions that went through a file of single precision."""
_MOST_RANGES = 2
"""Of widened ranges that are said one by one."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A clip, whose it is, and where: what the first step starts from, or a measure looks at."""

    clip: Clip
    character: Character
    environment: Environment
    said: tuple[str, ...]
    """What was assumed and done on the way about clip and body,"""
    place_said: tuple[str, ...]
    """and about the place."""
    kept: Kept
    """Which frames of the file the clip has."""
    moved_from: MovedFrom | None = None
    """Where the motion comes from, if it was put on another body."""
    contacts: ContactSchedule | None = None
    """What touches when, as the captured body shows it, if the character is not that body: by the
    forces that a heavier one needs, it would seem to fly."""
    target: Character | None = None
    """A body that the first step is to put the motion on; until then all is of the clip's own."""
    mapping: Mapping[str, str] | None = None
    """Which of its joints follow which, where the recipe says so."""
    rate: GravityCheck | None = None
    """What its flights say about its rate; None where nobody asked, or it was put right."""
    jumps: Finding | None = None
    """Of the root in the captured clip, as far as nobody took them out."""
    rig: ControlRig | None = None
    """Whose body the clip is, where the file's limbs end in bones beside the body."""

    def on_body(
        self, body: Character, clip: Clip, contacts: ContactSchedule, environment: Environment
    ) -> Subject:
        """What later steps work on once a step has put the motion on another body."""
        source = MovedFrom(self.clip, self.character, clip, contacts, ())
        return replace(
            self, clip=clip, character=body, environment=environment, contacts=contacts,
            moved_from=source, target=None, mapping=None,
        )  # fmt: skip

    def __repr__(self) -> str:
        return framed("Subject", f"{self.clip!r} on {self.character!r}")

    @property
    def notes(self) -> tuple[str, ...]:
        """All that was assumed and done on the way."""
        return (*self.said, *self.place_said)


def subject(
    recipe: Recipe,
    clip: Clip | str | Path | None = None,
    *,
    to_draw: bool = False,
    place: Environment | None = None,
    target: Character | None = None,
) -> Subject:
    """Read the clip, cut and clean it, find its body and its place.

    Args:
        recipe: says which clip, whose body, where; it may have no steps.
        clip: a file or a clip, instead of the recipe's own. It is cut, cleaned and resampled like
            that one, and read with the same options.
        to_draw: a figure will do: a robot or skeleton file stands at rest, a skeleton that is not
            recognised is a character without a body and a note, and nobody looks for a floor.
        place: where, instead of the recipe's place.
        target: the body to retarget to, instead of the file that the recipe names.

    Raises:
        PoiseError: with the place in the recipe of what cannot be had.
    """
    figure = _figure(recipe, clip) if to_draw else None
    if figure is None:
        captured = _captured(recipe, clip)
    else:
        captured = _Captured(standing_clip(figure), (), 0, (), Kept(0, 1, 1))
    made = _resampled(recipe, captured.clip)
    with located(recipe, ("character",)):
        own = figure or _body_in(recipe, made)
        character, lacking = _own_body(recipe, own, made)
        if isinstance(lacking, UnusualStature) and not to_draw:
            raise lacking
    if isinstance(lacking, MissingRoles) and not to_draw:
        raise _unrecognised(recipe, made, lacking)
    if to_draw:
        return _to_be_drawn(recipe, captured, character, lacking)
    with located(recipe, ("environment",)):
        environment = place or place_of(recipe, made, character)
    rate = _rate_of(recipe, captured, character, environment)
    if rate is not None and rate.verdict == "wrong" and recipe.clip.wrong_rate == "fix":
        captured = replace(captured, clip=put_right(captured.clip, rate))
        made, rate = _resampled(recipe, captured.clip), None
        with located(recipe, ("environment",)):
            environment = place or place_of(recipe, made, character)
    said = captured.said(made)
    if rate is not None:
        said = (*said, *rate_in_words(recipe, captured.clip, character, rate))
    character, fitted = _with_soles(recipe, character, made, environment)
    said = (*said, *fitted)
    asked = Subject(
        made, character, environment, said, environment.notes, captured.kept, rate=rate,
        jumps=captured.jumps, rig=captured.rig,
    )  # fmt: skip
    return _to_be_moved(recipe, asked, target) if recipe.retargets else _on_its_body(recipe, asked)


def _rate_of(
    recipe: Recipe, captured: _Captured, character: Character, environment: Environment
) -> GravityCheck | None:
    """What flights say about the rate, where steps or the user want to know."""
    asked = bool(recipe.steps) or recipe.clip.wrong_rate == "fix"
    return rate_of(captured.clip, character, environment) if asked else None


def _to_be_drawn(
    recipe: Recipe, captured: _Captured, character: Character, lacking: PoiseError | None
) -> Subject:
    """A figure with or without a body, in the place that was asked for."""
    clip = captured.clip
    if recipe.clip.wrong_rate == "fix":
        if lacking is not None:
            raise lacking
        rate = rate_of(clip, character, place_of(recipe, clip, character))
        if rate is not None and rate.verdict == "wrong":
            clip = put_right(clip, rate)
    made = _resampled(recipe, clip)
    said = (*captured.said(made), *character.notes, *(() if lacking is None else (str(lacking),)))
    drawn = Environment.flat()
    if recipe.environment is not None and (recipe.environment != SUGGESTED or lacking is None):
        drawn = place_of(recipe, made, character)
    character, fitted = _with_soles(recipe, character, made, drawn)
    if lacking is None:
        character = burdened(recipe, character)
    return Subject(made, character, drawn, (*said, *fitted), drawn.notes, captured.kept)


def remembering(clip: Clip, character: Character) -> Clip:
    """The clip with the body that it is of, where no skeleton would tell: a robot's."""
    return replace(clip, body=character if _is_from_a_file(character) else None)


def _is_from_a_file(character: Character) -> bool:
    """Whether a body is not one that was made from the skeleton, with the strength of people."""
    return character.body is not None and character.strength is None


def _body_in(recipe: Recipe, clip: Clip) -> Character:
    """Whose motion a clip is: as the recipe says, else as the clip does, else nobody's yet."""
    choice = recipe.character.body
    if choice is None:
        return clip.body or Character(clip.skeleton)
    if choice == HUMAN:
        return Character(clip.skeleton)
    with located(recipe, ("character", "body")):
        body = figure_of(recipe.folder / choice, repaired=recipe.clip.clean is not False)
        mine, theirs = clip.skeleton, body.skeleton
        alike = theirs.has_bones_of(mine) and np.allclose(
            theirs.rest_wxyz, mine.rest_wxyz, atol=_SAME_REST
        )
        if not alike:
            allowed = f"one with the joints, bones and rest pose of {clip.name or 'the clip'}"
            raise BadValue("body", allowed, choice)
    return replace(body, skeleton=mine)


def standing_clip(character: Character) -> Clip:
    """A character at rest, as a clip of one frame."""
    skeleton = character.skeleton
    return Clip(
        skeleton, 30.0, skeleton.rest_positions_m[:1], skeleton.rest_wxyz[None], name=character.name
    )


def _figure(recipe: Recipe, clip: Clip | str | Path | None) -> Character | None:
    """Who is in a file of a body without motion; None of any other."""
    if clip is None or isinstance(clip, Clip):
        return None
    if not is_character(clip):
        return None
    usual = ClipChoice()
    for name, value in vars(recipe.clip).items():
        if name != "clean" and value != getattr(usual, name):
            raise BadValue(name, f"left out for {Path(clip).name}: it is for clips", str(value))
    return load_character(clip)


def _own_body(recipe: Recipe, figure: Character, clip: Clip) -> tuple[Character, PoiseError | None]:
    """The body of the clip; of a skeleton that is no known body, it as it is and why."""
    choice, roles = recipe.character, recipe.character.roles
    overrides = _roles(recipe, roles, clip) if isinstance(roles, str) else roles
    try:
        body = complete_character(
            figure,
            mass_kg=choice.mass_kg if choice.to is None else None,  # else the other body's
            table=choice.table,
            sex=choice.sex,
            overrides=overrides,
        )
    except (MissingRoles, UnusualStature) as problem:
        return figure, problem
    return body, None


def _with_soles(
    recipe: Recipe, character: Character, clip: Clip, environment: Environment
) -> tuple[Character, tuple[str, ...]]:
    if recipe.character.soles == "skeleton" or character.roles is None or character.body is None:
        return character, ()
    if _is_from_a_file(character):
        return character, ()  # so are they
    return fit_soles(character, clip, environment)


def _fitting_roles(recipe: Recipe, clip: Clip) -> RoleOverrides | None:
    """The roles that a recipe names, if they are joints of this clip; nobody is blamed here."""
    roles = recipe.character.roles
    if isinstance(roles, str):
        check_readable(recipe.folder / roles)
        named = read_role_file(recipe.folder / roles)
    else:
        named = None if roles is None else RoleOverrides(roles)
    known = named is not None and set(named.joints.values()) <= {*clip.skeleton.joint_names}
    return named if known else None


def _roles(recipe: Recipe, name: str, clip: Clip) -> RoleOverrides:
    check_readable(recipe.folder / name)
    return read_role_file(recipe.folder / name, clip.skeleton)


def _unrecognised(recipe: Recipe, clip: Clip, missing: MissingRoles) -> Exception:
    """What to say about a skeleton that is not a body, by where its joints can be named."""
    if not recipe.steps:
        return missing
    file = clip.source.path if clip.source else clip.name or "the clip"
    if recipe.folder == USUAL_RECIPES:  # no user has written it
        found = why_not(Character(clip.skeleton)) or f"nothing for {', '.join(missing.missing)}"
        return FileProblem(file, SUITABLE, found, advice=_NAME_JOINTS)
    root = recipe.written
    place = Place("recipe") if root is None else root.nearest(("character",)).place
    found = ", ".join(f"{role}={joint}" for role, joint in missing.found.items()) or "nothing"
    problem = Problem(
        place,
        f"expected a skeleton that can be recognised in {Path(file).name}, found {found}. "
        f"Missing: {', '.join(missing.missing)}. Name their joints here: "
        "'character: {roles: {left_knee: LShin}}', or in a roles file. "
        f"Joints without a role: {', '.join(missing.unused[:40]) or 'none'}.",
    )
    return RecipeProblem([problem])


def _to_be_moved(recipe: Recipe, asked: Subject, target: Character | None) -> Subject:
    """With the body that the first step is to put the motion on."""
    body, mapping = target_body(recipe, asked.character, target)
    recognised = () if body.roles is None else body.roles.notes
    notes = (f"{body.name or 'the other body'}: {note}" for note in recognised)
    return replace(asked, said=(*asked.said, *notes, *_notes(body)), target=body, mapping=mapping)


def _on_its_body(recipe: Recipe, asked: Subject) -> Subject:
    """On the body that the recipe asks for, with its burdens and ranges."""
    clip, character, contacts = asked.clip, asked.character, None
    said, moved_from = asked.said, None
    if recipe.character.is_another:
        with located(recipe, ("character",)):
            clip, character, moved_from = on_another_body(
                recipe, clip, character, asked.environment
            )
        said, contacts = (*said, *moved_from.notes), moved_from.contacts
    if recipe.character.heavier or recipe.character.carries:
        contacts = contacts or detect_contacts(clip, character, asked.environment)
        with located(recipe, ("character",)):
            character = burdened(recipe, character)
    if recipe.character.ranges != "none":
        character = with_ranges(character, clip.rotations_wxyz)
    return replace(
        asked, clip=clip, character=character, said=(*said, *_notes(character)),
        moved_from=moved_from, contacts=contacts,
    )  # fmt: skip


def _notes(character: Character) -> tuple[str, ...]:
    """What is to be said about a body; ranges by the dozen are said in one line."""
    widened = () if character.ranges is None else character.ranges.notes
    if len(widened) <= _MOST_RANGES:
        return character.notes
    joints = dict.fromkeys(note.split(":")[0] for note in widened)
    summed = f"{len(widened)} ranges of joints were widened to hold the clip: {', '.join(joints)}"
    return (*(note for note in character.notes if note not in widened), summed)
