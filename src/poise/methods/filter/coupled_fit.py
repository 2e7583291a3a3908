"""The least-squares filter with what the Kalman filter knows: constraints take part in the fit.

The paper fits every coordinate by itself (Eq. 18), and so takes back in part what the Kalman filter
did: it says so in section 7. But the Kalman filter leaves more than a state; its posterior says how
sure each *combination* of numbers is. Fitting the curve with the inverse of that covariance as
weights, instead of diag(1, β, β²), is the same as adding the frames' constraints, as their sigma
points see them, to the fit:

    Σ ‖Bc − x̂‖²_P⁺⁻¹  =  Σ ‖Bc − x⁻‖²_P⁻¹ + ‖H (Bc − x⁻) − (Z − Ẑ)‖²_N⁻¹ + constant

where P⁻¹ = diag(1, β, β²) is the prior's (the guideline's α = 1/β). The coordinates are then fitted
together, which is still banded in time; rounds converge like Newton's method instead of by a
constant share, and a correction spreads over time as far as is cheapest: the anticipation that the
paper misses.

Bounds (what the ground can do, ranges of torques, one-sided tasks) hold as bounds:
alternating directions, with one factor for all iterations.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.errors import BadValue
from poise.ik import IkProblem
from poise.mechanics import Segments
from poise.methods.filter.added_motion import add_motion
from poise.methods.filter.coupled_rows import (
    ALIVE,
    Curves,
    Held,
    Normals,
    add_rows,
    make_normals,
    put_coupled_rows,
    rows_times,
)
from poise.methods.filter.curve_fit import FitBasis
from poise.methods.filter.dynamic_frames import Laws
from poise.methods.filter.dynamic_state import Motion, make_batch
from poise.methods.filter.kinematic_frames import SAMPLED, Prior, make_rows
from poise.methods.filter.law_rows import FLIGHT_ROWS, Demands
from poise.methods.filter.law_slopes import make_rates
from poise.methods.filter.strain import NEAR_RAD, count_near, most_ranges
from poise.solvers import factor_band, solve_band

_HARD, _PRESSING = 1e6, 2e3
_STIFFEST = 1e-4
"""Smallest deviation of a coordinate, against the largest."""

_RELAXATION = 1.6
_FARTHEST = 0.5
"""Radians or metres that one fit may move a coordinate: straight lines are not good for more."""
_MOST_ITERATIONS = 60
_FEWEST_ITERATIONS = 5
_CLOSE = 2e-3
"""Iterations end when no row is further than this from what it may be: 2 mm, or 0.2 % of a
strength."""


def coupled_round(
    motion: Motion,
    ik: IkProblem,
    segments: Segments,
    prior: Prior,
    noise: Array,
    demands: Demands,
    basis: FitBasis,
    common: float,
    way: int,
) -> Motion:
    """The motion after one round."""
    frames, joints = motion.local.shape[:2]
    n, spacing = ik.width, basis.frames_per_knot
    blocks = (frames - 1) // spacing + ALIVE
    # What never moves (a mobility of zero) is as stiff as the equations bear.
    least = _STIFFEST * float(prior.deviations[:n].max(initial=0.0))
    deviations = np.maximum(prior.deviations, least)
    lengths = np.sqrt(prior.spread.scale) * deviations
    stiffness = common / deviations[:n] ** 2
    loose = (1.0 / np.outer(basis.weights, stiffness)).ravel()
    curves = Curves(basis.tables, basis.weights, stiffness, loose, _HARD, _PRESSING, common)
    tasks_rows = int(ik.packed.rows.sum())
    most_strained = int(np.diff(demands.strain.first).max(initial=0))
    most_edges = int(np.diff(demands.footing.first).max(initial=0))
    most_rows = tasks_rows + most_ranges(prior.limits) + FLIGHT_ROWS + most_edges + most_strained
    normals = make_normals(blocks, n, most_rows)
    bounds = _bounding_rows(ik, demands)
    bounds += count_near(prior.limits, ik.blocks, motion.local, NEAR_RAD)
    held = _room_for(bounds, n)
    batch = make_batch(n if way == SAMPLED else 0, joints)
    laws = Laws(segments, demands, batch, make_rates(joints, n))
    rows, one_row = make_rows(most_rows, 3 * n), np.zeros(ALIVE * n)
    count = put_coupled_rows(
        way, prior.limits, ik.rig, lengths, noise, laws, curves, rows, one_row, motion, normals,
        held,
    )  # fmt: skip
    held = Held(
        held.rows[:count], held.knot[:count], held.value[:count],
        held.weight[:count], held.firm[:count], held.low[:count], held.high[:count],
    )  # fmt: skip
    controls = _solved(normals, held, n)
    alive = controls.reshape(blocks, n)
    knots, phases = np.divmod(np.arange(frames), spacing)
    reach = alive[knots[:, None] + np.arange(ALIVE)]
    added = np.matmul(basis.tables[phases], reach)
    added *= min(1.0, _FARTHEST / max(float(np.abs(added[:, 0]).max(initial=0.0)), 1e-300))
    after = Motion(*(array.copy() for array in motion))
    add_motion(ik.blocks, np.ascontiguousarray(added), after)
    return after


def _room_for(count: int, width: int) -> Held:
    return Held(
        np.zeros((count, ALIVE * width)), np.zeros(count, dtype=np.int64),
        np.zeros(count), np.zeros(count), np.ones(count), np.zeros(count), np.zeros(count),
    )  # fmt: skip


def _bounding_rows(ik: IkProblem, demands: Demands) -> int:
    lengths = np.array([task.last - task.first + 1 for task in ik.tasks], dtype=np.int64)
    one_sided = int((lengths * ik.packed.rows)[ik.packed.side != 0].sum()) if len(lengths) else 0
    return one_sided + int(demands.footing.first[-1]) + int(demands.strain.first[-1])


def _solved(normals: Normals, held: Held, width: int) -> Array:
    """(N,) control points, by alternating directions."""
    band = normals.band
    diagonal = band[:, 0]
    diagonal += 1e-12 * diagonal.max(initial=1e-300)
    diagonal[diagonal <= 2e-12 * diagonal.max()] = diagonal.max()  # beyond the last frame
    if not factor_band(band, width, ALIVE):
        raise BadValue("beta, knot_s, mobility or noise", "less extreme", "the fit has no solution")
    count = len(held.value)
    allowed, force = held.value.copy(), np.zeros(count)
    reached = np.zeros(count)
    right = np.empty_like(normals.right)
    controls = np.zeros_like(right)
    for iteration in range(_MOST_ITERATIONS):
        right[:] = normals.right
        if count:
            add_rows(
                held.rows, held.knot, width, held.weight * (allowed - force - held.value), right
            )
        controls[:] = right
        solve_band(band, width, ALIVE, controls)
        if not count:
            break
        rows_times(held.rows, held.knot, width, controls, reached)
        reached += held.value
        leaning = _RELAXATION * reached + (1.0 - _RELAXATION) * allowed
        wanted = leaning + force
        within = np.minimum(np.maximum(wanted, held.low), held.high)
        allowed = wanted + held.firm * (within - wanted)
        force += leaning - allowed
        beyond = np.maximum(held.low - reached, reached - held.high)
        off = float(beyond[held.firm == 1.0].max(initial=0.0))
        if iteration + 1 >= _FEWEST_ITERATIONS and off <= _CLOSE:
            break
    return controls
