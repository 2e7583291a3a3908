"""All figures about a clip, with the contacts it claims and with those of the input."""

from __future__ import annotations

from dataclasses import dataclass, replace

from poise.character import Character, complete_character
from poise.contact import (
    ContactSchedule,
    Series,
    estimate_ground,
    find_contacts,
    observe,
)
from poise.environment import Environment
from poise.measures import contact_share, jitter
from poise.measures.installed import measures_against, measures_alone
from poise.measures.measure import Measure
from poise.measures.table import ALL, BY_CONTACT, COMPARED, measures_from
from poise.motion import Clip
from poise.one_line import framed

UNDER_INPUT_CONTACTS = "_under_input_contacts"
"""Ends the keys of figures taken with the contacts of the input instead of the claimed ones."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """What came out, in figures and frame by frame."""

    measures: tuple[Measure, ...]
    series: Series
    """With the contacts the clip claims."""
    input_contacts: ContactSchedule
    """Found in the original (or in the clip, without one), or known."""
    original: Series | None
    notes: tuple[str, ...]
    """What was assumed: the floor, the mass, the contacts."""

    @property
    def before(self) -> tuple[Measure, ...]:
        """The figures of the original by itself; none without one."""
        if self.original is None:
            return ()
        return (*_alone(self.original), *measures_from(jitter.measure(self.original)))

    def __repr__(self) -> str:
        against = "" if self.original is None else f", against {self.original.clip!r}"
        return framed(
            "Evaluation", f"{len(self.measures)} measures of {self.series.clip!r}{against}"
        )

    def value(self, key: str) -> float:
        """A figure by its key."""
        return {m.key: m.value for m in self.measures}[key]


def evaluate(
    clip: Clip,
    character: Character | None = None,
    environment: Environment | None = None,
    contacts: ContactSchedule | None = None,
    *,
    against: Clip | None = None,
    against_character: Character | None = None,
    input_contacts: ContactSchedule | None = None,
) -> Evaluation:
    """Measure a clip.

    Args:
        clip: clean motion.
        character: whose motion; by default a human of the clip's own proportions.
        environment: where; by default the floor that the feet of the original show.
        contacts: what the clip claims to touch when; by default what is found in it.
        against: the original, for the measures of two clips and the input's contacts.
        against_character: whose motion the original is; by default a human of its proportions.
        input_contacts: the truth about contacts, if known; by default what is found in the
            original.
    """
    notes: list[str] = []
    character = character or _human(clip, notes)
    before = against or clip
    before_character = against_character or (_human(before, []) if against else character)
    if environment is None:
        ground, note = estimate_ground(before, before_character)
        environment = Environment((ground,))
        notes.append(note)
    if contacts is None:
        contacts = find_contacts(clip, character, environment).schedule
        notes.append("contacts: found in the clip")
    if input_contacts is None:
        same = against is None
        input_contacts = (
            contacts if same else find_contacts(before, before_character, environment).schedule
        )
    # Each is smoothed as its own noise needs. What is smoothed more than that smears the forces of
    # one stance into the next: a walk that keeps its balance would read as one that does not.
    original = observe(before, before_character, environment, input_contacts) if against else None
    series = observe(clip, character, environment, contacts)
    if series.cutoff_hz is not None:
        notes.append(f"accelerations smoothed at {series.cutoff_hz:.1f} Hz, as suits the noise")
    found = _alone(series) + measures_from(jitter.measure(series, original))
    if original is not None:
        for compare in COMPARED.values():
            found += measures_from(compare(series, original))
        found += measures_against(series, original)
    if input_contacts is not contacts and input_contacts.frame_count == clip.frame_count:
        found += measures_from(contact_share.measure(contacts, input_contacts))
        found += _under(observe(clip, character, environment, input_contacts, series.cutoff_hz))
    return Evaluation(tuple(found), series, input_contacts, original, tuple(notes))


def _alone(series: Series) -> list[Measure]:
    """The figures of one clip by itself."""
    own = [m for measure in ALL.values() for m in measures_from(measure(series))]
    return own + measures_alone(series)


def _under(series: Series) -> list[Measure]:
    """The contact-based figures once more, for a series with the input's contacts."""
    found = [
        m
        for measure in ALL.values()
        for m in measures_from(measure(series))
        if m.key.split(".")[0] in BY_CONTACT
    ]
    found += measures_alone(series, by_contact=True)
    return [
        replace(
            m,
            key=f"{m.key}{UNDER_INPUT_CONTACTS}",
            about=f"{m.about}, with the contacts of the input",
        )
        for m in found
    ]


def _human(clip: Clip, notes: list[str]) -> Character:
    character = complete_character(clip.body or clip.skeleton)
    notes += character.notes
    return character
