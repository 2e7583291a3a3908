"""Values at keys, and smoothly between them."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.constraints.hermite import hermite


def smooth_keys(frames: Array, values: Array, at: Array) -> Array:
    """(n, d) values at the frames `at`: C¹, and never beyond the keys on either side.

    At rest on a key that is a high or a low, and on the outermost ones, beyond which the value
    stays; elsewhere the slope is the harmonic mean of those of both sides (Fritsch and Butland
    1984), so that equal keys give a level stretch.

    Args:
        frames: (k,) strictly increasing, one or more.
        values: (k, d)
        at: (n,)
    """
    slopes = np.zeros(values.shape)
    if len(frames) > 2:
        steps = np.diff(values, axis=0) / np.diff(frames)[:, None]
        before, after = steps[:-1], steps[1:]
        same = before * after > 0
        total = np.where(same, before + after, 1.0)
        slopes[1:-1] = np.where(same, 2.0 * before * after / total, 0.0)
    return hermite(frames, values, slopes, slopes, at)
