"""Which joints stand exactly in the rest pose: captured joints never do, artificial frames do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.motion.clip import Clip

_EXACT_RAD = 1e-7
"""Rounding in a quaternion product; a capture's noise is a thousand times larger."""


def joints_at_rest(clip: Clip) -> NDArray[np.bool_]:
    """(F, J) whether each joint is at its rest rotation to within rounding."""
    q, rest = clip.rotations_wxyz, clip.skeleton.rest_wxyz
    # |vector part| of rest⁻¹ q is sin(angle/2); cheaper and as exact as the angle itself.
    turn = rotations.multiply(rotations.conjugate(rest), q)
    return np.abs(turn[..., 1:]).max(axis=-1) < 0.5 * _EXACT_RAD


def captured_joints(at_rest: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(J,) joints that leave the rest pose in most frames, so that being there means something."""
    return at_rest.mean(axis=0) < 0.5


def all_zero_frames(clip: Clip, at_rest: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(F,) frames in which the root is at the origin and every joint exactly at rest."""
    return (np.abs(clip.root_positions_m).max(axis=1) == 0.0) & at_rest.all(axis=1)
