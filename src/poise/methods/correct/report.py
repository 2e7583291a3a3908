"""What came of it: the clip, its contacts, whether they hold, and what the user should know."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from poise.contact import intervals
from poise.methods.correct.contact_optimizer import Discovered
from poise.methods.correct.motion_optimizer import Optimized
from poise.methods.correct.recovery import Recovered
from poise.methods.correct.refine import OwnRate
from poise.methods.correct.settings import Settings
from poise.methods.result import Result, Status
from poise.motion import Clip
from poise.physics import PhysicsSolution
from poise.wording import counted

MET_M = 1e-3
"""Contacts hold when no touching part is further from its place."""


MOST_NAMED = 3
"""Stretches of frames that a summary names."""


@dataclass(frozen=True, eq=False)
class CorrectReport:
    """How a correction came by its contacts, and what it could not set right."""

    discovered: Discovered | None
    """How contacts were found; None when they were known."""
    lawless: tuple[Lawless, ...]
    """Where the laws of motion are not kept, the worst first."""


@dataclass(frozen=True)
class Lawless:
    """Frames in which the ground would have to do what it cannot."""

    first: int
    stop: int
    """One past the last."""
    force_left: float
    """Largest force that nothing explains, in body weights, and"""
    moment_left: float
    """largest moment, in body weight × stature."""


def lawless_stretches(solved: PhysicsSolution | None) -> tuple[Lawless, ...]:
    """Where a solution does not keep the laws of motion, the worst first."""
    if solved is None:
        return ()
    left = np.abs(solved.wrench_left)
    found = [
        Lawless(a, b, float(left[a:b, :3].max()), float(left[a:b, 3:].max()))
        for a, b in intervals(solved.lawless)
    ]
    return tuple(sorted(found, key=lambda each: -max(each.force_left, each.moment_left)))


def finished(
    start: Clip,
    settings: Settings,
    found: Discovered | None,
    own: OwnRate,
    optimized: Optimized,
    recovered: Recovered,
) -> Result[CorrectReport]:
    """The result of a correction of `start`, the clip on the ground that it was put on."""
    contacts = sum(len(intervals(own.schedule.column(part))) for part in own.schedule.parts)
    held = recovered.worst_m <= MET_M
    lawless = lawless_stretches(recovered.physics)
    status: Status = "converged" if held and not lawless else "out_of_iterations"
    summary = f"{counted(contacts, 'contact')} {'holds' if contacts == 1 else 'hold'}"
    if recovered.physics is not None and not lawless:
        summary += ", and the ground can carry every frame"
    summary += "."
    if not held:
        summary = (
            f"'{recovered.worst}' is off by {1000.0 * recovered.worst_m:.3g} mm: more than the "
            "body can reach beside its other contacts."
        )
    if lawless:
        summary += f" {_in_words(lawless)}"
    notes = () if optimized.status == "solved" else (optimized.status,)
    return Result(
        clip=replace(
            recovered.clip,
            history=(*start.history, f"corrected ({settings.preset}): {contacts} contacts"),
        ),
        status=status,
        summary=summary,
        report=CorrectReport(found, lawless),
        contacts=recovered.contacts,
        notes=notes,
        start=start,
    )


def _in_words(lawless: tuple[Lawless, ...]) -> str:
    named = [
        f"{each.first} to {each.stop - 1} ({100.0 * max(each.force_left, each.moment_left):.0f} %)"
        for each in lawless[:MOST_NAMED]
    ]
    more = f" and {len(lawless) - MOST_NAMED} more" if len(lawless) > MOST_NAMED else ""
    return (
        "No force of the ground explains the motion in frames "
        f"{', '.join(named)}{more}, in shares of the weight: a contact may be missing or wrong "
        "there."
    )
