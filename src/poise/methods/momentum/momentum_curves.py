"""Momentum of a ground stage as six splines, fitted to the captured motion (section 4.1).

Ends are interpolated. Into a flight and out of it the curves go on smoothly: there the vertical
momentum changes by weight alone, and all others do not change. Only the vertical one may jump in
slope at a landing, which is a blow. Where no flight adjoins, slopes are open.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise import rotations
from poise.arrays import Array, Indices
from poise.character import UP, Character
from poise.contact import clip_dynamics
from poise.errors import BadValue
from poise.mechanics import momentum
from poise.methods.momentum.stages import Stage
from poise.motion import Clip
from poise.solvers import DEGREE, FittedSpline, fit_knots

CURVES = ("x", "y", "z", "about x", "about y", "about z")
VERTICAL = 1
KNOTS_PER_S = 12.0
"""Interior knots of a ground stage: two pushes a tenth of a second apart are told apart."""
FEWEST_KNOTS = 2


@dataclass(frozen=True, eq=False)
class StageMomentum:
    """A ground stage's curves.

    Momentum is known between frames. Where a flight adjoins, the interval across the boundary
    belongs to both: there they have the same value.
    """

    stage: Stage
    first: int
    """The first interval, which lies between this frame and the next."""
    curves: tuple[FittedSpline, ...]
    """Six, in the order of `CURVES`; times are seconds from the middle of that interval."""
    sample_count: int
    """How many intervals it has."""
    off: Array
    """(6,) RMS of what they leave of the captured momentum, in its units."""


def captured_momentum(clip: Clip, character: Character) -> Array:
    """(F − 1, 6) linear momentum, and angular momentum about the centre of mass, between frames.

    From derivatives that are smoothed as suits the clip's noise.
    """
    seen = clip_dynamics(clip, character)
    rates = seen.derivatives
    found = momentum(
        seen.state, seen.body, rates.root_velocities_m_s, rates.angular_velocities_rad_s
    )
    at_frames = np.concatenate([found.linear_kg_m_s, found.angular_kg_m2_s], axis=1)
    return np.asarray(0.5 * (at_frames[1:] + at_frames[:-1]))


def intervals_of(stages: Sequence[Stage], index: int) -> tuple[int, int]:
    """First interval of a ground stage, and the one after its last."""
    stage = stages[index]
    return max(stage.first - 1, 0), min(stage.stop, stages[-1].stop - 1)


def fit_stage(
    stages: Sequence[Stage],
    index: int,
    momenta: Array,
    rate_hz: float,
    mass_kg: float,
    knots_per_s: float = KNOTS_PER_S,
) -> StageMomentum:
    """The curves of one ground stage, fitted to the clip's `captured_momentum`.

    Raises:
        BadValue: a stage too short for a spline.
    """
    stage = stages[index]
    first, stop = intervals_of(stages, index)
    count, fewest = stop - first, FEWEST_KNOTS + DEGREE + 1
    if count < fewest:
        frames = fewest + stage.frame_count - count
        allowed = f"at least {frames} frames, as its momentum curves need"
        raise BadValue(f"ground stage at frame {stage.first}", allowed, stage.frame_count)
    interior = max(round(count / rate_hz * knots_per_s), FEWEST_KNOTS)
    interior = min(interior, count - DEGREE - 1)
    before = stages[index - 1] if index > 0 else None
    after = stages[index + 1] if index + 1 < len(stages) else None
    seen = momenta[first:stop]
    times = np.arange(count) / rate_hz
    curves: list[FittedSpline] = []
    for c in range(len(CURVES)):
        start = None if before is None or c == VERTICAL else 0.0
        end = None if after is None else 0.0
        if c == VERTICAL and after is not None:
            end = -mass_kg * after.gravity_m_s2
        curves.append(fit_knots(times, seen[:, c], interior, start, end))
    off = np.array(
        [np.sqrt(np.mean((seen[:, c] - curve(times)) ** 2)) for c, curve in enumerate(curves)]
    )
    return StageMomentum(stage, first, tuple(curves), count, off)


@dataclass(frozen=True, eq=False)
class CurveUnknowns:
    """Between frames i and i + 1 momentum is basis · control + constant, over mass: in m/s."""

    basis: Array
    """(F − 1, 6, S)"""
    constant: Array
    """(F − 1, 6)"""
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
    """The curves of a clip whose ground stages are turned about the vertical; knots are kept."""
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
    begins = np.where(used.any(axis=0), used.argmax(axis=0), count)
    begins = np.minimum.accumulate(begins[::-1])[::-1]
    return CurveUnknowns(basis, constant, begins.astype(np.int64), flights)


def used_columns(basis: Array) -> tuple[Indices, Indices]:
    """(F − 1,) the first unknown that counts in each interval, and the one after the last."""
    used = np.abs(basis).sum(axis=1) > 0.0
    return used.argmax(axis=1), basis.shape[2] - used[:, ::-1].argmax(axis=1)


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
    turn = rotations.to_matrix(rotations.from_axis_angle(UP, turn_rad))
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
