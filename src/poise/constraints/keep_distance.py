"""Keep two points of the body at a distance from each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.constraints.record_checks import check_record
from poise.constraints.recruiting import (
    EVERYTHING,
    Recruit,
    Recruits,
    find_joint,
    find_point,
    listed_recruits,
    nearest_shared,
    recruits_of_point,
)
from poise.constraints.scene import Scene, blended, point_path
from poise.constraints.task import Interval, Task
from poise.errors import BadValue


@dataclass(frozen=True)
class KeepDistance:
    """Two points are so far apart over an interval, in whatever direction.

    Two points that should stay together in a fixed way (two hands on one club) are better served by
    a `HoldPoint` relative to one of them: a distance of zero says nothing about direction.
    """

    name: str
    first: str
    """A site, or a joint or role, whose origin is meant."""
    second: str
    """Another point of the body, on another joint."""
    interval: Interval
    distance_m: float | None = None
    """None: as far as in the original, frame by frame."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING
    """Without a choice: both chains, up to the joint that carries both, which is left out."""

    def __post_init__(self) -> None:
        check_record(self)
        if self.distance_m is not None and self.distance_m < 0:
            raise BadValue(f"distance_m of '{self.name}'", "zero or more", self.distance_m)


def tasks_of_keep_distance(constraint: KeepDistance, scene: Scene) -> tuple[Task, ...]:
    """One distance task."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    first = find_point(character, constraint.first, asked_by=name)
    second = find_point(character, constraint.second, asked_by=name)
    one, other = (
        point_path(scene, point, interval.first, interval.last)
        for point in (constraint.first, constraint.second)
    )
    original = np.linalg.norm(one - other, axis=1)[:, None]
    goals = original if constraint.distance_m is None else np.array(constraint.distance_m)
    return (
        Task(
            name, "distance", interval.first, blended(original, goals, interval.shares()),
            _recruits(character, first, second, constraint.recruit, name),
            constraint.priority, constraint.weight, *first,
            reference=second[0], reference_offset_m=second[1],
        ),
    )  # fmt: skip


def _recruits(
    character: Character,
    first: tuple[int, Array],
    second: tuple[int, Array],
    recruit: Recruit,
    name: str,
) -> Recruits:
    if recruit.joints is not None:
        return listed_recruits(character, recruit.joints, asked_by=name)
    skeleton = character.skeleton
    chains = (first, second)
    if recruit.up_to is not None and recruit.up_to != "root":
        # A joint that carries only one of the two points ends that one's chain.
        top = find_joint(character, recruit.up_to, asked_by=name)
        carried = tuple(point for point in chains if top in skeleton.ancestors(point[0]))
        chains = carried or chains
    shared = nearest_shared(skeleton, first[0], second[0])
    mask, translation = np.zeros(skeleton.joint_count, dtype=np.bool_), False
    for joint, offset in chains:
        found = recruits_of_point(
            character, joint, offset, recruit, reference=shared, asked_by=name
        )
        mask |= found.joints
        translation |= found.translation
    return Recruits(mask, translation)
