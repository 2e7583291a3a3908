"""Momentum over the whole clip as a linear function of its unknowns (section 4.2.3).

Unknown are the momentum at the start of every flight, which gravity then takes along, and the
control points of ground stages, less those that the flights next to them decide: the first and the
last, and where the slope is known the second and the last but one. So curves are C⁰ everywhere and
C¹ into and out of flight, but for the impulse of a landing, whatever the unknowns are.

A ground stage's curves live in axes that turn with the stage: a leap to the right that is turned to
the front keeps the shape of its momentum along its own way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.methods.momentum.momentum_curves import CURVES, VERTICAL, StageMomentum
from poise.methods.momentum.stages import Stage
from poise.solvers import DEGREE

_UP = np.array([0.0, 1.0, 0.0])


@dataclass(frozen=True, eq=False)
class CurveUnknowns:
    """Between frames i and i + 1 momentum is basis · control + constant, over mass: in m/s."""

    basis: Array
    """(F − 1, 6, S)"""
    constant: Array
    """(F − 1, 6)"""
    first: Indices
    """(F − 1,)"""
    stop: Indices
    """(F − 1,)"""
    begins: Indices
    """(S,) the first frame whose momentum a control point has a part in, never falling."""
    flights: Mapping[int, int]
    """By the index of a flight: where the six numbers of its start are."""


def curve_unknowns(
    stages: Sequence[Stage],
    fitted: Mapping[int, StageMomentum],
    turns_rad: Mapping[int, float],
    rate_hz: float,
) -> CurveUnknowns:
    """Set up the curves of a clip.

    Args:
        stages: of it.
        fitted: the curves of its ground stages, whose knots are kept.
        turns_rad: by how much each ground stage is turned about the vertical.
        rate_hz: of the frames.
    """
    count = stages[-1].stop - 1
    free = {i: _free(stages, i, fitted[i]) for i in fitted}
    starts, flights, size = dict[int, int](), dict[int, int](), 0
    for i, stage in enumerate(stages):
        if stage.kind == "flight":
            flights[i] = size
            size += len(CURVES)
        else:
            starts[i] = size
            size += int(free[i].sum())
    basis, constant = np.zeros((count, len(CURVES), size)), np.zeros((count, len(CURVES)))
    for i, stage in enumerate(stages):
        if stage.kind == "flight":
            a, b = max(stage.first - 1, 0), min(stage.stop, count)
            for c in range(len(CURVES)):
                basis[a:b, c, flights[i] + c] = 1.0
            fall = np.arange(b - a) / rate_hz
            constant[a:b, VERTICAL] = -stage.gravity_m_s2 * fall
        else:
            turn = turns_rad.get(i, 0.0)
            _put_stage(
                stages, i, fitted[i], free[i], turn, starts[i], flights, rate_hz, basis,
                constant,
            )  # fmt: skip
    used = np.abs(basis).sum(axis=1) > 0.0
    first = np.where(used.any(axis=1), used.argmax(axis=1), 0)
    stop = np.where(used.any(axis=1), size - used[:, ::-1].argmax(axis=1), 0)
    begins = np.where(used.any(axis=0), used.argmax(axis=0), count)
    begins = np.minimum.accumulate(begins[::-1])[::-1]
    return CurveUnknowns(
        basis, constant, first.astype(np.int64), stop.astype(np.int64), begins.astype(np.int64),
        flights,
    )  # fmt: skip


def _free(stages: Sequence[Stage], index: int, fitted: StageMomentum) -> NDArray[np.bool_]:
    """(6, most control points) which of a stage's control points are unknowns."""
    most = max(len(curve.control) for curve in fitted.curves)
    found = np.zeros((len(CURVES), most), dtype=np.bool_)
    before, after = index > 0, index + 1 < len(stages)
    for c, curve in enumerate(fitted.curves):
        mine = np.ones(len(curve.control), dtype=np.bool_)
        if before:
            mine[0] = False
            mine[1] = c == VERTICAL  # the impulse of a landing
        if after:
            mine[-2:] = False
        found[c, : len(mine)] = mine
    return found


def _put_stage(
    stages: Sequence[Stage], index: int, fitted: StageMomentum, free: NDArray[np.bool_],
    turn_rad: float, start: int, flights: Mapping[int, int], rate_hz: float, basis: Array,
    constant: Array,
) -> None:  # fmt: skip
    """The rows of one ground stage.

    Where a flight adjoins, the interval on the boundary is the flight's.
    """
    before, after = index > 0, index + 1 < len(stages)
    stop = fitted.first + fitted.sample_count
    mine = slice(fitted.first + int(before), stop - int(after))
    times = (np.arange(mine.start, mine.stop) - fitted.first) / rate_hz
    if not len(times):
        return
    turn = rotations.to_matrix(rotations.from_axis_angle(_UP, turn_rad))
    # In time's order, the curves together: what counts in an interval lies side by side.
    order = np.cumsum(free.T.ravel()).reshape(free.T.shape).T - 1
    for c, curve in enumerate(fitted.curves):
        parts = curve.basis(times)
        for k in np.flatnonzero(free[c]).tolist():
            for row in range(3):
                share = turn[row, c % 3]
                if share != 0.0:
                    basis[mine, 3 * (c // 3) + row, start + order[c, k]] += share * parts[:, k]
        if before:
            last = stages[index - 1]
            held = parts[:, 0] + (parts[:, 1] if c != VERTICAL else 0.0)
            _hold(basis, mine, flights[index - 1], c, turn, held)
            if c == VERTICAL:
                spent = (last.stop - max(last.first, 1)) / rate_hz
                constant[mine, c] -= last.gravity_m_s2 * spent * held
        if after:
            following = stages[index + 1]
            _hold(basis, mine, flights[index + 1], c, turn, parts[:, -1] + parts[:, -2])
            if c == VERTICAL:
                gap = curve.knots[-DEGREE - 1] - curve.knots[-DEGREE - 2]
                # Down the slope of the fall, a third of the last knots' gap before its start.
                constant[mine, c] += following.gravity_m_s2 * gap / DEGREE * parts[:, -2]


def _hold(basis: Array, mine: slice, flight: int, c: int, turn: Array, held: Array) -> None:
    """What a flight's momentum has in a stage's curve c, which lives in the stage's turned axes."""
    rows, axis = 3 * (c // 3), turn[:, c % 3]
    for row in range(3):
        for column in range(3):
            share = axis[row] * axis[column]
            if share != 0.0:
                basis[mine, rows + row, flight + rows + column] += share * held
