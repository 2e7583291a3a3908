"""The least-squares filter over a whole clip: one curve for positions, velocities, accelerations.

Section 6 of Tak and Ko. What the Kalman filter leaves behind are three tables that need not be
derivatives of one another; the B-spline nearest to all three (Eq. 18) has derivatives that are. Of
Eq. 17 the lower blocks are Ḃ and B̈, and Eq. 19 lacks a Bᵀ: c = (BᵀWB)⁻¹ BᵀW q̌, which is banded.

**What β means.** W = diag(1, β, β²) compares positions with velocities, so β has a unit of time,
which the paper does not name. With τ = √β · time_unit_s, a wave of angular frequency ω is heard
through its position, velocity and acceleration in the ratio 1 : (τω)² : (τω)⁴. β = 0.1 in seconds
is τ = 0.32 s: from 0.5 Hz up the accelerations decide. In frames of 1/30 s it is τ = 0.01 s: below
15 Hz, which is all there is, only positions count.

Measured: where half a second of the accelerations is set to what a constraint wants and fitted,
again and again, 62, 42, 32, 26 and 22 % of the change are still missing after one to five passes
with seconds (knots 2 frames apart). That is the paper's "in part cancelled" and its three to five
passes. With frames 99.7 % are missing after five. Seconds it is; they also make W the inverse of
the process covariance diag(1, α, α²) of Eq. 12 at α = 1/β = 10.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve_banded, cholesky_banded

from poise.arrays import Array, frozen_array
from poise.errors import BadShape, BadValue

# Uniform B-splines sampled at the frames, and what a misfit costs.
#
# Knots lie on whole frames, the same number apart everywhere, and go on beyond both ends of the
# clip (extended, not clamped): so every stretch between two knots looks alike, one small table
# says all, and a window in the middle of a clip sees the very basis that the whole clip has.
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


KNOT_S = 4 / 30
"""The paper's "every fourth frame"; half of it where high frequencies are smoothed too much."""

BETA = 0.1

_MOST_CORRECTIONS = 20
"""One is the rule; the most lopsided weights that are allowed take a dozen."""

_LAST_CORRECTION = 1e-8
"""What is left after a correction this small is a fraction of it, as a rule a tiny one."""


class CurveFit:
    """Fits curves to clips of one length and rate; built once, used for many columns and clips.

    A knot spacing longer than the clip is the same as one as long as the clip: either way the
    curve is a single polynomial. One frame is its own curve.
    """

    def __init__(
        self,
        frame_count: int,
        rate_hz: float,
        *,
        degree: int = 3,
        knot_s: float = KNOT_S,
        beta: float = BETA,
        time_unit_s: float = 1.0,
    ) -> None:
        """Factor the normal equations.

        Args:
            frame_count: frames of the clip, at least one.
            rate_hz: frames per second.
            degree: 3 or 5.
            knot_s: time from one control point to the next, rounded to whole frames.
            beta: weight of velocities; accelerations have its square.
            time_unit_s: the unit of time of `beta`, in seconds.
        """
        if frame_count < 1:
            raise BadValue("frame_count", "at least 1", frame_count)
        basis = fit_basis(rate_hz, degree, knot_s, beta, time_unit_s, frame_count - 1)
        spacing = basis.frames_per_knot
        self.basis = basis
        self.frame_count = frame_count
        self.control_count = math.ceil((frame_count - 1) / spacing) + degree
        """Control point i stands at frame (i − (degree − 1)/2) · frames_per_knot."""
        self._stretches = (frame_count - 1) // spacing + 1
        """Stretches from knot to knot with a frame in them; the last is rarely full."""
        orders_first = np.ascontiguousarray(basis.tables.transpose(1, 0, 2))
        self._table = orders_first.reshape(3 * spacing, degree + 1)
        # One frame determines no curve and needs none.
        self._factor = cholesky_banded(self._normal_band(), lower=True) if frame_count > 1 else None

    def fit(
        self, positions: Array, velocities: Array, accelerations: Array
    ) -> tuple[Array, Array, Array]:
        """Positions, velocities and accelerations of the curve nearest to those given.

        Each is (F, C), C columns that have nothing to do with one another; time is in seconds.
        """
        data = self._packed(positions, velocities, accelerations)
        if self.frame_count == 1:
            return positions.copy(), velocities.copy(), accelerations.copy()
        at_frames = self._sampled(self._solved(data))
        shape = (self._stretches * self.basis.frames_per_knot, positions.shape[1])
        p, v, a = (at_frames[:, k].reshape(shape)[: self.frame_count] for k in range(3))
        return p, v, a

    def control_points(self, positions: Array, velocities: Array, accelerations: Array) -> Array:
        """(control points, C) of the curve of `fit`; for two frames or more."""
        self._refuse_single_frame()
        return self._solved(self._packed(positions, velocities, accelerations))

    def row(self, control: int) -> Array:
        """(F, 3) what each frame's position, velocity and acceleration adds to a control point.

        One row of the weighted pseudo-inverse of Eq. 19; for two frames or more.
        """
        self._refuse_single_frame()
        unit = np.zeros((self.control_count, 1))
        unit[control] = 1.0
        row = self._weighted(self._sampled(self._normal_solved(unit)))
        for _ in range(_MOST_CORRECTIONS):
            correction = self._normal_solved(unit - self._gathered(row))
            step = self._weighted(self._sampled(correction))
            row += step
            if _is_rounding(step, row):
                break
        return np.ascontiguousarray(row[..., 0].transpose(0, 2, 1)).reshape(-1, 3)[
            : self.frame_count
        ]

    def _solved(self, data: Array) -> Array:
        controls = self._normal_solved(self._gathered(self._weighted(data)))
        # Normal equations square the condition number (accelerations at 120 Hz outweigh positions
        # a millionfold); solving once more for what is left restores the digits.
        for _ in range(_MOST_CORRECTIONS):
            left = self._weighted(data - self._sampled(controls))
            step = self._normal_solved(self._gathered(left))
            controls += step
            if _is_rounding(step, controls):
                break
        return controls

    def _weighted(self, data: Array) -> Array:
        """`data` with Eq. 18's weights, and nothing beyond the last frame."""
        weighted = data * self.basis.weights[:, None, None]
        weighted[-1, :, self._frames_in_last :] = 0.0
        return weighted

    def _normal_solved(self, right: Array) -> Array:
        return cho_solve_banded((self._factor, True), right, check_finite=False)

    @property
    def _frames_in_last(self) -> int:
        return self.frame_count - (self._stretches - 1) * self.basis.frames_per_knot

    def _packed(self, positions: Array, velocities: Array, accelerations: Array) -> Array:
        """(stretches, 3, frames per knot, C), zero beyond the last frame."""
        given = {
            "positions": positions,
            "velocities": velocities,
            "accelerations": accelerations,
        }
        columns = positions.shape[-1] if positions.ndim == 2 else "C"
        spacing, whole = self.basis.frames_per_knot, self._stretches - 1
        for name, array in given.items():
            if array.ndim != 2 or array.shape != (self.frame_count, columns):
                raise BadShape(name, f"({self.frame_count}, {columns})", array.shape)
            if not np.isfinite(array).all():
                raise BadValue(name, "finite everywhere", "NaN or infinity")
        packed = np.zeros((self._stretches, 3, spacing, positions.shape[1]))
        for k, array in enumerate(given.values()):
            packed[:whole, k] = array[: whole * spacing].reshape(packed[:whole, k].shape)
            packed[whole, k, : self._frames_in_last] = array[whole * spacing :]
        return packed

    def _gathered(self, packed: Array) -> Array:
        """Bᵀ times a packed table: (control points, C)."""
        alive = self.basis.degree + 1
        parts = self._table.T @ packed.reshape(self._stretches, -1, packed.shape[-1])
        total = np.zeros((self._stretches + self.basis.degree, packed.shape[-1]))
        for a in range(alive):
            total[a : a + self._stretches] += parts[:, a]
        return total[: self.control_count]

    def _sampled(self, controls: Array) -> Array:
        """B times control points, as a packed table."""
        columns = controls.shape[1]
        if len(controls) < self._stretches + self.basis.degree:
            # The last frame is on a knot: the piece that starts there is still zero.
            controls = np.concatenate([controls, np.zeros((1, columns))])
        alive = np.stack(
            [controls[a : a + self._stretches] for a in range(self.basis.degree + 1)], axis=1
        )
        return (self._table @ alive).reshape(self._stretches, 3, -1, columns)

    def _normal_band(self) -> Array:
        """Lower band of BᵀWB."""
        degree, count = self.basis.degree, self._stretches
        tables, weights = self.basis.tables, self.basis.weights
        band = np.zeros((degree + 1, count + degree))
        whole = np.einsum("pka,k,pkb->ab", tables, weights, tables)
        end = tables[: self._frames_in_last]
        last = np.einsum("pka,k,pkb->ab", end, weights, end)
        for a in range(degree + 1):
            for b in range(a + 1):
                band[a - b, b : b + count - 1] += whole[a, b]
                band[a - b, b + count - 1] += last[a, b]
        return band[:, : self.control_count]

    def _refuse_single_frame(self) -> None:
        if self.frame_count == 1:
            raise BadValue("frame_count", "at least 2 to determine control points", 1)


def _is_rounding(step: Array, whole: Array) -> bool:
    return float(np.abs(step).max(initial=0)) <= _LAST_CORRECTION * np.abs(whole).max(initial=0)
