"""What touches when: one row per frame, one column per body part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.errors import BadShape, BadValue, UnknownName
from poise.mechanics import GRAVITY_M_S2
from poise.one_line import framed
from poise.wording import counted

SWINGS_M_S, SWINGS_S = 1.0, 0.1
"""Feet that land and leave are faster than this only for some hundredths of a second."""

SWUNG = 2.0
"""What swinging adds to a foot's score, which is below 1 where it touches."""


def swinging(scores: Array, speeds_m_s: Array, rate_hz: float) -> NDArray[np.bool_]:
    """(F,) frames in which nothing that seems to touch is slow, for long enough.

    A point seems to touch where its score (F, S) is below 1; speeds (F, S) are along the surface.
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


def phases(
    schedule: ContactSchedule, vertical_acceleration_m_s2: Array | None = None
) -> tuple[Phase, ...]:
    """The stances and flights of a clip, in order and without gaps; short ones join the others.

    Args:
        schedule: what touches when.
        vertical_acceleration_m_s2: (F,) of the centre of mass, upward. With it, a stretch without
            contact counts as flight only if the body falls freely in the middle of it; whoever
            sits on a chair that the schedule does not know of does not fly.
    """
    flying: NDArray[np.bool_] = np.logical_not(np.any(schedule.touching, axis=1))
    if vertical_acceleration_m_s2 is not None:
        flying = _only_falling(flying, np.asarray(vertical_acceleration_m_s2, dtype=np.float64))
    flying = _merged(flying, True, SHORTEST_FLIGHT_S * schedule.rate_hz)
    flying = _merged(flying, False, SHORTEST_STANCE_S * schedule.rate_hz)
    found = [Phase("flight", a, b) for a, b in intervals(flying)]
    found += [Phase("stance", a, b, _parts(schedule, a, b)) for a, b in intervals(~flying)]
    return tuple(sorted(found, key=lambda phase: phase.first))


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


BODY_PARTS: tuple[str, ...] = (
    "left_foot",
    "right_foot",
    "left_hand",
    "right_hand",
    "left_knee",
    "right_knee",
    "left_elbow",
    "right_elbow",
    "left_shoulder",
    "right_shoulder",
    "pelvis",
    "chest",
    "head",
)
"""Parts of a body that can touch something, by role."""


@dataclass(frozen=True, eq=False)
class ContactSchedule:
    """Which body parts touch something, frame by frame."""

    parts: tuple[str, ...]
    """Names from `BODY_PARTS`, one a column."""
    touching: NDArray[np.bool_]
    """(F, P)"""
    rate_hz: float
    sliding: NDArray[np.bool_] | None = None
    """(F, P) where a touching part moves along the surface instead of standing on it; None: nothing
    does, or nobody knows."""
    confidence: Array | None = None
    """(F, P) probability that what is said of a part is right, from 0 to 1; None: it was given."""

    def __repr__(self) -> str:
        frames = f"{counted(self.frame_count, 'frame')}, {self.rate_hz:g} Hz"
        shares = (
            f"{part} {100.0 * float(self.touching[:, n].mean()):.0f} %"
            for n, part in enumerate(self.parts)
            if self.touching[:, n].any()
        )
        return framed("ContactSchedule", f"{frames}; {', '.join(shares) or 'nothing touches'}")

    def __post_init__(self) -> None:
        for part in self.parts:
            if part not in BODY_PARTS:
                raise UnknownName("body part", part, BODY_PARTS)
        if len(set(self.parts)) != len(self.parts):
            raise BadValue("parts", "different body parts", self.parts)
        if not (np.isfinite(self.rate_hz) and self.rate_hz > 0):
            raise BadValue("rate_hz", "a positive number", self.rate_hz)
        touching = np.array(self.touching, dtype=np.bool_)
        if touching.ndim != 2 or touching.shape[1] != len(self.parts):
            raise BadShape("touching", f"(F, {len(self.parts)})", touching.shape)
        touching.flags.writeable = False
        object.__setattr__(self, "touching", touching)
        if self.sliding is not None:
            sliding = np.array(self.sliding, dtype=np.bool_)
            if sliding.shape != touching.shape:
                raise BadShape("sliding", str(touching.shape), sliding.shape)
            if bool((sliding & ~touching).any()):
                raise BadValue("sliding", "only parts that touch", "one that does not")
            sliding.flags.writeable = False
            object.__setattr__(self, "sliding", sliding)
        if self.confidence is not None:
            confidence = np.array(self.confidence, dtype=np.float64)
            if confidence.shape != touching.shape:
                raise BadShape("confidence", str(touching.shape), confidence.shape)
            if not bool(((confidence >= 0.0) & (confidence <= 1.0 + 1e-9)).all()):
                raise BadValue("confidence", "probabilities from 0 to 1", "others")
            confidence.flags.writeable = False
            object.__setattr__(self, "confidence", confidence)

    @property
    def frame_count(self) -> int:
        """F."""
        return len(self.touching)

    def column(self, part: str) -> NDArray[np.bool_]:
        """(F,) whether one part touches; a part that is not listed never does."""
        if part not in BODY_PARTS:
            raise UnknownName("body part", part, BODY_PARTS)
        if part not in self.parts:
            return np.zeros(self.frame_count, dtype=np.bool_)
        return self.touching[:, self.parts.index(part)]

    def standing(self, part: str) -> NDArray[np.bool_]:
        """(F,) whether one part touches and does not slide."""
        touching = self.column(part)
        if self.sliding is None or part not in self.parts:
            return touching
        return touching & ~self.sliding[:, self.parts.index(part)]

    def sliced(self, first: int, stop: int | None = None) -> ContactSchedule:
        """The frames from `first` on, before `stop`."""
        sliding = None if self.sliding is None else self.sliding[first:stop]
        sure = None if self.confidence is None else self.confidence[first:stop]
        return ContactSchedule(self.parts, self.touching[first:stop], self.rate_hz, sliding, sure)


def intervals(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of true frames as (first, last + 1)."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def without_blinks(flags: NDArray[np.bool_], shortest: float) -> NDArray[np.bool_]:
    """Gaps, then runs, of fewer frames given to what surrounds them; the ends may cut either."""
    return _merged(_merged(flags, False, shortest), True, shortest)


def without_ends(
    flags: NDArray[np.bool_], unwanted: NDArray[np.bool_], window: float
) -> NDArray[np.bool_]:
    """Contacts without unwanted frames at their ends, `window` or a quarter of them at most."""
    found = flags.copy()
    for first, stop in intervals(flags):
        most = int(min(window, (stop - first) // 4))
        if first > 0:
            for f in range(first, first + most):
                if not unwanted[f]:
                    break
                found[f] = False
        if stop < len(flags):
            for f in range(stop - 1, stop - 1 - most, -1):
                if not unwanted[f]:
                    break
                found[f] = False
    return found
