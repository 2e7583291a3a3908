"""Stance and flight: the stretches in which something carries the body, and nothing does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.contact.schedule import ContactSchedule, intervals
from poise.errors import BadShape, BadValue
from poise.mechanics import GRAVITY_M_S2

SWINGS_M_S, SWINGS_S = 1.0, 0.1
"""Feet that land and leave are faster than this only for some hundredths of a second."""

SWUNG = 2.0
"""What swinging adds to a foot's score, which is below 1 where it touches."""


def swinging(scores: Array, speeds_m_s: Array, rate_hz: float) -> NDArray[np.bool_]:
    """(F,) frames in which nothing that seems to touch is slow, for long enough.

    Args:
        scores: (F, S) below 1 where a point seems to touch.
        speeds_m_s: (F, S) along the surface.
        rate_hz: of the frames.
    """
    slowest = np.where(scores < 1.0, speeds_m_s, np.inf).min(axis=1)
    found = np.zeros(len(scores), dtype=np.bool_)
    for first, last in intervals((slowest > SWINGS_M_S) & np.isfinite(slowest)):
        found[first:last] = last - first >= SWINGS_S * rate_hz
    return found


PhaseKind = Literal["stance", "flight"]

SHORTEST_FLIGHT_S = 0.04
"""Sprinters fly for 0.1 s; shorter gaps between contacts are errors of detection."""
SHORTEST_STANCE_S = 0.05
LARGEST_FLIGHT_FORCE = 0.25
"""Upward force, in body weights, that a flight may show: smoothing blurs the forces at its ends."""

_GRAVITY_M_S2 = float(np.linalg.norm(GRAVITY_M_S2))


@dataclass(frozen=True)
class Phase:
    """A stretch of frames of one kind."""

    kind: PhaseKind
    first: int
    """First frame."""
    last: int
    """First frame after it."""
    parts: tuple[str, ...] = ()
    """Body parts that touch at some time in a stance."""

    @property
    def frame_count(self) -> int:
        """How many frames it has."""
        return self.last - self.first

    def duration_s(self, rate_hz: float) -> float:
        """How long it lasts."""
        return self.frame_count / rate_hz


def phases(
    schedule: ContactSchedule,
    vertical_acceleration_m_s2: Array | None = None,
    *,
    shortest_flight_s: float = SHORTEST_FLIGHT_S,
    shortest_stance_s: float = SHORTEST_STANCE_S,
) -> tuple[Phase, ...]:
    """The stances and flights of a clip, in order and without gaps.

    Args:
        schedule: what touches when.
        vertical_acceleration_m_s2: (F,) of the centre of mass, upward. With it, a stretch without
            contact counts as flight only if the body falls freely in the middle of it; whoever
            sits on a chair that the schedule does not know of does not fly.
        shortest_flight_s: shorter flights are part of the stance around them.
        shortest_stance_s: shorter stances between two flights are part of them.
    """
    flying: NDArray[np.bool_] = np.logical_not(np.any(schedule.touching, axis=1))
    if vertical_acceleration_m_s2 is not None:
        flying = _only_falling(flying, np.asarray(vertical_acceleration_m_s2, dtype=np.float64))
    for name, value in (("flight", shortest_flight_s), ("stance", shortest_stance_s)):
        if not (np.isfinite(value) and value >= 0):
            raise BadValue(f"shortest_{name}_s", "zero or more", value)
    flying = _merged(flying, True, shortest_flight_s * schedule.rate_hz)
    flying = _merged(flying, False, shortest_stance_s * schedule.rate_hz)
    found = [("flight", a, b) for a, b in intervals(flying)]
    found += [("stance", a, b) for a, b in intervals(~flying)]
    return tuple(
        Phase("flight", a, b) if kind == "flight" else Phase("stance", a, b, _parts(schedule, a, b))
        for kind, a, b in sorted(found, key=lambda phase: phase[1])
    )


def _parts(schedule: ContactSchedule, first: int, last: int) -> tuple[str, ...]:
    return tuple(p for p in schedule.parts if bool(schedule.column(p)[first:last].any()))


def _only_falling(flying: NDArray[np.bool_], acceleration: Array) -> NDArray[np.bool_]:
    if acceleration.shape != flying.shape:
        raise BadShape("vertical_acceleration_m_s2", f"({len(flying)},)", acceleration.shape)
    kept = flying.copy()
    for first, last in intervals(flying):
        force = 1.0 + acceleration[first:last] / _GRAVITY_M_S2
        if abs(float(np.median(force))) > LARGEST_FLIGHT_FORCE:
            kept[first:last] = False
    return kept


def _merged(flags: NDArray[np.bool_], value: bool, shortest: float) -> NDArray[np.bool_]:
    """Runs of `value` shorter than so many frames joined to their neighbours.

    A run that the clip's start or end cuts may be long in truth and stays.
    """
    kept = flags.copy()
    for first, last in intervals(flags == value):
        if last - first < shortest and first > 0 and last < len(flags):
            kept[first:last] = not value
    return kept
