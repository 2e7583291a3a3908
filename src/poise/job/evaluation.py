"""Files and outcomes to figures: what measuring, finding contacts and reporting start from."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from poise.character import Character
from poise.contact import ContactSchedule, check_gravity, detect_contacts
from poise.contact import find_contacts as find_by_evidence
from poise.errors import BadValue
from poise.job.known_contacts import known_contacts
from poise.job.recipe import CharacterChoice, Recipe
from poise.job.run import Outcome
from poise.job.subject import Subject, of_original, read_captured, subject
from poise.measures import Evaluation, evaluate
from poise.motion import Clip

_T = TypeVar("_T", bound=np.generic)

FEWEST_FRAMES = 3
"""Fewer have no acceleration to speak of."""

AS_IT_IS = Recipe((), character=CharacterChoice(ranges="none"))
"""Asks about a clip and changes nothing but what was never captured."""


def measurable(clip: Path | Clip, asked: Recipe = AS_IT_IS) -> Subject:
    """A clip to be measured; a rate that cannot be right is said.

    Args:
        clip: its file, or as that has it.
        asked: how to read it, whose body and where; without steps.

    Raises:
        PoiseError: a file that cannot be read, a body that is not recognised, too few frames.
    """
    found = subject(asked, clip)
    if found.clip.frame_count < FEWEST_FRAMES:
        allowed = f"a clip of at least {FEWEST_FRAMES} frames"
        name = clip.name if isinstance(clip, Clip) else str(clip)
        raise BadValue(name or "the clip", allowed, found.clip.frame_count)
    check = check_gravity(found.clip, found.character, found.environment)
    if check.verdict != "wrong":
        return found
    kept = asked.clip.wrong_rate == "keep"
    doubt = (
        "It is kept, as asked." if kept else "Speeds, forces and flights below are wrong with it."
    )
    said = f"{check.note} {doubt}"
    return replace(found, said=(*found.said, said))


def find_contacts(
    found: Subject, *, by_detector: bool = False
) -> tuple[ContactSchedule, NDArray[np.bool_]]:
    """What touches when, and the frames (F,) in which something that is not known carries the body.

    There is a row for every frame of the file that was asked for; in artificial ones nothing
    touches.

    Args:
        found: the clip, whose it is and where.
        by_detector: heights and speeds alone decide, without confidence; nothing is unknown then.
    """
    clip, count = found.clip, found.kept.artificial
    unknown = np.zeros(clip.frame_count, dtype=np.bool_)
    if by_detector:
        seen = detect_contacts(clip, found.character, found.environment)
    else:
        evidence = find_by_evidence(clip, found.character, found.environment)
        seen, unknown = evidence.schedule, evidence.unknown

    def with_artificial(rows: NDArray[_T], value: float) -> NDArray[_T]:
        return np.concatenate([np.full((count, *rows.shape[1:]), value, rows.dtype), rows])

    schedule = ContactSchedule(
        seen.parts, with_artificial(seen.touching, 0), seen.rate_hz,
        None if seen.sliding is None else with_artificial(seen.sliding, 0),
        None if seen.confidence is None else with_artificial(seen.confidence, 1),
    )  # fmt: skip
    return schedule, with_artificial(unknown, 0)


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
    clip: Path,
    asked: Recipe = AS_IT_IS,
    *,
    against: Path | None = None,
    contacts: Path | None = None,
) -> tuple[Evaluation, tuple[str, ...]]:
    """Measure a file; returns the figures and all that was assumed on the way.

    Args:
        clip: the file.
        asked: how to read it, whose body and where; without steps.
        against: the original.
        contacts: what touches when, instead of what is detected.
    """
    found = measurable(clip, asked)
    claimed = None if contacts is None else known_contacts(contacts, found.clip, found.kept)
    if against is None:
        seen = evaluate(found.clip, found.character, found.environment, claimed)
        return seen, (*found.notes, *seen.notes)
    like = of_original(asked, against)
    captured = read_captured(like, against)
    if captured.skeleton.joint_names != found.clip.skeleton.joint_names:
        like = replace(like, character=replace(like.character, roles=None))  # it has its own names
    original = measurable(captured, like)
    seen = evaluate(
        found.clip,
        one_body(found, original),
        original.environment,
        claimed,
        against=original.clip,
        against_character=original.character,
    )
    place = tuple(f"The place, as the original shows it: {n}" for n in original.place_said)
    return seen, (*found.said, *place, *_differences(found, original), *seen.notes)


def one_body(found: Subject, original: Subject) -> Character:
    """Whose the edited clip is: the original's, where bones are alike.

    Soles are fitted to a clip, and an edit must not be measured by soles of its own.
    """
    alike = found.clip.skeleton.has_bones_of(original.clip.skeleton)
    return original.character if alike else found.character


def _differences(found: Subject, original: Subject) -> list[str]:
    """What makes likeness mean less than it seems."""
    notes: list[str] = []
    here, there = found.clip.frame_count, original.clip.frame_count
    if here != there:
        notes.append(
            f"The clip has {here} frames, the original {there}: compared up to the shorter, and "
            "the original's contacts are left out."
        )
    names = set(found.clip.skeleton.joint_names)
    common = names & set(original.clip.skeleton.joint_names)
    if len(common) < len(names):
        notes.append(f"{len(common)} of {len(names)} joints have a counterpart of the same name.")
    return notes
