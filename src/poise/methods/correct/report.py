"""What came of it: the clip, its contacts, whether they hold, and what the user should know."""

from __future__ import annotations

from dataclasses import dataclass, replace

from poise.contact import intervals
from poise.methods.correct.contact_optimizer import Discovered
from poise.methods.correct.recovery import Recovered
from poise.methods.correct.refine import OwnRate
from poise.methods.correct.settings import Settings
from poise.methods.result import Result, Status
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

    discovered: Discovered | None
    """How contacts were found; None when they were known."""
    lawless: tuple[Unexplained, ...]
    """Where the laws of motion are not kept, the worst first."""
    shortfalls: tuple[Shortfall, ...]
    """Where strength, joint speeds, ranges or surfaces are not kept to, the worst first."""


def finished(
    start: Clip,
    settings: Settings,
    found: Discovered | None,
    own: OwnRate,
    notes: tuple[str, ...],
    recovered: Recovered,
    shortfalls: tuple[Shortfall, ...] = (),
) -> Result[CorrectReport]:
    """The result of a correction of `start`, the clip on the ground that it was put on.

    It converged when contacts hold, the ground carries every frame, and nothing falls short.
    """
    contacts = sum(len(intervals(own.schedule.column(part))) for part in own.schedule.parts)
    held = recovered.worst_m <= MET_M
    lawless = unexplained_stretches(recovered.physics)
    status: Status = "converged" if held and not lawless and not shortfalls else "out_of_iterations"
    summary = f"{counted(contacts, 'contact')} {'holds' if contacts == 1 else 'hold'}"
    if recovered.physics is not None and not lawless:
        summary += ", and the ground can carry every frame"
        if not shortfalls:
            summary += " within strength and range"
    summary += "."
    if not held:
        summary = (
            f"'{recovered.worst}' is off by {1000.0 * recovered.worst_m:.3g} mm: more than the "
            "body can reach beside its other contacts."
        )
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
        report=CorrectReport(found, lawless, shortfalls),
        contacts=recovered.contacts,
        notes=notes,
        start=start,
    )
