"""What moves a constraint's quantity: the joints under it."""

from __future__ import annotations

from poise.character import Character
from poise.constraints.recruiting import Recruits, carriers, carries_weight
from poise.constraints.task import Task


def moved_by(task: Task, character: Character) -> Recruits:
    """Every joint, and the root's translation, that changes what a task is about.

    A joint does not move its own origin, nor how far or where that is from what it carries. What
    carries both a point and the joint it is seen from moves neither against the other. The centre
    of mass is moved by what carries a thousandth of the weight or more.
    """
    skeleton = character.skeleton
    match task.kind:
        case "point":
            mask = carriers(skeleton, task.joint)
            if task.reference >= 0:
                mask ^= carriers(skeleton, task.reference)
            mask[task.joint] &= task.offset_m.any()
            translation = task.reference < 0
        case "turn":
            mask = carriers(skeleton, task.joint)
            if task.reference >= 0:
                mask ^= carriers(skeleton, task.reference)
            translation = False
        case "aim":
            mask, translation = carriers(skeleton, task.joint), True
        case "distance":
            mask = carriers(skeleton, task.joint) ^ carriers(skeleton, task.reference)
            mask[task.joint] &= task.offset_m.any()
            mask[task.reference] &= task.reference_offset_m.any()
            translation = False
        case "center":
            mask = carries_weight(character)
            for joint, offset in zip(
                task.points.joints.tolist(), task.points.offsets_m, strict=True
            ):
                mask |= carriers(skeleton, joint, offset)
            translation = len(task.points) == 0
    return Recruits(mask & (skeleton.freedoms > 0), translation)
