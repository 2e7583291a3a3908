"""Cubic splines whose knots are fitted along with their control points, ends and slopes given.

A curve that rests, rises sharply and rests again wants its knots where it bends. For given knots
the control points are a linear least-squares problem, ends interpolated and end slopes held
exactly; the knots are then sought for which that leaves least (variable projection). The gaps
between knots are the unknowns, each at least so wide and together as long as the curve.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, frozen_array
from poise.compiled import compiled, inlined
from poise.errors import BadShape, BadValue

DEGREE = 3
_MOST_EVALUATIONS = 60
_STEP = 1e-4
"""Of the unknown gaps, for differences."""
_RIDGE = 1e-12


@dataclass(frozen=True, eq=False)
class FittedSpline:
    """A cubic B-spline with its first and last knots repeated four times."""

    knots: Array
    """(k + 4,)"""
    control: Array
    """(k,) its first and last are the curve's ends."""

    def __post_init__(self) -> None:
        count = len(self.control)
        object.__setattr__(self, "control", frozen_array("control", self.control, (count,)))
        wanted = (count + DEGREE + 1,)
        object.__setattr__(self, "knots", frozen_array("knots", self.knots, wanted))

    def basis(self, times: Array, order: int = 0) -> Array:
        """(n, k) what each control point does for the curve, or for its derivative, at times."""
        return basis_of(self.knots, times, order)

    def __call__(self, times: Array, order: int = 0) -> Array:
        """(n,) the curve, or its derivative, at times."""
        # Not BLAS, whose threads show in the last bit of long sums.
        return np.einsum("tk,k->t", self.basis(times, order), self.control)


def basis_of(knots: Array, times: Array, order: int = 0) -> Array:
    """(n, k) values or derivatives of the basis of cubic B-splines on knots."""
    from scipy.interpolate import BSpline

    count = len(knots) - DEGREE - 1
    inside = np.clip(np.asarray(times, dtype=np.float64), knots[0], knots[-1])
    return np.asarray(BSpline(knots, np.eye(count), DEGREE)(inside, nu=order))


def fit_knots(
    times: Array,
    values: Array,
    interior: int,
    start_slope: float | None = None,
    end_slope: float | None = None,
    *,
    least_gap: float | None = None,
) -> FittedSpline:
    """The cubic spline with so many interior knots that is nearest to values.

    Its ends are the first and the last value, exactly; so are the slopes that are given.

    Args:
        times: (n,) rising.
        values: (n,)
        interior: how many knots lie between the ends.
        start_slope: of the curve at its start; None leaves it open.
        end_slope: at its end.
        least_gap: between neighbouring knots; by default a quarter of their mean distance.

    Raises:
        BadShape: not as many values as times.
        BadValue: fewer values than control points, times that do not rise, numbers that are none,
            gaps that do not fit in.
    """
    from scipy.optimize import least_squares

    times, values = np.asarray(times, np.float64), np.asarray(values, np.float64)
    gap = _checked(times, values, interior, (start_slope, end_slope), least_gap)
    if interior == 0:
        knots = _knots(times, np.zeros(1), 0.0)
        return FittedSpline(knots, _control(knots, times, values, start_slope, end_slope)[0])

    def left(unknown: Array) -> Array:
        knots = _knots(times, unknown, gap)
        return _control(knots, times, values, start_slope, end_slope)[1]

    def slopes(unknown: Array) -> Array:
        at = left(unknown)
        found = np.empty((len(at), len(unknown)))
        for k in range(len(unknown)):
            moved = unknown.copy()
            moved[k] += _STEP
            found[:, k] = (left(moved) - at) / _STEP
        return found

    even = np.zeros(interior + 1)
    best, least = even, np.inf
    for start in (even, _where_it_bends(times, values, interior, gap)):
        found = least_squares(left, start, slopes, max_nfev=_MOST_EVALUATIONS)  # type: ignore[arg-type]
        if float(found.cost) < least:
            best, least = np.asarray(found.x), float(found.cost)
    knots = _knots(times, best, gap)
    return FittedSpline(knots, _control(knots, times, values, start_slope, end_slope)[0])


def _checked(
    times: Array, values: Array, interior: int, slopes: tuple[float | None, ...],
    least_gap: float | None,
) -> float:  # fmt: skip
    if times.ndim != 1 or values.shape != times.shape:
        raise BadShape("values", f"({len(times)},), one for every time", values.shape)
    if interior < 0:
        raise BadValue("interior", "zero or more knots", interior)
    if len(times) < interior + DEGREE + 1:
        raise BadValue(
            "values", f"at least {interior + DEGREE + 1}, the control points", len(times)
        )
    if not (np.isfinite(times).all() and np.isfinite(values).all()):
        raise BadValue("times and values", "numbers", "others")
    if not all(slope is None or np.isfinite(slope) for slope in slopes):
        raise BadValue("slopes", "numbers, or None", slopes)
    if not (np.diff(times) > 0.0).all():
        raise BadValue("times", "rising ones", times)
    mean = float(times[-1] - times[0]) / (interior + 1)
    gap = 0.25 * mean if least_gap is None else least_gap
    if not 0.0 <= gap <= mean:
        raise BadValue("least_gap", f"from 0 to {mean:g}, the mean distance of knots", gap)
    return gap


def _knots(times: Array, unknown: Array, gap: float) -> Array:
    """Knots whose gaps are the least one and a share of the rest each, by a softmax."""
    share = np.exp(unknown - unknown.max())
    share /= share.sum()
    room = float(times[-1] - times[0]) - gap * len(unknown)
    interior = times[0] + np.cumsum(gap + room * share)[:-1]
    ends = DEGREE + 1
    return np.concatenate([np.full(ends, times[0]), interior, np.full(ends, times[-1])])


def _control(
    knots: Array, times: Array, values: Array, start: float | None, end: float | None
) -> tuple[Array, Array]:
    """(k,) the best control points on knots, and (n,) what they leave."""
    control, left = np.empty(len(knots) - DEGREE - 1), np.empty(len(times))
    slopes = np.array([np.nan if start is None else start, np.nan if end is None else end])
    _fit_control(knots, times, values, slopes, control, left)
    return control, left


@compiled
def _fit_control(
    knots: Array, times: Array, values: Array, slopes: Array, control: Array, left: Array
) -> None:
    """Normal equations of the control points that ends and slopes (NaN: open) leave free."""
    count, samples = len(control), len(times)
    known = np.zeros(count, dtype=np.bool_)
    control[:] = 0.0
    control[0], control[-1] = values[0], values[-1]
    known[0] = known[-1] = True
    # A clamped curve leaves along the line to its second control point.
    if not np.isnan(slopes[0]):
        gap = knots[DEGREE + 1] - knots[DEGREE]
        control[1] = values[0] + slopes[0] * gap / DEGREE
        known[1] = True
    if not np.isnan(slopes[1]):
        gap = knots[-DEGREE - 1] - knots[-DEGREE - 2]
        control[-2] = values[-1] - slopes[1] * gap / DEGREE
        known[-2] = True
    first = np.empty(samples, dtype=np.int64)
    parts = np.empty((samples, DEGREE + 1))
    band, right = np.zeros((count, DEGREE + 1)), np.zeros(count)
    span = DEGREE
    for n in range(samples):
        while span < count - 1 and times[n] >= knots[span + 1]:
            span += 1
        first[n] = span - DEGREE
        _put_basis(knots, span, times[n], parts[n])
        rest = values[n]
        for a in range(DEGREE + 1):
            if known[first[n] + a]:
                rest -= parts[n, a] * control[first[n] + a]
        for a in range(DEGREE + 1):
            k = first[n] + a
            if not known[k]:
                right[k] += parts[n, a] * rest
                for b in range(a, DEGREE + 1):
                    if not known[first[n] + b]:
                        band[k, b - a] += parts[n, a] * parts[n, b]
    largest = 0.0
    for k in range(count):
        largest = max(largest, band[k, 0])
    for k in range(count):
        # Known ones stand alone; those that no sample sees stay at zero.
        band[k, 0] += 1.0 if known[k] else _RIDGE * largest
    for k in range(count):
        share = 1.0 / np.sqrt(band[k, 0])
        for b in range(DEGREE + 1):
            band[k, b] *= share
        right[k] *= share
        for a in range(1, min(DEGREE + 1, count - k)):
            right[k + a] -= band[k, a] * right[k]
            for b in range(a, DEGREE + 1):
                band[k + a, b - a] -= band[k, a] * band[k, b]
    for k in range(count - 1, -1, -1):
        value = right[k]
        for a in range(1, min(DEGREE + 1, count - k)):
            value -= band[k, a] * right[k + a]
        right[k] = value / band[k, 0]
        if not known[k]:
            control[k] = right[k]
    for n in range(samples):
        value = values[n]
        for a in range(DEGREE + 1):
            value -= parts[n, a] * control[first[n] + a]
        left[n] = value


@inlined
def _put_basis(knots: Array, span: int, time: float, parts: Array) -> None:
    """The four basis functions that are not zero between knots `span` and the next (de Boor)."""
    parts[0] = 1.0
    for d in range(1, DEGREE + 1):
        saved = 0.0
        for r in range(d):
            above, below = knots[span + r + 1], knots[span + 1 - d + r]
            share = parts[r] / (above - below)
            parts[r] = saved + (above - time) * share
            saved = (time - below) * share
        parts[d] = saved


def _where_it_bends(times: Array, values: Array, interior: int, gap: float) -> Array:
    """Gaps that share out the curve's bending, as unknowns."""
    bend = np.abs(np.gradient(np.gradient(values, times), times)) ** 0.25
    grown = np.concatenate([[0.0], np.cumsum(0.5 * (bend[1:] + bend[:-1]) * np.diff(times))])
    if grown[-1] <= 0.0:
        return np.zeros(interior + 1)
    at = np.interp(np.linspace(0.0, grown[-1], interior + 2), grown, times)
    room = np.maximum(np.diff(at) - gap, 1e-3 * float(times[-1] - times[0]))
    return np.log(room / room.sum())
