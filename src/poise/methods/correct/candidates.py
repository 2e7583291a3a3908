"""What may touch: which body part of a schedule each contact candidate belongs to.

Feet have two candidates each, toe (the ball of the foot) and heel, because a foot rolls from one to
the other; a schedule knows the whole foot. Other parts have one. A candidate is taken to touch by
its own vertex of the mesh and by the points beside it: a hand by its wrist and tip too, the ball by
the edges of the sole next to it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise.character import SIDES, Character, Sites, contact_points
from poise.contact import BODY_PARTS, ContactSchedule
from poise.methods.correct.mesh import Mesh

CANDIDATE_PARTS: dict[str, str] = {
    **{f"{side}_{point}": f"{side}_foot" for point in ("toe", "heel") for side in SIDES},
    **{
        f"{side}_{part}": f"{side}_{part}"
        for part in ("knee", "hand", "elbow", "shoulder")
        for side in SIDES
    },
    **{f"{side}_thigh": "pelvis" for side in SIDES},
    **{part: part for part in ("pelvis", "chest", "head")},
}
"""The part of `poise.contact.BODY_PARTS` that each candidate belongs to."""

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
    """The points by which a candidate may touch: of soles those of the sole, else its vertex too.

    Those of flesh lie as deep under the skin as the vertex does.
    """
    side, _, kind = candidate.partition("_")
    part = CANDIDATE_PARTS[candidate]
    known = contact_points(character).get(part, Sites())
    wanted = {f"{side}_{point}" for point in _BESIDE.get(kind, ())}
    if candidate == "pelvis":
        wanted = set(known.names)
    picked = [i for i, name in enumerate(known.names) if name in wanted]
    if picked:
        names = tuple(known.names[i] for i in picked)
        return Sites(names, known.joints[picked], known.offsets_m[picked])
    v = int(mesh.contact_vertex[mesh.candidates.index(candidate)])
    return Sites((candidate,), mesh.sites.joints[[v]], mesh.sites.offsets_m[[v]])


def parts_of(candidates: Sequence[str]) -> tuple[str, ...]:
    """The schedule's parts that candidates belong to, in the schedule's order."""
    found = {CANDIDATE_PARTS[candidate] for candidate in candidates}
    return tuple(part for part in BODY_PARTS if part in found)


def schedule_of(
    candidates: Sequence[str], touching: NDArray[np.bool_], rate_hz: float
) -> ContactSchedule:
    """What touches by part, from flags (F, B) by candidate: a part touches if one of its does."""
    parts = parts_of(candidates)
    columns = [
        touching[:, [b for b, c in enumerate(candidates) if CANDIDATE_PARTS[c] == part]].any(axis=1)
        for part in parts
    ]
    return ContactSchedule(parts, np.stack(columns, axis=1), rate_hz)
