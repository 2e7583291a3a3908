"""Clips made ready to be drawn, alone or side by side with another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise.apps.render.figure import figure_of_clip
from poise.apps.render.overlays import Overlays
from poise.apps.render.place import floor_of, parts_of
from poise.apps.render.staging import Stage
from poise.environment import Environment
from poise.motion import Clip, resample


def beside(original: Clip, clip: Clip) -> Clip:
    """The original at the clip's rate and length; its last pose is held when it is shorter."""
    if abs(original.rate_hz - clip.rate_hz) > 1e-6 * clip.rate_hz:
        original = resample(original, clip.rate_hz)
    rows = np.minimum(np.arange(clip.frame_count), original.frame_count - 1)
    return replace(
        original,
        root_positions_m=original.root_positions_m[rows],
        rotations_wxyz=original.rotations_wxyz[rows],
        moving_offsets_m=original.moving_offsets_m[rows],
        source=None,
    )


def stage_for(
    clip: Clip,
    *,
    original: Clip | None = None,
    environment: Environment | None = None,
    overlays: Overlays | None = None,
    first_frame: int = 0,
) -> Stage:
    """All that is to be drawn of a clip.

    Args:
        clip: who moves.
        original: drawn as a ghost beside it; see `beside`.
        environment: where; without it the floor is put under the feet.
        overlays: what to mark, frame by frame.
        first_frame: number of the clip's first frame in its file, for the time labels.
    """
    figure = figure_of_clip(clip)
    return Stage(
        figure=figure,
        plane=floor_of(environment, figure),
        ghost=None if original is None else figure_of_clip(beside(original, clip)),
        part_triangles_m=parts_of(environment, figure),
        overlays=overlays or Overlays(),
        first_frame=first_frame,
    )
