"""The measurement update of an unscented Kalman filter whose prior covariance is diagonal.

Tak and Ko, section 5.3, Eqs. 13 to 16. With a diagonal prior, sigma points ±i differ from the mean
in coordinate i alone. Let dᵢ be half the difference of the two measurements there and cᵢ how far
their middle lies from H at the mean, both divided by √scale. The weights sum to one, and Eq. 15 is

    Ẑ    = H(x̂) + s,   s = Σ cᵢ / √scale
    P_zz = Σ (dᵢ dᵢᵀ + cᵢ cᵢᵀ) + (excess − 1) s sᵀ + N_z
    P_xz : row i is deviationᵢ dᵢᵀ

The large weights of opposite sign that a narrow spread puts on the points (W₀ = 1 − n / scale may
be minus a million) have cancelled on paper, so nothing is lost to them here. Neither P_xz nor the
gain is formed: the step is stepᵢ = deviationᵢ dᵢ · y with P_zz y = Z − Ẑ.

**What repeated updates settle at** is Ẑ = Z, not H(x̂) = Z: hard goals are missed by s, which grows
with the square of the deviations (centimetres at 0.1 rad on a limb). To hard rows only the ratios
of the deviations matter, so a second pass with all of them divided by ten closes the gap.

**Dependent rows.** Constraints are perfect measurements by default (N_z = 0), and two points of one
rigid foot ask for one thing twice: P_zz is singular. The paper does not say what then. A row that
the rows before it determine is left out, so of two rows that say the same the earlier one counts.
All tests are against the row's own diagonal: deviations of 1e-5 make all of P_zz tiny.

**Indefinite P_zz.** With κ < 0 and the paper's weights, or with too small an excess, the term in
s sᵀ can outweigh the others. P_zz is then no covariance, and steps taken with it are large and
point anywhere. The update refuses (`INDEFINITE`) instead of repairing it in secret: a repair that
comes and goes between frames shows as a jump. Spreads that are `always_definite` never get there.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing, inner_borrowing, reassociated
from poise.errors import BadValue
from poise.solvers.small_dense import add_scaled, dot, solve_factored

NOT_FINITE = -1
"""A measurement, goal or variance is not a finite number, or the step would not be."""

INDEFINITE = -2
"""The weights make P_zz indefinite."""

DEPENDENT = 1e-10
"""A sensible `floor`: what is left of a row's variance, given the rows before it."""


_BLANK = 1e-17
"""A hard row of so little variance against others (a hundred-millionth of their spread and less) is
rounding of what no coordinate moves."""


class Spread(NamedTuple):
    """How far sigma points lie from the mean, and what the mean itself weighs."""

    scale: float
    """n + κ: the points lie √scale deviations from the mean, and weigh 1 / (2 scale) each."""
    excess: float
    """What the mean weighs more in covariances than in means, where it weighs 1 − n / scale."""


class Measurements(NamedTuple):
    """The rows of one update at the mean and at its sigma points, and scratch."""

    center: Array
    """(rows,) H at the mean."""
    plus: Array
    """(n, rows) H with coordinate i moved by √scale · deviations[i]."""
    minus: Array
    """(n, rows) the same, moved the other way."""
    goals: Array
    """(rows,) Z."""
    noise: Array
    """(rows,) variances, not negative; zero is hard, and what is larger yields."""
    predicted: Array
    """(rows,) filled with Ẑ."""
    halves: Array
    """Scratch, at least (rows, 2n)."""
    matrix: Array
    """Scratch, at least (rows, rows)."""
    vector: Array
    """Scratch, at least twice as long as the rows."""
    narrow: Indices
    """(1,) how many rows, the first ones, `partial_update` takes to depend on a few coordinates."""


def paper_spread(size: int, kappa: float) -> Spread:
    """Eq. 13. Below κ = 0 the mean weighs less than nothing, and P_zz may become indefinite.

    Args:
        size: n, the number of coordinates.
        kappa: above −n.
    """
    return Spread(_scale(size, kappa), 0.0)


def scaled_spread(size: int, alpha: float = 0.01, beta: float = 2.0, kappa: float = 0.0) -> Spread:
    """The scaled transform of Wan and van der Merwe, to whom the paper refers for its choice of κ.

    Args:
        size: n, the number of coordinates.
        alpha: shrinks the spread. The default keeps the points of a hundred coordinates within a
            tenth of a deviation: farther out, rotations bend so much that the step falls short.
        beta: 2 suits a normal distribution. From α² on P_zz cannot become indefinite.
        kappa: above −n.
    """
    if not (math.isfinite(alpha) and alpha > 0.0):
        raise BadValue("alpha", "a finite number above 0", alpha)
    if not math.isfinite(beta):
        raise BadValue("beta", "a finite number", beta)
    scale = alpha * alpha * _scale(size, kappa)
    if not (math.isfinite(scale) and scale > 0.0 and math.isfinite(1.0 / scale)):
        raise BadValue("alpha", "such that 1 / (alpha² (size + kappa)) is finite", alpha)
    return Spread(scale, 1.0 - alpha * alpha + beta)


def _scale(size: int, kappa: float) -> float:
    if size < 1:
        raise BadValue("size", "at least 1", size)
    if not (math.isfinite(kappa) and size + kappa > 0.0):
        raise BadValue("kappa", f"a finite number above -{size}", kappa)
    return size + kappa


@borrowing
def always_definite(size: int, scale: float, excess: float) -> bool:
    """Whether these weights make P_zz a covariance whatever is measured.

    By Cauchy and Schwarz s sᵀ is at most n / scale times Σ cᵢ cᵢᵀ.
    """
    return bool(scale + (excess - 1.0) * size >= 0.0)


@borrowing
def unscented_update(
    size: int, rows: int, given: Measurements, deviations: Array, spread: Spread, floor: float,
    step: Array,
) -> int:  # fmt: skip
    """Find the step K (Z − Ẑ) of Eq. 16; returns how many rows were left out as dependent.

    When it returns `NOT_FINITE` or `INDEFINITE`, both negative, the step is zero.

    Args:
        size: n, the number of coordinates.
        rows: the number of measurements.
        given: the measurements.
        deviations: (size,) square roots of the prior's variances; zero never moves.
        spread: of the sigma points.
        floor: a row is dependent if the rows before it leave at most this share of its variance.
        step: (size,) filled.
    """
    return _update(size, rows, size, rows, given, deviations, spread, floor, step)


@borrowing
def partial_update(
    size: int, rows: int, few: int, given: Measurements, deviations: Array, spread: Spread,
    floor: float, step: Array,
) -> int:  # fmt: skip
    """The same where the first `narrow` rows depend on the first `few` coordinates only.

    What `plus` and `minus` hold of them beyond is not read.
    """
    return _update(size, rows, few, int(given.narrow[0]), given, deviations, spread, floor, step)


@inner_borrowing
def _update(
    size: int, rows: int, few: int, narrow: int, given: Measurements, deviations: Array,
    spread: Spread, floor: float, step: Array,
) -> int:  # fmt: skip
    scale, excess, halves, matrix = spread.scale, spread.excess, given.halves, given.matrix
    for i in range(size):
        step[i] = 0.0
    rest = size - few
    factor = 0.5 / np.sqrt(scale)
    _split(given, 0, rows, 0, few, 0, factor)
    _split(given, narrow, rows, few, size, 2 * few, factor)
    _fill_products(halves, narrow, rows, 2 * few, 2 * size, matrix)
    bend, diagonals = given.vector[:rows], given.vector[rows:]
    for k in range(rows):
        bend[k] = _sum(halves[k, few:], few)
        if k >= narrow:
            bend[k] += _sum(halves[k, 2 * few + rest :], rest)
        bend[k] /= np.sqrt(scale)
        given.predicted[k] = given.center[k] + bend[k]
    largest = 0.0
    for k in range(rows):
        largest = max(largest, matrix[k, k])
    for k in range(rows):
        kept = matrix[k, k] + given.noise[k]
        # What rounding is measured by: before anything is taken away.
        diagonals[k] = kept + max(excess - 1.0, 0.0) * bend[k] * bend[k]
        if not np.isfinite(diagonals[k]):
            return NOT_FINITE
        if kept <= _BLANK * largest:
            diagonals[k] = 1e300  # nothing but rounding moves it: left out
        matrix[k, k] = kept
        add_scaled(matrix[k, k:], (excess - 1.0) * bend[k], bend[k:], rows - k)
    definite = always_definite(size, scale, excess)
    left_out = _factor_leaving_out(matrix, rows, floor, diagonals, definite)
    if left_out < 0:
        return left_out
    y = bend
    for k in range(rows):
        y[k] = given.goals[k] - given.predicted[k]
    solve_factored(matrix, y, rows)
    for k in range(rows):
        add_scaled(step, y[k], halves[k], few)
    for k in range(narrow, rows):
        add_scaled(step[few:], y[k], halves[k, 2 * few :], rest)
    finite = True
    for i in range(size):
        step[i] *= deviations[i]
        finite = finite and np.isfinite(step[i])
    if not finite:
        for i in range(size):
            step[i] = 0.0
        return NOT_FINITE
    return left_out


@borrowing
def linear_update(
    size: int, rows: int, center: Array, spreads: Array, deviations: Array, goals: Array,
    noise: Array, floor: float, step: Array, matrix: Array, vector: Array,
) -> int:  # fmt: skip
    """The same step where measurements are linear: sigma points would not bend.

    Args:
        size: n, the number of coordinates.
        rows: the number of measurements.
        center: (rows,) H at the mean.
        spreads: (rows, size) derivatives of H times the deviations.
        deviations: as in `unscented_update`, as are the rest.
        goals: (rows,)
        noise: (rows,)
        floor: see there.
        step: (size,) filled.
        matrix: scratch, at least (rows, rows).
        vector: scratch, at least twice as long as the rows.
    """
    for i in range(size):
        step[i] = 0.0
    _fill_products(spreads, rows, rows, size, size, matrix)
    y, diagonals = vector[:rows], vector[rows:]
    largest = 0.0
    for k in range(rows):
        largest = max(largest, matrix[k, k])
    for k in range(rows):
        y[k] = goals[k] - center[k]
        matrix[k, k] += noise[k]
        diagonals[k] = matrix[k, k]
        if not (np.isfinite(diagonals[k]) and np.isfinite(y[k])):
            return NOT_FINITE
        if diagonals[k] <= _BLANK * largest:
            diagonals[k] = 1e300
    left_out = _factor_leaving_out(matrix, rows, floor, diagonals, True)
    solve_factored(matrix, y, rows)
    for k in range(rows):
        add_scaled(step, y[k], spreads[k], size)
    for i in range(size):
        step[i] *= deviations[i]
        if not np.isfinite(step[i]):
            for c in range(size):
                step[c] = 0.0
            return NOT_FINITE
    return left_out


@inlined_borrowing
def _split(
    given: Measurements, start: int, rows: int, first: int, last: int, at: int, factor: float
) -> None:
    """Put dᵢ and then cᵢ of coordinates `first` to `last` into halves, from a column on.

    Of the rows from `start` on. One row per measurement, so that sums run along it.
    """
    count, halves = last - first, given.halves
    for k in range(start, rows):
        _split_row(
            count, given.plus[first:last, k], given.minus[first:last, k], given.center[k], factor,
            halves[k, at : at + count], halves[k, at + count : at + 2 * count],
        )  # fmt: skip


@inlined_borrowing
def _split_row(
    count: int, plus: Array, minus: Array, middle: float, factor: float, d: Array, c: Array
) -> None:
    for i in range(count):
        forth, back = plus[i] - middle, minus[i] - middle
        d[i] = factor * (forth - back)
        c[i] = factor * (forth + back)


@borrowing
def _fill_products(
    vectors: Array, narrow: int, count: int, short: int, length: int, products: Array
) -> None:
    """All scalar products, in the upper triangle: two by two, so that each number read serves.

    Of the first `narrow` vectors only `short` numbers count.
    """
    k = 0
    while k + 1 < count:
        a, b = vectors[k], vectors[k + 1]
        above, below = products[k], products[k + 1]
        size = short if k < narrow else length
        l = k
        while l + 1 < count:
            c, d = vectors[l], vectors[l + 1]
            above[l], above[l + 1], below[l], below[l + 1] = _four_dots(a, b, c, d, size)
            if k + 1 == narrow:  # the second of the pair is a long one
                below[l], below[l + 1] = dot(b, c, length), dot(b, d, length)
            l += 2
        if l < count:
            above[l] = dot(a, vectors[l], size)
            below[l] = dot(b, vectors[l], short if k + 1 < narrow else length)
        k += 2
    if k < count:
        products[k, k] = dot(vectors[k], vectors[k], short if k < narrow else length)


@reassociated
def _four_dots(
    a: Array, b: Array, c: Array, d: Array, size: int
) -> tuple[float, float, float, float]:
    """a·c, a·d, b·c and b·d."""
    ac, ad, bc, bd = 0.0, 0.0, 0.0, 0.0
    for i in range(size):
        ac += a[i] * c[i]
        ad += a[i] * d[i]
        bc += b[i] * c[i]
        bd += b[i] * d[i]
    return ac, ad, bc, bd


@reassociated
def _sum(values: Array, size: int) -> float:
    total = 0.0
    for i in range(size):
        total += values[i]
    return total


@borrowing
def _factor_leaving_out(
    matrix: Array, size: int, floor: float, diagonals: Array, definite: bool
) -> int:
    """Cholesky factor U with UᵀU = A, in place, without dependent rows; returns how many.

    Such a row gets an infinite pivot, so that `solve_factored` gives it no part in the answer. Of
    a matrix known to be definite, negative pivots are rounding.
    """
    left_out = 0
    for k in range(size):
        row = matrix[k]
        pivot, least = row[k], floor * diagonals[k]
        if pivot > least:
            row[k] = np.sqrt(pivot)
            share = 1.0 / row[k]
            for j in range(k + 1, size):
                row[j] *= share
            for i in range(k + 1, size):
                add_scaled(matrix[i, i:], -row[i], row[i:], size - i)
        elif definite or pivot >= -least:
            row[k] = np.inf
            left_out += 1
        else:
            return INDEFINITE
    return left_out
