"""Hit a place: one point of the body, one frame."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.constraints.record_checks import Turn, Vector, axis_flags, check_record
from poise.constraints.recruiting import (
    EVERYTHING,
    Recruit,
    find_point,
    recruits_of_point,
    recruits_of_turn,
)
from poise.constraints.scene import Scene
from poise.constraints.task import Interval, Task
from poise.errors import BadValue


@dataclass(frozen=True)
class HitAt:
    """A point of the body, or of a tool in its hand, is at a place in one frame."""

    name: str
    point: str
    """A site ("club_head"), or a joint or role, whose origin is meant."""
    place_m: Vector
    """The place in the world."""
    frame: int
    """When, counted from 0."""
    turn_wxyz: Turn | None = None
    """If asked: how the joint that the point rides on is turned, in the world."""
    axes: str = "xyz"
    """Which coordinates of the place count."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING
    """Which joints may help, where poses are solved one by one; a pattern moves all of them."""

    def __post_init__(self) -> None:
        check_record(self)
        if self.frame < 0:
            raise BadValue(f"frame of '{self.name}'", "0 or more", self.frame)

    @property
    def interval(self) -> Interval:
        """The one frame."""
        return Interval(self.frame, self.frame)


def tasks_of_hit_at(constraint: HitAt, scene: Scene) -> tuple[Task, ...]:
    """A point task of one frame, and a turn task if a turn is asked for."""
    name, character = constraint.name, scene.character
    joint, offset = find_point(character, constraint.point, asked_by=name)
    place = Task(
        name, "point", constraint.frame, np.array([constraint.place_m]),
        recruits_of_point(character, joint, offset, constraint.recruit, asked_by=name),
        constraint.priority, constraint.weight, joint, offset, axes=axis_flags(constraint.axes),
    )  # fmt: skip
    if constraint.turn_wxyz is None:
        return (place,)
    turn = Task(
        name, "turn", constraint.frame, np.array([constraint.turn_wxyz]),
        recruits_of_turn(character, joint, constraint.recruit, asked_by=name),
        constraint.priority, constraint.weight, joint,
    )  # fmt: skip
    return place, turn
