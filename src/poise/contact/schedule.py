"""What touches when: one row per frame, one column per body part."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from poise.errors import BadShape, BadValue, UnknownName

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
        return ContactSchedule(self.parts, self.touching[first:stop], self.rate_hz, sliding)

    def with_part(self, part: str, touching: ArrayLike) -> ContactSchedule:
        """The same schedule with one part's column set; that part does not slide."""
        kept = [p for p in self.parts if p != part]
        columns = [self.column(p) for p in kept] + [np.asarray(touching, dtype=np.bool_)]
        sliding = None
        if self.sliding is not None:
            still = [self.column(p) & ~self.standing(p) for p in kept]
            sliding = np.stack([*still, np.zeros(self.frame_count, dtype=np.bool_)], axis=1)
        return ContactSchedule((*kept, part), np.stack(columns, axis=1), self.rate_hz, sliding)


def intervals(flags: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Runs of true frames as (first, last + 1)."""
    edges = np.flatnonzero(np.diff(flags.astype(np.int8), prepend=0, append=0))
    return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2], strict=True)]


def without_blinks(flags: NDArray[np.bool_], shortest: float) -> NDArray[np.bool_]:
    """Gaps, then runs, of fewer frames given to what surrounds them; the ends may cut either."""
    kept = flags.copy()
    for value in (False, True):
        for first, last in intervals(kept == value):
            if last - first < shortest and first > 0 and last < len(kept):
                kept[first:last] = not value
    return kept
