"""Groups of joints that figures count by themselves: the body without fingers, the legs."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from poise.character.character import Character
from poise.character.roles import SIDES


def joints_without_fingers(character: Character) -> NDArray[np.bool_]:
    """(J,) all joints but those below a wrist; all of them where no wrist is known."""
    found = _below(character, (f"{side}_wrist" for side in SIDES))
    if character.roles is not None:
        for side in SIDES:
            wrist = character.roles.joints.get(f"{side}_wrist")
            if wrist is not None:
                found[character.skeleton.index(wrist)] = False
    return ~found


def leg_joints(character: Character) -> NDArray[np.bool_]:
    """(J,) hips and all joints below them; none where no hips are known."""
    return _below(character, (f"{side}_hip" for side in SIDES))


def _below(character: Character, roles: Iterable[str]) -> NDArray[np.bool_]:
    """(J,) the joints of these roles and all below them."""
    skeleton = character.skeleton
    found = np.zeros(skeleton.joint_count, dtype=np.bool_)
    if character.roles is None:
        return found
    for role in roles:
        if role in character.roles.joints:
            found[skeleton.index(character.roles.joints[role])] = True
    for joint, parent in enumerate(skeleton.parents.tolist()):
        found[joint] |= parent >= 0 and bool(found[parent])
    return found
