"""Plant a foot or a hand: its place and its orientation, the toes with it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from poise.character import Character
from poise.constraints.part_move import PartMove, put_on_surface
from poise.constraints.record_checks import Vector, check_record, choice
from poise.constraints.recruiting import (
    EVERYTHING,
    ORIGIN,
    Recruit,
    Recruits,
    find_joint,
    recruits_of_point,
    recruits_of_turn,
)
from poise.constraints.scene import Scene, blended, blended_turns, joint_path, turn_path
from poise.constraints.task import Interval, Task
from poise.errors import BadValue

PART_ROLES = {
    "left_foot": "left_ankle",
    "right_foot": "right_ankle",
    "left_hand": "left_wrist",
    "right_hand": "right_wrist",
}
"""The joint that carries each part."""

PART_LENGTH_M = 0.2
"""Of a foot or hand, roughly: how far its end goes when the joint turns by a radian."""


@dataclass(frozen=True)
class Plant:
    """A foot or hand stands somewhere, in place and in orientation.

    What the paper left open: two points on a foot leave it free to turn about the line between
    them. Here the ankle has a place and a rotation, and the toes, where they are a joint, have
    theirs to the foot.
    """

    name: str
    part: str
    """left_foot, right_foot, left_hand or right_hand."""
    interval: Interval
    mode: Literal["still", "follow"] = "still"
    """`still`: the pose that the part has in the original at one frame. `follow`: the original's
    pose in every frame. Both moved and turned as asked."""
    frame: int | None = None
    """The frame of the pose, and of the place that turning leaves where it is. None: the frame
    in which the part moves least while the constraint holds fully."""
    displacement_m: Vector = (0.0, 0.0, 0.0)
    """From the original, in the world."""
    turn_deg: float = 0.0
    """About the vertical, through the place of the joint at `frame`."""
    on_surface: bool = False
    """Move the part up or down until it touches what is under it: at its lowest frame."""
    priority: int = 1
    weight: float = 1.0
    recruit: Recruit = EVERYTHING

    def __post_init__(self) -> None:
        check_record(self, apart_from="part")
        choice(self.name, "part", self.part, tuple(PART_ROLES))
        if self.frame is not None and self.frame < 0:
            raise BadValue(f"frame of '{self.name}'", "zero or more", self.frame)


def tasks_of_plant(constraint: Plant, scene: Scene) -> tuple[Task, ...]:
    """A point task on the joint's origin, a turn task on the joint, and one on the toes."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    joint = find_joint(character, PART_ROLES[constraint.part], asked_by=name)
    frame = _frame(constraint, scene, joint)
    # Of the original: everything where it follows, one pose where it is still.
    first, last = interval.first, interval.last
    start, end = (frame, frame) if constraint.mode == "still" else (first, last)
    moving = PartMove(
        scene.state.positions_m[frame, joint],
        scene.environment.up,
        math.radians(constraint.turn_deg),
        np.array(constraint.displacement_m),
    )
    if constraint.on_surface:
        moving = put_on_surface(moving, scene, constraint.part, start, end, name)
    turns = [turn_path(scene, joint, first, last)]
    goals = [moving.turned(turn_path(scene, joint, start, end))]
    toe = _toe(constraint, character, joint)
    if toe >= 0:
        turns.append(turn_path(scene, toe, first, last, joint))
        goals.append(turn_path(scene, toe, start, end, joint))
    shares, recruit = interval.shares(), constraint.recruit
    moved = moving.moved(joint_path(scene, joint, start, end))
    moved = blended(joint_path(scene, joint, first, last), moved, shares)
    turned = blended_turns(np.stack(turns), np.stack(goals), shares)
    rank = (constraint.priority, constraint.weight)
    point = recruits_of_point(character, joint, ORIGIN, recruit, asked_by=name)
    whole = recruits_of_turn(character, joint, recruit, asked_by=name)
    tasks = (
        Task(name, "point", first, moved, point, *rank, joint),
        Task(name, "turn", first, turned[0], whole, *rank, joint),
    )
    if toe < 0:
        return tasks
    own = Recruits(np.arange(character.skeleton.joint_count) == toe, False)
    return (*tasks, Task(name, "turn", first, turned[1], own, *rank, toe, reference=joint))


def _toe(constraint: Plant, character: Character, ankle: int) -> int:
    """The joint of the toes, or -1 when the part has none that could turn."""
    role = constraint.part.replace("foot", "toe")
    if character.roles is None or role not in character.roles.joints:
        return -1
    toe = character.skeleton.index(character.roles.joints[role])
    below = ankle in character.skeleton.ancestors(toe)
    return toe if below and toe != ankle and character.skeleton.freedoms[toe] else -1


def _frame(constraint: Plant, scene: Scene, joint: int) -> int:
    """The frame asked for, or the one in which the part moves least."""
    frames = scene.clip.frame_count
    if constraint.frame is not None:
        if constraint.frame >= frames:
            allowed = f"a frame of the clip (0 to {frames - 1})"
            raise BadValue(f"frame of '{constraint.name}'", allowed, constraint.frame)
        return constraint.frame
    interval = constraint.interval
    full = interval.frames[interval.ease_in : len(interval) - interval.ease_out]
    before, after = np.maximum(full - 1, 0), np.minimum(full + 1, frames - 1)
    span = np.maximum(after - before, 1)
    places, turns = scene.state.positions_m[:, joint], scene.state.rotations_wxyz[:, joint]
    steps = np.sum((places[after] - places[before]) ** 2, axis=1)
    # Of unit quaternions, 1 minus the product squared is the squared sine of half the angle.
    bends = 4.0 * (1.0 - np.sum(turns[after] * turns[before], axis=1) ** 2)
    return int(full[((steps + PART_LENGTH_M**2 * bends) / span**2).argmin()])
