"""Flesh of the body: what stays out of the surroundings, and which parts stay out of each other.

Limbs may be as near to each other as they are in the capture. Spheres may not: the user puts them
where the flesh is thicker than that of the body that was captured.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Indices
from poise.character import Character, Sites
from poise.mechanics import limbs_of, with_spheres
from poise.methods.correct.mesh import Mesh
from poise.physics import Clearing, Flesh


def flesh_of(mesh: Mesh) -> Flesh:
    """The spheres that the user put around parts of the body."""
    thick = np.flatnonzero(mesh.sphere_m > 0.0)
    sites = Sites(
        tuple(mesh.sites.names[v] for v in thick), mesh.sites.joints[thick],
        mesh.sites.offsets_m[thick],
    )  # fmt: skip
    return Flesh(sites, mesh.sphere_m[thick])


def sphere_pairs(mesh: Mesh) -> Indices:
    """(Q, 2) vertices whose spheres may not meet: they are not tied, and do not meet at rest."""
    tied = {frozenset(pair) for pair in mesh.bones.tolist()}
    round_ones = np.flatnonzero(mesh.sphere_m > 0.0).tolist()
    pairs: list[tuple[int, int]] = []
    for i, a in enumerate(round_ones):
        for b in round_ones[i + 1 :]:
            gap = float(np.linalg.norm(mesh.rest_m[a] - mesh.rest_m[b]))
            if frozenset((a, b)) not in tied and gap > mesh.sphere_m[a] + mesh.sphere_m[b]:
                pairs.append((a, b))
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def clearing_of(character: Character, mesh: Mesh) -> Clearing:
    """Limbs stay out of each other as far as they do in the capture, spheres altogether."""
    limbs, flesh = limbs_of(character), flesh_of(mesh)
    number = np.cumsum(mesh.sphere_m > 0.0) - 1  # of each vertex's sphere
    pairs = number[sphere_pairs(mesh)]
    as_clip = np.arange(len(limbs.pairs) + len(pairs)) < len(limbs.pairs)
    return Clearing(with_spheres(limbs, flesh.sites, flesh.radii_m, pairs), as_clip=as_clip)
