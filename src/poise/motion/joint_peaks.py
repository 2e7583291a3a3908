"""How fast joints turn and accelerate, and what no one would call fast."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Skeleton
from poise.motion.clip import Clip
from poise.motion.derivatives import differentiate
from poise.motion.low_pass import BAND_HZ, settled

_QUIET_M_S, _QUIET_M_S2 = 0.2, 4.0
"""What a joint carries may move and accelerate so much even where the capture holds it still: 2 mm
a frame at 120 Hz is no pop, and falling is twice as much. On six captured walks the peaks of knees
are 65 to 380 rad/s², those of chests 17 to 63."""
_QUIET_RAD_S, _QUIET_RAD_S2 = (0.5, 6.0), (10.0, 120.0)
"""The same as angles, at least and at most: of a trunk, and of toes."""


def joint_speeds_rad_s(clip: Clip) -> Array:
    """(F, J) angular speed of each joint in its parent, from the frame before to this one."""
    q, speeds = clip.rotations_wxyz, np.zeros(clip.rotations_wxyz.shape[:2])
    speeds[1:] = rotations.angle_between(q[:-1], q[1:]) * clip.rate_hz
    return speeds


def joint_accelerations_rad_s2(clip: Clip) -> Array:
    """(F, J) angular acceleration of each joint in its parent, within 12 Hz.

    Slow clips are taken as they are. Frames at the ends, where the filter has not settled, are
    zero.
    """
    cutoff = BAND_HZ if BAND_HZ < clip.rate_hz / 2 else None
    found = differentiate(clip, cutoff).angular_accelerations_rad_s2
    sizes = np.zeros(found.shape[:2])
    inner = settled(clip.frame_count, clip.rate_hz)
    sizes[inner] = np.linalg.norm(found[inner], axis=-1)
    return sizes


def peak_speeds_rad_s(clip: Clip) -> Array:
    """(J,) fastest turn of each joint in a clip, or what is quiet for it."""
    return _peaks(joint_speeds_rad_s(clip), clip.skeleton, _QUIET_M_S, _QUIET_RAD_S)


def peak_accelerations_rad_s2(clip: Clip) -> Array:
    """(J,) largest acceleration of each joint in a clip, or what is quiet for it."""
    found = joint_accelerations_rad_s2(clip)
    return _peaks(found, clip.skeleton, _QUIET_M_S2, _QUIET_RAD_S2)


def _peaks(values: Array, skeleton: Skeleton, at_end: float, bounds: tuple[float, float]) -> Array:
    quiet = np.clip(at_end / np.maximum(skeleton.reach_m, 1e-3), *bounds)
    return np.maximum(values.max(axis=0, initial=0.0), quiet)
