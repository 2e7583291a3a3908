"""Contact: how much of the time feet touch, and how far two schedules agree."""

from __future__ import annotations

import numpy as np

from poise.contact import ContactSchedule, contact_agreement
from poise.measures.measure import Measure

FEET = ("left_foot", "right_foot")


def measure(claimed: ContactSchedule, reference: ContactSchedule) -> tuple[Measure, ...]:
    """Share of time in contact under both schedules, and how far the claim agrees.

    Claiming fewer contacts makes other figures look better; here it shows.
    """
    found = contact_agreement(claimed, reference, parts=FEET)
    events = [
        abs(error)
        for part in found.values()
        for kind in (part.onsets, part.offsets)
        for error in kind.errors_ms
    ]
    return (
        Measure(
            "contact.share_claimed", _share(claimed), "%", "neither",
            "share of time a foot touches, as claimed",
        ),
        Measure(
            "contact.share_input", _share(reference), "%", "neither",
            "share of time a foot touches, as found in the input or known",
        ),
        *(
            Measure(
                f"contact.agreement_{part}", found[part].f1, "F1", "higher",
                f"how well the claimed contacts of the {part.replace('_', ' ')} agree with those",
            )
            for part in FEET
        ),
        Measure(
            "contact.timing", float(np.mean(events)) if events else float("nan"), "ms", "lower",
            "how far touch-down and lift-off times are apart, on average",
        ),
    )  # fmt: skip


def _share(schedule: ContactSchedule) -> float:
    return 100.0 * float(np.mean([schedule.column(part).mean() for part in FEET]))
