"""The loops behind `splines`: a banded Cholesky factor, and all columns solved and sampled at once.

Columns lie side by side in memory, so every inner loop runs along them and fills the processor's
vector registers; frames are walked twice, once forwards and once backwards.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import compiled

HALF_BAND = 5


@compiled
def factor(band: Array) -> None:
    """Turn the lower band (6, N) of a positive matrix into that of its Cholesky factor."""
    size = band.shape[1]
    for i in range(size):
        reach = min(i, HALF_BAND)
        for m in range(reach, -1, -1):  # entry (i, i - m) of the factor
            j = i - m
            total = band[m, j]
            for k in range(max(0, i - HALF_BAND), j):
                total -= band[i - k, k] * band[j - k, k]
            band[m, j] = total / band[0, j] if m > 0 else np.sqrt(total)


@compiled
def solve_and_sample(
    lower: Array, stencils: Array, values: Array, start: Array, slope: Array,
    coefficients: Array, fitted: Array, first: Array, second: Array,
) -> None:  # fmt: skip
    """Solve L Lᵀ c = Bᵀ (y − line) for all columns of y, and sample the spline at the frames.

    `stencils` holds the spline's values, slopes and curvatures at the knots of its support.
    """
    size = coefficients.shape[0]
    frames, columns = values.shape
    for i in range(size):
        for c in range(columns):
            coefficients[i, c] = 0.0
        for k in range(5):
            f = i - k
            if 0 <= f < frames:
                w = stencils[0, k]
                for c in range(columns):
                    coefficients[i, c] += w * (values[f, c] - start[c] - slope[c] * f)
        for m in range(1, min(i, HALF_BAND) + 1):
            w = lower[m, i - m]
            for c in range(columns):
                coefficients[i, c] -= w * coefficients[i - m, c]
        w = 1.0 / lower[0, i]
        for c in range(columns):
            coefficients[i, c] *= w
    for i in range(size - 1, -1, -1):
        for m in range(1, min(size - 1 - i, HALF_BAND) + 1):
            w = lower[m, i]
            for c in range(columns):
                coefficients[i, c] -= w * coefficients[i + m, c]
        w = 1.0 / lower[0, i]
        for c in range(columns):
            coefficients[i, c] *= w
        if i < frames:
            _sample(i, stencils, coefficients, start, slope, fitted, first, second)


@compiled
def _sample(
    f: int, stencils: Array, coefficients: Array, start: Array, slope: Array,
    fitted: Array, first: Array, second: Array,
) -> None:  # fmt: skip
    """Frame f sees coefficients f to f + 4, which are final by now."""
    for c in range(fitted.shape[1]):
        v, d, a = start[c] + slope[c] * f, slope[c], 0.0
        for k in range(5):
            x = coefficients[f + k, c]
            v += stencils[0, k] * x
            d += stencils[1, k] * x
            a += stencils[2, k] * x
        fitted[f, c], first[f, c], second[f, c] = v, d, a
