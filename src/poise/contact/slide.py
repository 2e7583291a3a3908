"""How fast a part of the body slides along the surface it stands on.

At each frame those points of a part count that lie within a centimetre of its point nearest to the
surface: a foot that rolls from heel to toe does not slide, although its heel moves. They must do so
in the frames on either side, too, between which the speed is taken: at 30 Hz a heel that has just
left the ground is centimetres above it in the next frame. Where no point does, the nearest counts,
so a foot that floats while it slides is not let off.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.contact.series import Series

SAME_LEVEL_M = 0.01


def slide_speeds_m_s(series: Series, part: str) -> Array:
    """(F,) mean speed along the surface of a part's lowest points; NaN while it does not stand."""
    columns = [c for c, p in enumerate(series.point_parts) if p == part]
    speeds = np.full(len(series.times_s), np.nan)
    if not columns:
        return speeds
    distances = series.point_distances_m[:, columns]
    low = distances <= distances.min(axis=1, keepdims=True) + SAME_LEVEL_M
    stays = low.copy()
    stays[1:] &= low[:-1]
    stays[:-1] &= low[1:]
    nearest = distances == distances.min(axis=1, keepdims=True)
    low = np.where(stays.any(axis=1, keepdims=True), stays, nearest)
    mean = (series.point_slide_m_s[:, columns] * low).sum(axis=1) / low.sum(axis=1)
    standing = series.contacts.standing(part)
    speeds[standing] = mean[standing]
    return speeds
