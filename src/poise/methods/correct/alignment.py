"""Soles parallel to the surface while the whole foot touches it (section 3.5.2)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, contact_points
from poise.environment import Environment, query
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip

_FADE_S = 0.03
"""Deviation of the Gaussian in time by which a foot turns flat and back: accelerations stay low."""


def sole_turns(
    clip: Clip, character: Character, environment: Environment, candidates: tuple[str, ...],
    touching: NDArray[np.bool_],
) -> dict[int, Array]:  # fmt: skip
    """(F, 4) by the joint that carries a sole: the least turn in the world that lays it flat.

    A foot is laid flat where all of its candidates touch (F, B), if heel and toe are among them.
    """
    state = forward_kinematics(clip.skeleton, *clip.pose)
    rest = character.skeleton.standing.rest_world_wxyz
    points = contact_points(character)
    found: dict[int, Array] = {}
    for side in SIDES:
        mine = [f"{side}_heel", f"{side}_toe"]
        sites = points.get(f"{side}_foot")
        edges = [f"{side}_{name}" for name in ("heel", "inner_edge", "outer_edge")]
        if sites is None or not {*mine} <= {*candidates} or not {*edges} <= {*sites.names}:
            continue
        heel, inner, outer = (sites.offsets_m[sites.index(name)] for name in edges)
        joint = int(sites.joints[sites.index(edges[0])])
        up: Array = np.cross(inner - heel, outer - heel)
        if rotations.rotate(rest[joint], up)[1] < 0.0:
            up = -up
        columns = [candidates.index(name) for name in mine]
        flat = np.asarray(touching[:, columns].all(axis=1))
        column = sites.index(edges[0])
        normals = query(environment, site_positions(state, sites)[:, column]).normals
        seen = rotations.rotate(state.rotations_wxyz[:, joint], up / np.linalg.norm(up))
        turns = rotations.log(rotations.between_vectors(seen, np.array(normals)))
        turns = gaussian_filter1d(
            np.where(flat[:, None], turns, 0.0), _FADE_S * clip.rate_hz, axis=0, mode="nearest"
        )
        found[joint] = rotations.exp(turns)
    return found
