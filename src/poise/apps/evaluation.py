"""Files to figures: what measuring, finding contacts and reporting start from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

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
    left_out: int = 0
    """Artificial frames at the start of the file that the clip no longer has."""


def subject(
    path: Path,
    environment: Path | None = None,
    mass_kg: float | None = None,
    *,
    cleaned: bool = True,
) -> Subject:
    """Read a clip and find its body and its place."""
    clip = load_clip(path)
    frames = clip.frame_count
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
    return Subject(clip, character, place, tuple(notes), frames - clip.frame_count)


def find_contacts(chosen: Subject) -> ContactSchedule:
    """What touches when, a row for every frame of the file; in artificial ones nothing does."""
    found = detect_contacts(chosen.clip, chosen.character, chosen.environment)
    before = np.zeros((chosen.left_out, len(found.parts)), dtype=np.bool_)
    return ContactSchedule(found.parts, np.concatenate([before, found.touching]), found.rate_hz)


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
    claimed = None if contacts is None else _matching(read_contacts(contacts), chosen, contacts)
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


def _matching(schedule: ContactSchedule, chosen: Subject, path: Path) -> ContactSchedule:
    """A schedule of the file's frames, or of the cleaned clip's, as one of the cleaned clip."""
    frames = chosen.clip.frame_count
    if schedule.frame_count == frames + chosen.left_out:
        kept = schedule.touching[chosen.left_out :]
        return ContactSchedule(schedule.parts, kept, schedule.rate_hz)
    if schedule.frame_count == frames:
        return schedule
    wanted = f"{frames + chosen.left_out} frames like the clip"
    raise BadValue(f"contacts of {path.name}", wanted, schedule.frame_count)
