"""When a constraint holds, and how it comes and goes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices
from poise.errors import BadValue


@dataclass(frozen=True)
class Interval:
    """Frames `first` to `last`, both included.

    Over the first `ease_in` frames the goal grows out of the original motion, over the last
    `ease_out` frames it falls back to it, so that nothing jumps at either end.
    """

    first: int
    last: int
    ease_in: int = 0
    ease_out: int = 0

    def __post_init__(self) -> None:
        for field in ("first", "last", "ease_in", "ease_out"):
            value = getattr(self, field)
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise BadValue(f"{field} of an interval", "a whole number of frames", value)
            object.__setattr__(self, field, int(value))
        if not 0 <= self.first <= self.last:
            raise BadValue("interval", "a first frame from 0 to the last", (self.first, self.last))
        if self.ease_in < 0 or self.ease_out < 0:
            raise BadValue("easing", "zero frames or more", (self.ease_in, self.ease_out))
        if self.ease_in + self.ease_out > self.last - self.first:
            raise BadValue(
                "easing",
                f"shorter together than the interval ({self.last - self.first} frames)",
                (self.ease_in, self.ease_out),
            )

    def __len__(self) -> int:
        return self.last - self.first + 1

    @property
    def frames(self) -> Indices:
        """(n,) every frame of it."""
        return np.arange(self.first, self.last + 1)

    def check_inside(self, frame_count: int, name: str) -> None:
        """Raise unless a clip of so many frames has all of it."""
        if self.last >= frame_count:
            asked = f"frames {self.first} to {self.last}"
            raise BadValue(
                f"interval of '{name}'", f"inside the clip (0 to {frame_count - 1})", asked
            )

    def shares(self) -> Array:
        """(n,) how much of the goal holds: from 0 to 1 over the ease-in, back over the ease-out.

        The polynomial 6x⁵ − 15x⁴ + 10x³, whose speed and acceleration vanish at both ends.
        """
        frames = self.frames.astype(np.float64)
        share = np.ones(len(self))
        if self.ease_in:
            share = np.minimum(share, (frames - self.first) / self.ease_in)
        if self.ease_out:
            share = np.minimum(share, (self.last - frames) / self.ease_out)
        return share**3 * (share * (6.0 * share - 15.0) + 10.0)
