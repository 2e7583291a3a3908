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
from poise.compiled import borrowing, inner_borrowing
from poise.ik.frame_loop import gather
from poise.ik.packed import BALL, Blocks, Tasks, Tree, Work
from poise.mechanics.quaternion_kernels import turn
from poise.methods.filter.dynamic_frames import sample_frame
from poise.methods.filter.dynamic_state import Batch, Motion, Segments
from poise.methods.filter.footing import LEAST_PUSH
from poise.methods.filter.kinematic_frames import Rows
from poise.methods.filter.law_rows import BALANCE, FLIGHT, FLIGHT_ROWS, Demands, law_count
from poise.methods.filter.law_slopes import Rates

ALIVE = 4
"""Control points of a cubic spline that are alive in a frame."""


class Curves(NamedTuple):
    """The splines, and what moving by them costs."""

    tables: Array
    """(frames per knot, 3, 4) see `FitBasis`."""
    weights: Array
    """(3,) of place, velocity and acceleration (Eq. 18)."""
    stiffness: Array
    """(n,) of each coordinate: one over its process variance, against the common one."""
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
    frame: Indices
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
    local: Array
    """(4n, 4n) scratch: of the frames between two knots."""
    few: Array
    """(n, n) scratch"""
    sums: Array
    """(n,) scratch"""
    columns: Indices
    """(n,) scratch"""
    slopes: Array
    """(rows, 3n) scratch"""


@inner_borrowing
def _put_slopes(
    first: int, size: int, width: int, lengths: Array, rows: Rows, slopes: Array
) -> None:
    """Statistical derivatives: what the sigma points of a coordinate differ in.

    Rows before `first` are tasks', which depend on places only.
    """
    for s in range(3 * width):
        per = 0.5 / lengths[s]
        if s < width:
            for k in range(first):
                slopes[k, s] = per * (rows.plus[s, k] - rows.minus[s, k])
        else:
            for k in range(first):
                slopes[k, s] = 0.0
        for k in range(first, size):
            slopes[k, s] = per * (rows.plus[s, k] - rows.minus[s, k])


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


@inner_borrowing
def _variance(h: Array, width: int, curves: Curves) -> float:
    """What the prior of one frame leaves a row: h P hᵀ."""
    total = 0.0
    for o in range(3):
        part = 0.0
        for c in range(width):
            part += h[o * width + c] ** 2 / curves.stiffness[c]
        total += part / curves.weights[o]
    return total


@inner_borrowing
def _put_row(h: Array, phase: int, width: int, curves: Curves, row: Array) -> None:
    for a in range(ALIVE):
        p, v, r = curves.tables[phase, 0, a], curves.tables[phase, 1, a], curves.tables[phase, 2, a]
        for c in range(width):
            row[a * width + c] = p * h[c] + v * h[width + c] + r * h[2 * width + c]


@inner_borrowing
def _add_row(row: Array, weight: float, local: Array) -> None:
    for i in range(len(row)):
        f = weight * row[i]
        if f != 0.0:
            for j in range(i + 1):
                local[i, j] += f * row[j]


@inner_borrowing
def _add_tasks(
    first: int, count: int, phase: int, knot: int, tasks: Tasks, width: int,
    noise: Array, curves: Curves, work: Work, rows: Rows, normals: Normals,
) -> None:  # fmt: skip
    """Rows of tasks that must hold: only places, and few coordinates carry them."""
    few, columns, sums = normals.few, normals.columns, normals.sums
    found = 0
    for c in range(width):
        for k in range(first, work.row_of[count]):
            if normals.slopes[k, c] != 0.0:
                columns[found] = c
                found += 1
                break
    for i in range(found):
        sums[i] = 0.0
        for j in range(i + 1):
            few[i, j] = 0.0
    for i in range(count):
        t = work.active[i]
        if tasks.side[t] != 0:
            continue
        for k in range(work.row_of[i], work.row_of[i + 1]):
            h = normals.slopes[k]
            own = tasks.scale[t] ** 2 * noise[t]
            variance = _variance(h, width, curves)
            if variance == 0.0:
                continue
            weight = curves.hard / variance
            if own > 0.0:
                weight = min(weight, curves.common / own)
            for x in range(found):
                p = weight * h[columns[x]]
                sums[x] -= p * rows.center[k]
                for y in range(x + 1):
                    few[x, y] += p * h[columns[y]]
    table = curves.tables
    for a in range(ALIVE):
        for x in range(found):
            normals.right[(knot + a) * width + columns[x]] += table[phase, 0, a] * sums[x]
        for b in range(a + 1):
            share = table[phase, 0, a] * table[phase, 0, b]
            for x in range(found):
                i = a * width + columns[x]
                for y in range(x + 1):
                    normals.local[i, b * width + columns[y]] += share * few[x, y]
            if b < a:
                for y in range(found):
                    i = b * width + columns[y]
                    for x in range(y):
                        normals.local[a * width + columns[x], i] += share * few[y, x]


@inner_borrowing
def _hold(
    r: int, f: int, knot: int, phase: int, width: int, curves: Curves, slope: Array,
    center: Array, k: int, noise: float, low: float, high: float, held: Held, local: Array,
) -> None:  # fmt: skip
    _put_row(slope, phase, width, curves, held.rows[r])
    held.knot[r], held.frame[r], held.value[r] = knot, f, center[k]
    held.low[r], held.high[r] = low, high
    weight = curves.pressing / max(_variance(slope, width, curves), 1e-300)
    held.weight[r] = weight
    held.firm[r] = 1.0 if noise == 0.0 else curves.common / (curves.common + weight * noise)
    _add_row(held.rows[r], held.weight[r], local)


@borrowing
def put_coupled_rows(
    way: int, tree: Tree, blocks: Blocks, tasks: Tasks, width: int, work: Work,
    segments: Segments, lengths: Array, noise: Array, demands: Demands, curves: Curves,
    rows: Rows, batch: Batch, rates: Rates, step: Array, one_row: Array, motion: Motion,
    normals: Normals, held: Held,
) -> int:  # fmt: skip
    """Fill the normal equations and the rows that bound; returns how many those are.

    What has no name of its own here is as in `filter_dynamic_frames`; `one_row` (4n,) is scratch.
    """
    n, spacing, count_held = width, len(curves.tables), 0
    for f in range(len(motion.roots)):
        knot, phase = f // spacing, f % spacing
        if phase == 0:
            normals.local[:] = 0.0
        count = gather(tasks, f, work)
        sample_frame(
            f, way, count, tree, blocks, tasks, n, work,
            segments, lengths, demands, motion, batch, rates, rows,
        )  # fmt: skip
        first, strain = work.row_of[count], demands.strain
        kind = demands.kind[f]
        footing = demands.footing
        size = first + law_count(f, demands)
        _put_slopes(first, size, n, lengths, rows, normals.slopes)
        _onto_curves(f, first, size, blocks, n, work, motion, normals.slopes)
        _add_tasks(0, count, phase, knot, tasks, n, noise, curves, work, rows, normals)
        for i in range(count):
            t = work.active[i]
            if tasks.side[t] == 0:
                continue
            for k in range(work.row_of[i], work.row_of[i + 1]):
                low = -np.inf if tasks.side[t] > 0 else 0.0
                high = np.inf if tasks.side[t] < 0 else 0.0
                _hold(
                    count_held, f, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                    float(tasks.scale[t] ** 2 * noise[t]), low, high, held, normals.local,
                )  # fmt: skip
                count_held += 1
        k = first
        if kind == FLIGHT:
            for _ in range(FLIGHT_ROWS):
                _put_row(normals.slopes[k], phase, n, curves, one_row)
                weight = curves.hard / max(_variance(normals.slopes[k], n, curves), 1e-300)
                if demands.noise[FLIGHT] > 0.0:
                    weight = min(weight, curves.common / demands.noise[FLIGHT])
                _add_row(one_row, weight, normals.local)
                for c in range(ALIVE * n):
                    normals.right[knot * n + c] -= weight * rows.center[k] * one_row[c]
                k += 1
        for i in range(footing.first[f], footing.first[f + 1]):
            push = footing.edge[i, 0] == 0.0 and footing.edge[i, 1] == 0.0
            _hold(
                count_held, f, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                demands.noise[BALANCE], LEAST_PUSH if push else 0.0, np.inf,
                held, normals.local,
            )  # fmt: skip
            count_held += 1
            k += 1
        for i in range(strain.first[f], strain.first[f + 1]):
            _hold(
                count_held, f, knot, phase, n, curves, normals.slopes[k], rows.center, k,
                demands.noise[3], strain.low[i], strain.high[i],
                held, normals.local,
            )  # fmt: skip
            count_held += 1
            k += 1
        for a in range(ALIVE):
            for b in range(a + 1):
                share = 0.0
                for o in range(3):
                    t = curves.tables
                    share += curves.weights[o] * t[phase, o, a] * t[phase, o, b]
                for c in range(n):
                    normals.local[a * n + c, b * n + c] += share * curves.stiffness[c]
        if phase == spacing - 1 or f == len(motion.roots) - 1:
            for j in range(ALIVE * n):
                for i in range(j, ALIVE * n):
                    normals.band[knot * n + j, i - j] += normals.local[i, j]
    return count_held


@borrowing
def rows_times(rows: Array, knot: Indices, width: int, controls: Array, out: Array) -> None:
    """(R,) what control points (N,) make of rows."""
    for r in range(len(out)):
        start, total = knot[r] * width, 0.0
        for c in range(rows.shape[1]):
            total += rows[r, c] * controls[start + c]
        out[r] = total


@borrowing
def add_rows(rows: Array, knot: Indices, width: int, amounts: Array, out: Array) -> None:
    """Add so much of every row to (N,) control points."""
    for r in range(len(amounts)):
        start, amount = knot[r] * width, amounts[r]
        for c in range(rows.shape[1]):
            out[start + c] += amount * rows[r, c]
