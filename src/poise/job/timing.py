"""Times in a recipe: in frames or in seconds, until a clip says how they relate."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import floor
from typing import Any

from poise.constraints import Interval

ALL = "all"
INTERVAL_KEYS = ("frames", "seconds", "ease", "ease_seconds")
"""What stands in a recipe for the interval of a constraint."""

IN_SECONDS = {"frame": "second", "until": "until_second"}
"""Fields of records that hold a frame, and the key that gives the same in seconds."""


@dataclass(frozen=True)
class Clock:
    """What a clip says about time."""

    rate_hz: float
    frame_count: int

    def frame(self, second: float) -> int:
        """The frame nearest to a time, counted from the first."""
        return floor(second * self.rate_hz + 0.5)

    def interval(self, values: Mapping[str, Any]) -> Interval:
        """The frames that `frames` or `seconds`, with `ease` or `ease_seconds`, stand for."""
        if values.get("seconds") is not None:
            first, last = (self.frame(second) for second in values["seconds"])
        elif values["frames"] == ALL:
            first, last = 0, self.frame_count - 1
        else:
            first, last = values["frames"]
        if values.get("ease_seconds") is not None:
            into, out = (self.frame(second) for second in _pair(values["ease_seconds"]))
            if self._fits(values):
                # Rounding to frames alone must not make it too long.
                over = max(0, into + out - (last - first))
                into, out = into - min(over, into), out - max(0, over - into)
        else:
            into, out = _pair(values.get("ease") or 0)
        return Interval(first, last, into, out)

    def _fits(self, values: Mapping[str, Any]) -> bool:
        """Whether easing given in seconds is no longer than the interval."""
        if values.get("seconds") is None:
            return False
        first, last = values["seconds"]
        return sum(_pair(values["ease_seconds"])) <= last - first + 1e-9


def _pair(value: Any) -> tuple[Any, Any]:
    """Easing in and out: one number for both, or two."""
    return (value[0], value[1]) if isinstance(value, tuple) else (value, value)
