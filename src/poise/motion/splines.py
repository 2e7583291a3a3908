"""Quintic smoothing splines over evenly spaced frames, fitted to many columns at once.

Of all curves, the fit minimises Σ (y − f)² + μ ∫ (f‴)² with one frame as the unit of time. Far
from the ends that is a low-pass filter with response 1 / (1 + μ ω⁶), so μ follows from the
frequency at which half the amplitude is to remain. Penalising the third derivative leaves the
acceleration free at the ends, where a cubic smoothing spline would force it to zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.errors import BadValue

# Quintic B-spline on unit knots: values and derivatives at the five knots inside its support.
_VALUE = np.array([1.0, 26.0, 66.0, 26.0, 1.0]) / 120.0
_FIRST = np.array([-1.0, -10.0, 0.0, 10.0, 1.0]) / 24.0
_SECOND = np.array([1.0, 2.0, -6.0, 2.0, 1.0]) / 6.0
_STENCILS = np.stack([_VALUE, _FIRST, _SECOND])
_HALF_BAND = 5

SHORTEST = 4
"""Fewer frames than this determine no third derivative to smooth."""


@dataclass(frozen=True, eq=False)
class Smoothed:
    """A fitted spline at the frames: values and time derivatives, each (F, columns)."""

    values: Array
    first: Array
    """Per second."""
    second: Array
    """Per second squared."""


def smooth(values: Array, rate_hz: float, cutoff_hz: float) -> Smoothed:
    """Fit columns (F, n) sampled at `rate_hz`; half the amplitude remains at `cutoff_hz`."""
    frames = len(values)
    if frames < SHORTEST:
        raise BadValue("frames", f"at least {SHORTEST} for a smoothing spline", frames)
    if not 0 < cutoff_hz <= rate_hz / 2:
        raise BadValue("cutoff_hz", f"between 0 and half the rate ({rate_hz / 2:g} Hz)", cutoff_hz)
    penalty = (2.0 * np.pi * cutoff_hz / rate_hz) ** -6
    from poise.motion.spline_kernels import factor, solve_and_sample

    y = np.ascontiguousarray(values, dtype=np.float64).view()
    y.flags.writeable = False
    # Fitting what is left of a straight line keeps the numbers small; the spline is exact on lines.
    start, slope = y[0].copy(), (y[-1] - y[0]) / (frames - 1)
    band = _normal_band(frames, penalty)
    factor(band)
    coefficients = np.empty((frames + 4, y.shape[1]))
    fitted, first, second = np.empty(y.shape), np.empty(y.shape), np.empty(y.shape)
    solve_and_sample(band, _STENCILS, y, start, slope, coefficients, fitted, first, second)
    first *= rate_hz
    second *= rate_hz**2
    return Smoothed(fitted, first, second)


def _normal_band(frames: int, penalty: float) -> Array:
    """Lower band of BᵀB + μ G for `frames` + 4 coefficients."""
    size = frames + 4
    band = np.zeros((_HALF_BAND + 1, size))
    for a in range(5):
        for b in range(a + 1):
            band[a - b, b : b + frames] += _VALUE[a] * _VALUE[b]
    gram = _third_derivative_gram()
    for a in range(6):
        for b in range(a + 1):
            band[a - b, b : b + frames - 1] += penalty * gram[a, b]
    return band


def _third_derivative_gram() -> Array:
    """∫ over one knot interval of B‴ₐ B‴_b for the six splines alive there, exactly."""
    # On one interval the third derivative of the quintic is the third difference of the quadratic
    # B-spline pieces (1−t)²/2, ½ + t − t², t²/2.
    nodes, weights = np.polynomial.legendre.leggauss(3)
    t = 0.5 * (nodes + 1.0)
    pieces = np.array([(1 - t) ** 2 / 2, 0.5 + t - t**2, t**2 / 2])
    third = np.zeros((6, 3))
    for shift, factor in enumerate((-1.0, 3.0, -3.0, 1.0)):
        third[shift : shift + 3] += factor * pieces
    return (third * (0.5 * weights)) @ third.T
