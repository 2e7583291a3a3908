"""A figure that moves over the ground as a whole, with all that stands on it.

A steady velocity changes no acceleration and no pose: only what stands can show it. Each stance
would stand where the reference has it and keep the drift from one to the next; taken off
beforehand, the motion is as it was before something made it slide.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.contact import ContactSchedule, TouchingPoints, intervals

LEAST_M_S = 0.04
"""Slower drifts are left alone: soles roll, and their points creep forward by two or three
centimetres a second in walks that do not slide."""

_SURE = 3.0
"""The drift must be this many times as large as the doubt about it."""

_PER_DEVIATION = 1.4826
"""Standard deviation over median deviation, for a bell curve."""
_FIRM = 0.5
"""Grip from which a point stands."""
_SHORTEST_S = 0.13
"""Stances from which a slope is read."""


def steady_drift_m_s(points: TouchingPoints, contacts: ContactSchedule) -> Array:
    """(3,) the level velocity that all stances share, zero unless they do so clearly.

    `points` are as captured, not smoothed: smoothed soles creep while they roll.
    """
    found = np.array(_velocities(points, contacts)).reshape(-1, 2)
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


def _velocities(points: TouchingPoints, contacts: ContactSchedule) -> list[Array]:
    """Of every stance that is long enough: the slope of its level path, but for its ends."""
    found: list[Array] = []
    rate = contacts.rate_hz
    standing = np.stack([contacts.standing(part) for part in points.parts], axis=1)
    firm = (points.grip > _FIRM) & standing[:, points.owners]
    for c in range(firm.shape[1]):
        for first, stop in intervals(firm[:, c]):
            quarter = (stop - first) // 4
            path = points.places_m[first + quarter : stop - quarter, c][:, [0, 2]]
            if stop - first >= _SHORTEST_S * rate and len(path) > 1:
                times = (np.arange(len(path)) - 0.5 * (len(path) - 1)) / rate
                found.append(times @ path / (times @ times))
    return found
