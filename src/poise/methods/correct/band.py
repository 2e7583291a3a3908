"""The matrix of the global step (Eq. 3): AᵀA, straight into the band that is factored.

Unknowns come frame by frame, so that a frame shares equations with the two that follow: everything
along time is a second difference. All rows weigh all three coordinates alike, hence one matrix for
all three. Only contacts and penetrations change it; the rest is assembled once for a clip.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing
from poise.methods.correct.problem import (
    ANCHOR,
    BALANCE,
    BONE,
    CONTACT,
    PENETRATION,
    TRAJECTORY,
    Problem,
)

REACH = 3
"""Frames that a frame's equations reach, its own included."""


@inlined_borrowing
def _add(band: Array, i: int, j: int, value: float) -> None:
    if i <= j:
        band[i, j - i] += value
    else:
        band[j, i - j] += value


@inlined_borrowing
def _add_second_difference(band: Array, i: int, width: int, value: float) -> None:
    """Add value · |v₋ − 2v + v₊|² of the unknown i and its neighbours in time."""
    before, after = i - width, i + width
    band[before, 0] += value
    band[before, width] -= 2.0 * value
    band[before, 2 * width] += value
    band[i, 0] += 4.0 * value
    band[i, width] -= 2.0 * value
    band[after, 0] += value


@borrowing
def assemble(problem: Problem, band: Array) -> None:
    """All that does not depend on contacts, into a band (N, REACH · V)."""
    width, frames = len(problem.shares), problem.lengths.shape[0]
    weights, shares = problem.weights, problem.shares
    band[:] = 0.0
    for t in range(frames):
        start = t * width
        for v in range(width):
            band[start + v, 0] += weights[ANCHOR]
        for e in range(len(problem.bones)):
            a, b = start + problem.bones[e, 0], start + problem.bones[e, 1]
            band[a, 0] += weights[BONE]
            band[b, 0] += weights[BONE]
            _add(band, a, b, -weights[BONE])
        for r in range(len(problem.rows)):
            middle, one, other = problem.rows[r]
            w = problem.row_weights[r]
            i, j = start + middle, start + one
            band[i, 0] += w
            if other < 0:
                band[j, 0] += w
                _add(band, i, j, -w)
                continue
            k = start + other
            band[j, 0] += 0.25 * w
            band[k, 0] += 0.25 * w
            _add(band, i, j, -0.5 * w)
            _add(band, i, k, -0.5 * w)
            _add(band, j, k, 0.25 * w)
    for t in range(1, frames - 1):
        for v in range(width):
            _add_second_difference(band, t * width + v, width, 0.25 * weights[TRAJECTORY])
        _add_center(band, t * width, width, shares, weights[BALANCE])


@inlined_borrowing
def _add_center(band: Array, start: int, width: int, shares: Array, weight: float) -> None:
    """Add weight · |Σ share (v₋ − 2v + v₊)|²."""
    for a in range(3):
        left = -2.0 if a == 1 else 1.0
        for u in range(width):
            i = start + (a - 1) * width + u
            if shares[u] == 0.0:
                continue
            for b in range(a, 3):
                both = weight * left * shares[u] * (-2.0 if b == 1 else 1.0)
                for v in range(u if b == a else 0, width):
                    band[i, (b - a) * width + v - u] += both * shares[v]


@borrowing
def assemble_contacts(
    problem: Problem, contacts: NDArray[np.bool_], band: Array, first: int
) -> None:
    """Turn the matrix without contacts, from frame `first` on, into that of a sequence.

    What touches is on the surface, does not slip from one touching frame to the next (Eq. 9), and
    has no trajectory of its own.
    """
    width, frames = len(problem.shares), len(contacts)
    w, path = problem.weights[CONTACT], -0.25 * problem.weights[TRAJECTORY]
    start = first * width
    for t in range(max(0, first - 1), frames):
        for b in range(contacts.shape[1]):
            if not contacts[t, b]:
                continue
            i = t * width + problem.contact_vertex[b]
            before, after = i - width, i + width
            if i >= start:
                band[i, 0] += w
            if t > 0 and contacts[t - 1, b]:
                if before >= start:
                    band[before, 0] += w
                    band[before, width] -= w
                if i >= start:
                    band[i, 0] += w
            if 0 < t < frames - 1:
                if before >= start:
                    band[before, 0] += path
                    band[before, width] -= 2.0 * path
                    band[before, 2 * width] += path
                if i >= start:
                    band[i, 0] += 4.0 * path
                    band[i, width] -= 2.0 * path
                if after >= start:
                    band[after, 0] += path


@borrowing
def add_penetration(problem: Problem, band: Array, unknown: int) -> None:
    """Hold one vertex in one frame."""
    band[unknown, 0] += problem.weights[PENETRATION]


@borrowing
def add_pair(problem: Problem, band: Array, frame: int, pair: int) -> None:
    """Hold two vertices of one frame apart."""
    start, w = frame * len(problem.shares), problem.weights[PENETRATION]
    i, j = start + problem.pairs[pair, 0], start + problem.pairs[pair, 1]
    band[i, 0] += w
    band[j, 0] += w
    _add(band, i, j, -w)


@borrowing
def first_changed_frame(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> int:
    """The first frame whose equations differ between two contact sequences; T if none.

    Rows along time take the frame before a changed contact along.
    """
    for t in range(len(before)):
        for b in range(before.shape[1]):
            if before[t, b] != after[t, b]:
                return max(0, t - 1)
    return len(before)
