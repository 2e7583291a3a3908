"""Where hands, knees and the rest of a body touch: a point on a surface, still or sliding."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Sites
from poise.contact import intervals
from poise.environment import Environment, query

LARGEST_TRAVEL_M = 0.08
"""What travels further while it touches slides or rolls."""
SLOW_M_S = 0.3


@dataclass(frozen=True, eq=False)
class Spot:
    """A point of a body part on a surface over consecutive frames."""

    part: str
    point: str
    joint: int
    offset_m: Array
    first: int
    goals_m: Array
    """(n, 3)"""
    axes: tuple[bool, bool, bool]
    """All of them where it is pinned; else the one that is nearest to the normal."""
    slides: bool
    """Whether it moves along the surface."""


def spots_of(
    part: str,
    sites: Sites,
    places_m: Array,
    radius_m: float,
    touches: NDArray[np.bool_],
    slides: NDArray[np.bool_],
    environment: Environment,
    rate_hz: float,
    *,
    pinned: bool = True,
) -> list[Spot]:
    """The spots of one part.

    Hands stay where they are put. Knees, hips and shoulders are balls of flesh that roll as they
    carry, and two of them on one bone could not both stay: they keep to the surface only.

    Args:
        part: its name.
        sites: its points.
        places_m: (F, S, 3) where they are.
        radius_m: distance from them to the skin.
        touches: (F,)
        slides: (F,) known to slide.
        environment: the place.
        rate_hz: of the clip.
        pinned: whether it may not move along the surface, unless it slides.
    """
    found: list[Spot] = []
    for first, stop in intervals(touches):
        frames = slice(first, stop)
        near = query(environment, places_m[frames])
        point = int(near.distances_m.mean(axis=0).argmin())
        path, normals = places_m[frames, point], near.normals[:, point]
        on = path - (near.distances_m[:, point] - radius_m)[:, None] * normals
        speeds = _speeds(places_m[:, point], rate_hz)[frames]
        slow = 1e-3 + np.exp(-((speeds / SLOW_M_S) ** 2))
        middle = (slow[:, None] * on).sum(axis=0) / slow.sum()
        away = np.linalg.norm(on - middle, axis=1)
        still = not slides[frames].any() and float(away.max()) <= LARGEST_TRAVEL_M
        if still and pinned:
            there = query(environment, middle)
            middle = middle - (there.distances_m - radius_m) * there.normals
            goals = np.repeat(middle[None], stop - first, axis=0)
            axes = (True, True, True)
        else:
            goals = on
            axis = int(np.abs(normals.mean(axis=0)).argmax())
            axes = (axis == 0, axis == 1, axis == 2)
        name, joint = sites.names[point], int(sites.joints[point])
        found.append(Spot(part, name, joint, sites.offsets_m[point], first, goals, axes, not still))
    return found


def _speeds(path: Array, rate_hz: float) -> Array:
    if len(path) < 2:
        return np.zeros(len(path))
    return np.asarray(np.linalg.norm(np.gradient(path, axis=0) * rate_hz, axis=1))
