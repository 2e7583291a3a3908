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

_SURE = 5.0
"""The drift must be this many times as large as the doubt about it."""

_PER_DEVIATION = 1.4826
"""Standard deviation over median deviation, for a bell curve."""
_FEWEST = 4
"""Witnesses that can agree."""
_FIRM = 0.5
"""Grip from which a point stands."""
_SHORTEST_S = 0.13
"""Stances from which a slope is read."""
_MOMENT_S = 0.3
"""A stance is a witness for each such time, two at least: what rolls (runners' feet do all the
time) slows down meanwhile, what drifts does not."""


def steady_drift_m_s(points: TouchingPoints, contacts: ContactSchedule) -> Array:
    """(3,) the level velocity that all stances share, zero unless they do so clearly.

    `points` are as captured, not smoothed: smoothed soles creep while they roll.
    """
    found = np.array(_velocities(points, contacts)).reshape(-1, 2)
    if len(found) < _FEWEST:
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
    """Of every stance that is long enough, but for its ends: slopes of its level path."""
    found: list[Array] = []
    rate = contacts.rate_hz
    for p, part in enumerate(points.parts):
        mine = points.owners == p
        for first, stop in intervals(contacts.standing(part)):
            quarter = (stop - first) // 4
            if stop - first < _SHORTEST_S * rate or quarter < 3:
                continue
            # Points that carry throughout: others roll off. One velocity a moment, or a foot of
            # seven points would pass for seven witnesses.
            inner = np.arange(first + quarter, stop - quarter)
            firm = mine & (points.grip[inner] > _FIRM).all(axis=0)
            # A moment of a single frame shows no velocity.
            moments = min(max(2, round(len(inner) / (rate * _MOMENT_S))), len(inner) // 2)
            for frames in np.array_split(inner, moments) if firm.any() else ():
                times = (np.arange(len(frames)) - 0.5 * (len(frames) - 1)) / rate
                paths = points.places_m[frames][:, firm][:, :, [0, 2]]
                slopes = np.einsum("t,tck->ck", times, paths) / (times @ times)
                found.append(np.median(slopes, axis=0))
    return found
