"""The recipe of a new document: what it keeps of its capture, until the user says otherwise.

Whoever drags a hand does not mean that the feet leave the ground, and expects the arm to do most
of it. Feet and balance alone do not see to that: the least turning of all joints together leans the
whole trunk towards the hand (21 cm at the head of a dancer whose hand goes up by 22 cm). With the
chest's turn as the least of all wishes it is 2 cm, and where an arm is too short the trunk still
gives way. To the solver collar bones and vertebrae are as free as elbows and knees: shoulders would
be lifted by 17 cm, and who is made to crouch would bend the back by 33 degrees; with the mobilities
below by 5 cm and 5 degrees.
"""

from __future__ import annotations

from collections.abc import Mapping

from poise.character import Skeleton, find_partial_roles

COLLAR_MOBILITY, TRUNK_MOBILITY = 0.15, 0.2


def first_recipe(clip: dict[str, object], skeleton: Skeleton) -> dict[str, object]:
    """For a clip as recipes name it, on its skeleton."""
    return {"poise": 1, "clip": clip, "steps": [{"deform": keeping(skeleton)}]}


def keeping(skeleton: Skeleton) -> dict[str, object]:
    """The content of a step of deform that keeps what a body does, but for what is asked of it."""
    roles = find_partial_roles(skeleton).joints
    kept: list[dict[str, object]] = [
        {"plant": {"name": f"{side} foot", "part": f"{side}_foot", "mode": "follow",
                   "frames": "all"}}
        for side in ("left", "right")
    ]  # fmt: skip
    kept.append({"place_center_of_mass": {"name": "balance", "frames": "all", "priority": 3}})
    trunk = next((role for role in ("chest", "spine", "pelvis") if role in roles), None)
    if trunk is not None:
        kept.append(
            {"orient": {"name": "posture", "joint": trunk, "mode": "offset",
                        "turn_wxyz": [1, 0, 0, 0], "frames": "all", "priority": 4}}
        )  # fmt: skip
    mobility = {
        role: COLLAR_MOBILITY for role in ("left_collar", "right_collar") if role in roles
    } | dict.fromkeys(_vertebrae(skeleton, roles), TRUNK_MOBILITY)
    settings = {"settings": {"mobility": mobility}} if mobility else {}
    return {"constraints": kept, **settings}


def _vertebrae(skeleton: Skeleton, roles: Mapping[str, str]) -> list[str]:
    """Joints from the chest down to the pelvis, which is not among them."""
    if "chest" not in roles or "pelvis" not in roles:
        return []
    names = skeleton.joint_names
    chain = [names[joint] for joint in skeleton.ancestors(names.index(roles["chest"]))]
    return chain[: chain.index(roles["pelvis"])] if roles["pelvis"] in chain else []
