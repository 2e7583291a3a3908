"""The centre of mass as a fixed combination of the mesh's vertices.

A segment's own centre is written as the nearest point of the hull of the vertices around it: on the
bone for a limb, inside the triangle of hips and root for the pelvis. No share is negative, so each
vertex carries a mass, and what they carry adds up to the body.
"""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.errors import BadValue
from poise.methods.correct.mesh_vertices import Vertices

_TOGETHER = 1e3
"""How much dearer it is for shares not to add up to one than to miss the centre by a metre."""


def mass_shares(made: Vertices) -> Array:
    """(V,) such that shares @ vertices is the centre of mass."""
    from scipy.optimize import nnls

    character = made.character
    body, skeleton = character.body, character.skeleton
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    if not body.total_mass_kg > 0:
        raise BadValue("total mass of the body", "more than zero", body.total_mass_kg)
    centers = skeleton.rest_positions_m + rotations.rotate(skeleton.rest_world_wxyz, body.centers_m)
    rest = made.rest_m
    shares = np.zeros(len(made.names))
    for joint in np.flatnonzero(body.masses_kg > 0.0).tolist():
        carrier = made.carrier(joint)
        around = [carrier, *made.children(carrier)]
        places = rest[around] - rest[carrier]
        rows = np.vstack([places.T, np.full(len(around), _TOGETHER)])
        wanted = np.append(centers[joint] - rest[carrier], _TOGETHER)
        found, _ = nnls(rows, wanted)
        shares[around] += body.masses_kg[joint] * found / found.sum()
    return shares / body.total_mass_kg
