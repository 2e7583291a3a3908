"""Normal equations of a fit that knows the constraints: every frame's rows on a spline's controls.

What is added to a motion is a B-spline in every coordinate. In frame f four control points are
alive, so a row of the constraints, by place, velocity and acceleration of n coordinates, is a row
of 4n numbers on them. Rows that must hold go into the normal equations with a large weight; rows
that only bound (what the ground can do, torques, one-sided tasks) are handed out as well.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing, reassociated
from poise.ik import BALL, Blocks, Limits, Rig, Tasks, Work, gather
from poise.mechanics import turn
from poise.methods.filter.dynamic_frames import Laws, sample_frame
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.footing import LEAST_PUSH
from poise.methods.filter.law_rows import BALANCE, FLIGHT, FLIGHT_ROWS, law_count
from poise.methods.filter.strain import NEAR_RAD
from poise.solvers import Measurements, add_scaled, dot

ALIVE = 4
"""Control points of a cubic spline that are alive in a frame."""

_STACK = 32
"""Rows that are added together at most; whole fours."""


class Curves(NamedTuple):
    """The splines, and what moving by them costs."""

    tables: Array
    """(frames per knot, 3, 4) see `FitBasis`."""
    weights: Array
    """(3,) of place, velocity and acceleration (Eq. 18)."""
    stiffness: Array
    """(n,) of each coordinate: one over its process variance, against the common one."""
    loose: Array
    """(3n,) one over stiffness and weight: the variance of each number in one frame."""
    hard: float
    """Weight of a row that must hold, against the variance that the prior gives it."""
    pressing: float
    """The same of a row that only bounds."""
    common: float
    """The common process variance: soft rows weigh it over their measurement variance."""


class Held(NamedTuple):
    """Rows that bound: (R, …), frame after frame."""

    rows: Array
    """(R, 4n)"""
    knot: Indices
    """The first control point alive."""
    value: Array
    """Before anything is added."""
    weight: Array
    firm: Array
    """1 where it must hold; the less the more it yields."""
    low: Array
    high: Array


class Normals(NamedTuple):
    """The normal equations."""

    band: Array
    """(N, 4n) row j: the lower band of column j."""
    right: Array
    """(N,)"""
    stack: Array
    """(rows, 4n) scratch: rows that wait to be added, times the root of their weight."""
    waiting: Indices
    """(1,) how many."""
    square: Array
    """(n, n) scratch: products of the rows of tasks."""
    sums: Array
    """(n,) scratch"""
    used: Indices
    """(n,) scratch: 1 where a task depends on the coordinate."""
    per: Array
    """(3n,) scratch: half of one over the lengths of sigma points."""
    slopes: Array
    """(rows, 3n) scratch"""


def make_normals(controls: int, width: int, rows: int) -> Normals:
    """Equations for so many control points of n coordinates, and scratch for a frame's rows."""
    reach = ALIVE * width
    return Normals(
        np.zeros((controls * width, reach)), np.zeros(controls * width),
        np.zeros((_STACK, reach)), np.zeros(1, dtype=np.int64), np.zeros((width, width)),
        np.zeros(width), np.zeros(width, dtype=np.int64), np.zeros(3 * width),
        np.zeros((rows, 3 * width)),
    )  # fmt: skip


@inner_borrowing
def _put_slopes(
    first: int, size: int, width: int, per: Array, rows: Measurements, slopes: Array
) -> None:
    """Statistical derivatives: what the sigma points of a coordinate differ in.

    Rows before `first` are tasks', which depend on places only.
    """
    for k in range(size):
        count = width if k < first else 3 * width
        _put_slope(count, per, rows.plus[:, k], rows.minus[:, k], slopes[k])
        for s in range(count, 3 * width):
            slopes[k, s] = 0.0


@inlined_borrowing
def _put_slope(count: int, per: Array, plus: Array, minus: Array, slope: Array) -> None:
    for s in range(count):
        slope[s] = per[s] * (plus[s] - minus[s])


@inner_borrowing
def _onto_curves(
    f: int, first: int, size: int, blocks: Blocks, width: int, work: Work, motion: Motion,
    slopes: Array,
) -> None:  # fmt: skip
    """From derivatives by the state to those by what is added, its velocity and acceleration.

    A turn δ in the joint's own frame changes the numbers of ω by δ̇ + ω × δ, and those of ω̇ by
    δ̈ + ω × δ̇ + ω̇ × δ; the state's own turns are about world axes.
    """
    n = width
    for b in range(len(blocks.kind)):
        if blocks.kind[b] != BALL:
            continue
        j, c = blocks.joint[b], blocks.column[b]
        q = work.world
        w, x, y, z = q[j, 0], q[j, 1], q[j, 2], q[j, 3]
        o, a = motion.omega, motion.alpha
        ox, oy, oz = o[f, j, 0], o[f, j, 1], o[f, j, 2]
        ax, ay, az = a[f, j, 0], a[f, j, 1], a[f, j, 2]
        for k in range(size):
            h = slopes[k]
            if k < first and h[c] == 0.0 and h[c + 1] == 0.0 and h[c + 2] == 0.0:
                continue
            px, py, pz = turn(w, -x, -y, -z, h[c], h[c + 1], h[c + 2])
            if k >= first:
                vx, vy, vz = h[n + c], h[n + c + 1], h[n + c + 2]
                rx, ry, rz = h[2 * n + c], h[2 * n + c + 1], h[2 * n + c + 2]
                px += vy * oz - vz * oy + ry * az - rz * ay
                py += vz * ox - vx * oz + rz * ax - rx * az
                pz += vx * oy - vy * ox + rx * ay - ry * ax
                h[n + c] += ry * oz - rz * oy
                h[n + c + 1] += rz * ox - rx * oz
                h[n + c + 2] += rx * oy - ry * ox
            h[c], h[c + 1], h[c + 2] = px, py, pz


@reassociated
def _variance(h: Array, count: int, curves: Curves) -> float:
    """What the prior of one frame leaves a row: h P hᵀ, of its first `count` numbers."""
    total = 0.0
    for c in range(count):
        total += h[c] * h[c] * curves.loose[c]
    return total


@inner_borrowing
def _put_row(h: Array, phase: int, width: int, curves: Curves, row: Array) -> None:
    for a in range(ALIVE):
        p, v, r = curves.tables[phase, 0, a], curves.tables[phase, 1, a], curves.tables[phase, 2, a]
        for c in range(width):
            row[a * width + c] = p * h[c] + v * h[width + c] + r * h[2 * width + c]


@inner_borrowing
def _add_row(row: Array, weight: float, knot: int, normals: Normals) -> None:
    """Let a row wait until there are several to be added."""
    if normals.waiting[0] == _STACK:
        _add_waiting(knot, normals)
    at, root = normals.waiting[0], np.sqrt(weight)
    normals.waiting[0] += 1
    target = normals.stack[at]
    for c in range(len(row)):
        target[c] = root * row[c]


@inner_borrowing
def _add_waiting(knot: int, normals: Normals) -> None:
    """Add the rows that wait, all of one stretch between two knots: four at a time."""
    stack, count = normals.stack, normals.waiting[0]
    reach = stack.shape[1]
    while count % 4 != 0:
        for c in range(reach):
            stack[count, c] = 0.0
        count += 1
    for r in range(0, count, 4):
        a, b, c, d = stack[r], stack[r + 1], stack[r + 2], stack[r + 3]
        for j in range(0, reach, 2):  # an even number: four control points
            at = knot * (reach // ALIVE) + j
            normals.band[at, 0] += a[j] * a[j] + b[j] * b[j] + c[j] * c[j] + d[j] * d[j]
            k = j + 1
            _add_four(
                normals.band[at, 1:], normals.band[at + 1], reach - k,
                a[j], b[j], c[j], d[j], a[k], b[k], c[k], d[k], a[k:], b[k:], c[k:], d[k:],
            )  # fmt: skip
    normals.waiting[0] = 0


@inlined_borrowing
def _add_four(
    t: Array, u: Array, count: int,
    f0: float, f1: float, f2: float, f3: float, g0: float, g1: float, g2: float, g3: float,
    a: Array, b: Array, c: Array, d: Array,
) -> None:  # fmt: skip
    """To two rows of the band at once: they share what they read."""
    for i in range(count):
        t[i] += f0 * a[i] + f1 * b[i] + f2 * c[i] + f3 * d[i]
        u[i] += g0 * a[i] + g1 * b[i] + g2 * c[i] + g3 * d[i]


@inner_borrowing
def _multiply_tasks(
    count: int, tasks: Tasks, width: int, noise: Array, curves: Curves, work: Work,
    rows: Measurements, normals: Normals,
) -> None:  # fmt: skip
    """Products of the rows of tasks that must hold: only places, and few coordinates carry them."""
    used, sums = normals.used, normals.sums
    for c in range(width):
        used[c] = 0
    for i in range(count):
        t = work.active[i]
        if tasks.side[t] != 0:
            continue
        own = tasks.scale[t] ** 2 * noise[t]
        for k in range(work.row_of[i], work.row_of[i + 1]):
            h = normals.slopes[k]
            variance = _variance(h, width, curves)
            if variance == 0.0:
                continue
            weight = curves.hard / variance
            if own > 0.0:
                weight = min(weight, curves.common / own)
            for x in range(width):
                if h[x] == 0.0:
                    continue
                target, p = normals.square[x], weight * h[x]
                if used[x] == 0:
                    used[x], sums[x] = 1, 0.0
                    for y in range(width):
                        target[y] = 0.0
                sums[x] -= p * rows.center[k]
                add_scaled(target, p, h, width)


@inner_borrowing
def _add_tasks(
    count: int, phase: int, knot: int, tasks: Tasks, width: int,
    noise: Array, curves: Curves, work: Work, rows: Measurements, normals: Normals,
) -> None:  # fmt: skip
    """Rows of tasks that must hold, to all pairs of control points that are alive."""
    _multiply_tasks(count, tasks, width, noise, curves, work, rows, normals)
    table = curves.tables
    for b in range(ALIVE):
        for x in range(width):
            if normals.used[x] == 0:
                continue
            products, row = normals.square[x], normals.band[(knot + b) * width + x]
            own = table[phase, 0, b]
            normals.right[(knot + b) * width + x] += own * normals.sums[x]
            add_scaled(row, own * own, products[x:], width - x)
            for a in range(b + 1, ALIVE):
                share = own * table[phase, 0, a]
                if share != 0.0:
                    add_scaled(row[(a - b) * width - x :], share, products, width)


@inner_borrowing
def _hold(
    r: int, knot: int, phase: int, width: int, curves: Curves, slope: Array,
    center: Array, k: int, noise: float, low: float, high: float, held: Held, normals: Normals,
) -> None:  # fmt: skip
    _put_row(slope, phase, width, curves, held.rows[r])
    held.knot[r], held.value[r] = knot, center[k]
    held.low[r], held.high[r] = low, high
    weight = curves.pressing / max(_variance(slope, 3 * width, curves), 1e-300)
    held.weight[r] = weight
    held.firm[r] = 1.0 if noise == 0.0 else curves.common / (curves.common + weight * noise)
    _add_row(held.rows[r], held.weight[r], knot, normals)


@inner_borrowing
def _add_stiffness(phase: int, knot: int, width: int, curves: Curves, band: Array) -> None:
    """What moving costs."""
    table = curves.tables
    for a in range(ALIVE):
        for b in range(a + 1):
            share = 0.0
            for o in range(3):
                share += curves.weights[o] * table[phase, o, a] * table[phase, o, b]
            for c in range(width):
                band[(knot + b) * width + c, (a - b) * width] += share * curves.stiffness[c]


@borrowing
def put_coupled_rows(
    way: int, limits: Limits, rig: Rig, lengths: Array, noise: Array, laws: Laws, curves: Curves,
    rows: Measurements, one_row: Array, motion: Motion, normals: Normals, held: Held,
) -> int:  # fmt: skip
    """Fill the normal equations and the rows that bound; returns how many those are.

    What has no name of its own here is as in `filter_dynamic_frames`; `one_row` (4n,) is scratch.
    """
    blocks, tasks, n, work, demands = rig.blocks, rig.tasks, rig.width, rig.work, laws.demands
    spacing, count_held = len(curves.tables), 0
    for s in range(3 * n):
        normals.per[s] = 0.5 / lengths[s]
    for f in range(len(motion.roots)):
        knot, phase = f // spacing, f % spacing
        count = gather(tasks, f, work)
        sample_frame(f, way, count, NEAR_RAD, limits, rig, lengths, laws, motion, rows)
        first, strain = rows.narrow[0], demands.strain
        kind = demands.kind[f]
        footing = demands.footing
        size = first + law_count(f, demands)
        _put_slopes(first, size, n, normals.per, rows, normals.slopes)
        _onto_curves(f, first, size, blocks, n, work, motion, normals.slopes)
        _add_tasks(count, phase, knot, tasks, n, noise, curves, work, rows, normals)
        for i in range(count):
            t = work.active[i]
            if tasks.side[t] == 0:
                continue
            for k in range(work.row_of[i], work.row_of[i + 1]):
                low = -np.inf if tasks.side[t] > 0 else 0.0
                high = np.inf if tasks.side[t] < 0 else 0.0
                _hold(
                    count_held, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                    float(tasks.scale[t] ** 2 * noise[t]), low, high, held, normals,
                )  # fmt: skip
                count_held += 1
        for k in range(work.row_of[count], first):
            _hold(
                count_held, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                0.0, -np.inf, 0.0, held, normals,
            )  # fmt: skip
            count_held += 1
        k = first
        if kind == FLIGHT:
            for _ in range(FLIGHT_ROWS):
                _put_row(normals.slopes[k], phase, n, curves, one_row)
                weight = curves.hard / max(_variance(normals.slopes[k], 3 * n, curves), 1e-300)
                if demands.noise[FLIGHT] > 0.0:
                    weight = min(weight, curves.common / demands.noise[FLIGHT])
                _add_row(one_row, weight, knot, normals)
                for c in range(ALIVE * n):
                    normals.right[knot * n + c] -= weight * rows.center[k] * one_row[c]
                k += 1
        for i in range(footing.first[f], footing.first[f + 1]):
            push = footing.edge[i, 0] == 0.0 and footing.edge[i, 1] == 0.0
            _hold(
                count_held, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                demands.noise[BALANCE], LEAST_PUSH if push else 0.0, np.inf,
                held, normals,
            )  # fmt: skip
            count_held += 1
            k += 1
        for i in range(strain.first[f], strain.first[f + 1]):
            _hold(
                count_held, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                demands.noise[3], strain.low[i], strain.high[i],
                held, normals,
            )  # fmt: skip
            count_held += 1
            k += 1
        _add_stiffness(phase, knot, n, curves, normals.band)
        if phase == spacing - 1 or f == len(motion.roots) - 1:
            _add_waiting(knot, normals)
    return count_held


@borrowing
def rows_times(rows: Array, knot: Indices, width: int, controls: Array, out: Array) -> None:
    """(R,) what control points (N,) make of rows."""
    for r in range(len(out)):
        out[r] = dot(rows[r], controls[knot[r] * width :], rows.shape[1])


@borrowing
def add_rows(rows: Array, knot: Indices, width: int, amounts: Array, out: Array) -> None:
    """Add so much of every row to (N,) control points."""
    for r in range(len(amounts)):
        add_scaled(out[knot[r] * width :], amounts[r], rows[r], rows.shape[1])
