"""Contact: how much of the time feet touch, and how far two schedules agree."""

from __future__ import annotations

import numpy as np

from poise.contact import ContactSchedule, contact_agreement

FEET = ("left_foot", "right_foot")


def measure(claimed: ContactSchedule, reference: ContactSchedule) -> dict[str, float]:
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
    return {
        "contact.share_claimed": _share(claimed),
        "contact.share_input": _share(reference),
        **{f"contact.agreement_{part}": found[part].f1 for part in FEET},
        "contact.timing": float(np.mean(events)) if events else float("nan"),
    }


def _share(schedule: ContactSchedule) -> float:
    return 100.0 * float(np.mean([schedule.column(part).mean() for part in FEET]))
