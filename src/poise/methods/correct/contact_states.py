"""The contact state graph: which sets of candidates may touch in each frame (Lee & Lee, Fig. 7).

A state is a number whose bit b says that candidate b touches. Of the 2^B states of a frame those
with a candidate that geometry rules out are left away: one too far from any surface to be brought
there by a change of pose that still is the same motion, or one that moves too fast over it. What is
left are all sets of the other candidates.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.errors import BadValue
from poise.solvers.shortest_path import Layers

FARTHEST = 5.0
"""In units of H (14 cm for soles, 20 for flesh): more than a correction may move a part, since
captures and retargeted skeletons err by a few centimetres."""
FASTEST = 2.0
"""In units of V (5.5 m/s for soles, 2 for flesh)."""
MOST_CANDIDATES = 12
"""2^12 states a frame are what memory and time allow; of more, the likeliest are kept."""


def possible(lifted: Array, moving: Array) -> NDArray[np.bool_]:
    """(F, B) which candidates may touch, by their evidence."""
    allowed = (lifted < FARTHEST) & (moving < FASTEST)
    crowded = allowed.sum(axis=1) > MOST_CANDIDATES
    for t in np.flatnonzero(crowded):
        scores = np.where(allowed[t], lifted[t] + moving[t], np.inf)
        allowed[t, np.argsort(scores, kind="stable")[MOST_CANDIDATES:]] = False
    return allowed


def contact_states(allowed: NDArray[np.bool_]) -> Layers:
    """The graph of all sets of the candidates that are allowed (F, B) in each frame."""
    count = allowed.shape[1]
    if count > 30:
        raise BadValue("candidates", "at most 30", count)
    masks = allowed @ (1 << np.arange(count, dtype=np.int64))
    starts = np.concatenate([[0], np.cumsum(1 << allowed.sum(axis=1))]).astype(np.int64)
    states = np.empty(starts[-1], np.int64)
    _subsets(masks, starts, states)
    return Layers(starts, states, 1 << count)


def touching(states: Indices, count: int) -> NDArray[np.bool_]:
    """(..., B) the bits of states."""
    return (states[..., None] >> np.arange(count)) & 1 == 1


def bits(flags: NDArray[np.bool_]) -> Indices:
    """(...) the states whose bits are flags (..., B)."""
    return flags @ (1 << np.arange(flags.shape[-1], dtype=np.int64))


@borrowing
def _subsets(masks: Indices, starts: Indices, states: Indices) -> None:
    """All subsets of each mask, ascending."""
    for t in range(len(masks)):
        state = 0
        for n in range(starts[t], starts[t + 1]):
            states[n] = state
            state = (state - masks[t]) & masks[t]
