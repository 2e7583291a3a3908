"""What is drawn over the figures, as plain arrays, whoever computed them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array


@dataclass(frozen=True, eq=False)
class Overlays:
    """Marks of a clip, frame by frame; whatever is None is not drawn."""

    com_m: Array | None = None
    """(F, 3) centre of mass."""
    zmp_m: Array | None = None
    """(F, 3) zero-moment point, NaN where there is none."""
    points_m: Array | None = None
    """(F, C, 3) points that can touch."""
    touching: NDArray[np.bool_] | None = None
    """(F, C) which of them do."""

    def touch_points(self, frame: int) -> Array:
        """(N, 3) the points that touch in one frame."""
        if self.points_m is None or self.touching is None:
            return np.zeros((0, 3))
        return self.points_m[frame][self.touching[frame]]

    def sliced(self, first: int, last: int) -> Overlays:
        """The marks of frames `first` up to but not including `last`."""

        def part(values: Array | None) -> Array | None:
            return None if values is None else values[first:last]

        touching = None if self.touching is None else self.touching[first:last]
        return Overlays(part(self.com_m), part(self.zmp_m), part(self.points_m), touching)


def support_outline(points_m: Array, u: Array, v: Array) -> Array:
    """(N, 3) corners of the area that points span, seen along the third axis; in order around.

    Args:
        points_m: (N, 3) touching points.
        u: (3,) one direction of the ground.
        v: (3,) the other.
    """
    if len(points_m) < 3:
        return points_m
    flat = np.stack([points_m @ u, points_m @ v], axis=1)
    order = np.lexsort((flat[:, 1], flat[:, 0]))

    def half(indices: list[int]) -> list[int]:
        chain: list[int] = []
        for i in indices:
            while len(chain) >= 2 and _turn(flat[chain[-2]], flat[chain[-1]], flat[i]) <= 1e-12:
                chain.pop()
            chain.append(i)
        return chain[:-1]

    forth = order.tolist()
    return points_m[half(forth) + half(forth[::-1])]


def _turn(a: Array, b: Array, c: Array) -> float:
    return float((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))
