"""The fake T-pose: a frame put before the capture to show the rest pose.

Converters of the CMU library, and many exporters, start a file with one. It is no part of the
motion: its feet are not on the floor, and the jump out of it is a thousand-g acceleration.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.motion.cleanup.finding import Finding
from poise.motion.clip import Clip

NAME = "t-pose"

_EXACT_RAD = 1e-7
"""Rounding in a quaternion product; a capture's noise is a thousand times larger."""

_SHARE_AT_REST = 0.5
"""Half the captured joints exactly at rest together is no accident; real frames have none."""

_JUMP_RAD = np.radians(10.0)
_JUMP_RATIO = 5.0
"""A first step this much larger than any other cannot belong to the same movement."""


def find(clip: Clip) -> Finding | None:
    """The artificial frames at the start of a clip, if any."""
    if clip.frame_count < 3:
        return None
    count = _leading_rest_frames(clip)
    if count:
        why = "more than half of the captured joints stand exactly in the rest pose"
    elif _first_step_is_foreign(clip):
        count, why = 1, "it is farther from the next frame than any other frame is from its own"
    else:
        return None
    frames = tuple(range(count))
    which = "the first frame is" if count == 1 else f"the first {count} frames are"
    return Finding(
        NAME,
        f"{which} an artificial pose, not captured motion: {why}",
        frames,
        repair=f"remove {'it' if count == 1 else 'them'}",
    )


def repair(clip: Clip, finding: Finding) -> Clip:
    """The clip without those frames."""
    return clip.sliced(len(finding.frames), clip.frame_count)


def _leading_rest_frames(clip: Clip) -> int:
    at_rest = joints_at_rest(clip)
    captured = captured_joints(at_rest)
    if not captured.any():
        return 0
    share = at_rest[:, captured].mean(axis=1)
    artificial = share >= _SHARE_AT_REST
    count = int(np.argmin(artificial)) if not artificial.all() else 0
    # An all-zero frame right behind a T-pose is a dropped sample, which has its own step.
    zero = all_zero_frames(clip, at_rest)
    while count > 1 and zero[count - 1] and not zero[0]:
        count -= 1
    return count


def _first_step_is_foreign(clip: Clip) -> bool:
    q = clip.rotations_wxyz
    steps = rotations.angle_between(q[:-1], q[1:]).mean(axis=1)
    rest = steps[1:].max()
    return bool(steps[0] > _JUMP_RAD and steps[0] > _JUMP_RATIO * rest)


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
