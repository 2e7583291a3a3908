"""What a constraint comes down to: rows for a solver, with a goal for every frame they hold."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from poise.arrays import Array, frozen_array
from poise.character import Sites
from poise.constraints.naming import ORIGIN
from poise.constraints.recruiting import Recruits
from poise.errors import BadValue

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
