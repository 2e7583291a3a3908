"""The low-pass filter on the displacement of the root (section 5.2).

It works on what was added, not on the path (see the reading notes): where nothing was added,
nothing changes, and the original's own detail is kept.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array


def half_width(smoothing_s: float, rate_hz: float) -> int:
    """In frames."""
    return round(smoothing_s * rate_hz)


def smoothed(displacement: Array, half: int) -> Array:
    """(F, 3) after a Hann window of 2·half + 1 frames; the ends are continued as they are.

    A finite window, so that a displacement reaches no further than `half` frames.
    """
    if half == 0:
        return displacement.copy()
    window = np.hanning(2 * half + 3)[1:-1]
    window /= window.sum()
    padded = np.pad(displacement, ((half, half), (0, 0)), mode="edge")
    return np.stack([np.convolve(column, window, mode="valid") for column in padded.T], axis=1)
