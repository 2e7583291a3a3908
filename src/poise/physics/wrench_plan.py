"""The wrench to ask of the ground: near what a motion asks for, smooth in time, and possible.

Where supports change, the nearest possible force of each frame jumps from point to point: pressure
that was under the ball is under the tip of the toes two frames later. Real forces do not, and
whoever looks at the motion through a low-pass filter (every measure, every robot's estimator) sees
pressure outside of the foot. So the wrench alone is solved for: six numbers a frame, close to the
motion's, whose deviation from it costs by its second difference, and which reaction forces explain
frame by frame *and* after smoothing.

Newton's method; both explanations have reaction forces eliminated by the same barrier as in the
solve (`solvers/force_barrier.py`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inner_borrowing
from poise.contact import allowed_cutoff_hz
from poise.motion import splines
from poise.physics.newton_euler_rows import Supports
from poise.solvers import Barrier, eliminate_forces, factor_band, make_forces, solve_band

CUTOFF_HZ = 12.0
"""What is smoothed away: measures of filtered captures keep half the amplitude there."""
SMOOTH_S = 0.01
"""A deviation that bends within this time costs as much as its size."""
_REACH_S = 0.09
"""Half the length of the smoothing kernel; what is left beyond is a fiftieth of its middle."""
_RHO, _MU = 9e4, 2e-4
"""Of the barrier (see `force_barrier`): at a fifth of the weight, a millimetre of pressure is a
moment of 1e-4."""
_MOST_STEPS = 30
_ENOUGH = 1e-4
"""Gain, as a share of the cost, that is not worth a step."""
_SHORTEST = 1e-3
"""Share of a step that is not tried."""


class Kernel(NamedTuple):
    """Rows of the smoothing matrix."""

    first: Indices
    """(F,) the frame that a row begins with."""
    rows: Array
    """(F, K)"""


class _Problem(NamedTuple):
    usual: Array
    """(F, 6)"""
    likeness: Array
    """(F, 6) what deviating from it costs."""
    bend: float
    """What the second difference of a deviation costs, times that."""
    kernel: Kernel
    strict: Supports
    lenient: Supports
    offset: Array
    """(F, 6) what measures see besides the smoothed wrench: they smooth angles, not forces."""
    barrier: Barrier
    forces: Array
    """Of the generators of `strict`, and"""
    lenient_forces: Array
    """of `lenient`, as `force_barrier` has them."""


class _Work(NamedTuple):
    """Scratch of one frame."""

    gradient: Array
    """(6,)"""
    factor: Array
    """(6, 6)"""
    hessian: Array
    """(6, 6)"""
    smoothed: Array
    """(6,)"""


def plan_wrench(
    strict: Supports, lenient: Supports, effort: float, rate_hz: float, seen: Array
) -> Array | None:
    """(F, 6) the possible wrench nearest to a motion's, see above; None of clips too short for it.

    Args:
        strict: what carries in each frame, with the motion's wrench and what deviating costs.
        lenient: what carries the smoothed wrench.
        effort: what reaction forces cost.
        rate_hz: frame rate.
        seen: (F, 6) the motion's wrench as measures see it.
    """
    usual, barrier = strict.usual, Barrier(_RHO, _MU, effort)
    frames = len(usual)
    kernel = _kernel(frames, rate_hz)
    if kernel is None or not (np.diff(strict.first) > 0).any():
        return None
    problem = _Problem(
        usual,
        # In flight, what a motion asks for is an error: it counts only to begin smoothly.
        np.maximum(strict.likeness, 0.1 * strict.likeness.max(axis=0, initial=1e-5)),
        (SMOOTH_S * rate_hz) ** 4,
        kernel,
        strict,
        lenient,
        seen - smoothed(usual, kernel),
        barrier,
        make_forces(strict.caps, barrier.mu),
        make_forces(lenient.caps, barrier.mu),
    )
    reach, size = kernel.rows.shape[1], 6 * frames
    band, right = np.empty((size, 6 * reach)), np.empty(size)
    work = _Work(np.zeros(6), np.zeros((6, 6)), np.zeros((6, 6)), np.zeros(6))
    plan = usual.copy()
    cost = _evaluate(plan, problem, True, work, band, right)
    for _ in range(_MOST_STEPS):
        if not factor_band(band, 6, reach):
            break
        solve_band(band, 6, reach, right)
        step, share, gained = right.reshape(frames, 6).copy(), 1.0, 0.0
        while share > _SHORTEST:
            tried = plan + share * step
            then = _evaluate(tried, problem, False, work, band, right)
            if then < cost:
                gained, plan = cost - then, tried
                break
            share *= 0.5
        if gained <= _ENOUGH * cost:
            break
        cost = _evaluate(plan, problem, True, work, band, right)
    return plan


def smoothed(wrench: Array, kernel: Kernel) -> Array:
    """(F, 6) as `_evaluate` smooths it."""
    near = kernel.first[:, None] + np.arange(kernel.rows.shape[1])
    return np.einsum("fk,fki->fi", kernel.rows, wrench[near])


@lru_cache(maxsize=16)
def _kernel(frames: int, rate_hz: float) -> Kernel | None:
    """How smoothed accelerations follow from those of the frames, ends included.

    The spline smooths positions; second differences of these are the frames' accelerations, and
    the first and last frame have none.
    """
    half, cutoff_hz = round(_REACH_S * rate_hz), allowed_cutoff_hz(CUTOFF_HZ, rate_hz)
    if frames < 2 * half + 3:
        return None
    seen = min(frames, 6 * half + 3)
    times = np.arange(seen, dtype=np.float64)
    ramps = np.maximum(times[:, None] - np.arange(1, seen - 1), 0.0)
    inner = splines.smooth(ramps, 1.0, cutoff_hz / rate_hz).second
    dense = np.zeros((seen, seen))
    dense[:, 1:-1] = inner
    width = 2 * half + 1
    first = np.clip(np.arange(frames) - half, 0, frames - width)
    rows = np.empty((frames, width))
    for f in range(frames):
        near = min(f, seen // 2) if f < frames - seen // 2 else seen - (frames - f)
        start = near - (f - int(first[f]))
        rows[f] = dense[near, start : start + width]
    rows /= rows.sum(axis=1, keepdims=True)
    return Kernel(first.astype(np.int64), rows)


@borrowing
def _evaluate(
    plan: Array, problem: _Problem, slopes: bool, work: _Work, band: Array, right: Array
) -> float:
    """What a plan costs; with `slopes` its normal equations."""
    kernel, strict, lenient, barrier = (
        problem.kernel, problem.strict, problem.lenient, problem.barrier
    )  # fmt: skip
    frames, width = len(plan), kernel.rows.shape[1]
    if slopes:
        band[:] = 0.0
        right[:] = 0.0
    cost = _put_likeness(plan, problem.usual, problem.likeness, problem.bend, slopes, band, right)
    for f in range(frames):
        if strict.believed[f] == 0 or f == 0 or f == frames - 1:
            continue
        cost += eliminate_forces(
            plan[f], barrier, strict.first[f], strict.first[f + 1], strict.generators,
            strict.caps, work.gradient, problem.forces, work.factor,
        )  # fmt: skip
        if slopes:
            _invert(work)
            for i in range(6):
                right[6 * f + i] -= work.gradient[i]
                for j in range(i, 6):
                    band[6 * f + i, j - i] += work.hessian[i, j]
    for f in range(frames):
        a, b = lenient.first[f], lenient.first[f + 1]
        if strict.believed[f] == 0 or a == b:
            continue
        row, first = kernel.rows[f], kernel.first[f]
        for i in range(6):
            total = problem.offset[f, i]
            for k in range(width):
                total += row[k] * plan[first + k, i]
            work.smoothed[i] = total
        cost += eliminate_forces(
            work.smoothed, barrier, a, b, lenient.generators, lenient.caps, work.gradient,
            problem.lenient_forces, work.factor,
        )  # fmt: skip
        if slopes:
            _invert(work)
            for k in range(width):
                for i in range(6):
                    at = 6 * (first + k) + i
                    right[at] -= row[k] * work.gradient[i]
                    for m in range(k, width):
                        share = row[k] * row[m]
                        start = 6 * (m - k) - i
                        for j in range(i if m == k else 0, 6):
                            band[at, start + j] += share * work.hessian[i, j]
    return cost


@inner_borrowing
def _put_likeness(
    plan: Array, usual: Array, likeness: Array, bend: float, slopes: bool, band: Array,
    right: Array,
) -> float:  # fmt: skip
    cost, frames = 0.0, len(plan)
    for f in range(frames):
        for i in range(6):
            at, w = 6 * f + i, likeness[f, i]
            d = plan[f, i] - usual[f, i]
            cost += 0.5 * w * d * d
            if slopes:
                band[at, 0] += w
                right[at] -= w * d
            if f + 2 < frames:
                u = bend * w
                e = d - 2.0 * (plan[f + 1, i] - usual[f + 1, i]) + plan[f + 2, i] - usual[f + 2, i]
                cost += 0.5 * u * e * e
                if slopes:
                    band[at, 0] += u
                    band[at, 6] -= 2.0 * u
                    band[at, 12] += u
                    band[at + 6, 0] += 4.0 * u
                    band[at + 6, 6] -= 2.0 * u
                    band[at + 12, 0] += u
                    right[at] -= u * e
                    right[at + 6] += 2.0 * u * e
                    right[at + 12] -= u * e
    return cost


@inner_borrowing
def _invert(work: _Work) -> None:
    """The Hessian from the factor of its inverse."""
    factor, h = work.factor, work.hessian
    for c in range(6):
        for i in range(6):
            total = 1.0 if i == c else 0.0
            for k in range(i):
                total -= factor[i, k] * h[k, c]
            h[i, c] = total / factor[i, i]
        for i in range(5, -1, -1):
            total = h[i, c]
            for k in range(i + 1, 6):
                total -= factor[k, i] * h[k, c]
            h[i, c] = total / factor[i, i]
