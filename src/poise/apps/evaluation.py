"""Files and outcomes to figures: what measuring, finding contacts and reporting start from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

from poise.apps.inspection import MUST_BE_CLEANED
from poise.character import Character, complete_character, read_role_file
from poise.contact import (
    ContactSchedule,
    check_gravity,
    detect_contacts,
    estimate_ground,
    read_contacts,
)
from poise.environment import Environment, load_environment
from poise.errors import BadValue
from poise.formats import load_clip
from poise.measures import Evaluation, evaluate
from poise.motion import Clip
from poise.motion.cleanup import clean
from poise.recipes import Outcome


@dataclass(frozen=True)
class Reading:
    """How to read a clip and what to take it for: the options that several commands share."""

    mass_kg: float | None = None
    cleaned: bool = True
    roles: Path | None = None
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """For `poise.formats.load_clip`: unit, up, skeleton, rate_hz, animation."""
    table: str = "de_leva"
    sex: str = "average"
    """Whose segment masses: see `poise.character.anthropometry`."""

    def __post_init__(self) -> None:
        if self.mass_kg is not None and not 0 < self.mass_kg < HEAVIEST_KG:
            allowed = f"a number of kg between 0 and {HEAVIEST_KG:g}"
            raise BadValue("the body's mass", allowed, self.mass_kg)


HEAVIEST_KG = 1000.0
FEWEST_FRAMES = 3
"""Fewer have no acceleration to speak of."""


@dataclass(frozen=True, eq=False)
class Subject:
    """A clip ready to be measured: cleaned, with a body and a place."""

    clip: Clip
    character: Character
    environment: Environment
    notes: tuple[str, ...]
    place_notes: tuple[str, ...]
    """What was assumed about the place."""
    left_out: int = 0
    """Artificial frames at the start of the file that the clip no longer has."""


def subject(path: Path, environment: Path | None, reading: Reading) -> Subject:
    """Read a clip and find its body and its place."""
    clip = load_clip(path, **reading.options)
    left_out = 0
    notes = list(clip.source.notes if clip.source else ())
    if reading.cleaned:
        clip, left_out, done = without_artificial_frames(clip)
        notes += done
    if clip.frame_count < FEWEST_FRAMES:
        raise BadValue(f"{path}", f"a clip of at least {FEWEST_FRAMES} frames", clip.frame_count)
    named = None if reading.roles is None else read_role_file(reading.roles, clip.skeleton)
    character = complete_character(
        clip.skeleton,
        mass_kg=reading.mass_kg,
        overrides=named,
        table=reading.table,
        sex=reading.sex,
    )
    notes += character.notes
    if environment is not None:
        place = load_environment(environment)
        told = place.notes
    else:
        ground, note = estimate_ground(clip, character)
        place, told = Environment((ground,)), (note,)
    check = check_gravity(clip, character, place)
    if check.verdict == "wrong":
        notes.append(f"{check.note} Speeds, forces and flights below are wrong with it.")
    return Subject(clip, character, place, tuple(notes), told, left_out)


def without_artificial_frames(clip: Clip) -> tuple[Clip, int, tuple[str, ...]]:
    """A clip cleaned of what was never captured, the frames it lost at its start, what was done."""
    before = len(clip.history)
    cleaned, _ = clean(clip, MUST_BE_CLEANED)
    return cleaned, clip.frame_count - cleaned.frame_count, cleaned.history[before:]


def find_contacts(chosen: Subject) -> ContactSchedule:
    """What touches when, a row for every frame of the file; in artificial ones nothing does."""
    found = detect_contacts(chosen.clip, chosen.character, chosen.environment)
    before = np.zeros((chosen.left_out, len(found.parts)), dtype=np.bool_)
    return ContactSchedule(found.parts, np.concatenate([before, found.touching]), found.rate_hz)


def evaluation_of(outcome: Outcome) -> Evaluation:
    """The edited clip measured against what it was made from."""
    prepared = outcome.prepared
    before = prepared.moved_from or prepared
    return evaluate(
        outcome.clip,
        prepared.character,
        prepared.environment,
        outcome.result.contacts,
        against=outcome.start,
        against_character=before.character,
    )


def evaluate_files(
    path: Path,
    against: Path | None = None,
    environment: Path | None = None,
    contacts: Path | None = None,
    reading: Reading | None = None,
) -> tuple[Evaluation, tuple[str, ...]]:
    """Measure a file; returns the figures and all that was assumed on the way."""
    reading = reading or Reading()
    chosen = subject(path, environment, reading)
    claimed = (
        None
        if contacts is None
        else contacts_from(contacts, chosen.clip.frame_count, chosen.left_out)
    )
    if against is None:
        found = evaluate(chosen.clip, chosen.character, chosen.environment, claimed)
        return found, (*chosen.notes, *chosen.place_notes, *found.notes)
    # The original's own file says its unit and rate; its roles are found by its own names.
    original = subject(against, environment, replace(reading, roles=None, options={}))
    found = evaluate(
        chosen.clip,
        chosen.character,
        original.environment,
        claimed,
        against=original.clip,
        against_character=original.character,
    )
    place = tuple(f"The place, as the original shows it: {n}" for n in original.place_notes)
    return found, (*chosen.notes, *place, *_differences(chosen, original), *found.notes)


def _differences(chosen: Subject, original: Subject) -> list[str]:
    """What makes likeness mean less than it seems."""
    notes: list[str] = []
    here, there = chosen.clip.frame_count, original.clip.frame_count
    if here != there:
        notes.append(
            f"The clip has {here} frames, the original {there}: compared up to the shorter, and "
            "the original's contacts are left out."
        )
    names = set(chosen.clip.skeleton.joint_names)
    common = names & set(original.clip.skeleton.joint_names)
    if len(common) < len(names):
        notes.append(f"{len(common)} of {len(names)} joints have a counterpart of the same name.")
    return notes


def contacts_from(path: Path, frames: int, left_out: int) -> ContactSchedule:
    """A schedule from a file, for the frames of a cleaned clip.

    The file has a row for every frame of the clip's file, or for every frame that is left of it.
    """
    schedule = read_contacts(path)
    if schedule.frame_count == frames + left_out:
        return schedule.sliced(left_out)
    if schedule.frame_count == frames:
        return schedule
    wanted = f"{frames + left_out} frames like the clip"
    raise BadValue(f"contacts of {path.name}", wanted, schedule.frame_count)
