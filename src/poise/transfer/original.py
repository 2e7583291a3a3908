"""What constraints of an edit on another body are read against: the source, in its joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, anatomical_axes
from poise.mechanics import BodyState, forward_kinematics
from poise.motion import Clip
from poise.transfer.correspondence import Correspondence
from poise.transfer.placing import sole_middle_m
from poise.transfer.pose_map import rests_alike


def original_of(
    state: BodyState, source: Character, made: Clip, body: Character, matches: Correspondence
) -> Clip:
    """The source's places in the joints of the body, as offsets that vary with time.

    `made` is the source's motion on the body, with its root where the source's is.
    """
    own = forward_kinematics(made.skeleton, *made.pose)
    skeleton, turns = body.skeleton, own.rotations_wxyz
    places = np.empty_like(own.positions_m)
    places[:, 0] = own.positions_m[:, 0]
    ankles = _ankles(body)
    moving = list[int]()
    for joint in range(1, skeleton.joint_count):
        parent = int(skeleton.parents[joint])
        inside_foot = any(ankle in skeleton.ancestors(parent) for ankle in ankles)
        if not matches.stands_for_one(joint) or inside_foot:
            places[:, joint] = places[:, parent] + rotations.rotate(
                turns[:, parent], skeleton.offsets_m[joint]
            )
            continue
        places[:, joint] = state.positions_m[:, matches.sources[joint, 0]]
        if joint in ankles:
            higher = _sole_difference(source, body, int(matches.sources[joint, 0]), joint)
            places[:, joint] += rotations.rotate(turns[:, joint], higher)
        moving.append(joint)
    above = skeleton.parents[moving]
    offsets = rotations.rotate(
        rotations.conjugate(turns[:, above]), places[:, moving] - places[:, above]
    )
    return replace(
        made, root_positions_m=places[:, 0], moving_joints=tuple(moving), moving_offsets_m=offsets,
        source=None,
    )  # fmt: skip


def _ankles(body: Character) -> list[int]:
    assert body.roles is not None
    return [body.skeleton.index(body.roles.joint(f"{side}_ankle")) for side in SIDES]


def _sole_difference(source: Character, body: Character, theirs: int, mine: int) -> Array:
    """(3,) from the source's ankle to where the body's has to be for soles to meet, body's axes."""
    old, new = sole_middle_m(source, theirs), sole_middle_m(body, mine)
    if old is None or new is None:
        return np.zeros(3)
    frame = rotations.conjugate(body.skeleton.standing.rest_world_wxyz[mine])
    if rests_alike(source, body)[0]:
        return rotations.rotate(frame, old - new)
    assert source.roles is not None and body.roles is not None
    back = rotations.conjugate(source.skeleton.standing.rest_world_wxyz[theirs])
    across = rotations.multiply(
        anatomical_axes(body.skeleton, body.roles).own_wxyz[mine],
        rotations.conjugate(anatomical_axes(source.skeleton, source.roles).own_wxyz[theirs]),
    )
    turned = rotations.rotate(rotations.multiply(across, back), old)
    return turned - rotations.rotate(frame, new)
