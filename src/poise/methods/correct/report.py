"""What came of it: the clip, its contacts, whether they hold, and what the user should know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.contact import ContactSchedule, FoundContacts, intervals
from poise.methods.correct.contact_optimizer import Discovered
from poise.methods.correct.far_moved import FarMoved, far_moved_in_words
from poise.methods.correct.recovery import Recovered
from poise.methods.correct.settings import Settings
from poise.methods.result import Result
from poise.methods.status import Status
from poise.motion import Clip
from poise.physics import (
    Shortfall,
    Unexplained,
    shortfalls_in_words,
    unexplained_in_words,
    unexplained_stretches,
)
from poise.wording import counted

MET_M = 1e-3
"""Contacts hold when no touching part is further from its place."""


@dataclass(frozen=True, eq=False)
class CorrectReport:
    """How a correction came by its contacts, and what it could not set right."""

    found: FoundContacts | None
    """What was found to touch, and how sure that is; None when it was known."""
    lawless: tuple[Unexplained, ...]
    """Where the laws of motion are not kept, the worst first."""
    shortfalls: tuple[Shortfall, ...]
    """Where strength, joint speeds, ranges or surfaces are not kept to, the worst first."""
    doubted: tuple[FarMoved, ...] = ()
    """Where contacts do not explain the motion, so that the laws of motion were left off."""
    discovered: Discovered | None = None
    """With `mode: paper`: what the contact optimizer found, and how."""


def finished(
    start: Clip,
    settings: Settings,
    found: FoundContacts | None,
    known: ContactSchedule,
    notes: tuple[str, ...],
    recovered: Recovered,
    shortfalls: tuple[Shortfall, ...] = (),
) -> Result[CorrectReport]:
    """The result of a correction of `start`, the clip on the ground that it was put on.

    It converged when contacts hold, the ground carries every frame, and nothing falls short.
    """
    contacts = sum(len(intervals(known.column(part))) for part in known.parts)
    held = recovered.worst_m <= MET_M
    lawless = unexplained_stretches(recovered.physics)
    unknown = () if found is None or recovered.physics is None else tuple(intervals(found.unknown))
    doubted = recovered.doubted
    met = held and not (lawless or shortfalls or unknown or doubted)
    status: Status = "converged" if met else "out_of_iterations"
    summary = f"{counted(contacts, 'contact')} {'holds' if contacts == 1 else 'hold'}"
    if recovered.physics is not None and not (lawless or unknown or doubted):
        summary += ", and the ground can carry every frame"
        if not shortfalls:
            summary += " within strength and range"
    summary += "."
    if not held:
        summary = (
            f"'{recovered.worst}' is off by {1000.0 * recovered.worst_m:.3g} mm: more than the "
            "body can reach beside its other contacts."
        )
    if unknown:
        summary += f" {unknown_in_words(unknown, found)}"
    if doubted:
        summary += f" {far_moved_in_words(doubted)}"
    if lawless:
        summary += f" {unexplained_in_words(lawless)}"
    if shortfalls:
        summary += f" {shortfalls_in_words(shortfalls)}"
    return Result(
        clip=replace(
            recovered.clip,
            history=(*start.history, f"corrected ({settings.preset}): {contacts} contacts"),
        ),
        status=status,
        summary=summary,
        report=CorrectReport(found, lawless, shortfalls, doubted),
        contacts=recovered.contacts,
        notes=notes,
        start=start,
    )


MOST_NAMED = 3


def unknown_in_words(stretches: tuple[tuple[int, int], ...], found: FoundContacts | None) -> str:
    """Where something that is not known carries the body; the laws of motion are left off there."""
    assert found is not None
    longest = sorted(stretches, key=lambda each: each[0] - each[1])[:MOST_NAMED]
    named = ", ".join(f"{first} to {stop - 1}" for first, stop in sorted(longest))
    more = f" and {len(stretches) - len(longest)} more" if len(stretches) > len(longest) else ""
    share = max(float(np.mean(found.unexplained[first:stop])) for first, stop in longest)
    return (
        f"Something that is not known carries the body in frames {named}{more} (up to "
        f"{100.0 * share:.0f} % of the weight), so balance and flight are left as they are there: "
        "give the surface it stands, sits or hangs on (--environment), or take those that the clip "
        "shows (--suggest-surfaces)."
    )
