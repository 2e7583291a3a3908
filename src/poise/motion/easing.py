"""Smooth transition from 0 to 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array


def smooth_step(x: ArrayLike) -> Array:
    """0 up to x = 0, 1 from x = 1 on, and no kink between."""
    share = np.clip(np.asarray(x, dtype=np.float64), 0.0, 1.0)
    return np.asarray(share * share * (3.0 - 2.0 * share))
