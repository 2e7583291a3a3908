"""Goals solved apart: coefficients that go from one goal's to the next (section 7)."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array


def coefficient_path(frames: Array, changes: Array, frame_count: int) -> Array:
    """(N, m) the change of coefficients in every frame of the pattern.

    Args:
        frames: (k,) ascending frames of the pattern at which goals hold; not always whole ones.
        changes: (k, m) what each of them asks for.
        frame_count: N.

    It stays what the first and the last ask for before and after them, and goes from one to the
    next as 6x⁵ - 15x⁴ + 10x³, whose speed and acceleration vanish at both ends.
    """
    if len(frames) == 1:
        return np.repeat(changes, frame_count, axis=0)
    at = np.clip(np.arange(frame_count, dtype=np.float64), frames[0], frames[-1])
    piece = np.clip(np.searchsorted(frames, at, "right") - 1, 0, len(frames) - 2)
    x = ((at - frames[piece]) / (frames[piece + 1] - frames[piece]))[:, None]
    share = x**3 * (x * (6.0 * x - 15.0) + 10.0)
    return (1.0 - share) * changes[piece] + share * changes[piece + 1]
