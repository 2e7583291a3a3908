"""Six equations with a symmetric positive definite matrix, without a call to a library."""

from __future__ import annotations

import math

from poise.arrays import Array
from poise.compiled import compiled


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
