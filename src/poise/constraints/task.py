"""What a constraint comes down to: rows for a solver, with a goal for every frame they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from poise.arrays import Array, Indices, frozen_array
from poise.character import Sites
from poise.constraints.recruiting import ORIGIN, Recruits
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
        for name in ("first", "last", "ease_in", "ease_out"):
            value = getattr(self, name)
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise BadValue(f"{name} of an interval", "a whole number of frames", value)
            object.__setattr__(self, name, int(value))
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


TaskKind = Literal["point", "turn", "aim", "distance", "center"]

GOAL_SIZE: dict[str, int] = {"point": 3, "turn": 4, "aim": 3, "distance": 1, "center": 3}
"""Numbers in the goal of each kind for one frame."""

AHEAD = frozen_array("ahead", (0.0, 0.0, 1.0), (3,))
NO_POINTS = Sites()


@dataclass(frozen=True, eq=False)
class Task:
    """One thing that should hold over consecutive frames.

    - `point`: the point `offset_m` of `joint` is at the goal, given in the frame of `reference`
      (in the world without one).
    - `turn`: the frame of `joint` has the goal's rotation, relative to that of `reference`.
    - `aim`: seen from the point, the `direction` of `joint` points at the goal (world).
    - `distance`: the point is so far from the point `reference_offset_m` of `reference`.
    - `center`: the centre of mass is at the goal; with `points`, the goal is the vector from their
      barycentre to it.
    """

    name: str
    """The constraint it comes from."""
    kind: TaskKind
    first: int
    """The frame of the first goal."""
    goals: Array
    """(n, size of the kind) one row a frame; metres, unit quaternions wxyz."""
    recruits: Recruits
    priority: int = 1
    """Layers are solved in ascending order; only the order matters. 1 is the most important."""
    weight: float = 1.0
    """Against others of the same layer."""
    joint: int = -1
    offset_m: Array = field(default_factory=lambda: ORIGIN)
    reference: int = -1
    """A joint, or -1 for the world."""
    reference_offset_m: Array = field(default_factory=lambda: ORIGIN)
    direction: Array = field(default_factory=lambda: AHEAD)
    """(3,) unit, in the joint's frame; for `aim`."""
    points: Sites = field(default_factory=lambda: NO_POINTS)
    """For `center`."""
    axes: tuple[bool, bool, bool] = (True, True, True)
    """Which of x, y and z count, for points and centres (of the world, or of the reference)."""

    side: int = 0
    """0: at the goal. For points and distances: 1 where no coordinate may be beyond the goal's, -1
    where none may be short of it."""

    tied: bool = False
    """For points: what counts is how the goal moves from frame to frame, not where it is. A foot
    that stands does not slide, wherever it stands. Only whole clips can be solved for it."""

    def __post_init__(self) -> None:
        if self.tied and (self.kind != "point" or self.side):
            raise BadValue(f"tied of '{self.name}'", "False, except for points without a side", 1)
        if self.side and self.kind not in ("point", "distance"):
            raise BadValue(f"side of '{self.name}'", "0, except for points and distances", 1)
        if self.kind not in GOAL_SIZE:
            raise BadValue("kind", ", ".join(GOAL_SIZE), self.kind)
        if not (np.isfinite(self.weight) and self.weight >= 0):
            raise BadValue(f"weight of '{self.name}'", "zero or more", self.weight)
        if not any(self.axes):
            raise BadValue(f"axes of '{self.name}'", "at least one", self.axes)
        put = object.__setattr__
        goals = frozen_array(f"goals of '{self.name}'", self.goals, ("n", GOAL_SIZE[self.kind]))
        put(self, "goals", goals)
        for vector in ("offset_m", "reference_offset_m", "direction"):
            value = getattr(self, vector)
            if value is not ORIGIN and value is not AHEAD:  # tasks are made on the way to a solve
                put(self, vector, frozen_array(vector, value, (3,)))

    @property
    def last(self) -> int:
        """The frame of the last goal."""
        return self.first + len(self.goals) - 1
