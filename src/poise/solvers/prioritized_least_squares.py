"""Least squares in strict layers: a lesser layer moves only where the greater ones do not look.

The recursion of Le Callennec and Boulic, section 3.2 (after Baerlocher and Boulic): with Δ the step
so far, layer i adds

    Δ += J̃ᵢ^†λ (eᵢ − Jᵢ Δ),   J̃ᵢ = Jᵢ P,   P = I − QᵀQ,

where Q is an orthonormal basis of the rows of all greater layers: the projector is never formed.
The damped inverse makes the step; the undamped rows extend the basis, so that a direction in which
a greater layer is almost stuck still belongs to it. Few rows are solved through their Gram matrix,
more rows than unknowns through the normal equations: one answer, whichever is smaller.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.compiled import borrowing
from poise.solvers.small_dense import (
    add_scaled,
    add_to_normal,
    dot,
    factor_upper,
    solve_factored,
    solve_normal,
)

RANK_TOLERANCE = 1e-6
"""A row that keeps less than this share of its length after projection adds no direction."""

_PIVOT_FLOOR = 1e-14


@borrowing
def add_layer(
    rows: Array, count: int, errors: Array, width: int, damping: float,
    step: Array, basis: Array, rank: int, matrix: Array, vector: Array,
) -> int:  # fmt: skip
    """Add one layer's step and directions; returns the new rank of the basis.

    Args:
        rows: (count, width) the layer's Jacobian; overwritten by its projection.
        count: how many rows.
        errors: (count,) what remains to be done after the greater layers' step.
        width: how many unknowns.
        damping: λ², in the square of the rows' unit.
        step: (width,) Δ, added to.
        basis: (width, width) orthonormal rows of the greater layers, extended.
        rank: how many of its rows are in use.
        matrix: scratch, at least min(count, width) square.
        vector: scratch, at least max(count, width) long.
    """
    if rank >= width or count == 0:
        return rank
    largest = 0.0
    for k in range(count):
        row = rows[k]
        whole = dot(row, row, width)
        largest = max(largest, whole)
        for b in range(rank):
            add_scaled(row, -dot(row, basis[b], width), basis[b], width)
        if dot(row, row, width) <= RANK_TOLERANCE * RANK_TOLERANCE * whole:
            for i in range(width):  # rounding of a row that nothing is left of
                row[i] = 0.0
    if largest == 0.0:
        return rank
    floor = _PIVOT_FLOOR * largest
    if count <= width:
        _through_gram(rows, count, errors, width, damping + floor, step, matrix, vector, floor)
    elif _through_normal_equations(
        rows, count, errors, width, damping + floor, step, matrix, vector, floor
    ):
        return width
    return _extended(rows, count, width, basis, rank, largest)


@borrowing
def _through_gram(
    rows: Array, count: int, errors: Array, width: int, damping: float,
    step: Array, gram: Array, y: Array, floor: float,
) -> None:  # fmt: skip
    """Δ += J̃ᵀ (J̃J̃ᵀ + λ²I)⁻¹ e."""
    for k in range(count):
        for l in range(k, count):
            gram[k, l] = dot(rows[k], rows[l], width)
        gram[k, k] += damping
        y[k] = errors[k]
    factor_upper(gram, count, floor)
    solve_factored(gram, y, count)
    for k in range(count):
        add_scaled(step, y[k], rows[k], width)


@borrowing
def _through_normal_equations(
    rows: Array, count: int, errors: Array, width: int, damping: float,
    step: Array, normal: Array, x: Array, floor: float,
) -> bool:  # fmt: skip
    """Δ += (J̃ᵀJ̃ + λ²I)⁻¹ J̃ᵀ e; returns whether the rows span everything."""
    for i in range(width):
        x[i] = 0.0
        for j in range(i, width):
            normal[i, j] = 0.0
    add_to_normal(rows, count, errors, width, normal, x)
    full = solve_normal(normal, x, width, damping, floor)
    for i in range(width):
        step[i] += x[i]
    return full


@borrowing
def _extended(
    rows: Array, count: int, width: int, basis: Array, rank: int, largest: float
) -> int:  # fmt: skip
    """Gram and Schmidt, each row twice where cancellation was heavy."""
    start = rank
    for k in range(count):
        if rank == width:
            break
        row = rows[k]
        whole = dot(row, row, width)
        if whole <= RANK_TOLERANCE * RANK_TOLERANCE * largest:
            continue
        new = basis[rank]
        for i in range(width):
            new[i] = row[i]
        for b in range(start, rank):
            add_scaled(new, -dot(new, basis[b], width), basis[b], width)
        left = dot(new, new, width)
        if left <= RANK_TOLERANCE * RANK_TOLERANCE * whole:
            continue
        if left < 0.01 * whole:
            for b in range(rank):
                add_scaled(new, -dot(new, basis[b], width), basis[b], width)
            left = dot(new, new, width)
            if left <= RANK_TOLERANCE * RANK_TOLERANCE * whole:
                continue
        scale = 1.0 / np.sqrt(left)
        for i in range(width):
            new[i] *= scale
        rank += 1
    return rank


@borrowing
def add_wish(
    wish: Array, share: float, width: int, step: Array, basis: Array, rank: int, left: Array
) -> None:  # fmt: skip
    """The last layer (z of Eq. 1): `share` of what the layers leave free of `wish`, added.

    `left` is scratch of the size of the step.
    """
    if rank >= width:
        return
    for i in range(width):
        left[i] = share * (wish[i] - step[i])
    for b in range(rank):
        add_scaled(left, -dot(left, basis[b], width), basis[b], width)
    for i in range(width):
        step[i] += left[i]
