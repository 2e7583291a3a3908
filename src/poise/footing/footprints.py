"""Where a foot stands: one flat place for every stretch of time in which it does not travel.

A captured foot drifts by centimetres while it stands, and its sole is not quite flat. The print is
the flat place that is nearest to all its touching points, the slow ones above all: a weighted rigid
fit in the plane of the surface, which has a closed form. A foot that travels more than
`LARGEST_MISS_M` while it touches has stood in more than one place, or slides; so has one that turns
by more than `LARGEST_TURN_RAD`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.footing.foot_shape import FootShape

LARGEST_MISS_M = 0.15
"""How far a slow point may be from its print: half a foot's length. Captured soles drift, and are
known to centimetres only."""
SLID_M = 0.08
"""The same where the foot is known to slide."""
LARGEST_TURN_RAD = 0.8
"""How far a foot may be turned from its print: feet that roll off turn, dancers turn more."""
SHORTEST_S = 0.12
"""A foot stands in one place for at least this long, or it slides."""
SLOW_M_S = 0.3
"""Points this fast count a third of points that stand still."""

_LEVEL = 0.6
"""Length of a foot as seen from above, over its own."""
_HEADING = 0.01
"""Weight of a point that does not touch, or is fast."""


@dataclass(frozen=True)
class Placed:
    """A foot's place in the plane of the surface."""

    turn_rad: float
    """Of the sole's forward from the first tangent."""
    ball_m: tuple[float, float]
    """Along the two tangents."""


@dataclass(frozen=True)
class Stretch:
    """Frames in which a foot stands in one place, or slides."""

    first: int
    stop: int
    placed: Placed | None
    """None where it slides."""


def weights_of(flags: NDArray[np.bool_], speeds_m_s: Array) -> Array:
    """(n, 5) how much each point says about where the foot stands.

    Points that do not touch say a little too: one point alone would leave the heading open.
    """
    slow = np.exp(-((speeds_m_s / SLOW_M_S) ** 2))
    return np.asarray(np.where(flags, slow, 0.0) + _HEADING, dtype=np.float64)


def placed_at(shape: FootShape, seen_m: Array, weights: Array) -> Placed:
    """The place nearest to points (n, 5, 2) seen in the tangent plane."""
    total = max(float(weights.sum()), 1e-300)
    flat = shape.flat_m
    center = (weights[..., None] * flat).sum(axis=(0, 1)) / total
    middle = (weights[..., None] * seen_m).sum(axis=(0, 1)) / total
    a, b = flat - center, seen_m - middle
    along = float((weights * (a[:, 0] * b[..., 0] + a[:, 1] * b[..., 1])).sum())
    across = float((weights * (a[:, 0] * b[..., 1] - a[:, 1] * b[..., 0])).sum())
    turn = float(np.arctan2(across, along))
    ball = middle - _turned(center, turn)
    return Placed(turn, (float(ball[0]), float(ball[1])))


def points_of(shape: FootShape, placed: Placed) -> Array:
    """(5, 2) where the points of a flat foot are."""
    return _turned(shape.flat_m, placed.turn_rad) + np.array(placed.ball_m)


def stretches_of(
    shape: FootShape,
    seen_m: Array,
    weights: Array,
    first: int,
    rate_hz: float,
    largest_m: float = LARGEST_MISS_M,
) -> list[Stretch]:
    """One stance that begins with frame `first`, cut where the foot travels.

    Its points are seen at (n, 5, 2) in the tangent plane, and no slow one, by weights (n, 5), may
    be farther than `largest_m` from its print.
    """
    shortest = max(2, round(SHORTEST_S * rate_hz))
    return _cut(shape, seen_m, weights, first, shortest, largest_m)


def _cut(
    shape: FootShape, seen_m: Array, weights: Array, first: int, shortest: int, largest_m: float
) -> list[Stretch]:
    count = len(seen_m)
    placed, miss = _fitted(shape, seen_m, weights)
    turns = _turned_away_rad(shape, seen_m, weights, placed) > LARGEST_TURN_RAD
    if miss <= largest_m and not turns:
        return [Stretch(first, first + count, placed)]
    if count < 2 * shortest:
        return [Stretch(first, first + count, None)]
    step = max(1, shortest // 4)
    cuts = range(shortest, count - shortest + 1, step)
    # Who turns on the ball is seen to do so by the heel, which does not touch.
    tell = np.ones_like(weights) if turns else weights
    best = min(
        cuts,
        key=lambda k: _squares(shape, seen_m[:k], tell[:k]) + _squares(shape, seen_m[k:], tell[k:]),
    )
    return [
        *_cut(shape, seen_m[:best], weights[:best], first, shortest, largest_m),
        *_cut(shape, seen_m[best:], weights[best:], first + best, shortest, largest_m),
    ]


def _fitted(shape: FootShape, seen_m: Array, weights: Array) -> tuple[Placed, float]:
    placed = placed_at(shape, seen_m, weights)
    away = np.linalg.norm(seen_m - points_of(shape, placed), axis=-1)
    return placed, float(np.where(weights > np.exp(-1.0), away, 0.0).max(initial=0.0))


def _turned_away_rad(shape: FootShape, seen_m: Array, weights: Array, placed: Placed) -> float:
    """How far a foot is turned from its print, at most, while one of its points stands."""
    flat = shape.flat_m - shape.flat_m.mean(axis=0)
    seen = seen_m - seen_m.mean(axis=1, keepdims=True)
    along = (flat * seen).sum(axis=(1, 2))
    across = (flat[:, 0] * seen[..., 1] - flat[:, 1] * seen[..., 0]).sum(axis=1)
    away = np.arctan2(across, along) - placed.turn_rad
    away = np.abs((away + np.pi) % (2.0 * np.pi) - np.pi)
    # A foot that stands on end has no heading.
    level = np.hypot(along, across) > _LEVEL * (flat**2).sum()
    return float(away[level & (weights.max(axis=1) > np.exp(-1.0))].max(initial=0.0))


def _squares(shape: FootShape, seen_m: Array, weights: Array) -> float:
    placed = placed_at(shape, seen_m, weights)
    away = seen_m - points_of(shape, placed)
    return float((weights * (away**2).sum(axis=-1)).sum())


def _turned(points: Array, angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return points @ np.array([[c, s], [-s, c]])
