"""Contacts in doubt: where a schedule is less sure of what it says, and in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from poise.apps.report.words import listed
from poise.contact import ContactSchedule, intervals
from poise.methods import Result
from poise.methods.correct import CorrectReport

SURE = 0.8
"""Probability below which a contact, or that there is none, is in doubt."""
MOST_NAMED = 4

Stretch = tuple[int, int]
"""First frame, and first frame after it."""


@dataclass(frozen=True)
class Doubt:
    """A stretch of frames in which it is in doubt whether a part touches."""

    part: str
    first: int
    stop: int
    """First frame after it."""
    least: float
    """Lowest probability that what is said is right."""
    weight: float
    """Frames that are expected to be wrong."""


def doubts_of(contacts: ContactSchedule) -> tuple[Doubt, ...]:
    """The contacts in doubt, by their first frames; none where nobody knows how sure they are."""
    if contacts.confidence is None:
        return ()
    found: list[Doubt] = []
    for part, sure in zip(contacts.parts, contacts.confidence.T, strict=True):
        for first, stop in intervals(sure < SURE):
            inside = sure[first:stop]
            doubt = Doubt(part, first, stop, float(inside.min()), float((1.0 - inside).sum()))
            found.append(doubt)
    return tuple(sorted(found, key=lambda doubt: doubt.first))


def doubts_in_words(doubts: Sequence[Doubt], most: int = MOST_NAMED) -> str:
    """The heaviest, in order: `left hand, frames 210 to 223 (0.61); and 2 more`."""
    heaviest = sorted(doubts, key=lambda doubt: -doubt.weight)[:most]
    named = [
        f"{part_name(doubt.part)}, {frames_in_words((doubt.first, doubt.stop))} ({doubt.least:.2f})"
        for doubt in sorted(heaviest, key=lambda doubt: doubt.first)
    ]
    more = len(doubts) - len(named)
    return "; ".join([*named, f"and {more} more"] if more else named)


def unknown_in_words(stretches: Sequence[Stretch], most: int = MOST_NAMED) -> str:
    """A sentence on where something that is not known carries the body."""
    longest = sorted(stretches, key=lambda each: each[0] - each[1])[:most]
    named = [frames_in_words(each) for each in sorted(longest)]
    more = len(stretches) - len(longest)
    return (
        "Something that is not known carries the body in "
        f"{listed([*named, f'{more} more'] if more else named)}."
    )


def frames_in_words(stretch: Stretch) -> str:
    """`frames 210 to 223`, the last one included."""
    first, stop = stretch
    return f"frame {first}" if stop == first + 1 else f"frames {first} to {stop - 1}"


def part_name(part: str) -> str:
    """A body part as people write it."""
    return part.replace("_", " ")


def unknown_carriers(results: Iterable[Result[object]]) -> tuple[Stretch, ...]:
    """Where something that is not known carries the body, by the last correction of some steps.

    A later step that has changed the timing has made it unknowable.
    """
    found: tuple[Stretch, ...] = ()
    frames = 0
    for result in results:
        report = result.report
        if isinstance(report, CorrectReport):
            found = () if report.found is None else tuple(intervals(report.found.unknown))
        elif result.clip.frame_count != frames:
            found = ()
        frames = result.clip.frame_count
    return found
