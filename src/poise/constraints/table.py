"""All constraints by the key that recipes use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from poise.constraints.follow_curve import FollowCurve, tasks_of_follow_curve
from poise.constraints.hit_at import HitAt, tasks_of_hit_at
from poise.constraints.hold_point import HoldPoint, tasks_of_hold_point
from poise.constraints.keep_distance import KeepDistance, tasks_of_keep_distance
from poise.constraints.look_at import LookAt, tasks_of_look_at
from poise.constraints.orient import Orient, tasks_of_orient
from poise.constraints.part_move import moved_by
from poise.constraints.place_center_of_mass import (
    PlaceCenterOfMass,
    tasks_of_place_center_of_mass,
)
from poise.constraints.plant import Plant, tasks_of_plant
from poise.constraints.scene import Scene
from poise.constraints.stage_edits import FlightHeight, Gravity, MoveStage, StageEdit
from poise.constraints.stay_on_side import StayOnSide, tasks_of_stay_on_side
from poise.constraints.task import Task
from poise.errors import BadValue, UnknownName

__all__ = [
    "CONSTRAINTS",
    "STAGE_EDITS",
    "Constraint",
    "FollowCurve",
    "HitAt",
    "HoldPoint",
    "KeepDistance",
    "LookAt",
    "Orient",
    "PlaceCenterOfMass",
    "Plant",
    "StayOnSide",
    "tasks_of",
]

Constraint = (
    HoldPoint
    | HitAt
    | FollowCurve
    | Orient
    | LookAt
    | KeepDistance
    | PlaceCenterOfMass
    | Plant
    | StayOnSide
)
"""Any of the records."""


class ConstraintKind(NamedTuple):
    """A record, and what turns it into tasks."""

    record: type[Constraint]
    tasks: Callable[[Any, Scene], tuple[Task, ...]]


CONSTRAINTS: dict[str, ConstraintKind] = {
    "hold_point": ConstraintKind(HoldPoint, tasks_of_hold_point),
    "hit_at": ConstraintKind(HitAt, tasks_of_hit_at),
    "follow_curve": ConstraintKind(FollowCurve, tasks_of_follow_curve),
    "orient": ConstraintKind(Orient, tasks_of_orient),
    "look_at": ConstraintKind(LookAt, tasks_of_look_at),
    "keep_distance": ConstraintKind(KeepDistance, tasks_of_keep_distance),
    "place_center_of_mass": ConstraintKind(PlaceCenterOfMass, tasks_of_place_center_of_mass),
    "plant": ConstraintKind(Plant, tasks_of_plant),
    "stay_on_side": ConstraintKind(StayOnSide, tasks_of_stay_on_side),
}
"""The records by the key that stands for them in a recipe."""

STAGE_EDITS: dict[str, type[StageEdit]] = {
    "move_stage": MoveStage,
    "flight_height": FlightHeight,
    "gravity": Gravity,
}
"""What only `momentum` reads, by the key that stands for it in a recipe."""

_TASKS = {kind.record: kind.tasks for kind in CONSTRAINTS.values()}


def tasks_of(constraint: Constraint | StageEdit, scene: Scene) -> tuple[Task, ...]:
    """What a constraint comes down to on a given motion, for all of its frames.

    Raises:
        BadValue: when it asks for what the scene does not have, or when none of its recruits can
            move what it is about.
        UnknownName: when a name in it is not one of the character's.
    """
    if isinstance(constraint, MoveStage | FlightHeight | Gravity):
        allowed = "one that holds in frames: stages are for the method momentum"
        raise BadValue(f"constraint '{constraint.name}'", allowed, type(constraint).__name__)
    turn_into_tasks = _TASKS.get(type(constraint))
    if turn_into_tasks is None:
        raise UnknownName("constraint", type(constraint).__name__, CONSTRAINTS)
    constraint.interval.check_inside(scene.clip.frame_count, constraint.name)
    tasks = turn_into_tasks(constraint, scene)
    for task in tasks:
        _check_recruits(task, scene)
    return tasks


def _check_recruits(task: Task, scene: Scene) -> None:
    movers = moved_by(task, scene.character)
    if (movers.joints & task.recruits.joints).any():
        return
    if movers.translation and task.recruits.translation:
        return
    useful = ", ".join(movers.names(scene.character)) or "none: nothing can change it"
    raise BadValue(
        f"recruit of '{task.name}'",
        f"at least one joint that moves its {task.kind} ({useful})",
        ", ".join(task.recruits.names(scene.character)) or "none of them",
    )
