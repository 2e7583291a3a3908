"""How much inertia each joint has to turn: that of everything it carries."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from poise.mechanics.kinematics import forward_kinematics


def carried_inertias_kg_m2(skeleton: Skeleton, body: Body) -> Array:
    """(J,) inertia of all that a joint carries, about it in the rest pose, mean of all axes."""
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.rest_wxyz[None])
    places, turns = rest.positions_m[0], rest.rotations_wxyz[0]
    centers = places + rotations.rotate(turns, body.centers_m)
    own = np.trace(body.inertias_kg_m2, axis1=1, axis2=2) / 3.0
    carried = np.zeros(skeleton.joint_count)
    for segment in range(skeleton.joint_count):
        for joint in skeleton.ancestors(segment):
            away = centers[segment] - places[joint]
            carried[joint] += own[segment] + body.masses_kg[segment] * (2.0 / 3.0) * (away @ away)
    return carried
