"""What `poise render` is asked about: clips or characters from files, on a body, in a place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from poise.apps.evaluation import contacts_from, without_artificial_frames
from poise.apps.render.scene import standing_clip
from poise.character import Character, complete_character, read_role_file
from poise.contact import ContactSchedule
from poise.environment import Environment, load_environment
from poise.errors import MissingRoles
from poise.formats import extensions, load_character, load_clip
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Subject:
    """A clean clip, and all that was given with it."""

    path: Path
    clip: Clip
    first_frame: int
    """Number of the clip's first frame in its file."""
    file_frames: int
    """How many frames the file has."""
    character: Character | None
    """None when the skeleton is not recognised; `notes` says so."""
    original: Clip | None = None
    environment: Environment | None = None
    contacts: ContactSchedule | None = None
    notes: tuple[str, ...] = ()


def load_subject(
    path: Path,
    *,
    against: Path | None = None,
    environment: Path | None = None,
    contacts: Path | None = None,
    roles: Path | None = None,
    mass_kg: float | None = None,
    **reading: Any,
) -> Subject:
    """Read everything, leave out what was never captured, and make a body.

    Args:
        path: a clip, or a character (a robot, a skeleton), which then stands at rest.
        against: the original of the clip.
        environment: a file of the place.
        contacts: a schedule with one row per frame of the clip's file.
        roles: a file that names joints by role.
        mass_kg: of the body; by default from its stature.
        **reading: options of `load_clip`.
    """
    motions = {*extensions("read_motion"), *extensions("read_clip")}
    if path.suffix.lower() not in motions and path.suffix.lower() in extensions("read_character"):
        given = load_character(path)
        clip, first, notes, frames = standing_clip(given), 0, given.notes, 1
    else:
        given = None
        whole = load_clip(path, **reading)
        clip, first, notes = _cleaned(whole)
        frames = whole.frame_count
    character, more = _character(given or clip.skeleton, clip, roles, mass_kg)
    subject = Subject(path, clip, first, frames, character, notes=(*notes, *more))
    if against is not None:
        original, _, said = _cleaned(load_clip(against, **reading))
        subject = replace(subject, original=original, notes=(*subject.notes, *said))
    if environment is not None:
        place = load_environment(environment)
        subject = replace(subject, environment=place, notes=(*subject.notes, *place.notes))
    if contacts is not None:
        schedule = contacts_from(contacts, clip.frame_count, first)
        subject = replace(subject, contacts=schedule)
    return subject


def _cleaned(clip: Clip) -> tuple[Clip, int, tuple[str, ...]]:
    """The clip cleaned, the frames it lost at its start, and all there is to say about it."""
    cleaned, left_out, done = without_artificial_frames(clip)
    return cleaned, left_out, (*(clip.source.notes if clip.source else ()), *done)


def _character(
    figure: Any, clip: Clip, roles: Path | None, mass_kg: float | None
) -> tuple[Character | None, tuple[str, ...]]:
    overrides = None if roles is None else read_role_file(roles, clip.skeleton)
    try:
        character = complete_character(figure, overrides=overrides, mass_kg=mass_kg)
    except MissingRoles as problem:
        return None, (str(problem),)
    return character, tuple(n for n in character.notes if n not in getattr(figure, "notes", ()))
