"""Upright solids whose outline keeps clear of what passes by: seats, steps and stones.

An outline is how far each of sixteen sides is from a middle. It reaches as far as is wanted and is
cut back by obstacles, each avoided by the side where that costs least.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.environment import ConvexPart

SIDE_COUNT = 16


def directions() -> Array:
    """(SIDE_COUNT, 2) outward, over x and z."""
    angles = 2.0 * np.pi * np.arange(SIDE_COUNT) / SIDE_COUNT
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def cut(wanted: Array, least: float | Array, obstacles: tuple[Array, Array]) -> Array:
    """(SIDE_COUNT,) reaches that keep clear of obstacles, each avoided where it costs least.

    The hardest to avoid is asked first, so that no side is cut twice. What no side avoids without
    taking from the hips what they need stays inside.
    """
    across, away = obstacles
    # How far each side could reach if it were the one that avoids each obstacle.
    room = across @ directions().T - away[:, None]
    best = (room / wanted).argmax(axis=1)
    own = np.take_along_axis(room, best[:, None], axis=1)[:, 0]
    lowest = np.minimum(least, wanted)
    kept = wanted.copy()
    # The hardest first: what is still inside then is easier, and asks for another side.
    for number in np.argsort(own / wanted[best], kind="stable"):
        side = best[number]
        if (room[number] < kept).all():
            kept[side] = min(kept[side], max(own[number], lowest[side]))
    return kept


def prism(name: str, reaches: Array, middle: Array, bottom: float, top: float) -> ConvexPart:
    """The solid between two heights inside all sides."""
    far = 2.0 * float(reaches.max())
    corners = np.array([[far, far], [-far, far], [-far, -far], [far, -far]])
    for outward, reach in zip(directions(), reaches, strict=True):
        corners = _inside(corners, outward, float(reach))
    corners = np.round(corners + middle[[0, 2]], 4)
    low, high = round(bottom, 4), round(top, 4)
    levels = [np.insert(corners, 1, height, axis=1) for height in (low, high)]
    return ConvexPart(np.concatenate(levels), name)


def _inside(corners: Array, outward: Array, reach: float) -> Array:
    """A convex polygon (C, 2) without what lies beyond a line."""
    beyond = corners @ outward - reach
    kept: list[Array] = []
    for here, there, a, b in zip(
        corners, np.roll(corners, -1, axis=0), beyond, np.roll(beyond, -1), strict=True
    ):
        if a <= 0.0:
            kept.append(here)
        if a * b < 0.0:
            kept.append(here + (there - here) * (a / (a - b)))
    return np.array(kept)
