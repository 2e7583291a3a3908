"""Feet that swing just above the floor: as low as standing ones, and too fast for too long."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.contact.schedule import intervals

SWINGS_M_S, SWINGS_S = 1.0, 0.1
"""Feet that land and leave are faster than this only for some hundredths of a second."""

SWUNG = 2.0
"""What swinging adds to a foot's score, which is below 1 where it touches."""


def swinging(scores: Array, speeds_m_s: Array, rate_hz: float) -> NDArray[np.bool_]:
    """(F,) frames in which nothing that seems to touch is slow, for long enough.

    Args:
        scores: (F, S) below 1 where a point seems to touch.
        speeds_m_s: (F, S) along the surface.
        rate_hz: of the frames.
    """
    slowest = np.where(scores < 1.0, speeds_m_s, np.inf).min(axis=1)
    found = np.zeros(len(scores), dtype=np.bool_)
    for first, last in intervals((slowest > SWINGS_M_S) & np.isfinite(slowest)):
        found[first:last] = last - first >= SWINGS_S * rate_hz
    return found
