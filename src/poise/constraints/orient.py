"""Give a joint an orientation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.constraints.record_checks import Mode, Turn, check_mode, check_record
from poise.constraints.recruiting import EVERYTHING, Recruit, find_joint, recruits_of_turn
from poise.constraints.scene import WORLD, Scene, blended_turns, turn_path
from poise.constraints.task import Interval, Task


@dataclass(frozen=True)
class Orient:
    """The frame of a joint has a given rotation over an interval."""

    name: str
    joint: str
    """By name or role."""
    turn_wxyz: Turn
    """A quaternion of any length; made unit."""
    interval: Interval
    mode: Mode = "absolute"
    """`absolute`: the joint's rotation in the world. `relative`: in the frame of `relative_to`.
    `offset`: a turn about the axes of the world (or of `relative_to`) on top of the original."""
    relative_to: str | None = None
    """A joint or role; for `relative`, and for `offset` if wanted."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self)
        check_mode(self.name, self.mode, self.relative_to)


def tasks_of_orient(constraint: Orient, scene: Scene) -> tuple[Task, ...]:
    """One turn task; its goals turn out of the original along the shortest arc."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    joint = find_joint(character, constraint.joint, asked_by=name)
    to = constraint.relative_to
    reference = WORLD if to is None else find_joint(character, to, asked_by=name)
    original = turn_path(scene, joint, interval.first, interval.last, reference)
    goals = np.array(constraint.turn_wxyz)
    if constraint.mode == "offset":
        goals = rotations.multiply(goals, original)
    return (
        Task(
            name, "turn", interval.first, blended_turns(original, goals, interval.shares()),
            recruits_of_turn(
                character, joint, constraint.recruit, reference=reference, asked_by=name
            ),
            constraint.priority, constraint.weight, joint, reference=reference,
        ),
    )  # fmt: skip
