"""A part of the trunk cut across: what lies between two heights, without loss.

The density along the axis is exp(rate·u - bulge·u²), a bell or a slope, with the centre and (where
that is narrower than a slope) the spread that the table's radii tell.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from poise.arrays import Array
from poise.character.anthropometry import Segment

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(32)
"""Gauss's points on -1..1: exact to rounding for the densities inside a part of the trunk."""


def trunk_piece(
    row: Segment, length_m: float, low: float, high: float
) -> tuple[float, float, Array] | None:
    """What lies between two heights (shares of the part, from its bottom) of a part of the trunk.

    Returns its share of the part's mass, its centre as a share from the bottom, and its inertias
    per mass about front, side and long axis; None when nothing lies there.
    """
    low, high = max(low, 0.0), min(high, 1.0)
    if high <= low:
        return None
    front, side, long = (radius**2 for radius in row.radii)
    wide, deep, tall = (
        (front + long - side) / 2,
        (side + long - front) / 2,
        (front + side - long) / 2,
    )
    density = _density(1.0 - row.center, tall)
    whole, _, whole_spread = _moments(*density, 0.0, 1.0)
    weight, mean, spread = _moments(*density, low, high)
    # Breadth and depth are the same all along; so is what stands beyond the part's own ends.
    tall = spread + max(tall - whole_spread, 0.0)
    return weight / whole, mean, length_m**2 * np.array([wide + tall, deep + tall, wide + deep])


def _moments(rate: float, bulge: float, low: float, high: float) -> tuple[float, float, float]:
    """Weight, mean and variance of the density exp(rate·u - bulge·u²) between two heights."""
    heights = 0.5 * (low + high + (high - low) * _NODES)
    weights = 0.5 * (high - low) * _WEIGHTS * np.exp(rate * heights - bulge * heights**2)
    total = float(weights.sum())
    mean = float(weights @ heights) / total
    variance = float(weights @ (heights - mean) ** 2) / total
    return total, mean, variance


@cache
def _density(center: float, spread: float) -> tuple[float, float]:
    """Rate and bulge of the density with this mean, and this variance or the largest below it."""
    (rate,) = _fitted(center)
    if _moments(rate, 0.0, 0.0, 1.0)[2] <= spread:
        return float(rate), 0.0
    rate, curve = _fitted(center, spread + center**2)
    return float(rate), -float(curve)


def _fitted(*means: float) -> Array:
    """The powers of u in the exponent, from the first on, that give u, u², ... these means.

    Newton's method on a convex problem; the limit on its steps only matters at the start.
    """
    powers = np.array([(0.5 + 0.5 * _NODES) ** (k + 1) for k in range(len(means))])
    exponents = np.zeros(len(means))
    for _ in range(100):
        weights = _WEIGHTS * np.exp(exponents @ powers)
        weights = weights / weights.sum()
        reached = powers @ weights
        gap = np.array(means) - reached
        step = np.linalg.solve((powers * weights) @ powers.T - np.outer(reached, reached), gap)
        exponents = exponents + step * min(1.0, 5.0 / max(float(np.abs(step).max()), 1e-300))
        if np.abs(gap).max() < 1e-13:
            return exponents
    raise AssertionError(f"no density on 0..1 has the means {means}")
