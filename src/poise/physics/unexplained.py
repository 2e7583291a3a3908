"""Stretches of a solution in which no reaction force explains the motion, and words for them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from poise.contact import intervals
from poise.physics.windows import PhysicsSolution

_MOST_NAMED = 3
"""Stretches of frames that a summary names."""


@dataclass(frozen=True)
class Unexplained:
    """Frames in which the ground would have to do what it cannot."""

    first: int
    stop: int
    """One past the last."""
    force_left: float
    """Largest force that nothing explains, in body weights, and"""
    moment_left: float
    """largest moment, in body weight × stature."""


def unexplained_stretches(solved: PhysicsSolution | None) -> tuple[Unexplained, ...]:
    """Stretches of a solution beyond the laws of motion, the worst first."""
    if solved is None:
        return ()
    left = np.abs(solved.wrench_left)
    found = [
        Unexplained(a, b, float(left[a:b, :3].max()), float(left[a:b, 3:].max()))
        for a, b in intervals(solved.lawless)
    ]
    return tuple(sorted(found, key=lambda each: -max(each.force_left, each.moment_left)))


def unexplained_in_words(found: Sequence[Unexplained]) -> str:
    """One sentence that names the worst; empty without any."""
    if not found:
        return ""
    named = [
        f"{each.first} to {each.stop - 1} ({100.0 * max(each.force_left, each.moment_left):.0f} %)"
        for each in found[:_MOST_NAMED]
    ]
    more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
    return (
        "No force of the ground explains the motion in frames "
        f"{', '.join(named)}{more}, in shares of the weight: a contact may be missing or wrong "
        "there."
    )
