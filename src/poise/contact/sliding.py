"""Static or sliding: which contacts move along the surface (Lee & Lee's future work).

A foot that is dragged or pivots on the spot is in contact and moves. Within every stretch of a
contact each frame is either static, which costs the square of its speed over a limit, or sliding,
which costs one, and a change from one to the other has a price: a few fast frames at the landing do
not make a slide, and slow frames inside one do not end it. What raw captures slide by, and what a
correction is to take away, lies well below the limit.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.contact.schedule import intervals
from poise.solvers import Layers, cheapest_paths

SLIDING_M_S = 0.5
"""Speed at which sliding and standing are equally likely. Soles that stand slide by 0.05 to 0.25 in
captures; of those that are meant to slide, few are slower."""
SHORTEST_SLIDE_S = 0.15
"""A slide, or a rest within one, is worth telling from this long on."""
_STEEPEST = 2.0
"""The most that a frame may cost for standing: so that a slide needs more than a few fast ones."""
_ENDS_S = 0.03
"""Of the time in which a part lands and leaves, some is not contact at all."""


def sliding_frames(
    touching: NDArray[np.bool_], sliding_m_s: Array, rate_hz: float
) -> NDArray[np.bool_]:
    """(F, P) where what touches slides, by how fast it moves along the surface."""
    found = np.zeros_like(touching)
    against = np.minimum((sliding_m_s / SLIDING_M_S) ** 2, _STEEPEST)
    shortest, ends = SHORTEST_SLIDE_S * rate_hz, max(1, round(_ENDS_S * rate_hz))
    for p in range(touching.shape[1]):
        for first, stop in intervals(touching[:, p]):
            static = against[first:stop, p].copy()
            static[:ends] = np.minimum(static[:ends], 1.0)
            static[-ends:] = np.minimum(static[-ends:], 1.0)
            # No stretch of frames can pay for being called a slide, or there is none to speak of.
            if stop - first < shortest or (static <= 1.0).all():
                continue
            found[first:stop, p] = _slides(static, shortest)
    return found


def _slides(static: Array, price: float) -> NDArray[np.bool_]:
    """(n,) where sliding, at a cost of one a frame, is cheaper than what standing costs."""
    count = len(static)
    layers = Layers(2 * np.arange(count + 1), np.tile([0, 1], count), 2)
    costs = np.stack([static, np.ones(count)], axis=1).reshape(-1, 1)
    path = cheapest_paths(layers, costs, np.ones((1, count, 1)), np.array([price]))
    return path.states[0] == 1
