"""How far ankles and toes may go beyond their ranges, so that feet stand flat."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.footing.foot_shape import foot_shapes

ANKLE_SLACK_RAD = float(np.radians(15.0))
"""Soles are known to a few centimetres, and so is how an ankle is bent when they are flat."""


def ankle_slack_rad(character: Character) -> Array:
    """(J,) zero but for the joints of feet that have to stand flat.

    The stops of a machine are known exactly: its hinges go no further.
    """
    found = np.zeros(character.skeleton.joint_count)
    if "hinge" in character.skeleton.kinds:
        return found
    for shape in foot_shapes(character):
        found[[shape.joint, shape.toes]] = ANKLE_SLACK_RAD
    return found
