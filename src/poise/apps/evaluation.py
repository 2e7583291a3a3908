"""Files to figures: what measuring, finding contacts and reporting start from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from poise.apps.inspection import MUST_BE_CLEANED
from poise.character import Character, complete_character
from poise.contact import ContactSchedule, detect_contacts, estimate_ground, read_contacts
from poise.environment import Environment, load_environment
from poise.errors import BadValue
from poise.formats import load_clip
from poise.measures import Evaluation, evaluate
from poise.motion import Clip
from poise.motion.cleanup import clean


@dataclass(frozen=True, eq=False)
class Subject:
    """A clip ready to be measured: cleaned, with a body and a place."""

    clip: Clip
    character: Character
    environment: Environment
    notes: tuple[str, ...]


def subject(
    path: Path,
    environment: Path | None = None,
    mass_kg: float | None = None,
    *,
    cleaned: bool = True,
) -> Subject:
    """Read a clip and find its body and its place."""
    clip = load_clip(path)
    notes: list[str] = []
    if cleaned:
        before = len(clip.history)
        clip, _ = clean(clip, MUST_BE_CLEANED)
        notes += clip.history[before:]
    character = complete_character(clip.skeleton, mass_kg=mass_kg)
    notes += character.notes
    if environment is not None:
        place = load_environment(environment)
        notes += place.notes
    else:
        ground, note = estimate_ground(clip, character)
        place = Environment((ground,))
        notes.append(note)
    return Subject(clip, character, place, tuple(notes))


def find_contacts(chosen: Subject) -> ContactSchedule:
    """What touches when."""
    return detect_contacts(chosen.clip, chosen.character, chosen.environment)


def evaluate_files(
    path: Path,
    against: Path | None = None,
    environment: Path | None = None,
    contacts: Path | None = None,
    mass_kg: float | None = None,
    *,
    cleaned: bool = True,
) -> tuple[Evaluation, tuple[str, ...]]:
    """Measure a file; returns the figures and all that was assumed on the way."""
    original = None if against is None else subject(against, environment, mass_kg, cleaned=cleaned)
    chosen = subject(path, environment, mass_kg, cleaned=cleaned)
    claimed = (
        None if contacts is None else _matching(read_contacts(contacts), chosen.clip, contacts)
    )
    place = original.environment if original else chosen.environment
    found = evaluate(
        chosen.clip,
        chosen.character,
        place,
        claimed,
        against=original.clip if original else None,
        against_character=original.character if original else None,
    )
    return found, (*chosen.notes, *found.notes)


def _matching(schedule: ContactSchedule, clip: Clip, path: Path) -> ContactSchedule:
    """A schedule of the clip as it is after cleaning, which may have dropped leading frames."""
    extra = schedule.frame_count - clip.frame_count
    dropped = clip.source is not None and any("t-pose" in step for step in clip.history)
    if extra == 0:
        return schedule
    if extra > 0 and dropped:
        return ContactSchedule(schedule.parts, schedule.touching[extra:], schedule.rate_hz)
    raise BadValue(
        f"contacts of {path.name}", f"{clip.frame_count} frames like the clip", schedule.frame_count
    )
