"""The recipe of a new document: what it keeps of its capture, until the user says otherwise.

Whoever drags a hand does not mean that the feet leave the ground, and expects the arm to do most
of it. Feet and balance alone do not see to that: the least turning of all joints together leans the
whole trunk towards the hand (21 cm at the head of a dancer whose hand goes up by 22 cm). With the
trunk's turn as the least of all wishes it is 2 cm, and where an arm is too short the trunk still
gives way. Collar bones are as free as elbows to the solver: they would lift the shoulder by 17 cm,
with the mobility below by 5.
"""

from __future__ import annotations

from typing import Any

from poise.character import Skeleton
from poise.character.role_detection import find_partial_roles

COLLAR_MOBILITY = 0.15
_COLLARS = "left_collar", "right_collar"


def first_recipe(clip: dict[str, Any], skeleton: Skeleton) -> dict[str, Any]:
    """For a clip as recipes name it, on its skeleton."""
    kept: list[dict[str, Any]] = [
        {"plant": {"name": f"{side} foot", "part": f"{side}_foot", "mode": "follow",
                   "frames": "all"}}
        for side in ("left", "right")
    ]  # fmt: skip
    kept.append({"place_center_of_mass": {"name": "balance", "frames": "all", "priority": 3}})
    roles = find_partial_roles(skeleton).joints
    trunk = next((role for role in ("chest", "spine", "pelvis") if role in roles), None)
    if trunk is not None:
        kept.append(
            {"orient": {"name": "posture", "joint": trunk, "mode": "offset",
                        "turn_wxyz": [1, 0, 0, 0], "frames": "all", "priority": 4}}
        )  # fmt: skip
    collars = {role: COLLAR_MOBILITY for role in _COLLARS if role in roles}
    settings = {"settings": {"mobility": collars}} if collars else {}
    return {"poise": 1, "clip": clip, "steps": [{"deform": {"constraints": kept, **settings}}]}
