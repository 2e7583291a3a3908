"""Root shift: distance of the root from where it is in the original."""

from __future__ import annotations

import numpy as np

from poise.contact import Series
from poise.measures.shared_joints import same_body


def measure(series: Series, original: Series) -> dict[str, float]:
    """Mean and maximum over frames, in cm in the world; NaN for bodies of other proportions."""
    mean = most = float("nan")
    if same_body(series, original):
        frames = min(series.clip.frame_count, original.clip.frame_count)
        apart = series.clip.root_positions_m[:frames] - original.clip.root_positions_m[:frames]
        distance = 100.0 * np.linalg.norm(apart, axis=1)
        mean, most = float(distance.mean()), float(distance.max())
    return {"root_shift.mean": mean, "root_shift.max": most}
