"""What is known about a sample: who touches what where and when, flights, injected defects."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import numpy as np

from poise.arrays import Array, Indices, frozen_array
from poise.contact import BODY_PARTS, ContactSchedule
from poise.environment import Environment
from poise.mechanics import GRAVITY_M_S2
from poise.motion import Clip
from poise.one_line import framed

FEET = ("left_foot", "right_foot")
_SAME_TIME_S = 1e-9
"""Frames this near to an event count as at it."""


@dataclass(frozen=True)
class Planted:
    """A point of the body that rests on one place of the world for a while."""

    part: str
    """A name of `poise.contact.schedule.BODY_PARTS`."""
    site: str
    """A named point of the character, such as `left_heel`, or a joint."""
    start_s: float
    end_s: float
    position_m: tuple[float, float, float]
    """Where: at time zero, if it drifts."""
    drift_m_s: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """How the place itself moves; not zero for feet that were made to slide."""

    def places_m(self, times_s: Array) -> Array:
        """(F, 3) where the point is at these times."""
        times = np.asarray(times_s, dtype=np.float64)[:, None]
        return np.asarray(self.position_m) + times * np.asarray(self.drift_m_s)

    def frames(self, rate_hz: float, frame_count: int) -> Indices:
        """The numbers of the frames in which it rests."""
        start, end = self.start_s - _SAME_TIME_S, self.end_s + _SAME_TIME_S
        return _numbers(np.ceil(start * rate_hz), np.floor(end * rate_hz) + 1, frame_count)


@dataclass(frozen=True, eq=False)
class Flight:
    """A time without support: the centre of mass obeys gravity alone."""

    start_s: float
    end_s: float
    take_off_m: Array
    """(3,) the centre of mass at the start."""
    take_off_velocity_m_s: Array
    """(3,)"""
    gravity_m_s2: Array = field(default_factory=lambda: GRAVITY_M_S2)
    """(3,)"""

    def __post_init__(self) -> None:
        for name in ("take_off_m", "take_off_velocity_m_s", "gravity_m_s2"):
            object.__setattr__(self, name, frozen_array(name, getattr(self, name), (3,)))

    def center_of_mass(self, times_s: Array) -> Array:
        """(F, 3) the parabola."""
        t = (np.asarray(times_s, dtype=np.float64) - self.start_s)[:, None]
        return self.take_off_m + t * self.take_off_velocity_m_s + 0.5 * t**2 * self.gravity_m_s2

    def frames(self, rate_hz: float, frame_count: int) -> Indices:
        """The numbers of the frames inside."""
        start, end = self.start_s + _SAME_TIME_S, self.end_s - _SAME_TIME_S
        return _numbers(np.ceil(start * rate_hz), np.floor(end * rate_hz) + 1, frame_count)


@dataclass(frozen=True)
class Injected:
    """A defect put in on purpose."""

    defect: str
    size: float
    unit: str
    measure: str
    """The figure that should show it: a key of `poise.measures`, or "gravity" as flights tell."""
    expected: float
    """What a right measure returns, beside what the clean clip has of it."""
    expected_unit: str


@dataclass(frozen=True, eq=False)
class Sample:
    """A clip made by code and the truth about it."""

    clip: Clip
    contacts: ContactSchedule
    planted: tuple[Planted, ...]
    """Every point that rests on the ground; times are exact, not rounded to frames."""
    flights: tuple[Flight, ...] = ()
    reached: tuple[Planted, ...] = ()
    """Points held in the air: what a hand reaches for."""
    injected: tuple[Injected, ...] = ()
    environment: Environment = field(default_factory=Environment.flat)
    """Where it happens."""

    def __repr__(self) -> str:
        defects = ", ".join(each.defect for each in self.injected)
        return framed("Sample", f"{self.clip!r}{f' with {defects}' if defects else ''}")


def _numbers(first: float, last: float, frame_count: int) -> Indices:
    """Whole numbers from `first` up to but not including `last`, inside the clip."""
    return np.arange(int(max(first, 0)), int(min(last, frame_count)), dtype=np.int64)


def contacts_of(
    planted: Sequence[Planted],
    rate_hz: float,
    frame_count: int,
    parts: Collection[str] = (),
) -> ContactSchedule:
    """Both feet and further parts, frame by frame: touching while any point of theirs stands."""
    known = tuple(part for part in BODY_PARTS if part in FEET or part in parts)
    touching = np.zeros((frame_count, len(known)), dtype=np.bool_)
    for rest in planted:
        touching[rest.frames(rate_hz, frame_count), known.index(rest.part)] = True
    return ContactSchedule(known, touching, rate_hz)
