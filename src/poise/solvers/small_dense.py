"""Small dense linear algebra inside compiled loops: no allocation, no library call.

Matrices are C-contiguous and may be larger than what is used of them; sizes come as arguments.
A library call costs more than the whole factorisation at the sizes of one pose.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing, inlined_borrowing, reassociated


@reassociated
def dot(a: Array, b: Array, size: int) -> float:
    """Scalar product of the first `size` numbers; the order of the sum is the compiler's."""
    total = 0.0
    for i in range(size):
        total += a[i] * b[i]
    return total


@inlined_borrowing
def add_scaled(target: Array, factor: float, source: Array, size: int) -> None:
    """Add factor · source to target."""
    for i in range(size):
        target[i] += factor * source[i]


@borrowing
def add_to_normal(
    rows: Array, count: int, errors: Array, width: int, normal: Array, x: Array
) -> None:
    """Add JᵀJ to the upper triangle of `normal` and Jᵀe to `x`."""
    k = 0
    while k + 2 < count:  # three rows at a time: the rows of one task share their zeros
        a, b, c = rows[k], rows[k + 1], rows[k + 2]
        ea, eb, ec = errors[k], errors[k + 1], errors[k + 2]
        for i in range(width):
            fa, fb, fc = a[i], b[i], c[i]
            if fa != 0.0 or fb != 0.0 or fc != 0.0:
                x[i] += fa * ea + fb * eb + fc * ec
                target = normal[i]
                for j in range(i, width):
                    target[j] += fa * a[j] + fb * b[j] + fc * c[j]
        k += 3
    while k < count:
        a = rows[k]
        for i in range(width):
            if a[i] != 0.0:
                x[i] += a[i] * errors[k]
                add_scaled(normal[i, i:], a[i], a[i:], width - i)
        k += 1


_PANEL = 4
"""Rows eliminated at a time: each pass over the rest of the matrix then does four times the work
for the same traffic."""


@borrowing
def factor_upper(matrix: Array, size: int, floor: float) -> float:
    """Cholesky factor U with UᵀU = A in the upper triangle, in place; returns its least pivot.

    Pivots (before their root) below `floor` are raised to it, so that a singular matrix gives a
    large but finite answer instead of none.
    """
    least, start = np.inf, 0
    while start + _PANEL <= size:
        for k in range(start, start + _PANEL):
            least = min(least, _eliminate(matrix, k, start + _PANEL, size, floor))
        a, b = matrix[start], matrix[start + 1]
        c, d = matrix[start + 2], matrix[start + 3]
        i = start + _PANEL
        while i + 1 < size:  # two rows share what they read of the panel
            fa, fb, fc, fd = a[i], b[i], c[i], d[i]
            ga, gb, gc, gd = a[i + 1], b[i + 1], c[i + 1], d[i + 1]
            row, next_row = matrix[i], matrix[i + 1]
            row[i] -= fa * fa + fb * fb + fc * fc + fd * fd
            for j in range(i + 1, size):
                row[j] -= fa * a[j] + fb * b[j] + fc * c[j] + fd * d[j]
                next_row[j] -= ga * a[j] + gb * b[j] + gc * c[j] + gd * d[j]
            i += 2
        if i < size:
            matrix[i, i] -= a[i] * a[i] + b[i] * b[i] + c[i] * c[i] + d[i] * d[i]
        start += _PANEL
    for k in range(start, size):
        least = min(least, _eliminate(matrix, k, size, size, floor))
    return least


@inlined_borrowing
def _eliminate(matrix: Array, k: int, end: int, size: int, floor: float) -> float:
    """Finish row k and take it out of the rows after it up to `end`; returns its pivot."""
    row = matrix[k]
    pivot = row[k]
    root = np.sqrt(max(pivot, floor))
    scale = 1.0 / root
    row[k] = root
    for j in range(k + 1, size):
        row[j] *= scale
    for i in range(k + 1, end):
        f = row[i]
        if f != 0.0:
            below = matrix[i]
            for j in range(i, size):
                below[j] -= f * row[j]
    return pivot


@borrowing
def solve_factored(upper: Array, vector: Array, size: int) -> None:
    """Solve UᵀU x = b in place."""
    for i in range(size):
        row = upper[i]
        x = vector[i] / row[i]
        vector[i] = x
        if x != 0.0:
            for j in range(i + 1, size):
                vector[j] -= x * row[j]
    for i in range(size - 1, -1, -1):
        row = upper[i]
        x = vector[i] - dot(row[i + 1 :], vector[i + 1 :], size - i - 1)
        vector[i] = x / row[i]


FULL_RANK = 1e-9
"""Least pivot of an undamped normal matrix, against its largest diagonal entry, for full rank."""


@borrowing
def solve_normal(normal: Array, x: Array, size: int, damping: float, floor: float) -> bool:
    """Solve (A + λ²I) x = b in place, A in the upper triangle; returns whether A has full rank.

    The damped matrix always looks regular, so rank is judged on the plain one, factored first;
    meanwhile A waits in the lower triangle.
    """
    largest = 0.0
    for i in range(size):
        largest = max(largest, normal[i, i])
        for j in range(i + 1, size):
            normal[j, i] = normal[i, j]
    if damping <= FULL_RANK * largest:
        for i in range(size):
            normal[i, i] += damping
        least = factor_upper(normal, size, floor) - damping
        solve_factored(normal, x, size)
        return bool(least > 2.0 * FULL_RANK * largest)
    for i in range(size):
        x[size + i] = normal[i, i]
    full = factor_upper(normal, size, floor) > FULL_RANK * largest
    for i in range(size):
        normal[i, i] = x[size + i] + damping
        for j in range(i + 1, size):
            normal[i, j] = normal[j, i]
    factor_upper(normal, size, floor)
    solve_factored(normal, x, size)
    return bool(full)
