"""Cholesky factor of a band of blocks, and solving with it: on one core, without a library.

The unknowns come in blocks of `width`, and a block shares equations with the next `reach` − 1. Row
j of the band holds the lower band of column j, which is row j of U in UᵀU = A: contiguous, so both
the factor and its solutions run along rows. LAPACK's threads wait for each other on a busy machine,
and it does not know that the band's corners are empty.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, compiled, inlined_borrowing, inner_borrowing
from poise.solvers.small_dense import dot

_PANEL = 4
"""Rows eliminated at a time: each pass over the rows that follow then does four times the work for
the same traffic, and two of those at a time share what they read of the panel."""


@inlined_borrowing
def row_end(j: int, width: int, reach: int, size: int) -> int:
    """Where row j ends, as a column."""
    return min((j // width + reach) * width, size)


@inlined_borrowing
def _take_one(target: Array, factor: float, source: Array, count: int) -> None:
    for i in range(count):
        target[i] -= factor * source[i]


@inlined_borrowing
def _take_four(
    t: Array, u: Array, count: int,
    f0: float, f1: float, f2: float, f3: float, g0: float, g1: float, g2: float, g3: float,
    a0: Array, a1: Array, a2: Array, a3: Array,
) -> None:  # fmt: skip
    for i in range(count):
        t[i] -= f0 * a0[i] + f1 * a1[i] + f2 * a2[i] + f3 * a3[i]
        u[i] -= g0 * a0[i] + g1 * a1[i] + g2 * a2[i] + g3 * a3[i]


@inner_borrowing
def _update(band: Array, start: int, i: int, end: int) -> None:
    """Rows i and i + 1 without what a panel, which begins at `start`, explains of them."""
    d = i - start
    a, b, c, e = band[start], band[start + 1], band[start + 2], band[start + 3]
    band[i, 0] -= a[d] ** 2 + b[d - 1] ** 2 + c[d - 2] ** 2 + e[d - 3] ** 2
    _take_four(
        band[i, 1:], band[i + 1], end - i - 1,
        a[d], b[d - 1], c[d - 2], e[d - 3], a[d + 1], b[d], c[d - 1], e[d - 2],
        a[d + 1 :], b[d:], c[d - 1 :], e[d - 2 :],
    )  # fmt: skip


@inner_borrowing
def _factor_from(band: Array, width: int, reach: int, start: int) -> bool:
    """Factor the rows from `start` on, from which those before have been taken."""
    size = len(band)
    while start < size:
        # A panel stays inside a block: all its rows end together.
        stop = min(start + _PANEL, (start // width + 1) * width, size)
        end = row_end(start, width, reach, size)
        for j in range(start, stop):
            pivot = band[j, 0]
            if not (pivot > 0.0 and pivot < np.inf):
                return False
            share = 1.0 / np.sqrt(pivot)
            for i in range(end - j):
                band[j, i] *= share
            for i in range(j + 1, stop):
                _take_one(band[i], band[j, i - j], band[j, i - j :], end - i)
        _take_panel(band, start, stop, stop, end)
        start = stop
    return True


@inner_borrowing
def _take_panel(band: Array, start: int, stop: int, first: int, end: int) -> None:
    """Rows `first` to `end` without what the factored rows `start` to `stop` explain of them."""
    if stop - start == _PANEL:
        i = first
        while i + 1 < end:
            _update(band, start, i, end)
            i += 2
        if i < end:
            for j in range(start, stop):
                band[i, 0] -= band[j, i - j] ** 2
    else:
        for j in range(start, stop):
            for i in range(first, end):
                _take_one(band[i], band[j, i - j], band[j, i - j :], end - i)


@borrowing
def factor_band(band: Array, width: int, reach: int) -> bool:
    """Factor in place; whether the matrix is positive definite.

    Args:
        band: (N, width · reach) row j: column j from its diagonal on. What lies beyond the last
            block that its own reaches must be zero.
        width: of a block.
        reach: in blocks, its own included.
    """
    return _factor_from(band, width, reach, 0)


@borrowing
def refactor_band(band: Array, factor: Array, width: int, reach: int, block: int) -> bool:
    """Factor again from `block` on, where only rows from there on differ from what was factored.

    Args:
        band: (N, width · reach) the matrix as it is now, as `factor_band` takes it.
        factor: as `factor_band` left it for the matrix as it was; from `block` on it is replaced.
        width: of a block.
        reach: in blocks.
        block: the first with a row that changed.
    """
    size, first = len(band), block * width
    for i in range(first, size):
        for k in range(band.shape[1]):
            factor[i, k] = band[i, k]
    start = max(0, (block - reach + 1) * width)
    while start < first:
        stop = min(start + _PANEL, (start // width + 1) * width)
        _take_panel(factor, start, stop, first, row_end(start, width, reach, size))
        start = stop
    return _factor_from(factor, width, reach, first)


@borrowing
def solve_band(factor: Array, width: int, reach: int, x: Array) -> None:
    """Solve in place with the factor.

    Args:
        factor: as `factor_band` leaves it.
        width: of a block.
        reach: in blocks.
        x: (N,) in: the right side, out: the solution.
    """
    size = len(x)
    for j in range(size):
        x[j] /= factor[j, 0]
        count = row_end(j, width, reach, size) - j - 1
        _take_one(x[j + 1 :], x[j], factor[j, 1:], count)
    for j in range(size - 1, -1, -1):
        count = row_end(j, width, reach, size) - j - 1
        x[j] = (x[j] - dot(factor[j, 1:], x[j + 1 :], count)) / factor[j, 0]


@inlined_borrowing
def _take_three(
    x: Array, y: Array, z: Array, row: Array, count: int, a: float, b: float, c: float
) -> None:
    for i in range(count):
        x[i] -= a * row[i]
        y[i] -= b * row[i]
        z[i] -= c * row[i]


@borrowing
def solve_band_three(factor: Array, width: int, reach: int, right: Array) -> None:
    """Solve in place for three right sides, which share what is read of the factor.

    Args:
        factor: as `factor_band` leaves it.
        width: of a block.
        reach: in blocks.
        right: (3, N) in: the right sides, out: the solutions.
    """
    x, y, z = right[0], right[1], right[2]
    size = len(x)
    for j in range(size):
        share = 1.0 / factor[j, 0]
        x[j] *= share
        y[j] *= share
        z[j] *= share
        count = row_end(j, width, reach, size) - j - 1
        _take_three(x[j + 1 :], y[j + 1 :], z[j + 1 :], factor[j, 1:], count, x[j], y[j], z[j])
    for j in range(size - 1, -1, -1):
        share = 1.0 / factor[j, 0]
        count = row_end(j, width, reach, size) - j - 1
        row = factor[j, 1:]
        x[j] = (x[j] - dot(row, x[j + 1 :], count)) * share
        y[j] = (y[j] - dot(row, y[j + 1 :], count)) * share
        z[j] = (z[j] - dot(row, z[j + 1 :], count)) * share


@compiled
def solve_six(h: Array, g: Array, x: Array) -> None:
    """Put the solution of H x = −g into `x`; the lower triangle of `h` becomes its factor."""
    for j in range(6):
        for i in range(j, 6):
            total = h[i, j]
            for k in range(j):
                total -= h[i, k] * h[j, k]
            h[i, j] = math.sqrt(total) if i == j else total / h[j, j]
    for i in range(6):
        total = -g[i]
        for k in range(i):
            total -= h[i, k] * x[k]
        x[i] = total / h[i, i]
    for i in range(5, -1, -1):
        total = x[i]
        for k in range(i + 1, 6):
            total -= h[k, i] * x[k]
        x[i] = total / h[i, i]
