"""Joint peaks: the fastest and the most accelerated joint against the original's peaks.

Each joint is compared with its own peak anywhere in the original. Speeds are taken from frame to
frame without smoothing, so that a jump of one frame shows in full; accelerations within 12 Hz,
where they are motion and not noise. Joints that the original holds still count as if they moved
quietly (see `motion.joint_peaks`). Fingers are left out.
"""

from __future__ import annotations

import numpy as np

from poise.contact import Series
from poise.measures.shared_joints import shared_joints
from poise.motion import (
    joint_accelerations_rad_s2,
    joint_speeds_rad_s,
    peak_accelerations_rad_s2,
    peak_speeds_rad_s,
)


def measure(series: Series, original: Series) -> dict[str, float | tuple[float, str]]:
    """Worst ratios over joints; joint and frame are named behind the figure."""
    joints = shared_joints(series, original)
    names = series.clip.skeleton.joint_names
    found: dict[str, float | tuple[float, str]] = {}
    for key, values, peaks in (
        ("speed", joint_speeds_rad_s, peak_speeds_rad_s),
        ("acceleration", joint_accelerations_rad_s2, peak_accelerations_rad_s2),
    ):
        figure: float | tuple[float, str] = float("nan")
        if len(joints.ours):
            ours = values(series.clip)[:, joints.ours]
            ratios = ours / peaks(original.clip)[joints.theirs]
            frame, worst = (int(n) for n in np.unravel_index(ratios.argmax(), ratios.shape))
            where = f" (at {names[joints.ours[worst]]}, frame {frame})"
            figure = float(ratios[frame, worst]), where
        found[f"joint_peaks.{key}"] = figure
    return found
