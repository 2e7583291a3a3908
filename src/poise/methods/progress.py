"""How far a method is."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Progress:
    """Where a run is; every method reports with this record."""

    stage: str
    """A word for what it does now: `contacts`, `kinematic`, `round 2`."""
    done: int = 0
    total: int = 1
    """Steps of this stage, as far as they are known; 1 when they are not."""
    preview: Clip | None = None
    """The clip as it is so far, where there is one to look at."""


ProgressCallback = Callable[[Progress], None]


def silent(progress: Progress) -> None:
    """The callback of a caller who does not listen."""
