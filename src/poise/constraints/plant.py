"""Plant a foot or a hand: its place and its orientation, the toes with it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import Character, Sites, contact_points, contact_radii_m
from poise.constraints.interval import Interval
from poise.constraints.naming import find_joint
from poise.constraints.original_paths import blended, blended_turns, point_path, turn_path
from poise.constraints.record_checks import (
    Vector,
    check_record,
    choice,
    number,
    put,
    vector,
    whole,
)
from poise.constraints.recruiting import (
    EVERYTHING,
    Recruit,
    Recruits,
    recruits_of_point,
    recruits_of_turn,
)
from poise.constraints.scene import Scene
from poise.constraints.surface_under import rise_to_surface_m
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
    """A point task on the joint's origin, a turn task on the joint, and one on the toes."""
    name, interval, character = constraint.name, constraint.interval, scene.character
    interval.check_inside(scene.clip.frame_count, name)
    joint = find_joint(character, PART_ROLES[constraint.part], asked_by=name)
    first, last = interval.first, interval.last
    places, turns = (
        point_path(scene, joint, _ORIGIN, first, last),
        turn_path(scene, joint, first, last),
    )
    toe = _toe(constraint, character, joint)
    frame = _frame(constraint, scene, joint, toe)
    pivot = scene.state.positions_m[frame, joint]
    still = constraint.mode == "still"
    turn = rotations.from_axis_angle(scene.environment.up, np.radians(constraint.turn_deg))
    shift = np.array(constraint.displacement_m)
    moved = pivot if still else pivot + rotations.rotate(turn, places - pivot)
    turned = rotations.multiply(turn, scene.state.rotations_wxyz[frame, joint] if still else turns)
    if constraint.on_surface:
        shift = shift + _rise(constraint, scene, frame, pivot, turn) * scene.environment.up
    shares = interval.shares()
    rank = (constraint.priority, constraint.weight)
    recruit = constraint.recruit
    tasks = [
        Task(
            name, "point", first, blended(places, moved + shift, shares),
            recruits_of_point(character, joint, _ORIGIN, recruit, asked_by=name), *rank, joint,
        ),
        Task(
            name, "turn", first, blended_turns(turns, turned, shares),
            recruits_of_turn(character, joint, recruit, asked_by=name), *rank, joint,
        ),
    ]  # fmt: skip
    if toe >= 0:
        bends = turn_path(scene, toe, first, last, joint)
        goals = turn_path(scene, toe, frame, frame, joint)[0] if still else bends
        own = np.arange(character.skeleton.joint_count) == toe
        tasks.append(
            Task(
                name, "turn", first, blended_turns(bends, goals, shares), Recruits(own, False),
                *rank, toe, reference=joint,
            )
        )  # fmt: skip
    return tuple(tasks)


_ORIGIN = np.zeros(3)


def _toe(constraint: Plant, character: Character, ankle: int) -> int:
    """The joint of the toes, or -1 when the part has none that could turn."""
    role = constraint.part.replace("foot", "toe")
    if character.roles is None or role not in character.roles.joints:
        return -1
    toe = character.skeleton.index(character.roles.joints[role])
    below = ankle in character.skeleton.ancestors(toe)
    return toe if below and toe != ankle and character.skeleton.freedoms[toe] else -1


def _frame(constraint: Plant, scene: Scene, joint: int, toe: int) -> int:
    """The frame asked for, or the one in which the part moves least."""
    frames = scene.clip.frame_count
    if constraint.frame is not None:
        if constraint.frame >= frames:
            allowed = f"a frame of the clip (0 to {frames - 1})"
            raise BadValue(f"frame of '{constraint.name}'", allowed, constraint.frame)
        return constraint.frame
    interval = constraint.interval
    first, last = interval.first + interval.ease_in, interval.last - interval.ease_out
    before, after = max(first - 1, 0), min(last + 1, frames - 1)
    sites = scene.character.sites
    riding = [i for i, j in enumerate(sites.joints.tolist()) if j in (joint, toe)]
    carriers = np.concatenate([[joint], sites.joints[riding]])
    offsets = np.concatenate([np.zeros((1, 3)), sites.offsets_m[riding]])
    places = _points_at(scene, carriers, offsets, slice(before, after + 1))
    rows = np.arange(first, last + 1) - before
    ahead, behind = np.minimum(rows + 1, len(places) - 1), np.maximum(rows - 1, 0)
    steps = (places[ahead] - places[behind]) / np.maximum(ahead - behind, 1)[:, None, None]
    return first + int(np.sum(steps**2, axis=(1, 2)).argmin())


def _points_at(scene: Scene, joints: Indices, offsets_m: Array, frames: slice) -> Array:
    """(n, S, 3) points of the original in the world."""
    turned = rotations.rotate(scene.state.rotations_wxyz[frames, joints], offsets_m)
    return scene.state.positions_m[frames, joints] + turned


def _rise(constraint: Plant, scene: Scene, frame: int, pivot: Array, turn: Array) -> float:
    """How far up the part must go so that it touches what is under it and nowhere sinks in."""
    points, skin_m = _touching(scene.character, constraint)
    interval = constraint.interval
    frames = slice(interval.first, interval.last + 1)
    if constraint.mode == "still":
        frames = slice(frame, frame + 1)
    places = _points_at(scene, points.joints, points.offsets_m, frames).reshape(-1, 3)
    places = pivot + rotations.rotate(turn, places - pivot) + np.array(constraint.displacement_m)
    rise = rise_to_surface_m(scene.environment, places - skin_m * scene.environment.up).max()
    if not np.isfinite(rise):
        raise BadValue(
            f"on_surface of '{constraint.name}'", "used where there is a surface under the part",
            f"none under {constraint.part} in frame {frame}",
        )  # fmt: skip
    return float(rise)


def _touching(character: Character, constraint: Plant) -> tuple[Sites, float]:
    """The points that can touch, and how far the skin lies below them."""
    points, radii = _contact_points(character)
    if constraint.part not in points:
        raise BadValue(
            f"on_surface of '{constraint.name}'",
            f"used with a character that has points on its {constraint.part} "
            "(see complete_character)",
            character.name,
        )
    return points[constraint.part], radii[constraint.part]


@lru_cache(maxsize=8)
def _contact_points(character: Character) -> tuple[dict[str, Sites], dict[str, float]]:
    """Kept, as finding them takes longer than everything else here."""
    return contact_points(character), contact_radii_m(character)
