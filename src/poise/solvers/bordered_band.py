"""A band of blocks with a border: unknowns of frames, and a few that many frames share.

    [ A   E ] [x]   [a]
    [ Eᵀ  C ] [y] = [b]

A is a band as `banded_cholesky` takes it, E has as many columns as there are shared unknowns. With
A = LLᵀ, the border is reduced to L⁻¹E, and what remains is C − (L⁻¹E)ᵀ(L⁻¹E), small and dense. A
column of E that begins at some row stays zero above it, so columns sorted by where they begin make
the reduction half as long.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing
from poise.solvers.banded_cholesky import factor_band, row_end, solve_band
from poise.solvers.small_dense import dot

_TOGETHER = 4
"""Rows of a panel: the rows below it are read once for four of them."""


def solve_bordered(
    band: Array, width: int, reach: int, border: Array, begins: Indices, corner: Array,
    right: Array, shared_right: Array,
) -> bool:  # fmt: skip
    """Solve in place; whether the whole matrix is positive definite.

    Args:
        band: (N, width · reach) as `factor_band` takes it; its factor afterwards.
        width: of a block.
        reach: in blocks.
        border: (N, S) E; what is left of it afterwards is of no use.
        begins: (S,) the first row of each column of E that is not zero, rising.
        corner: (S, S) C, of which the upper half is read; of no use afterwards.
        right: (N,) a in, x out.
        shared_right: (S,) b in, y out.
    """
    if not factor_band(band, width, reach):
        return False
    shared = len(shared_right)
    if shared == 0:
        solve_band(band, width, reach, right)
        return True
    _forward(band, width, reach, border, begins, right)
    _reduce(border, begins, right, corner, shared_right)
    # A dense matrix is a band of one block: row j holds its columns from the diagonal on.
    small = np.zeros((shared, shared))
    for j in range(shared):
        small[j, : shared - j] = corner[j, j:]
    if not factor_band(small, shared, 1):
        return False
    solve_band(small, shared, 1, shared_right)
    _backward(band, width, reach, border, begins, shared_right, right)
    return bool(np.isfinite(shared_right).all())


@inner_borrowing
def _take_panel(border: Array, i: int, j: int, l0: float, l1: float, l2: float, l3: float,
    count: int,
) -> None:  # fmt: skip
    target, a, b, c, d = border[i], border[j], border[j + 1], border[j + 2], border[j + 3]
    for k in range(count):
        target[k] -= l0 * a[k] + l1 * b[k] + l2 * c[k] + l3 * d[k]


@borrowing
def _forward(
    band: Array, width: int, reach: int, border: Array, begins: Indices, right: Array
) -> None:
    """Border and right side become what the lower factor makes of them."""
    size, shared = len(right), len(begins)
    active, j = 0, 0
    while j < size:
        stop = min(j + _TOGETHER, (j // width + 1) * width, size)
        while active < shared and begins[active] < stop:
            active += 1
        end = row_end(j, width, reach, size)
        for p in range(j, stop):
            share = 1.0 / band[p, 0]
            right[p] *= share
            row = border[p]
            for k in range(active):
                row[k] *= share
            for i in range(p + 1, stop):
                factor = band[p, i - p]
                right[i] -= factor * right[p]
                below = border[i]
                for k in range(active):
                    below[k] -= factor * row[k]
        for p in range(j, stop):
            for i in range(stop, end):
                right[i] -= band[p, i - p] * right[p]
        if stop - j == _TOGETHER:
            for i in range(stop, end):
                _take_panel(
                    border, i, j, band[j, i - j], band[j + 1, i - j - 1], band[j + 2, i - j - 2],
                    band[j + 3, i - j - 3], active,
                )  # fmt: skip
        else:
            for p in range(j, stop):
                row = border[p]
                for i in range(stop, end):
                    factor = band[p, i - p]
                    below = border[i]
                    for k in range(active):
                        below[k] -= factor * row[k]
        j = stop


@inlined_borrowing
def _take_square(corner: Array, a: Array, b: Array, c: Array, d: Array, active: int) -> None:
    """The upper half less the squares of four rows."""
    for i in range(active):
        target = corner[i]
        e, f, g, h = a[i], b[i], c[i], d[i]
        for k in range(i, active):
            target[k] -= e * a[k] + f * b[k] + g * c[k] + h * d[k]


@borrowing
def _reduce(border: Array, begins: Indices, right: Array, corner: Array, shared: Array) -> None:
    """The corner and its right side less what the reduced border explains."""
    size, count = len(right), len(shared)
    active, j = 0, 0
    while j < size:
        stop = min(j + _TOGETHER, size)
        while active < count and begins[active] < stop:
            active += 1
        if stop - j == _TOGETHER:
            _take_square(corner, border[j], border[j + 1], border[j + 2], border[j + 3], active)
        else:
            for p in range(j, stop):
                row = border[p]
                for i in range(active):
                    for k in range(i, active):
                        corner[i, k] -= row[i] * row[k]
        for p in range(j, stop):
            row, value = border[p], right[p]
            for i in range(active):
                shared[i] -= row[i] * value
        j = stop


@borrowing
def _backward(
    band: Array, width: int, reach: int, border: Array, begins: Indices, shared: Array, x: Array
) -> None:
    size, active = len(x), len(shared)
    for j in range(size - 1, -1, -1):
        while active > 0 and begins[active - 1] > j:
            active -= 1
        value = x[j] - dot(border[j], shared, active)
        count = row_end(j, width, reach, size) - j - 1
        x[j] = (value - dot(band[j, 1:], x[j + 1 :], count)) / band[j, 0]
