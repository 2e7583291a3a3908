"""What moves a constraint's quantity: the joints under it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character, Skeleton
from poise.constraints.recruiting import Recruits, carries_weight
from poise.constraints.task import Task


def moved_by(task: Task, character: Character) -> Recruits:
    """Every joint, and the root's translation, that changes what a task is about.

    A joint does not move its own origin. What carries both a point and the joint it is seen from
    moves neither against the other. A joint moves the centre of mass when it carries a hundredth
    of the weight or more.
    """
    skeleton = character.skeleton
    match task.kind:
        case "point":
            mask = _carriers(skeleton, task.joint, task.offset_m)
            if task.reference >= 0:
                mask ^= _carriers(skeleton, task.reference)
            translation = task.reference < 0
        case "turn":
            mask = _carriers(skeleton, task.joint)
            if task.reference >= 0:
                mask ^= _carriers(skeleton, task.reference)
            translation = False
        case "aim":
            mask, translation = _carriers(skeleton, task.joint), True
        case "distance":
            mask = _carriers(skeleton, task.joint) ^ _carriers(skeleton, task.reference)
            ends = ((task.joint, task.offset_m), (task.reference, task.reference_offset_m))
            for joint, offset in ends:
                # Turned about one end, the other stays as far away.
                mask[joint] = mask[joint] and bool(offset.any())
            translation = False
        case "center":
            mask = carries_weight(character).copy()
            for joint, offset in zip(
                task.points.joints.tolist(), task.points.offsets_m, strict=True
            ):
                mask |= _carriers(skeleton, joint, offset)
            translation = len(task.points) == 0
    return Recruits(mask & (skeleton.freedoms > 0), translation)


def _carriers(skeleton: Skeleton, joint: int, offset_m: Array | None = None) -> NDArray[np.bool_]:
    """(J,) the joints that carry a joint's frame, or a point in it."""
    chain = skeleton.ancestors(joint)
    mask = np.zeros(skeleton.joint_count, dtype=np.bool_)
    mask[list(chain if offset_m is None or offset_m.any() else chain[1:])] = True
    return mask
