"""From the first half of a recipe to what its steps work on: clip, character, place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from poise.character import (
    Character,
    RoleOverrides,
    complete_character,
    read_role_file,
    with_ranges,
)
from poise.contact import ContactSchedule, detect_contacts, estimate_ground, shown_place
from poise.environment import Entry, Environment, load_environment, place_from
from poise.errors import BadValue, FileProblem, MissingRoles
from poise.formats import FORMATS, check_readable, load_clip
from poise.job import ClipChoice, Recipe, RecipeProblem, located
from poise.methods.retarget import SUITABLE, why_not
from poise.motion import Clip, resample
from poise.motion.cleanup import STEPS, clean
from poise.recipes.another_body import MovedFrom, burdened, on_another_body
from poise.recipes.known_contacts import Kept
from poise.recipes.target_body import Target, target_body
from poise.samples import SAMPLES
from poise.yaml_nodes import Place, Problem, node_from

MUST_BE_CLEANED = ("missing-thorax", "t-pose", "dropped-frames")
"""What `clean: true` repairs, as measuring does: frames never captured, and a lost bone."""


@dataclass(frozen=True, eq=False)
class Prepared:
    """What the first step starts from."""

    clip: Clip
    character: Character
    environment: Environment
    notes: tuple[str, ...]
    """What was assumed and done on the way."""
    moved_from: MovedFrom | None = None
    """Where the motion comes from, if it was put on another body."""
    contacts: ContactSchedule | None = None
    """What touches when, as the captured body shows it, if the character is not that body: by the
    forces that a heavier one needs, it would seem to fly."""
    kept: Kept | None = None
    """Which frames of the file the clip has."""
    target: Target | None = None
    """A body that the first step is to put the motion on; until then all is of the clip's own."""


def prepare(
    recipe: Recipe, clip: Clip | str | Path | None = None, *, roles_by: str | None = None
) -> Prepared:
    """Read the clip, cut and clean it, find its body and its place.

    Args:
        recipe: what to prepare.
        clip: a file or a clip, instead of the recipe's own. It is cut, cleaned and resampled like
            that one, and read with the same options.
        roles_by: how to name joints that were not recognised, where the recipe is none that a user
            has written: `Name its joints in a roles file (--roles).`

    Raises:
        PoiseError: with the place in the recipe of what cannot be had.
    """
    if clip is not None and not isinstance(clip, Clip):
        clip = _read(recipe, clip)  # what is wrong with another file is not the recipe's fault
    with located(recipe, ("clip",)):
        made, notes, kept = _clip(recipe, clip)
    character = _character(recipe, made, roles_by)
    with located(recipe, ("environment",)):
        environment = _environment(recipe, made, character)
    if recipe.retargets:
        target = target_body(recipe, character)
        said = (*notes, *_recognised(target.character), *_notes(target.character))
        said = (*said, *environment.notes)
        return Prepared(made, character, environment, said, kept=kept, target=target)
    moved_from = None
    if recipe.character.is_another:
        with located(recipe, ("character",)):
            made, character, moved_from = on_another_body(recipe, made, character, environment)
        notes += moved_from.notes
    contacts = None if moved_from is None else moved_from.contacts
    if recipe.character.heavier or recipe.character.carries:
        contacts = contacts or detect_contacts(made, character, environment)
        with located(recipe, ("character",)):
            character = burdened(recipe, character)
    if recipe.character.ranges != "none":
        character = with_ranges(character, made.rotations_wxyz)
    notes += _notes(character)
    said = (*notes, *environment.notes)
    return Prepared(made, character, environment, said, moved_from, contacts, kept)


def _clip(recipe: Recipe, given: Clip | None) -> tuple[Clip, list[str], Kept]:
    choice = recipe.clip
    if given is not None:
        clip = given
    elif choice.sample is not None:
        clip = SAMPLES[choice.sample]().clip
    elif choice.file is not None:
        clip = _read(recipe, recipe.folder / choice.file)
    else:
        raise BadValue("clip", "named in the recipe or given beside it (--clip)", "none")
    notes = list(clip.source.notes if clip.source else ())
    before = len(clip.history)
    clip, remarks, kept = _cut(clip, choice)
    if choice.rate_hz is not None:
        clip = resample(clip, choice.rate_hz)
    return clip, [*notes, *clip.history[before:], *remarks], kept


def _read(recipe: Recipe, path: str | Path) -> Clip:
    choice, extension = recipe.clip, Path(path).suffix.lower()
    wanting = any(extension in f.extensions and "rate_hz" in f.options for f in FORMATS)
    clip = load_clip(
        path,
        unit=None if choice.unit is None else str(choice.unit),
        up=choice.up,
        skeleton=None if choice.skeleton is None else recipe.folder / choice.skeleton,
        rate_hz=choice.capture_rate_hz if wanting else None,
        animation=None if choice.animation is None else str(choice.animation),
    )
    rate = choice.capture_rate_hz
    return clip if wanting or rate is None else _at_true_rate(clip, rate)


def _at_true_rate(clip: Clip, rate_hz: float) -> Clip:
    """The same frames, further apart or closer in time than the file says."""
    said = f"captured at {rate_hz:g} Hz, though the file says {clip.rate_hz:g} Hz"
    source = clip.source and replace(clip.source, notes=(*clip.source.notes, said))
    return replace(clip, rate_hz=rate_hz, source=source).noted(said)


def _cut(clip: Clip, choice: ClipChoice) -> tuple[Clip, list[str], Kept]:
    """Cleaned first, so that a gap at the edge of what is kept is filled from both sides."""
    notes: list[str] = []
    frames, steps = clip.frame_count, choice.clean
    if steps is not False:
        chosen = MUST_BE_CLEANED if steps is True else tuple(STEPS) if steps == "all" else steps
        clip, _ = clean(clip, chosen)
    left_out = frames - clip.frame_count  # at the start of the file
    kept = Kept(left_out, frames, frames)
    first, last = choice.frames or (0, frames - 1)
    if choice.frames is not None:
        if first >= frames:
            raise BadValue("frames", f"inside the clip (0 to {frames - 1})", choice.frames)
        if last >= frames:
            notes.append(f"the clip ends before frame {last}: kept {first} to {frames - 1}")
        start = max(first - left_out, 0)
        clip = clip.sliced(start, max(last - left_out, start) + 1)
        kept = Kept(start + left_out, start + left_out + clip.frame_count, frames)
        clip = clip.noted(f"frames {first} to {min(last, frames - 1)} of {frames}")
    if first < left_out:
        notes.append(f"frame 0 of the recipe is frame {left_out} of the file")
    return clip, notes, kept


def _character(recipe: Recipe, clip: Clip, roles_by: str | None) -> Character:
    choice = recipe.character
    roles = choice.roles
    with located(recipe, ("character",)):
        try:
            return complete_character(
                clip.skeleton,
                mass_kg=choice.mass_kg if choice.to is None else None,  # else the other body's
                table=choice.table,
                sex=choice.sex,
                overrides=_roles(recipe, roles, clip) if isinstance(roles, str) else roles,
            )
        except MissingRoles as missing:
            lacking = missing
    file = _file_of(clip)
    if roles_by is None:
        raise RecipeProblem([_unrecognised(recipe, file, lacking)])
    found = why_not(Character(clip.skeleton)) or f"nothing for {', '.join(lacking.missing)}"
    raise FileProblem(file, SUITABLE, found, advice=roles_by)


def _roles(recipe: Recipe, name: str, clip: Clip) -> RoleOverrides:
    check_readable(recipe.folder / name)
    return read_role_file(recipe.folder / name, clip.skeleton)


def _file_of(clip: Clip) -> str:
    """What to call a clip in a complaint."""
    return clip.source.path if clip.source else clip.name or "the clip"


def _recognised(target: Character) -> list[str]:
    """What is to be said about how a body was recognised that is not the clip's own."""
    found = () if target.roles is None else target.roles.notes
    return [f"{target.name or 'the other body'}: {note}" for note in found]


def _notes(character: Character) -> list[str]:
    """What is to be said about a body; ranges by the dozen are said in one line."""
    widened = () if character.ranges is None else character.ranges.notes
    if len(widened) <= _MOST_RANGES:
        return list(character.notes)
    joints = dict.fromkeys(note.split(":")[0] for note in widened)
    summed = f"{len(widened)} ranges of joints were widened to hold the clip: {', '.join(joints)}"
    return [*(note for note in character.notes if note not in widened), summed]


_MOST_RANGES = 2


def _unrecognised(recipe: Recipe, file: str, missing: MissingRoles) -> Problem:
    root = recipe.written
    place = Place("recipe") if root is None else root.nearest(("character",)).place
    found = ", ".join(f"{role}={joint}" for role, joint in missing.found.items()) or "nothing"
    return Problem(
        place,
        f"expected a skeleton that can be recognised in {Path(file).name}, found {found}. "
        f"Missing: {', '.join(missing.missing)}. Name their joints here: "
        "'character: {roles: {left_knee: LShin}}', or in a roles file. "
        f"Joints without a role: {', '.join(missing.unused[:40]) or 'none'}.",
    )


def _environment(recipe: Recipe, clip: Clip, character: Character) -> Environment:
    named = recipe.environment
    if named is None:
        if recipe.steps and recipe.steps[0].method == "retarget":
            place, notes = shown_place(clip, character)  # another body sits only on a seat
            return replace(place, notes=notes)
        ground, note = estimate_ground(clip, character)
        return Environment((ground,), (note,))
    if isinstance(named, Mapping):
        written = recipe.written.at(("environment",)) if recipe.written is not None else None
        place = written or node_from(named, "recipe")
        label = "" if recipe.written is None else Path(recipe.written.place.label).name
        return place_from(Entry(recipe.folder / (label or "recipe"), place, "environment"))
    return load_environment(recipe.folder / named)
