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

_PANEL = 6
"""Rows eliminated at a time: each pass over the rows that follow then does six times the work for
the same traffic,"""
_TOGETHER = 3
"""and so many of those share what they read of the panel. As many sums as registers hold."""

Six = tuple[float, float, float, float, float, float]
Rows = tuple[Array, Array, Array, Array, Array, Array]


@inlined_borrowing
def row_end(j: int, width: int, reach: int, size: int) -> int:
    """Where row j ends, as a column."""
    return min((j // width + reach) * width, size)


@inlined_borrowing
def _take_one(target: Array, factor: float, source: Array, count: int) -> None:
    for i in range(count):
        target[i] -= factor * source[i]


@inlined_borrowing
def _factors(a: Rows, i: int, count: int) -> Six:
    """What each row of a panel has at place i; nothing from its `count`-th row on."""
    return (
        a[0][i],
        a[1][i] if count > 1 else 0.0,
        a[2][i] if count > 2 else 0.0,
        a[3][i] if count > 3 else 0.0,
        a[4][i] if count > 4 else 0.0,
        a[5][i] if count > 5 else 0.0,
    )


@inlined_borrowing
def six_product(f: Six, g: Six) -> float:
    """Of six numbers each."""
    return f[0] * g[0] + f[1] * g[1] + f[2] * g[2] + f[3] * g[3] + f[4] * g[4] + f[5] * g[5]


@inlined_borrowing
def _taken(f: Six, a: Rows, i: int) -> float:
    return (
        f[0] * a[0][i] + f[1] * a[1][i] + f[2] * a[2][i] + f[3] * a[3][i] + f[4] * a[4][i]
        + f[5] * a[5][i]
    )  # fmt: skip


@inlined_borrowing
def take_six(t: Array, u: Array, v: Array, count: int, f: Six, g: Six, h: Six, a: Rows) -> None:
    """Three rows less six others, f, g and h times: they share what is read."""
    for i in range(count):
        t[i] -= _taken(f, a, i)
        u[i] -= _taken(g, a, i)
        v[i] -= _taken(h, a, i)


@inner_borrowing
def _update(band: Array, start: int, stop: int, i: int, end: int) -> None:
    """Rows i to i + 2 without what the panel from `start` to `stop` explains of them."""
    # A panel that is short has its last row again, which counts for nothing.
    last, count = stop - 1, stop - start
    r, s, t = min(start + 1, last), min(start + 2, last), min(start + 3, last)
    u, v = min(start + 4, last), min(start + 5, last)
    a = (
        band[start, i - start :], band[r, i - r :], band[s, i - s :], band[t, i - t :],
        band[u, i - u :], band[v, i - v :],
    )  # fmt: skip
    f, g, h = _factors(a, 0, count), _factors(a, 1, count), _factors(a, 2, count)
    band[i, 0] -= six_product(f, f)
    band[i, 1] -= six_product(f, g)
    band[i + 1, 0] -= six_product(g, g)
    ahead = (a[0][2:], a[1][2:], a[2][2:], a[3][2:], a[4][2:], a[5][2:])
    take_six(band[i, 2:], band[i + 1, 1:], band[i + 2], end - i - 2, f, g, h, ahead)


@inner_borrowing
def _factor_from(band: Array, width: int, reach: int, start: int, x: Array) -> bool:
    """Factor the rows from `start` on, from which those before have been taken.

    A right side, if any, is solved for as far as the rows that are at hand go.
    """
    size, sided = len(band), len(x) > 0
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
            if sided:
                x[j] *= share
                _take_one(x[j + 1 :], x[j], band[j, 1:], end - j - 1)
        _take_panel(band, start, stop, stop, end)
        start = stop
    return True


@inner_borrowing
def _take_panel(band: Array, start: int, stop: int, first: int, end: int) -> None:
    """Rows `first` to `end` without what the factored rows `start` to `stop` explain of them."""
    i = first
    while i + _TOGETHER <= end:
        _update(band, start, stop, i, end)
        i += _TOGETHER
    while i < end:
        for j in range(start, stop):
            _take_one(band[i], band[j, i - j], band[j, i - j :], end - i)
        i += 1


@borrowing
def factor_band(band: Array, width: int, reach: int) -> bool:
    """Factor in place; whether the matrix is positive definite.

    Args:
        band: (N, width · reach) row j: column j from its diagonal on. What lies beyond the last
            block that its own reaches must be zero.
        width: of a block.
        reach: in blocks, its own included.
    """
    return _factor_from(band, width, reach, 0, band[0, :0])


@borrowing
def factor_and_solve(band: Array, width: int, reach: int, x: Array) -> bool:
    """Factor in place and solve in place; half of a long solution is fetching the factor again.

    Args:
        band: as `factor_band` takes it.
        width: of a block.
        reach: in blocks.
        x: (N,) in: the right side, out: the solution, if the matrix is positive definite.
    """
    if not _factor_from(band, width, reach, 0, x):
        return False
    _solve_backward(band, width, reach, x)
    return True


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
    return _factor_from(factor, width, reach, first, factor[0, :0])


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
    _solve_backward(factor, width, reach, x)


@inner_borrowing
def _solve_backward(factor: Array, width: int, reach: int, x: Array) -> None:
    size = len(x)
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
