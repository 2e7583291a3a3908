"""Small dense linear algebra inside compiled loops: no allocation, no library call.

Matrices are C-contiguous and may be larger than what is used of them; sizes come as arguments.
A library call costs more than the whole factorisation at the sizes of one pose.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import inlined_borrowing, reassociated


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


@inlined_borrowing
def factor_upper(matrix: Array, size: int, floor: float) -> float:
    """Cholesky factor U with UᵀU = A in the upper triangle, in place; returns its least pivot.

    Pivots (before their root) below `floor` are raised to it, so that a singular matrix gives a
    large but finite answer instead of none.
    """
    least = np.inf
    for k in range(size):
        row = matrix[k]
        pivot = row[k]
        least = min(least, pivot)
        root = np.sqrt(max(pivot, floor))
        scale = 1.0 / root
        row[k] = root
        for j in range(k + 1, size):
            row[j] *= scale
        for i in range(k + 1, size):
            f = row[i]
            if f != 0.0:
                below = matrix[i]
                for j in range(i, size):
                    below[j] -= f * row[j]
    return least


@inlined_borrowing
def solve_factored(upper: Array, vector: Array, size: int) -> None:
    """Solve UᵀU x = b in place."""
    for i in range(size):
        row = upper[i]
        x = vector[i] / row[i]
        vector[i] = x
        for j in range(i + 1, size):
            vector[j] -= x * row[j]
    for i in range(size - 1, -1, -1):
        row = upper[i]
        x = vector[i]
        for j in range(i + 1, size):
            x -= row[j] * vector[j]
        vector[i] = x / row[i]
