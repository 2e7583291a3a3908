"""A clip without what is faster than motion: Gaussian smoothing of root and joints (section 4)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.motion import Clip

_REACH = 4.0
"""Standard deviations beyond which the Gaussian is as good as nothing."""


def smoothed(clip: Clip, deviation_s: float) -> Clip:
    """The clip without what changes faster; zero leaves it alone."""
    width = deviation_s * clip.rate_hz
    if width <= 0.0 or clip.frame_count < 3:
        return clip
    turns = gaussian_filter1d(
        rotations.continuous(clip.rotations_wxyz), width, axis=0, mode="nearest", truncate=_REACH
    )
    # The root goes on at the ends as it came: mirrored about the end point itself.
    path = clip.root_positions_m
    beyond = min(int(np.ceil(_REACH * width)), len(path) - 1)
    longer = np.concatenate(
        [2.0 * path[0] - path[beyond:0:-1], path, 2.0 * path[-1] - path[-2 : -beyond - 2 : -1]]
    )
    places = gaussian_filter1d(longer, width, axis=0, mode="nearest", truncate=_REACH)
    return replace(
        clip,
        root_positions_m=places[beyond : beyond + len(path)],
        rotations_wxyz=rotations.continuous(rotations.normalize(turns)),
    )
