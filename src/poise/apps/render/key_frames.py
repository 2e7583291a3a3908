"""Which frames to show: more where more happens."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array

STILL_SHARE = 0.35
"""How much the passing of time counts beside movement; 1 would be evenly spaced frames."""


def key_frames(positions_m: Array, count: int) -> list[int]:
    """`count` frames from first to last, closer together where joints move faster.

    Args:
        positions_m: (F, J, 3) joints in the world.
        count: how many; fewer when the clip has fewer frames.
    """
    frames = len(positions_m)
    count = min(count, frames)
    if count <= 1:
        return [0]
    steps = np.linalg.norm(np.diff(positions_m, axis=0), axis=2).mean(axis=1)
    # Against glitches: no single step may count more than ten ordinary ones.
    steps = np.minimum(steps, 10.0 * np.median(steps) + 1e-12)
    moved = np.concatenate([[0.0], np.cumsum(steps)])
    even = np.linspace(0.0, 1.0, frames)
    done = STILL_SHARE * even + (1.0 - STILL_SHARE) * moved / moved[-1] if moved[-1] > 0 else even
    wanted = np.linspace(0.0, done[-1], count)
    chosen = np.interp(wanted, done, np.arange(frames)).round().astype(int)
    # Rounding may put two wishes on one frame.
    for i in range(1, count):
        chosen[i] = max(chosen[i], chosen[i - 1] + 1)
    for i in range(count - 1, -1, -1):
        chosen[i] = min(chosen[i], frames - count + i)
    return chosen.tolist()
