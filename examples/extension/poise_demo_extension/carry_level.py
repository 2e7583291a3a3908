"""A constraint: both hands carry a tray and keep it level."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.constraints import KeepDistance
from poise.extend import (
    EVERYTHING,
    BadValue,
    ConstraintKind,
    Interval,
    Recruit,
    Scene,
    Task,
    blended,
    check_record,
    find_point,
    point_path,
    recruits_of_point,
    tasks_of,
)


@dataclass(frozen=True)
class CarryLevel:
    """Two points, by default the wrists, stay at one height and so far apart."""

    name: str
    interval: Interval
    first: str = "left_wrist"
    """A site, joint or role."""
    second: str = "right_wrist"
    """Another one."""
    width_m: float | None = None
    """Distance between them; without it, as in the original, frame by frame."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self)  # the types of all fields, priority and weight
        if self.width_m is not None and self.width_m <= 0.0:
            raise BadValue(f"width_m of '{self.name}'", "more than zero", self.width_m)


def tasks(constraint: CarryLevel, scene: Scene) -> tuple[Task, ...]:
    """A distance, made by a constraint that Poise has, and a height for each hand."""
    apart = KeepDistance(
        constraint.name,
        constraint.first,
        constraint.second,
        constraint.interval,
        constraint.width_m,
        constraint.priority,
        constraint.weight,
        constraint.recruit,
    )
    points = (constraint.first, constraint.second)
    return (*tasks_of(apart, scene), *(_at_height(constraint, each, scene) for each in points))


def _at_height(constraint: CarryLevel, point: str, scene: Scene) -> Task:
    """One hand at the mean height of both, eased in and out; x and z are free."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    first, last = interval.first, interval.last
    joint, offset = find_point(character, point, asked_by=name)
    original = point_path(scene, point, first, last)
    both = [point_path(scene, each, first, last) for each in (constraint.first, constraint.second)]
    goals = original.copy()
    goals[:, 1] = np.mean(both, axis=0)[:, 1]
    return Task(
        name,
        "point",
        first,
        blended(original, goals, interval.shares()),
        recruits_of_point(character, joint, offset, constraint.recruit, asked_by=name),
        constraint.priority,
        constraint.weight,
        joint,
        offset,
        axes=(False, True, False),
    )


CONSTRAINT = ConstraintKind(CarryLevel, tasks, makes=("point", "distance"), frame_by_frame=True)
