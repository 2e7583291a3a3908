"""Smooth transition from 0 to 1."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array


def smooth_step(x: Array) -> Array:
    """0 up to x = 0, 1 from x = 1 on, and no kink between."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x * x * (3.0 - 2.0 * x))
