"""A figure that moves over the ground as a whole, with all that stands on it.

A steady velocity changes no acceleration and no pose: only what stands can show it. The motion
optimizer lets stances stand where the reference has them and would keep the drift from one to the
next; taken off beforehand, the motion is as it was before something made it slide.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.contact import intervals
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import STATIC, Contacts

LEAST_M_S = 0.04
"""Slower drifts are left alone: soles roll, and their points creep forward by two or three
centimetres a second in walks that do not slide."""

_SURE = 3.0
"""The drift must be this many times as large as the doubt about it."""

_PER_DEVIATION = 1.4826
"""Standard deviation over median deviation, for a bell curve."""


def steady_drift_m_s(mesh: Mesh, vertices_m: Array, contacts: Contacts, rate_hz: float) -> Array:
    """(3,) the level velocity that all stances share, zero unless they do so clearly.

    Contacts are (T, B), vertices (T, V, 3) as captured: smoothed soles creep while they roll.
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


def without_drift(places_m: Array, drift_m_s: Array, rate_hz: float) -> Array:
    """Places (F, ..., 3) without a steady velocity, the first frame where it is."""
    times = np.arange(len(places_m)) / rate_hz
    return places_m - times.reshape(-1, *[1] * (places_m.ndim - 1)) * drift_m_s


def _velocities(
    mesh: Mesh, vertices_m: Array, stands: NDArray[np.bool_], rate_hz: float
) -> list[Array]:
    """Of every stance of four steps or more: the slope of its level path, but for its ends."""
    found: list[Array] = []
    for b, vertex in enumerate(mesh.contact_vertex.tolist()):
        for first, last in intervals(stands[:, b]):
            quarter = (last - first) // 4
            path = vertices_m[first + quarter : last - quarter, vertex][:, [0, 2]]
            if quarter > 0 and len(path) > 1:
                times = (np.arange(len(path)) - 0.5 * (len(path) - 1)) / rate_hz
                found.append(times @ path / (times @ times))
    return found
