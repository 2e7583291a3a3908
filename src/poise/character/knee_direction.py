"""Knees of robots that bend the other way than a human's: like a bird's, which are its ankles."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.character.anatomical_axes import anatomical_axes
from poise.character.joint_motions import joint_motions
from poise.character.roles import SIDES, Roles
from poise.character.skeleton import Skeleton

_ALONG = 0.7
"""Cosine from which on a hinge turns about the axis of a knee."""
_MORE = 2.0
"""How many times as far it bends forward as back, or more."""


def backward_knee_notes(skeleton: Skeleton, roles: Roles) -> tuple[str, ...]:
    """A note if hinges of knees bend forward; roles must have all that is required."""
    if "hinge" not in skeleton.kinds:
        return ()
    anatomy = anatomical_axes(skeleton, roles)
    at_rest = anatomy.turns(skeleton.rest_wxyz)
    found: list[str] = []
    for role in (f"{side}_knee" for side in SIDES):
        joint = skeleton.index(roles.joint(role))
        low, high = skeleton.limits_rad[joint, 0]
        if skeleton.kinds[joint] != "hinge" or not np.isfinite([low, high]).all():
            continue
        axis, sign = joint_motions(role)["flexion"]
        into = rotations.conjugate(anatomy.own_wxyz[joint])
        along = sign * float(rotations.rotate(into, skeleton.hinge_axes[joint])[axis])
        if abs(along) < _ALONG:
            continue
        start = sign * float(rotations.twist_angle(at_rest[joint], np.eye(3)[axis]))
        ends = np.sign(along) * np.array([low, high]) + start
        back, forward = float(ends.max()), -float(ends.min())
        if forward > 0.0 and forward > _MORE * back:
            found.append(skeleton.joint_names[joint])
    if not found:
        return ()
    return (
        f"Its knees bend the other way: {', '.join(found)}. They keep to their ranges, so legs "
        "cannot be shaped like a human's.",
    )
