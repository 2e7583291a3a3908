"""All constraints by the key that recipes use.

Installed packages add constraints (entry points `poise.constraints`, see `poise.extensions`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import Field, dataclass, fields, is_dataclass
from typing import Any, ClassVar, Protocol

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
from poise.constraints.task import GOAL_SIZE, Interval, Task, TaskKind
from poise.errors import BadValue, ExtensionProblem, UnknownName
from poise.extensions import Extended, attributing

__all__ = [
    "CONSTRAINTS",
    "STAGE_EDITS",
    "Constraint",
    "ConstraintKind",
    "ConstraintRecord",
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


class ConstraintRecord(Protocol):
    """A constraint of another package: a frozen dataclass with these fields, and more."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def name(self) -> str:
        """What the user calls it."""
        ...

    @property
    def interval(self) -> Interval:
        """When it holds."""
        ...

    @property
    def priority(self) -> int:
        """Its layer: 1 is the most important."""
        ...

    @property
    def weight(self) -> float:
        """Against others of the same layer."""
        ...


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
    | ConstraintRecord
)
"""Any of the records."""


@dataclass(frozen=True)
class ConstraintKind:
    """A record, and what turns it into tasks."""

    record: type[Any]
    """A frozen dataclass with `name`, `interval`, `priority` and `weight`."""
    tasks: Callable[[Any, Scene], tuple[Task, ...]]
    """The tasks of a record in a scene, with the record's name and inside its interval; those of
    other records, made by `tasks_of`, may be among them."""
    makes: tuple[TaskKind, ...]
    """All kinds of tasks that may come of it: methods that do not solve for them refuse it."""
    one_sided: bool = False
    """Whether tasks may have a side: bounds."""
    frame_by_frame: bool = False
    """Whether the goals of a frame depend on that frame alone, so that it may stand in a stream."""


_OWN = {
    "hold_point": ConstraintKind(HoldPoint, tasks_of_hold_point, ("point",), frame_by_frame=True),
    "hit_at": ConstraintKind(HitAt, tasks_of_hit_at, ("point", "turn")),
    "follow_curve": ConstraintKind(FollowCurve, tasks_of_follow_curve, ("point",)),
    "orient": ConstraintKind(Orient, tasks_of_orient, ("turn",), frame_by_frame=True),
    "look_at": ConstraintKind(LookAt, tasks_of_look_at, ("aim",), frame_by_frame=True),
    "keep_distance": ConstraintKind(
        KeepDistance, tasks_of_keep_distance, ("distance",), frame_by_frame=True
    ),
    "place_center_of_mass": ConstraintKind(
        PlaceCenterOfMass, tasks_of_place_center_of_mass, ("center",), frame_by_frame=True
    ),
    "plant": ConstraintKind(Plant, tasks_of_plant, ("point", "turn"), frame_by_frame=True),
    "stay_on_side": ConstraintKind(
        StayOnSide, tasks_of_stay_on_side, ("point",), one_sided=True, frame_by_frame=True
    ),
}


def _problem_with(name: str, kind: ConstraintKind) -> str:
    """What keeps a package's constraint out of the table."""
    record = kind.record
    if not is_dataclass(record) or not vars(record)["__dataclass_params__"].frozen:
        return "its record is not a frozen dataclass"
    lacking = {"name", "interval", "priority", "weight"} - {each.name for each in fields(record)}
    if lacking:
        return f"its record has no {', '.join(sorted(lacking))}"
    if any(record is own.record for own in _OWN.values()):
        return f"its record {record.__name__} is one of Poise's own"
    unknown = set(kind.makes) - set(GOAL_SIZE)
    if unknown or not kind.makes:
        return f"makes must be some of {', '.join(GOAL_SIZE)}, got {kind.makes!r}"
    return ""


STAGE_EDITS: dict[str, type[StageEdit]] = {
    "move_stage": MoveStage,
    "flight_height": FlightHeight,
    "gravity": Gravity,
}
"""What only `momentum` reads, by the key that stands for it in a recipe."""

CONSTRAINTS = Extended(
    "poise.constraints", _OWN, ConstraintKind, _problem_with, taken=tuple(STAGE_EDITS)
)
"""The records by the key that stands for them in a recipe."""

_KEYS = {kind.record: key for key, kind in _OWN.items()}


def key_of(constraint: object) -> str:
    """The key of a constraint's record.

    Raises:
        UnknownName: a record that is in no table.
    """
    if type(constraint) in _KEYS:
        return _KEYS[type(constraint)]
    for key, kind in CONSTRAINTS.outside().items():
        if type(constraint) is kind.record:
            return key
    raise UnknownName("constraint", type(constraint).__name__, CONSTRAINTS)


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
    key = key_of(constraint)
    constraint.interval.check_inside(scene.clip.frame_count, constraint.name)
    with attributing(CONSTRAINTS, key):
        tasks = CONSTRAINTS[key].tasks(constraint, scene)
        if CONSTRAINTS.package(key) is not None:
            tasks = tuple(tasks)
    _check_made(key, constraint, tasks)
    for task in tasks:
        _check_recruits(task, scene)
    return tasks


def _check_made(key: str, constraint: Constraint, tasks: tuple[object, ...]) -> None:
    """Raise unless a package's tasks are what its kind says; methods rely on that."""
    package, kind = CONSTRAINTS.package(key), CONSTRAINTS[key]
    if package is None:
        return
    interval = constraint.interval
    for task in tasks:
        wrong = ""
        if not isinstance(task, Task):
            wrong = f"it made {type(task).__name__} instead of a Task"
        elif task.kind not in kind.makes:
            wrong = f"it made a task of kind '{task.kind}', which it does not list in `makes`"
        elif task.tied or (task.side and not kind.one_sided):
            wrong = "it made a tied task" if task.tied else "it made a bound without one_sided=True"
        elif task.name != constraint.name:
            wrong = f"it made a task called '{task.name}' for '{constraint.name}'"
        elif task.first < interval.first or task.last > interval.last:
            asked = f"{interval.first} to {interval.last}"
            wrong = f"it made a task for frames {task.first} to {task.last}, outside of {asked}"
        if wrong:
            raise ExtensionProblem("constraint", key, str(package), wrong)


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
