"""Whether a clip pops: how fast its joints turn against how fast they ever turn in the input."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.motion import Clip

QUIET_DEG_S = 30.0
"""A joint that never turns faster in the input (one held still, one without channels) counts as if
it did: a bone of 40 cm moves 20 cm/s with it, 2 mm a frame at 120 Hz, which is no pop."""


def turning_speeds_deg_s(clip: Clip) -> Array:
    """(F − 1, J) how fast each joint turns in its parent (the root: in the world)."""
    q = clip.rotations_wxyz
    return np.degrees(rotations.angle_between(q[:-1], q[1:])) * clip.rate_hz


def fastest_turns(clip: Clip, original: Clip) -> tuple[float, str]:
    """The largest ratio over joints and frames, and where it is.

    Of a joint's turning speed in the clip to its fastest anywhere in the original, from frame to
    frame and without smoothing: a jump of one frame shows in full.
    """
    ours, theirs = turning_speeds_deg_s(clip), turning_speeds_deg_s(original)
    fastest = np.maximum(theirs.max(axis=0), QUIET_DEG_S)
    ratios = ours / fastest
    frame, joint = (int(i) for i in np.unravel_index(int(ratios.argmax()), ratios.shape))
    name = clip.skeleton.joint_names[joint]
    return float(ratios[frame, joint]), f"{name} at frame {frame + 1}"
