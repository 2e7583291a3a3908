"""Weights of the kinds of node cost over time: straight lines between key frames (Lee & Lee, 3.5).

At each key frame the weights add up to one; so they do between. None is ever zero: without its
share, a kind of evidence would be switched off altogether, and a sequence that contradicts it
(a foot that stands in the air because the forces like it so) could come out as the best.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array

LEAST_WEIGHT = 0.15
"""Of each kind. (The paper's walk of Fig. 9 has 0.1 for pose and 0 for slip, with costs that are
relative to their frame.) The pruning of states counts on it."""


def key_count(frames: int, rate_hz: float, spacing_s: float) -> int:
    """How many key frames a clip has: at both ends, and evenly between, about so far apart."""
    return 1 + max(1, round((frames - 1) / (rate_hz * spacing_s))) if frames > 1 else 1


def weights_over_time(samples: Array, frames: int) -> Array:
    """(S, T, C) weights of every frame from samples (S, K, C) at the key frames."""
    keys, kinds = samples.shape[1:]
    bounded = LEAST_WEIGHT + (1.0 - kinds * LEAST_WEIGHT) * samples
    if keys == 1:
        return np.repeat(bounded, frames, axis=1)
    at = np.linspace(0.0, keys - 1.0, frames)
    left = np.minimum(at.astype(np.int64), keys - 2)
    share = (at - left)[:, None]
    return (1.0 - share) * bounded[:, left] + share * bounded[:, left + 1]
