"""Plant a foot or a hand: its place and its orientation, the toes with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from poise.constraints.interval import Interval
from poise.constraints.record_checks import (
    Vector,
    check_record,
    choice,
    number,
    put,
    vector,
    whole,
)
from poise.constraints.recruiting import EVERYTHING, Recruit
from poise.constraints.scene import Scene
from poise.constraints.task import Task
from poise.errors import BadValue

PART_ROLES = {
    "left_foot": "left_ankle",
    "right_foot": "right_ankle",
    "left_hand": "left_wrist",
    "right_hand": "right_wrist",
}
"""The joint that carries each part."""


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
        check_record(self)
        name = self.name
        choice(name, "part", self.part, tuple(PART_ROLES))
        choice(name, "mode", self.mode, ("still", "follow"))
        if self.frame is not None and whole(name, "frame", self.frame) < 0:
            raise BadValue(f"frame of '{name}'", "zero or more", self.frame)
        put(
            self,
            displacement_m=vector(name, "displacement_m", self.displacement_m),
            turn_deg=number(name, "turn_deg", self.turn_deg),
        )


def tasks_of_plant(constraint: Plant, scene: Scene) -> tuple[Task, ...]:
    """Not yet."""
    raise NotImplementedError
