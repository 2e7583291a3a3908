"""Clips made by code, with known truth and known defects."""

from collections.abc import Callable

from poise.motion import Clip
from poise.samples.defects import with_dropped_frames as with_dropped_frames
from poise.samples.defects import with_t_pose as with_t_pose
from poise.samples.human import human_skeleton as human_skeleton
from poise.samples.walk import walk as walk

SAMPLES: dict[str, Callable[[], Clip]] = {"walk": walk}
"""What `poise sample` can make, by name."""
