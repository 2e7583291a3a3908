"""Poses between the members of a motion family (section 4.3.1): the nearest 2ⁿ, weighed.

Members lie on a grid of any dimension. Along every axis the two neighbours of a coordinate share it
by where it lies between them, linearly, or by squares of sine and cosine, whose slope is zero at
the members, so that a search over coordinates sees no kink where neighbours change (section 4.3.3).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import compiled
from poise.errors import BadShape, BadValue

Weighing = Literal["linear", "smooth"]


def nearest(
    axes: Sequence[Array], coordinate: Sequence[float], weighing: Weighing = "linear"
) -> tuple[Indices, Array]:
    """The members around a coordinate, and their weights, which sum to 1.

    Along every dimension members have rising coordinates; the last dimension runs fastest.

    Raises:
        BadShape: not one number for every dimension.
        BadValue: a coordinate outside the family.
    """
    if len(coordinate) != len(axes):
        raise BadShape("coordinate", f"({len(axes)},)", (len(coordinate),))
    members, weights = np.zeros(1, dtype=np.int64), np.ones(1)
    for n, (axis, value) in enumerate(zip(axes, coordinate, strict=True)):
        if not axis[0] <= value <= axis[-1]:
            allowed = f"from {axis[0]:g} to {axis[-1]:g}"
            raise BadValue(f"coordinate {n} of the family", allowed, value)
        last = max(len(axis) - 2, 0)
        low = int(np.clip(np.searchsorted(axis, value, side="right") - 1, 0, last))
        high = min(low + 1, len(axis) - 1)
        width = float(axis[high] - axis[low])
        share = (value - float(axis[low])) / width if width > 0.0 else 0.0
        if weighing == "smooth":
            share = float(np.sin(0.5 * np.pi * share) ** 2)
        members = (members[:, None] * len(axis) + np.array([low, high])).ravel()
        weights = (weights[:, None] * np.array([1.0 - share, share])).ravel()
    return members, weights


def blended(
    roots_m: Array, rotations_wxyz: Array, members: Indices, weights: Array
) -> tuple[Array, Array]:
    """Means of members (N,) of all (M, F, ...): (F, 3) roots and (F, J, 4) local rotations."""
    _, frames, joints, _ = rotations_wxyz.shape
    roots, turns = np.empty((frames, 3)), np.empty((frames, joints, 4))
    _blend(roots_m, rotations_wxyz, members, weights, roots, turns)
    return roots, turns


@compiled
def _blend(
    roots_m: Array, rotations_wxyz: Array, members: Indices, weights: Array, roots: Array,
    turns: Array,
) -> None:  # fmt: skip
    for f in range(roots.shape[0]):
        for c in range(3):
            roots[f, c] = 0.0
            for n in range(len(members)):
                roots[f, c] += weights[n] * roots_m[members[n], f, c]
        for j in range(turns.shape[1]):
            turns[f, j, :] = 0.0
            first = rotations_wxyz[members[0], f, j]
            for n in range(len(members)):
                q = rotations_wxyz[members[n], f, j]
                # Of the two quaternions of a rotation, the one on the first member's side.
                same = first[0] * q[0] + first[1] * q[1] + first[2] * q[2] + first[3] * q[3]
                w = weights[n] if same >= 0.0 else -weights[n]
                for c in range(4):
                    turns[f, j, c] += w * q[c]
            size = 0.0
            for c in range(4):
                size += turns[f, j, c] ** 2
            scale = 1.0 / np.sqrt(max(size, 1e-300))
            for c in range(4):
                turns[f, j, c] *= scale
