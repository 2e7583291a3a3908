"""Known defects, put into clean clips on purpose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.motion import Clip


def with_t_pose(clip: Clip) -> Clip:
    """The rest pose as an extra first frame, at the place of the real one."""
    return replace(
        clip,
        root_positions_m=np.concatenate([clip.root_positions_m[:1], clip.root_positions_m]),
        rotations_wxyz=np.concatenate([clip.skeleton.rest_wxyz[None], clip.rotations_wxyz]),
        moving_offsets_m=np.concatenate([clip.moving_offsets_m[:1], clip.moving_offsets_m]),
    )


def with_dropped_frames(clip: Clip, frames: tuple[int, ...]) -> Clip:
    """Those frames all zero, as a capture that lost them writes them."""
    roots, q = clip.root_positions_m.copy(), clip.rotations_wxyz.copy()
    roots[list(frames)] = 0.0
    q[list(frames)] = clip.skeleton.rest_wxyz
    return replace(clip, root_positions_m=roots, rotations_wxyz=q)
