"""The contact state graph: which sets of candidates may touch in each frame (Lee & Lee, Fig. 7).

A state is a number whose bit b says that candidate b touches. Of the 2^B states of a frame those
with a candidate that geometry rules out are left away: one too far from any surface to be brought
there by a change of pose that still is the same motion, or one that moves too fast over it. What is
left are all sets of the other candidates.

Nothing is lost by that. The cheapest path never has such a candidate: without it, the state costs
less in pose and slip by at least `RULED_OUT` times one candidate's share of the least weight that
these have, more by at most the largest weight of the dynamics, and there are at most two changes of
state more. With the shares and weights of `node_costs` and `weights`, that is a gain.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Character, Sites, contact_points
from poise.compiled import borrowing
from poise.contact import BODY_PARTS, ContactSchedule
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.mesh_vertices import CANDIDATES
from poise.solvers import Layers

SOLES = ("toe", "heel")
"""Ends of the names of candidates that are soles."""

_BESIDE = {
    "toe": ("ball", "inner_edge", "outer_edge"),
    "heel": ("heel",),
    "hand": ("wrist", "palm", "hand_tip"),
}


def is_sole(candidate: str) -> bool:
    """Whether a candidate is part of a sole, whose height skeletons hardly know."""
    return candidate.endswith(SOLES)


def touching_sites(mesh: Mesh, character: Character, candidate: str) -> Sites:
    """The points by which a candidate may touch, or its vertex where it has none.

    A hand touches by its wrist and tip too, the ball by the edges of the sole next to it. Points of
    flesh lie as deep under the skin as the vertex does.
    """
    side, _, kind = candidate.partition("_")
    known = contact_points(character).get(CANDIDATES[candidate][0], Sites())
    wanted = {f"{side}_{point}" for point in _BESIDE.get(kind, ())}
    if candidate == "pelvis":
        wanted = set(known.names)
    picked = [i for i, name in enumerate(known.names) if name in wanted]
    if picked:
        names = tuple(known.names[i] for i in picked)
        return Sites(names, known.joints[picked], known.offsets_m[picked])
    v = int(mesh.contact_vertex[mesh.candidates.index(candidate)])
    return Sites((candidate,), mesh.sites.joints[[v]], mesh.sites.offsets_m[[v]])


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


RULED_OUT = 22.0
"""Evidence against a candidate (squares of height over H and speed over V, added) beyond which no
weighting lets it touch: 13 cm for soles that do not move, 19 for flesh. Corrections are a few."""
MOST_CANDIDATES = 12
"""2^12 states a frame are what memory and time allow; of more, the likeliest are kept."""


def possible(lifted: Array, moving: Array) -> NDArray[np.bool_]:
    """(F, B) which candidates may touch, by their evidence."""
    allowed = against(lifted) + against(moving) < RULED_OUT
    crowded = allowed.sum(axis=1) > MOST_CANDIDATES
    for t in np.flatnonzero(crowded):
        scores = np.where(allowed[t], lifted[t] + moving[t], np.inf)
        allowed[t, np.argsort(scores, kind="stable")[MOST_CANDIDATES:]] = False
    return allowed


def against(evidence: Array) -> Array:
    """What evidence costs a candidate that is in the state.

    Beyond the limit of 1 it grows with the square, as deformation does.
    """
    return np.maximum(evidence, evidence**2)


def contact_states(allowed: NDArray[np.bool_]) -> Layers:
    """The graph of all sets of the candidates that are allowed (F, B) in each frame."""
    count = allowed.shape[1]
    masks = allowed @ (1 << np.arange(count, dtype=np.int64))
    starts = np.concatenate([[0], np.cumsum(1 << allowed.sum(axis=1))]).astype(np.int64)
    states = np.empty(starts[-1], np.int64)
    _subsets(masks, starts, states)
    return Layers(starts, states, 1 << count)


def touching(states: Indices, count: int) -> NDArray[np.bool_]:
    """(..., B) the bits of states."""
    return (states[..., None] >> np.arange(count)) & 1 == 1


@borrowing
def _subsets(masks: Indices, starts: Indices, states: Indices) -> None:
    """All subsets of each mask, ascending."""
    for t in range(len(masks)):
        state = 0
        for n in range(starts[t], starts[t + 1]):
            states[n] = state
            state = (state - masks[t]) & masks[t]
