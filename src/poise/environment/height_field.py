"""Uneven ground as heights on a regular grid."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from poise.arrays import Array, Indices, frozen_array
from poise.errors import BadShape, BadValue
from poise.formats import Lines, read_text


def read_heights(path: Path) -> Array:
    """(X, Z) metres: one line for each x, in it one number for each z.

    Numbers are separated by commas, semicolons or blanks; lines beginning with # are comments.

    Raises:
        FileProblem: with the line of a word that is no number, or of a row of another length.
    """
    lines = Lines(read_text(path))
    values, width = array("d"), 0
    while (line := lines.next()).words:
        words = " ".join(line.words).replace(",", " ").replace(";", " ").split()
        width = width or len(words)
        if len(words) != width:
            raise lines.wrong(line, f"{width} heights as in the first row", found=f"{len(words)}")
        values.extend(lines.numbers(line, words, "a height in metres"))
        if len(values) > MAX_NODES:
            raise lines.wrong(line, f"at most {MAX_NODES} heights", found="more")
    return np.array(values).reshape(-1, max(width, 1))


MAX_NODES = 4_000_000
"""A hectare at 5 cm: with the blocks that are looked through, a field takes 50 bytes a node."""

BEYOND_M = 1e4
"""How far the ground goes on past its border, at the height of the border."""


@dataclass(frozen=True, eq=False)
class HeightField:
    """All that lies below a triangulated terrain.

    Each cell of the grid is two triangles, split along the diagonal from its low-x, low-z corner
    to its high-x, high-z one. Past the border the terrain goes on level, at the border's height.
    Distances are to the closest point of the triangles, not straight down.
    """

    heights_m: Array
    """(X, Z) at the nodes: `heights_m[i, k]` at x = origin[0] + i·spacing[0], z likewise."""
    spacing_m: Array
    """(2,) between nodes along x and z."""
    origin_m: Array = field(default_factory=lambda: np.zeros(2))
    """(2,) x and z of the first node."""
    belt_velocity_m_s: Array = field(default_factory=lambda: np.zeros(3))
    """(3,) of the surface itself; what points along the normal is left out when asked for."""
    name: str = "height field"

    def __post_init__(self) -> None:
        shape = np.shape(self.heights_m)
        if len(shape) == 2 and not 4 <= shape[0] * shape[1] <= MAX_NODES:
            raise BadValue("heights_m", f"a grid of 4 to {MAX_NODES} nodes", f"{shape}")
        heights = frozen_array("heights_m", self.heights_m, ("X", "Z"))
        if min(heights.shape) < 2:
            raise BadShape("heights_m", "(X, Z) with at least two nodes each way", heights.shape)
        spacing = frozen_array("spacing_m", self.spacing_m, (2,))
        if not (spacing > 0).all():
            raise BadValue("spacing_m", "positive", spacing.tolist())
        object.__setattr__(self, "heights_m", heights)
        object.__setattr__(self, "spacing_m", spacing)
        object.__setattr__(self, "origin_m", frozen_array("origin_m", self.origin_m, (2,)))
        velocity = frozen_array("belt_velocity_m_s", self.belt_velocity_m_s, (3,))
        object.__setattr__(self, "belt_velocity_m_s", velocity)

    @cached_property
    def nodes(self) -> tuple[Array, Array, Array]:
        """Coordinates along x and along z, and heights, with a far ring around the grid."""
        x, z = (
            _with_far_ends(self.origin_m[axis] + self.spacing_m[axis] * np.arange(count))
            for axis, count in enumerate(self.heights_m.shape)
        )
        heights = np.ascontiguousarray(np.pad(self.heights_m, 1, mode="edge"))
        for each in (x, z, heights):
            each.flags.writeable = False
        return x, z, heights

    @cached_property
    def pyramid(self) -> tuple[Array, Indices]:
        """Lowest and highest points of blocks of cells, each level halving the one before.

        Returns:
            (N, 2) bounds of all levels one after the other, and (L, 3) of each level: where it
            starts, and how many blocks it has along x and z.
        """
        heights = self.nodes[2]
        low, high = (
            pick(pick(heights[:-1, :-1], heights[1:, :-1]), pick(heights[:-1, 1:], heights[1:, 1:]))
            for pick in (np.minimum, np.maximum)
        )
        bounds, levels, start = list[Array](), list[tuple[int, int, int]](), 0
        while True:
            bounds.append(np.stack([low.reshape(-1), high.reshape(-1)], axis=1))
            levels.append((start, *low.shape))
            start += low.size
            if low.size == 1:
                break
            low, high = _halved(low, np.minimum), _halved(high, np.maximum)
        packed, table = np.concatenate(bounds), np.array(levels, dtype=np.int64)
        packed.flags.writeable = table.flags.writeable = False
        return packed, table


def _with_far_ends(line: Array) -> Array:
    return np.concatenate([[line[0] - BEYOND_M], line, [line[-1] + BEYOND_M]])


def _halved(values: Array, pick: np.ufunc) -> Array:
    even = np.pad(values, [(0, n % 2) for n in values.shape], mode="edge")
    return pick(
        pick(even[::2, ::2], even[1::2, ::2]),
        pick(even[::2, 1::2], even[1::2, 1::2]),
    )
