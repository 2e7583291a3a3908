"""How a clip and a pattern lie on each other: in time by a warp, in the room by a placing.

Events are at the same moment in all motions (Carvalho, Boulic & Thalmann 2007, section 5). Between
events the paper stretches time evenly, which bends a motion's speed at every event, the hit above
all. Here the map is a monotone cubic through the same pairs (Fritsch and Carlson): it goes through
every event, never turns back, and its speed is continuous. With no event between the ends, both are
the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from poise import rotations
from poise.arrays import Array, Indices, frozen_array
from poise.character import UP
from poise.errors import BadValue

_HALVINGS = 60


@dataclass(frozen=True, eq=False)
class Warp:
    """Which frame of a clip is which frame of the pattern, and back."""

    normal: Array
    """(k,) frames of the pattern, ascending: its first, its events, its last."""
    own: Array
    """(k,) the clip's frames at those moments; not always whole ones."""

    def __post_init__(self) -> None:
        count = len(self.normal)
        for name in ("normal", "own"):
            knots = frozen_array(f"{name} knots", getattr(self, name), (count,))
            if count < 2 or not (np.diff(knots) > 0).all():
                raise BadValue(f"{name} knots", "two or more, ascending", knots.tolist())
            object.__setattr__(self, name, knots)

    def to_own(self, normal: Array) -> Array:
        """Frames of the clip at frames of the pattern; held at its first and last."""
        normal = np.clip(np.asarray(normal, dtype=np.float64), self.normal[0], self.normal[-1])
        at = _piece(self.normal, normal)
        wide = np.diff(self.normal)[at]
        return self._within(at, (normal - self.normal[at]) / wide)

    def to_normal(self, own: Array) -> Array:
        """Frames of the pattern at frames of the clip: the inverse, to rounding."""
        own = np.clip(np.asarray(own, dtype=np.float64), self.own[0], self.own[-1])
        at = _piece(self.own, own)
        low, high = np.zeros(own.shape), np.ones(own.shape)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            beyond = self._within(at, middle) > own
            low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
        share = np.where(own >= self.own[-1], 1.0, low)
        return self.normal[at] + share * np.diff(self.normal)[at]

    def _within(self, at: Indices, share: Array) -> Array:
        """The clip's frame a share of the way through an interval."""
        wide = np.diff(self.normal)[at]
        a, b = self.own[at], self.own[at + 1]
        u, v = self._slopes[at] * wide, self._slopes[at + 1] * wide
        s, rest = share, 1.0 - share
        return (
            a * (1.0 + 2.0 * s) * rest**2
            + b * s**2 * (3.0 - 2.0 * s)
            + u * s * rest**2
            - v * s**2 * rest
        )

    @cached_property
    def _slopes(self) -> Array:
        """(k,) clip frames a pattern frame, at every knot."""
        wide = np.diff(self.normal)
        steep = np.diff(self.own) / wide
        slopes = np.empty(len(self.normal))
        slopes[0], slopes[-1] = steep[0], steep[-1]
        before, after = 2.0 * wide[1:] + wide[:-1], wide[1:] + 2.0 * wide[:-1]
        slopes[1:-1] = (before + after) / (before / steep[:-1] + after / steep[1:])
        return slopes


def _piece(knots: Array, at: Array) -> Indices:
    """Which interval between knots each number lies in."""
    return np.clip(np.searchsorted(knots, at, "right") - 1, 0, len(knots) - 2).astype(np.int64)


@dataclass(frozen=True)
class Placing:
    """From the room of a clip to that of the pattern: up, over the floor, around."""

    turn_rad: float
    """About the vertical, to the left."""
    from_m: tuple[float, float, float]
    """The clip's place that goes to `to_m`, and that is turned about."""
    to_m: tuple[float, float, float]

    @property
    def turn_wxyz(self) -> Array:
        """The turn."""
        return rotations.from_axis_angle(UP, np.float64(self.turn_rad))

    def places(self, places_m: Array) -> Array:
        """(..., 3) places of the clip, in the pattern's room."""
        moved = rotations.rotate(self.turn_wxyz, places_m - np.array(self.from_m))
        return moved + np.array(self.to_m)

    def places_back(self, places_m: Array) -> Array:
        """(..., 3) places of the pattern, in the clip's room."""
        turned = rotations.rotate(
            rotations.conjugate(self.turn_wxyz), places_m - np.array(self.to_m)
        )
        return turned + np.array(self.from_m)

    def root_turns(self, turns_wxyz: Array) -> Array:
        """(..., 4) how the root is turned, seen from the pattern's room."""
        return rotations.multiply(self.turn_wxyz, turns_wxyz)

    def root_turns_back(self, turns_wxyz: Array) -> Array:
        """(..., 4) the same seen from the clip's room."""
        return rotations.multiply(rotations.conjugate(self.turn_wxyz), turns_wxyz)
