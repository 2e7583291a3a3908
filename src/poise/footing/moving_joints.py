"""Which joints of a clip are joints at all: some skeletons cut bones in two."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.motion import Clip

RIGID_DEG = 0.5
"""A joint that never turns by more is a bone that the skeleton has cut in two."""


def moving_joints(clip: Clip) -> NDArray[np.bool_]:
    """(J,) joints that turn at all in a clip."""
    turns = clip.rotations_wxyz
    return rotations.angle_between(turns, turns[:1]).max(axis=0) > np.radians(RIGID_DEG)
