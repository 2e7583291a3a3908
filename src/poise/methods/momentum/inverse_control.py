"""Inverse control (section 4.3.3): the member between members that puts a point where it should be.

The point's place at a frame is a smooth function of the coordinates when neighbours share by
squares of sine and cosine. Damped Gauss–Newton steps on differences find the coordinate; every cell
of the family is looked at first, at its middle, since slopes vanish at the members themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Literal

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Character
from poise.compiled import compiled
from poise.constraints import find_point
from poise.errors import BadShape, BadValue
from poise.mechanics import multiply, turn
from poise.methods.momentum.family import Family

HIT_M = 0.005
"""Nearer than this a point is where it should be."""
_STEP = 1e-4
_ITERATIONS = 30
_MOST_STARTS = 8
_SETTLED_M = 1e-5

Found = Literal["hit", "out_of_reach"]


@dataclass(frozen=True, eq=False)
class Hit:
    """Where in the family a point comes nearest to a place."""

    coordinate: tuple[float, ...]
    frame: int
    miss_m: float
    status: Found
    place_m: tuple[float, float, float]
    """Where the point then is."""


class Aim:
    """A point of a family's body, ready to be looked for."""

    def __init__(self, family: Family, character: Character, point: str) -> None:
        """Args: the family; whose sites are meant; a site, joint or role."""
        skeleton = family.clip.skeleton
        joint, offset = find_point(character, point)
        self._chain = np.array(sorted(skeleton.ancestors(joint)), dtype=np.int64)
        self._offsets = np.concatenate([skeleton.offsets_m[self._chain], offset[None]])
        self._family = family
        self._spans = np.array([max(b - a, 1e-9) for a, b in family.bounds])
        self._low = np.array([a for a, _ in family.bounds])
        self._high = np.array([b for _, b in family.bounds])
        self._axes = [np.array(axis.values) for axis in family.axes]
        self._flat = np.concatenate(self._axes)
        self._sizes = np.array([len(a) for a in self._axes], dtype=np.int64)

    def place_m(self, coordinate: Sequence[float] | Array, frame: int) -> Array:
        """(3,) where the point is, with smooth weights."""
        place = np.empty(3)
        _place(
            self._family.roots_m, self._family.rotations_wxyz, self._flat, self._sizes,
            np.asarray(coordinate, dtype=np.float64), frame, self._chain, self._offsets, place,
        )  # fmt: skip
        return place

    def hit(self, place_m: Sequence[float] | Array, frame: int) -> Hit:
        """The coordinate that puts the point nearest to a place at a frame.

        Raises:
            BadValue: a frame that there is not, a place that is none.
        """
        family = self._family
        goal = np.asarray(place_m, dtype=np.float64)
        if goal.shape != (3,):
            raise BadShape("place_m", "(3,)", goal.shape)
        if not np.isfinite(goal).all():
            raise BadValue("place_m", "three numbers", place_m)
        if not 0 <= frame < family.frame_count:
            raise BadValue("frame", f"from 0 to {family.frame_count - 1}", frame)
        x, miss = self._low, np.inf
        for per_cell in (1, 4):  # a descent may end beside the goal: then from nearer to it
            for start in self._nearest_starts(goal, frame, per_cell):
                found, off = self._descended(start, goal, frame)
                if off < miss:
                    x, miss = found, off
                if miss <= HIT_M:
                    break
            if miss <= HIT_M:
                break
        status: Found = "hit" if miss <= HIT_M else "out_of_reach"
        place = self.place_m(x, frame)
        return Hit(
            tuple(float(v) for v in x), frame, miss, status,
            (float(place[0]), float(place[1]), float(place[2])),
        )  # fmt: skip

    def meet(self, path_m: Array, first: int = 0) -> Hit:
        """The frame and the coordinate at which the point meets something that moves.

        That is at `path_m` (n, 3) from frame `first` on; NaN where it is not to be met.
        """
        path = np.asarray(path_m, dtype=np.float64)
        if path.ndim != 2 or path.shape[1] != 3:
            raise BadShape("path_m", "(n, 3)", path.shape)
        known = [
            n for n in range(len(path))
            if np.isfinite(path[n]).all() and 0 <= first + n < self._family.frame_count
        ]  # fmt: skip
        if not known:
            raise BadValue("path_m", "at least one place in a frame of the family", "none")
        tries = [self.hit(path[n], first + n) for n in known]
        return min(tries, key=lambda each: each.miss_m)

    def _nearest_starts(self, goal: Array, frame: int, per_cell: int) -> list[Array]:
        """Where to start: so many places in each cell, along every axis, the nearest first."""
        shares = (np.arange(per_cell) + 0.5) / per_cell
        within = [
            (a[:-1, None] + shares * np.diff(a)[:, None]).ravel() if len(a) > 1 else a
            for a in self._axes
        ]
        tries = [np.array(each) for each in product(*within)]
        misses = [float(np.linalg.norm(self.place_m(each, frame) - goal)) for each in tries]
        return [tries[int(n)] for n in np.argsort(misses)[:_MOST_STARTS]]

    def _descended(self, x: Array, goal: Array, frame: int) -> tuple[Array, float]:
        off = self.place_m(x, frame) - goal
        miss, damping = float(np.linalg.norm(off)), 1e-4
        for _ in range(_ITERATIONS):
            if miss < _SETTLED_M:
                break
            slopes = np.empty((3, len(x)))
            for k in range(len(x)):
                step = _STEP * self._spans[k]
                one, other = x.copy(), x.copy()
                one[k] = min(x[k] + step, self._high[k])
                other[k] = max(x[k] - step, self._low[k])
                wide = (one[k] - other[k]) / self._spans[k]
                change = self.place_m(one, frame) - self.place_m(other, frame)
                slopes[:, k] = change / max(wide, 1e-12)
            matrix = slopes.T @ slopes
            scale = max(float(np.trace(matrix)), 1e-12)
            better = False
            for _ in range(6):
                step = np.linalg.solve(matrix + damping * scale * np.eye(len(x)), -slopes.T @ off)
                tried = np.clip(x + step * self._spans, self._low, self._high)
                then = self.place_m(tried, frame) - goal
                now = float(np.linalg.norm(then))
                if now < miss:
                    better = now < miss - _SETTLED_M
                    x, off, miss, damping = tried, then, now, max(0.1 * damping, 1e-8)
                    break
                damping *= 10.0
            if not better:
                break
        return x, miss


@compiled
def _place(
    roots: Array, turns: Array, axes: Array, sizes: Indices, coordinate: Array, frame: int,
    chain: Indices, offsets: Array, place: Array,
) -> None:  # fmt: skip
    """Blend only the joints that carry the point, and follow them to it."""
    dimensions = len(sizes)
    corners = 1 << dimensions
    members, weights = np.zeros(corners, dtype=np.int64), np.ones(corners)
    start = 0
    for d in range(dimensions):
        size = sizes[d]
        low = 0
        while low < size - 2 and coordinate[d] >= axes[start + low + 1]:
            low += 1
        high = min(low + 1, size - 1)
        width = axes[start + high] - axes[start + low]
        share = (coordinate[d] - axes[start + low]) / width if width > 0.0 else 0.0
        share = np.sin(0.5 * np.pi * share) ** 2
        for c in range(corners):
            upper = (c >> d) & 1
            members[c] = members[c] * size + (high if upper else low)
            weights[c] *= share if upper else 1.0 - share
        start += size
    for k in range(3):
        place[k] = 0.0
        for c in range(corners):
            place[k] += weights[c] * roots[members[c], frame, k]
    w, x, y, z = 1.0, 0.0, 0.0, 0.0
    for n in range(len(chain)):
        j = chain[n]
        if n > 0:
            o = offsets[n]
            ox, oy, oz = turn(w, x, y, z, o[0], o[1], o[2])
            place[0] += ox
            place[1] += oy
            place[2] += oz
        a, b, c_, d_ = 0.0, 0.0, 0.0, 0.0
        first = turns[members[0], frame, j]
        for c in range(corners):
            q = turns[members[c], frame, j]
            same = first[0] * q[0] + first[1] * q[1] + first[2] * q[2] + first[3] * q[3]
            s = weights[c] if same >= 0.0 else -weights[c]
            a, b, c_, d_ = a + s * q[0], b + s * q[1], c_ + s * q[2], d_ + s * q[3]
        norm = 1.0 / np.sqrt(max(a * a + b * b + c_ * c_ + d_ * d_, 1e-300))
        w, x, y, z = multiply(w, x, y, z, a * norm, b * norm, c_ * norm, d_ * norm)
    o = offsets[len(chain)]
    ox, oy, oz = turn(w, x, y, z, o[0], o[1], o[2])
    place[0] += ox
    place[1] += oy
    place[2] += oz
