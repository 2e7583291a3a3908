"""Goals solved apart: coefficients that go from one goal's to the next (section 7)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array


def coefficient_path(frames: Sequence[int], changes: Array, frame_count: int) -> Array:
    """(F, m) the change of coefficients in every frame of a clip.

    Args:
        frames: (k,) ascending frames in which goals hold.
        changes: (k, m) what each of them asks for.
        frame_count: F.

    It stays what the first and the last ask for before and after them, and goes from one to the
    next as 6x⁵ - 15x⁴ + 10x³, whose speed and acceleration vanish at both ends.
    """
    if len(frames) == 1:
        return np.repeat(changes, frame_count, axis=0)
    knots = np.array(frames, dtype=np.float64)
    at = np.clip(np.arange(frame_count, dtype=np.float64), knots[0], knots[-1])
    piece = np.clip(np.searchsorted(knots, at, "right") - 1, 0, len(knots) - 2)
    x = ((at - knots[piece]) / (knots[piece + 1] - knots[piece]))[:, None]
    share = x**3 * (x * (6.0 * x - 15.0) + 10.0)
    return (1.0 - share) * changes[piece] + share * changes[piece + 1]
