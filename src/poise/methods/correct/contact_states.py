"""The contact state graph: all sets of candidates, in every frame (Lee & Lee, Fig. 7).

A state is a number whose bit b says that candidate b touches; a frame has 2^B of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.contact import BODY_PARTS, HEIGHT_M, ContactSchedule
from poise.errors import BadValue
from poise.methods.correct.mesh_vertices import CANDIDATES
from poise.solvers import Layers

MOST_CANDIDATES = 12
"""2^12 states a frame are what memory and time allow."""


def contact_states(frames: int, count: int) -> Layers:
    """The graph of all sets of so many candidates in each frame."""
    if count > MOST_CANDIDATES:
        raise BadValue(
            "candidates",
            f"{MOST_CANDIDATES} at most with mode: paper, whose graph has 2 to the power of their "
            "number of states a frame",
            count,
        )
    starts = np.arange(frames + 1, dtype=np.int64) << count
    return Layers(starts, np.tile(np.arange(1 << count, dtype=np.int64), frames), 1 << count)


def touching(states: Indices, count: int) -> NDArray[np.bool_]:
    """(..., B) the bits of states."""
    return (states[..., None] >> np.arange(count)) & 1 == 1


def columns_of(candidates: Sequence[str], part: str) -> list[int]:
    """Those of the candidates that belong to a part of a schedule."""
    return [b for b, candidate in enumerate(candidates) if CANDIDATES[candidate][0] == part]


def schedule_of(
    candidates: Sequence[str], touching: NDArray[np.bool_], rate_hz: float
) -> ContactSchedule:
    """What touches by part, from flags (F, B) by candidate: a part touches if one of its does."""
    parts = tuple(part for part in BODY_PARTS if columns_of(candidates, part))
    columns = [touching[:, columns_of(candidates, part)].any(axis=1) for part in parts]
    return ContactSchedule(parts, np.stack(columns, axis=1), rate_hz)


def touching_candidates(
    schedule: ContactSchedule, candidates: Sequence[str], clearances_m: Array
) -> NDArray[np.bool_]:
    """(F, B) which candidates of the touching parts touch: the lowest, and those nearly as low.

    `clearances_m` (F, B) are over where each of them rests.
    """
    found = np.zeros(clearances_m.shape, dtype=np.bool_)
    for part in schedule.parts:
        mine = columns_of(candidates, part)
        if mine:
            lowest = clearances_m[:, mine].min(axis=1, keepdims=True)
            low = clearances_m[:, mine] < lowest + HEIGHT_M
            found[:, mine] = low & schedule.column(part)[:, None]
    return found
