"""Events where nobody has said which: those of a swing, or the moment of greatest speed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.character import Character
from poise.constraints import find_point
from poise.errors import BadValue
from poise.mechanics import forward_kinematics
from poise.methods.motion_pattern import EventRule
from poise.motion import Clip
from poise.rotations import rotate

_LIMBS = ("left_wrist", "right_wrist", "left_ankle", "right_ankle")


def swing_events(head: str, hand: str) -> tuple[EventRule, ...]:
    """Take-away, top, hit and finish of a swing with a tool.

    Args:
        head: the site that hits.
        hand: the joint or role that holds the tool.
    """
    return (
        EventRule("hit", "lowest", head, near="fastest"),
        EventRule("top", "highest", hand, before="hit"),
        EventRule("takeaway", "starts", hand, before="top"),
        EventRule("finish", "stops", hand, after="hit"),
    )


SWING_SPAN = ("takeaway", "finish")
"""What lies before and after a swing is standing about: everybody does it differently."""


def peak_event(clips: Sequence[Clip], character: Character) -> EventRule:
    """The moment in which what moves fastest (a hand, a foot, a tool) is fastest.

    Raises:
        BadValue: a skeleton whose hands and feet are not known.
    """
    roles = dict(character.roles.joints) if character.roles is not None else {}
    ends = set(character.skeleton.end_sites.names)
    tools = [
        name for name, joint in zip(character.sites.names, character.sites.joints, strict=True)
        if name not in ends and character.skeleton.joint_names[joint] in _holders(roles)
        and not name.startswith(("left_", "right_"))
    ]  # fmt: skip
    points = [*tools, *(role for role in _LIMBS if role in roles)]
    if not points:
        raise BadValue("character", "one with hands or feet that are known (see roles)", "neither")
    fastest = dict.fromkeys(points, 0.0)
    for clip in clips:
        state = forward_kinematics(clip.skeleton, *clip.pose)
        for point in points:
            joint, offset = find_point(character, point)
            path = state.positions_m[:, joint] + rotate(state.rotations_wxyz[:, joint], offset)
            speeds = np.linalg.norm(np.diff(path, axis=0), axis=1) * clip.rate_hz
            fastest[point] += float(np.quantile(speeds, 0.99)) if len(speeds) else 0.0
    return EventRule("peak", "fastest", max(fastest, key=lambda point: fastest[point]))


def _holders(roles: dict[str, str]) -> set[str]:
    return {joint for role, joint in roles.items() if role in _LIMBS}
