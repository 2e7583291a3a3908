"""Uniform B-splines sampled at the frames, and what a misfit costs.

Knots lie on whole frames, the same number apart everywhere, and go on beyond both ends of the clip
(extended, not clamped): so every stretch between two knots looks alike, one small table says all,
and a window in the middle of a clip sees the very basis that the whole clip has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, frozen_array
from poise.errors import BadValue

DEGREES = (3, 5)

_WIDEST = 1e3
"""√β in knot spacings, or its inverse: beyond, the normal equations run out of digits."""

_MOST_FRAMES = 1e9
"""More frames than this between two knots are as good as this many."""


@dataclass(frozen=True, eq=False)
class FitBasis:
    """The spline pieces between two knots at the frames there, and the weights of Eq. 18."""

    degree: int
    frames_per_knot: int
    rate_hz: float
    tables: Array
    """(n, 3, degree + 1) for each of the n frames from one knot to the next: value, first and
    second derivative (per second) of the pieces alive there, the oldest first."""
    weights: Array
    """(3,) of a squared misfit in position, velocity and acceleration (per second)."""

    def __post_init__(self) -> None:
        shape = (self.frames_per_knot, 3, self.degree + 1)
        object.__setattr__(self, "tables", frozen_array("tables", self.tables, shape))
        object.__setattr__(self, "weights", frozen_array("weights", self.weights, (3,)))


def fit_basis(
    rate_hz: float,
    degree: int,
    knot_s: float,
    beta: float,
    time_unit_s: float,
    longest_frames: int | None = None,
) -> FitBasis:
    """Check the settings of a fit and sample its splines.

    Args:
        rate_hz: frames per second.
        degree: 3 (continuous acceleration) or 5 (continuous jerk and its slope).
        knot_s: time from one control point to the next, rounded to whole frames, at least one.
        beta: weight of a velocity in `time_unit_s`, and root of that of an acceleration.
        time_unit_s: the unit of time, in seconds, in which `beta` is meant.
        longest_frames: the longest spacing that makes a difference: the length of the clip.
    """
    if degree not in DEGREES:
        raise BadValue("degree", "3 or 5", degree)
    given = {"rate_hz": rate_hz, "knot_s": knot_s, "beta": beta, "time_unit_s": time_unit_s}
    for name, value in given.items():
        check_positive(name, value)
    spacing = frames_in(knot_s, rate_hz)
    if longest_frames is not None:
        spacing = min(spacing, max(longest_frames, 1))
    reach = math.sqrt(beta) * time_unit_s * rate_hz / spacing
    if not 1.0 / _WIDEST <= reach <= _WIDEST:
        low, high = ((spacing / rate_hz / time_unit_s * f) ** 2 for f in (1 / _WIDEST, _WIDEST))
        raise BadValue(
            "beta",
            f"between {low:.2g} and {high:.2g} with knots {spacing / rate_hz:.3g} s apart and "
            f"{time_unit_s:g} s as its unit of time",
            beta,
        )
    squared_s2 = beta * time_unit_s**2
    return FitBasis(
        degree,
        spacing,
        rate_hz,
        _tables(degree, spacing, rate_hz),
        np.array([1.0, squared_s2, squared_s2**2]),
    )


def check_positive(name: str, value: float) -> None:
    """Refuse what is not a positive, finite number."""
    if not (value > 0 and math.isfinite(value)):
        raise BadValue(name, "positive and finite", value)


def frames_in(seconds: float, rate_hz: float) -> int:
    """The nearest whole number of frames, at least one."""
    return max(1, round(min(seconds * rate_hz, _MOST_FRAMES)))


def _tables(degree: int, spacing: int, rate_hz: float) -> Array:
    share = np.arange(spacing) / spacing
    per_second = rate_hz / spacing
    values = _pieces(degree, share)
    first = _difference(_pieces(degree - 1, share)) * per_second
    second = _difference(_difference(_pieces(degree - 2, share))) * per_second**2
    return np.stack([values, first, second], axis=1)


def _pieces(degree: int, share: Array) -> Array:
    """(n, degree + 1) pieces of the uniform B-spline at `share` of the way between two knots."""
    pieces = np.ones((len(share), 1))
    for k in range(1, degree + 1):
        grown = np.zeros((len(share), k + 1))
        for a in range(k + 1):
            if a > 0:
                grown[:, a] += (share + (k - a)) * pieces[:, a - 1]
            if a < k:
                grown[:, a] += (1 + a - share) * pieces[:, a]
        pieces = grown / k
    return pieces


def _difference(lower: Array) -> Array:
    """The derivative of a spline's pieces, per knot, from those one degree lower."""
    padded = np.pad(lower, ((0, 0), (1, 1)))
    return padded[:, :-1] - padded[:, 1:]
