"""Keep a point of the body on one side of a level: a head under a bar, a hand before a wall."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.constraints.record_checks import check_record, choice
from poise.constraints.recruiting import EVERYTHING, Recruit, find_point, recruits_of_point
from poise.constraints.scene import WORLD, Scene, point_path
from poise.constraints.task import Interval, Task

_AXES = "xyz"


@dataclass(frozen=True)
class StayOnSide:
    """A point of the body stays below a level, or above it; where it does, nothing is asked.

    While it eases in, the level comes down from where the original has the point. Only `filter`
    knows it.
    """

    name: str
    point: str
    """A site ("head_top"), or a joint or role, whose origin is meant."""
    limit_m: float
    """The level, in the world."""
    interval: Interval
    side: Literal["below", "above"] = "below"
    """Of the level: `below` or `above` (for x and z: less or more)."""
    axis: str = "y"
    """Along which the level is: x, y (heights) or z."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self, apart_from="axis")
        choice(self.name, "axis", self.axis, tuple(_AXES))


def tasks_of_stay_on_side(constraint: StayOnSide, scene: Scene) -> tuple[Task, ...]:
    """One point task, one-sided along one axis."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    joint, offset = find_point(character, constraint.point, asked_by=name)
    goals = point_path(scene, constraint.point, interval.first, interval.last, WORLD).copy()
    axis, side = _AXES.index(constraint.axis), 1 if constraint.side == "below" else -1
    beyond = np.maximum(0.0, side * (goals[:, axis] - constraint.limit_m))
    goals[:, axis] = constraint.limit_m + side * (1.0 - interval.shares()) * beyond
    return (
        Task(
            name, "point", interval.first, goals,
            recruits_of_point(character, joint, offset, constraint.recruit, asked_by=name),
            constraint.priority, constraint.weight, joint, offset,
            axes=(axis == 0, axis == 1, axis == 2), side=side,
        ),
    )  # fmt: skip
