"""One or more constraints of every kind, all easing in and out of the walk's frames 5 to 45.

A hit has one frame, and does not ease.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.constraints import (
    Constraint,
    FollowCurve,
    HitAt,
    HoldPoint,
    Interval,
    KeepDistance,
    LookAt,
    Orient,
    PassPoint,
    PlaceCenterOfMass,
    Plant,
    Recruit,
    StayOnSide,
)

WHEN = Interval(5, 45, 10, 12)
THROUGH = (PassPoint(15, (0.3, 0.1, 0.0)), PassPoint(25, (0.1, 0.4, 0.2), 30))
FEET = ("left_heel", "left_toe_tip", "right_heel", "right_toe_tip")
GUST = ((5, (0.0, 0.0, 0.0)), (20, (0.0, 0.0, 0.1)), (45, (0.05, 0.0, 0.0)))

CASES: dict[str, tuple[Constraint, ...]] = {
    "hold_point": (
        HoldPoint("hold", "left_wrist", (0.5, 1.2, 1.0), WHEN),
        HoldPoint("hold", "left_hand_tip", (0.1, 0.3, 0.4), WHEN, "relative", "chest"),
        HoldPoint("hold", "left_hand_tip", (0.1, 0.3, 0.4), WHEN, "offset"),
        HoldPoint("hold", "right_toe_tip", (0.1, 0.3, 0.4), WHEN, "offset", "pelvis"),
    ),
    "hit_at": (
        HitAt("hit", "left_hand_tip", (0.5, 1.2, 1.0), 20),
        HitAt("hit", "left_wrist", (0.5, 1.2, 1.0), 20, (0.9, 0.3, 0.2, 0.1)),
    ),
    "follow_curve": (
        FollowCurve("follow", "left_wrist", THROUGH, WHEN),
        FollowCurve("follow", "left_heel", THROUGH, WHEN, "relative", "pelvis"),
        FollowCurve("follow", "left_heel", THROUGH, WHEN, "offset"),
        FollowCurve("follow", "left_hand_tip", THROUGH, WHEN, "offset", "chest"),
        FollowCurve("follow", "left_heel", (), WHEN),
    ),
    "orient": (
        Orient("orient", "head", (0.9, 0.3, 0.2, 0.1), WHEN),
        Orient("orient", "left_wrist", (0.9, 0.3, 0.2, 0.1), WHEN, "relative", "chest"),
        Orient("orient", "left_ankle", (0.9, 0.3, 0.2, 0.1), WHEN, "offset"),
        Orient("orient", "left_ankle", (0.9, 0.3, 0.2, 0.1), WHEN, "offset", "pelvis"),
    ),
    "look_at": (
        LookAt("look", "head", (2.0, 1.0, 3.0), WHEN),
        LookAt("look", "head", "left_wrist", WHEN, eye="head_top"),
        LookAt("look", "left_wrist", (2.0, 1.0, -3.0), WHEN, direction=(1.0, 2.0, 0.0)),
    ),
    "keep_distance": (
        KeepDistance("keep", "left_wrist", "right_wrist", WHEN, 0.2),
        KeepDistance("keep", "left_hand_tip", "head_top", WHEN),
    ),
    "place_center_of_mass": (
        PlaceCenterOfMass("center", WHEN, FEET, scale=(1.0, 1.2, 1.0), displacement_m=GUST),
        PlaceCenterOfMass(
            "center", WHEN, FEET, normalisation="leg_length", original_size_m=0.7
        ),
        PlaceCenterOfMass("center", WHEN, displacement_m=(0.0, 0.0, 0.1)),
        PlaceCenterOfMass("center", WHEN, mode="absolute", place_m=(0.1, 0.9, 0.2)),
    ),
    "plant": (
        Plant("plant", "left_foot", WHEN),
        Plant("plant", "right_foot", WHEN, "follow", 20, (0.1, 0.2, 0.0), 30.0),
        Plant("plant", "left_foot", WHEN, displacement_m=(0.2, 0.1, 0.0), on_surface=True),
        Plant("plant", "right_hand", WHEN, turn_deg=-20, recruit=Recruit(up_to="chest")),
    ),
    "stay_on_side": (
        StayOnSide("stay", "head_top", 1.2, WHEN),
        StayOnSide("stay", "left_wrist", 1.9, WHEN, "above"),
    ),
}  # fmt: skip


def moved_record(record: Constraint, turn: Array, shift: Array) -> Constraint:
    """The same wish in a world that was turned about the vertical and then shifted."""

    def place(p: object) -> tuple[float, ...]:
        return tuple((rotations.rotate(turn, p) + shift).tolist())  # type: ignore[arg-type]

    def vector(p: object) -> tuple[float, ...]:
        return tuple(rotations.rotate(turn, p).tolist())  # type: ignore[arg-type]

    def kept(p: object) -> object:
        return p

    by_mode = {
        ("absolute", None): place, ("offset", None): vector,
    }  # fmt: skip
    match record:
        case HoldPoint():
            goes = by_mode.get((record.mode, record.relative_to), kept)
            return replace(record, place_m=goes(record.place_m))
        case HitAt():
            turned = record.turn_wxyz
            if turned is not None:
                turned = tuple(rotations.multiply(turn, np.array(turned)).tolist())
            return replace(record, place_m=place(record.place_m), turn_wxyz=turned)
        case FollowCurve():
            goes = by_mode.get((record.mode, record.relative_to), kept)
            through = tuple(replace(p, place_m=goes(p.place_m)) for p in record.through)
            return replace(record, through=through)
        case Orient() if record.relative_to is None:
            turned = rotations.multiply(turn, np.array(record.turn_wxyz))
            if record.mode == "offset":
                turned = rotations.multiply(turned, rotations.conjugate(turn))
            return replace(record, turn_wxyz=tuple(turned.tolist()))
        case LookAt() if not isinstance(record.target, str):
            return replace(record, target=place(record.target))
        case PlaceCenterOfMass():
            push = record.displacement_m
            if isinstance(push[0], tuple):
                push = tuple((frame, vector(p)) for frame, p in push)  # type: ignore[misc]
            else:
                push = vector(push)
            to = None if record.place_m is None else place(record.place_m)
            return replace(record, displacement_m=push, place_m=to)
        case StayOnSide():
            return replace(record, limit_m=record.limit_m + float(shift[1]))
        case Plant():
            return replace(record, displacement_m=vector(record.displacement_m))
        case _:
            return record
