"""Where a motion stands in the room, and which way it faces: not part of its pattern.

Clips are moved over the floor and turned about the vertical so that their joints come as near as
possible to those of the mean motion, over all frames (Procrustes analysis): otherwise the first
component is the room. Heights count from the ground that the feet show.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.methods.motion_alignment import Placing

_ROUNDS = 100
_SAME_M = 1e-10


def placing_on(joints_m: Array, wanted_m: Array, ground_m: float) -> Placing:
    """What brings joints (N, J, 3) nearest to where they are wanted, and their ground to zero."""
    a, b = _on_floor(joints_m), _on_floor(wanted_m)
    turn = _best_turn(a - a.mean(), b - b.mean())
    return _placing(turn, complex(a.mean()), complex(b.mean()), ground_m)


def placings_together(joints_m: Sequence[Array], grounds_m: Sequence[float]) -> list[Placing]:
    """What brings all motions, M of (N, J, 3), as near as possible to their common mean.

    The mean stands at the origin and faces about as the first motion does.
    """
    floors = [_on_floor(joints) for joints in joints_m]
    middles = [complex(floor.mean()) for floor in floors]
    centred = np.array([floor - middle for floor, middle in zip(floors, middles, strict=True)])
    mean, turns = centred[0], np.zeros(len(centred))
    for _ in range(_ROUNDS):
        turns = np.array([_best_turn(each, mean) for each in centred])
        made = (np.exp(-1j * turns) @ centred) / len(centred)
        moved = float(np.abs(made - mean).max())
        mean = made
        if moved < _SAME_M:
            break
    found = zip(turns.tolist(), middles, grounds_m, strict=True)
    return [_placing(turn, middle, 0j, float(ground)) for turn, middle, ground in found]


def _on_floor(joints_m: Array) -> NDArray[np.complex128]:
    """(n,) x + iz of every joint in every frame: a turn to the left by t is a factor exp(-it)."""
    return (joints_m[..., 0] + 1j * joints_m[..., 2]).ravel()


def _best_turn(a: NDArray[np.complex128], b: NDArray[np.complex128]) -> float:
    return -float(np.angle(np.vdot(a, b)))


def _placing(turn: float, middle: complex, to: complex, ground_m: float) -> Placing:
    return Placing(turn, (middle.real, ground_m, middle.imag), (to.real, 0.0, to.imag))
