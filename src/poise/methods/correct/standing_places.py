"""What standing means for a vertex: one place for each stance, and a path that leads to it.

The paper only asks that a contact does not move (Eq. 9), which leaves it to the trajectories where:
a weak voice that would need a thousand rounds to be heard, and that carries every contact which
begins a frame too early into the path of the whole walk. Here a stance stands where the reference
has it, on the mean, in which frames count that rest more than those in which it lands or leaves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing
from poise.methods.correct.problem import STATIC


@borrowing
def stand_places(
    paths: Array, carried: Array, contacts: NDArray[np.int8], resting: float, places: Array
) -> None:
    """Fill in the place of every stance, for each of its frames.

    Args:
        paths: (3, T·B) the contact vertices in the reference.
        carried: (3, T·B) how far belts have carried what stands on them.
        contacts: (T, B)
        resting: how far a vertex that rests may go in two frames.
        places: (3, T·B) is filled where something stands; without what the belt carries, and not
            yet on the surface.
    """
    frames, parts = contacts.shape
    for b in range(parts):
        first = 0
        while first < frames:
            if contacts[first, b] != STATIC:
                first += 1
                continue
            last = first + 1
            while last < frames and contacts[last, b] == STATIC:
                last += 1
            _fill(paths, carried, b, parts, first, last, frames, resting, places)
            first = last


@inlined_borrowing
def _fill(
    paths: Array, carried: Array, b: int, parts: int, first: int, last: int, frames: int,
    resting: float, places: Array,
) -> None:  # fmt: skip
    total, px, py, pz = 0.0, 0.0, 0.0, 0.0
    for t in range(first, last):
        c = t * parts + b
        before, after = max(t - 1, 0) * parts + b, min(t + 1, frames - 1) * parts + b
        square = 0.0
        for k in range(3):
            step = paths[k, after] - carried[k, after] - paths[k, before] + carried[k, before]
            square += step * step
        share = 1.0 / (square + resting * resting)
        total += share
        px += share * (paths[0, c] - carried[0, c])
        py += share * (paths[1, c] - carried[1, c])
        pz += share * (paths[2, c] - carried[2, c])
    for t in range(first, last):
        c = t * parts + b
        places[0, c], places[1, c], places[2, c] = px / total, py / total, pz / total


@inlined_borrowing
def standing_change(
    paths: Array, carried: Array, contacts: NDArray[np.int8], t: int, b: int, k: int
) -> float:
    """What standing changes of a vertex's second difference in the reference, halved (Eq. 8).

    The paper leaves the trajectory potential out for what touches. Then a foot may leave the ground
    with any speed, and pops. Here it stays, and steps between two frames of a stance, in which the
    reference may slide, count as none: while it stands the row asks for rest, and on its first and
    last frame for the speed with which the reference arrives or leaves.
    """
    change, parts = 0.0, contacts.shape[1]
    c = t * parts + b
    if contacts[t, b] == STATIC:
        for n in (t - 1, t + 1):
            if contacts[n, b] == STATIC:
                d = n * parts + b
                change -= 0.5 * (paths[k, d] - carried[k, d] - paths[k, c] + carried[k, c])
    return change
