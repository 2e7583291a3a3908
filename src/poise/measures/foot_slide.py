"""Foot slide: how fast feet move along the surface while they are said to stand on it.

`slide_speeds_m_s` says which points of a sole count. Frames count in which the foot is said to
stand; where a schedule says that it slides (a pivot, a shuffle), the figure with the input's
contacts shows how fast.
"""

from __future__ import annotations

import numpy as np

from poise.contact import Series, slide_speeds_m_s


def measure(series: Series) -> dict[str, float]:
    """Mean and 95th percentile over both feet."""
    speeds = np.concatenate(
        [slide_speeds_m_s(series, f"{side}_foot") for side in ("left", "right")]
    )
    speeds = 100.0 * speeds[np.isfinite(speeds)]
    mean, high = (
        (float(speeds.mean()), float(np.percentile(speeds, 95))) if len(speeds) else (np.nan,) * 2
    )
    return {"foot_slide.mean": mean, "foot_slide.p95": high}
