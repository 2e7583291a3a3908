"""The least-squares filter as frames arrive: each control point from a window around it.

Figure 5 of Tak and Ko. A control point is what a fit of only the frames in its window would give
it; away from the ends of the stream that is the same weighted sum of frames every time (a row of
the pseudo-inverse, Eq. 19), and near the beginning the window is cut off at the first frame. What
comes out is one B-spline all the same, so its derivatives agree exactly; only its control points
are not quite those of `CurveFit`. The difference falls by e for every 1.2 τ (τ = √β · time_unit_s)
or so that half the window is longer, in waves; where τ is shorter than a knot spacing, for every
knot or so. On a walk at 30 Hz with the paper's settings, 64 frames leave 0.03° (at most 0.2°).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.methods.filter.curve_fit import BETA, KNOT_S, CurveFit, check_positive, fit_basis


# Rotations through a curve fit: four components each, and back onto the unit sphere.
#
# Angular velocities and accelerations are in the joint's own frame, as in `motion.Derivatives`.
# The fitted components leave the sphere a little; dividing by their length bends the curve, and
# the velocities returned are those of the bent one, exactly.
def fit_rotations(
    fit: CurveFit,
    rotations_wxyz: Array,
    angular_velocities_rad_s: Array,
    angular_accelerations_rad_s2: Array,
) -> tuple[Array, Array, Array]:
    """Rotations (F, J, 4) and their angular velocities and accelerations (F, J, 3), made one.

    The result is on the same side (q or −q) throughout as the first frame of the input.
    """
    frames, joints = fit.frame_count, np.shape(rotations_wxyz)[1:2]
    wanted = (frames, *joints, 4), (frames, *joints, 3), (frames, *joints, 3)
    given = {
        "rotations_wxyz": rotations_wxyz,
        "angular_velocities_rad_s": angular_velocities_rad_s,
        "angular_accelerations_rad_s2": angular_accelerations_rad_s2,
    }
    for (name, array), shape in zip(given.items(), wanted, strict=True):
        if array.ndim != 3 or array.shape != shape:
            raise BadShape(name, f"({frames}, J, {shape[-1]})", array.shape)
    q = rotations.continuous(rotations_wxyz)
    first, second = component_rates(q, angular_velocities_rad_s, angular_accelerations_rad_s2)
    curves = fit.fit(*(x.reshape(frames, -1) for x in (q, first, second)))
    s, ds, dds = (x.reshape(q.shape) for x in curves)
    return onto_rotations(s, ds, dds)


def component_rates(q: Array, omega: Array, alpha: Array) -> tuple[Array, Array]:
    """q̇ and q̈ (..., 4) of quaternions that turn with ω and ω̇ (..., 3) in their own frame."""
    first = 0.5 * rotations.multiply(q, _pure(omega))
    second = 0.5 * (rotations.multiply(first, _pure(omega)) + rotations.multiply(q, _pure(alpha)))
    return first, second


def onto_rotations(s: Array, ds: Array, dds: Array) -> tuple[Array, Array, Array]:
    """s/|s| and its ω and ω̇ in its own frame, of a curve s (..., 4) through non-zero quaternions.

    With s = |s| q: ω = 2 vec(s* ⊗ ṡ)/|s|², and ω̇ by the product rule, where the vector part of
    ṡ* ⊗ ṡ vanishes.
    """
    q = rotations.normalize(s)
    squared = np.sum(s * s, axis=-1, keepdims=True)
    star = rotations.conjugate(s)
    omega = 2.0 * rotations.multiply(star, ds)[..., 1:] / squared
    alpha = 2.0 * rotations.multiply(star, dds)[..., 1:] / squared
    alpha -= omega * (2.0 * np.sum(s * ds, axis=-1, keepdims=True) / squared)
    return q, omega, alpha


def on_side_of(q: Array, before: Array) -> Array:
    """`q` (..., 4) with the signs that agree with the frame `before`: for frames one at a time."""
    return np.where(np.sum(q * before, axis=-1, keepdims=True) < 0, -q, q)


def _pure(vector: Array) -> Array:
    return np.concatenate([np.zeros((*vector.shape[:-1], 1)), vector], axis=-1)


WINDOW_S = 64 / 30

_MOST_WINDOW_FRAMES = 100_000


class SlidingFit:
    """Fits a stream of frames with a fixed delay and in fixed memory.

    `push` gives back the frame `latency_frames` before the one it takes; `finish` gives the rest
    and makes the object ready for another stream.
    """

    def __init__(
        self,
        columns: int,
        rate_hz: float,
        *,
        degree: int = 3,
        knot_s: float = KNOT_S,
        beta: float = BETA,
        time_unit_s: float = 1.0,
        window_s: float = WINDOW_S,
    ) -> None:
        """Work out the sums that make control points.

        Args:
            columns: how many numbers a frame has.
            rate_hz: frames per second.
            degree: 3 or 5.
            knot_s: time from one control point to the next, rounded to whole frames; at most half
                the window.
            beta: weight of velocities; accelerations have its square.
            time_unit_s: the unit of time of `beta`, in seconds.
            window_s: width of the window; its halves are rounded up to whole knots, and to the
                reach of a control point (2 knots to either side for degree 3, 3 for degree 5).
        """
        if columns < 0:
            raise BadValue("columns", "zero or more", columns)
        check_positive("window_s", window_s)
        check_positive("knot_s", knot_s)
        check_positive("rate_hz", rate_hz)
        if window_s * rate_hz > _MOST_WINDOW_FRAMES:
            longest = _MOST_WINDOW_FRAMES / rate_hz
            raise BadValue("window_s", f"at most {longest:g} s at {rate_hz:g} Hz", window_s)
        if 2 * knot_s > window_s:
            raise BadValue("knot_s", f"at most half the window of {window_s:g} s", knot_s)
        self._fit_of = partial(
            CurveFit,
            rate_hz=rate_hz,
            degree=degree,
            knot_s=knot_s,
            beta=beta,
            time_unit_s=time_unit_s,
        )
        self._basis = fit_basis(rate_hz, degree, knot_s, beta, time_unit_s)
        spacing = self._basis.frames_per_knot
        halves = math.ceil(0.5 * window_s * rate_hz / spacing - _ROUNDING)
        self.half_window_frames = max(halves, (degree + 1) // 2) * spacing
        self.latency_frames = self.half_window_frames + (degree + 1) // 2 * spacing - 1
        """Frames between the newest taken and the one given back: half a window, and what the
        last control point alive at a frame lies ahead of it."""
        self._row = self._row_of(2 * self.half_window_frames + 1, self._first_inner)
        self._first_rows = [
            self._row_of(self._last_frame_for(i) + 1, i) for i in range(self._first_inner)
        ]
        self._capacity = 2 * self.half_window_frames + 1 + spacing
        # Both rings are written twice, a length apart: any run of entries is in one piece.
        self._frames = np.zeros((2 * self._capacity, 3, columns))
        self._controls = np.zeros((2 * (degree + 1), columns))
        self._control = np.zeros(columns)
        self._fitted = np.zeros((3, columns))
        self._finite = np.zeros((3, columns), dtype=np.bool_)
        self._taken = 0
        self._known = 0

    @property
    def columns(self) -> int:
        """How many numbers a frame has."""
        return self._frames.shape[2]

    def push(self, position: Array, velocity: Array, acceleration: Array) -> Array | None:
        """Take one frame, each (C,); give back one fitted frame, or None while there is none yet.

        Returns:
            (3, C) position, velocity and acceleration of the frame `latency_frames` ago. The array
            is filled anew by the next call: copy what is to be kept.
        """
        slot = self._taken % self._capacity
        newest = self._frames[slot]
        for k, given in enumerate((position, velocity, acceleration)):
            if given.shape != (self.columns,):
                name = ("position", "velocity", "acceleration")[k]
                raise BadShape(name, f"({self.columns},)", given.shape)
            np.isfinite(given, out=self._finite[k])
        if not self._finite.all():
            raise BadValue(f"frame {self._taken}", "finite everywhere", "NaN or infinity")
        for k, given in enumerate((position, velocity, acceleration)):
            newest[k] = given
        self._frames[slot + self._capacity] = newest
        self._add_controls_due_at(self._taken)
        self._taken += 1
        frame = self._taken - 1 - self.latency_frames
        if frame < 0:
            return None
        alive = self._basis.degree + 1
        knot, phase = divmod(frame, self._basis.frames_per_knot)
        first = knot % alive
        # On a knot the last of these is not known yet, and counts nothing.
        controls = self._controls[first : first + alive]
        return np.dot(self._basis.tables[phase], controls, out=self._fitted)

    def finish(self) -> tuple[Array, Array, Array]:
        """The frames that `push` has not given back yet, each (frames, C), fitted to the very end.

        Control points whose window would reach beyond the last frame come from one fit of the last
        window's frames; a stream shorter than the window gets the fit of `CurveFit`.
        """
        count, self._taken = self._taken, 0
        known, self._known = self._known, 0
        if count == 0:
            nothing = np.zeros((0, self.columns))
            return nothing, nothing.copy(), nothing.copy()
        if count <= self.latency_frames:
            return self._fit_of(count).fit(*self._newest(count, count).transpose(1, 0, 2))
        spacing, degree = self._basis.frames_per_knot, self._basis.degree
        start = math.ceil(max(0, count - self._capacity) / spacing)  # on a knot
        tail = self._newest(count, count - start * spacing)
        last = self._fit_of(len(tail)).control_points(*tail.transpose(1, 0, 2))
        frames = np.arange(count - self.latency_frames, count)
        oldest = frames[0] // spacing
        kept = self._controls[(np.arange(oldest, known)) % (degree + 1)]
        none = np.zeros((1, self.columns))  # alive from the last frame on, if that is on a knot
        controls = np.concatenate([kept, last[known - start :], none])
        alive = (frames // spacing - oldest)[:, None] + np.arange(degree + 1)
        fitted = np.matmul(self._basis.tables[frames % spacing], controls[alive])
        return fitted[:, 0].copy(), fitted[:, 1].copy(), fitted[:, 2].copy()

    @property
    def _first_inner(self) -> int:
        """The first control point whose window begins at or after the first frame."""
        return self.half_window_frames // self._basis.frames_per_knot + self._basis.degree // 2

    def _last_frame_for(self, control: int) -> int:
        """The newest frame a control point needs; those of the first frame wait for one another."""
        place = max(control, self._basis.degree - 1) - self._basis.degree // 2
        return place * self._basis.frames_per_knot + self.half_window_frames

    def _row_of(self, frame_count: int, control: int) -> Array:
        return self._fit_of(frame_count).row(control).ravel()

    def _add_controls_due_at(self, frame: int) -> None:
        while self._last_frame_for(self._known) <= frame:
            first = self._known < self._first_inner
            row = self._first_rows[self._known] if first else self._row
            window = self._newest(frame + 1, len(row) // 3)
            np.dot(row, window.reshape(len(row), -1), out=self._control)
            alive = self._basis.degree + 1
            self._controls[self._known % alive] = self._control
            self._controls[self._known % alive + alive] = self._control
            self._known += 1

    def _newest(self, taken: int, count: int) -> Array:
        """(count, 3, C) the last frames of `taken` ones, without copying."""
        first = (taken - count) % self._capacity
        return self._frames[first : first + count]


_ROUNDING = 1e-9
"""A window of 64 frames in seconds is not to become 66 by rounding."""
