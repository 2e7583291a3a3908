"""Hold a point of the body at a place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.constraints.record_checks import Mode, Vector, axis_flags, check_mode, check_record
from poise.constraints.recruiting import (
    EVERYTHING,
    Recruit,
    find_joint,
    find_point,
    recruits_of_point,
)
from poise.constraints.scene import WORLD, Scene, blended, point_path
from poise.constraints.task import Interval, Task


@dataclass(frozen=True)
class HoldPoint:
    """A point of the body is at one place over an interval."""

    name: str
    point: str
    """A site ("left_heel"), or a joint or role, whose origin is meant."""
    place_m: Vector
    """The place: in the world, in the frame of `relative_to`, or from where the point was."""
    interval: Interval
    mode: Mode = "absolute"
    """`absolute`: a place in the world. `relative`: in the frame of `relative_to`. `offset`: from
    where the original has the point, frame by frame."""
    relative_to: str | None = None
    """A joint or role; for `relative`, and for `offset` if wanted."""
    axes: str = "xyz"
    """Which coordinates count, in the frame that the place is given in."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self)
        check_mode(self.name, self.mode, self.relative_to)


def tasks_of_hold_point(constraint: HoldPoint, scene: Scene) -> tuple[Task, ...]:
    """One point task; its goals grow out of the original in the frame of the place."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    joint, offset = find_point(character, constraint.point, asked_by=name)
    to = constraint.relative_to
    reference = WORLD if to is None else find_joint(character, to, asked_by=name)
    original = point_path(scene, constraint.point, interval.first, interval.last, reference)
    place = np.array(constraint.place_m)
    goals = original + place if constraint.mode == "offset" else place
    return (
        Task(
            name, "point", interval.first, blended(original, goals, interval.shares()),
            recruits_of_point(
                character, joint, offset, constraint.recruit, reference=reference, asked_by=name
            ),
            constraint.priority, constraint.weight, joint, offset, reference,
            axes=axis_flags(constraint.axes),
        ),
    )  # fmt: skip
