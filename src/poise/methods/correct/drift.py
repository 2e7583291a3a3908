"""A figure that moves over the ground as a whole, with all that stands on it.

A steady velocity changes no acceleration and no pose: only what stands can show it. The motion
optimizer lets stances stand where the reference has them and would keep the drift from one to the
next; taken off beforehand, the motion is as it was before something made it slide.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import gaussian_filter1d

from poise import rotations
from poise.arrays import Array
from poise.constraints import rise_to_surface_m
from poise.environment import ConvexPart, Environment, Ground
from poise.errors import BadValue
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import STATIC, Contacts
from poise.motion import Clip

_REACH = 4.0
"""Standard deviations beyond which the Gaussian is as good as nothing."""


def smoothed(clip: Clip, deviation_s: float) -> Clip:
    """The clip without what changes faster; zero leaves it alone."""
    width = deviation_s * clip.rate_hz
    if width <= 0.0 or clip.frame_count < 3:
        return clip
    turns = gaussian_filter1d(
        rotations.continuous(clip.rotations_wxyz), width, axis=0, mode="nearest", truncate=_REACH
    )
    # The root goes on at the ends as it came: mirrored about the end point itself.
    path = clip.root_positions_m
    beyond = min(int(np.ceil(_REACH * width)), len(path) - 1)
    longer = np.concatenate(
        [2.0 * path[0] - path[beyond:0:-1], path, 2.0 * path[-1] - path[-2 : -beyond - 2 : -1]]
    )
    places = gaussian_filter1d(longer, width, axis=0, mode="nearest", truncate=_REACH)
    return replace(
        clip,
        root_positions_m=places[beyond : beyond + len(path)],
        rotations_wxyz=rotations.continuous(rotations.normalize(turns)),
    )


LEAST_M_S = 0.04
"""Slower drifts are left alone: soles roll, and their points creep forward by two or three
centimetres a second in walks that do not slide."""

_SURE = 3.0
"""The drift must be this many times as large as the doubt about it."""

_PER_DEVIATION = 1.4826
"""Standard deviation over median deviation, for a bell curve."""


def steady_drift_m_s(mesh: Mesh, vertices_m: Array, contacts: Contacts, rate_hz: float) -> Array:
    """(3,) the level velocity that all stances share, zero unless they do so clearly.

    Args:
        mesh: of the character.
        vertices_m: (T, V, 3) as captured: smoothed soles creep ahead while they roll.
        contacts: (T, B)
        rate_hz: of the frames.
    """
    found = np.array(_velocities(mesh, vertices_m, contacts == STATIC, rate_hz)).reshape(-1, 2)
    if len(found) < 3:
        return np.zeros(3)
    middle = np.median(found, axis=0)
    spread = _PER_DEVIATION * np.median(np.linalg.norm(found - middle, axis=1))
    doubt = spread / np.sqrt(len(found))
    if np.linalg.norm(middle) < max(LEAST_M_S, _SURE * doubt):
        return np.zeros(3)
    return np.array([middle[0], 0.0, middle[1]])


def without_drift(vertices_m: Array, drift_m_s: Array, rate_hz: float) -> Array:
    """The same vertices without a steady velocity, the first frame where it is."""
    times = np.arange(len(vertices_m)) / rate_hz
    return vertices_m - times[:, None, None] * drift_m_s


def _velocities(
    mesh: Mesh, vertices_m: Array, stands: NDArray[np.bool_], rate_hz: float
) -> list[Array]:
    """Of every stance of four steps or more: the slope of its level path, but for its ends."""
    found: list[Array] = []
    for b, vertex in enumerate(mesh.contact_vertex.tolist()):
        edges = np.diff(np.concatenate([[0], stands[:, b].astype(np.int8), [0]]))
        for first, last in zip(
            np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True
        ):
            quarter = (last - first) // 4
            path = vertices_m[first + quarter : last - quarter, vertex][:, [0, 2]]
            if quarter > 0 and len(path) > 1:
                times = (np.arange(len(path)) - 0.5 * (len(path) - 1)) / rate_hz
                found.append(times @ path / (times @ times))
    return found


# A level motion put on uneven ground: every place is raised by what lies below it.
#
# A walk that was captured on a floor is to go over a hill. Raised as a whole with its root, its
# planted feet would climb with it; draped, each place goes up by the height of the terrain under
# itself, over the floor under itself, so that what stood on the floor stands on the hill and what
# stood still stands still. Bones come out a little longer or shorter on a slope (by its tangent
# squared over two: one in a hundred at 8 degrees), which the correction sets right.
#
# Contacts are found in the level motion on its own floor; they are the same on the hill.
_FAR_UP_M = 1e3
"""From here, all ground is below."""


def rises_m(places_m: Array, level: Ground, place: Environment) -> Array:
    """(...) how much higher the ground of a place is than a floor, over and under points (..., 3).

    Things that stand on the ground do not count: a table does not raise who sits at it.
    """
    solid = tuple(s for s in place.surfaces if not isinstance(s, ConvexPart))
    if not solid:
        raise BadValue("environment", "a ground or a height field to stand on", "parts only")
    above = np.array(places_m, dtype=np.float64).reshape(-1, 3)
    above[:, 1] = _FAR_UP_M
    heights = _FAR_UP_M + rise_to_surface_m(Environment(solid), above)
    return (heights - level.heights_m(above)).reshape(np.shape(places_m)[:-1])


def draped_places_m(places_m: Array, level: Ground, place: Environment) -> Array:
    """Places (..., 3) over a floor, put over the ground of another place."""
    draped = np.array(places_m, dtype=np.float64)
    draped[..., 1] += rises_m(places_m, level, place)
    return draped


def raised_clip(clip: Clip, level: Ground, place: Environment) -> Clip:
    """The clip with its root raised by the terrain under it: poses for a draped motion to start at.

    On level ground at another height, the clip as it is on that ground.
    """
    raised = draped_places_m(clip.root_positions_m, level, place)
    return replace(clip, root_positions_m=raised, source=None).noted("put on uneven ground")
