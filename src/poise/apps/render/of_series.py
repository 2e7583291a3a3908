"""What measures saw, as marks for a picture."""

from __future__ import annotations

import numpy as np

from poise.apps.render.overlays import Overlays
from poise.measures.series import Series

_SAME_LEVEL_M = 0.02


def overlays_of(series: Series) -> Overlays:
    """Centre of mass, zero-moment point and touching points of a measured clip.

    Of a part that touches, the points near its lowest one are marked: a foot on its toes has its
    heel in the air.
    """
    low = np.zeros_like(series.touching)
    for part in set(series.point_parts):
        columns = [c for c, p in enumerate(series.point_parts) if p == part]
        distances = series.point_distances_m[:, columns]
        low[:, columns] = distances <= distances.min(axis=1, keepdims=True) + _SAME_LEVEL_M
    return Overlays(
        com_m=series.com_m,
        zmp_m=series.zmp_m,
        points_m=series.points_m,
        touching=series.touching & low,
    )
