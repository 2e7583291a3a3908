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

from poise.arrays import Array, Indices
from poise.compiled import borrowing, inlined_borrowing
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
    step: Array, basis: Array, ends: Indices, rank: int, matrix: Array, vector: Array,
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
        ends: (width,) where each row of the basis has its last entry, plus one: a foot's rows end
            with the legs, and most of the work is done on the first layer's rows.
        rank: how many of its rows are in use.
        matrix: scratch, at least min(count, width) square.
        vector: scratch, at least as long as the rows and as twice the width.
    """
    if rank >= width or count == 0:
        return rank
    largest = 0.0
    for k in range(count):
        row = rows[k]
        whole = dot(row, row, width)
        largest = max(largest, whole)
        for b in range(rank):
            add_scaled(row, -dot(row, basis[b], ends[b]), basis[b], ends[b])
        if dot(row, row, width) <= RANK_TOLERANCE * RANK_TOLERANCE * whole:
            for i in range(width):  # rounding of a row that nothing is left of
                row[i] = 0.0
    if largest == 0.0:
        return rank
    floor = _PIVOT_FLOOR * largest
    if count <= width:
        _through_gram(rows, count, errors, width, damping + floor, step, matrix, vector, floor)
    else:
        full = _through_normal_equations(
            rows, count, errors, width, damping + floor, matrix, vector, floor
        )
        # Errors that contradict each other pull along what rounding has left of greater layers'
        # directions, where only the damping holds against them.
        for b in range(rank):
            add_scaled(vector, -dot(vector, basis[b], ends[b]), basis[b], ends[b])
        for i in range(width):
            step[i] += vector[i]
        if full:
            return width
    return _extended(rows, count, width, basis, ends, rank, largest)


@inlined_borrowing
def _end(row: Array, width: int) -> int:
    """One more than the index of the last entry that is not zero."""
    end = width
    while end > 0 and row[end - 1] == 0.0:
        end -= 1
    return end


@borrowing
def _through_gram(
    rows: Array, count: int, errors: Array, width: int, damping: float,
    step: Array, gram: Array, y: Array, floor: float,
) -> None:  # fmt: skip
    """Δ += J̃ᵀ (J̃J̃ᵀ + λ²I)⁻¹ e."""
    for k in range(count):
        end = _end(rows[k], width)
        for l in range(k, count):
            gram[k, l] = dot(rows[k], rows[l], end)
        gram[k, k] += damping
        y[k] = errors[k]
    factor_upper(gram, count, floor)
    solve_factored(gram, y, count)
    for k in range(count):
        add_scaled(step, y[k], rows[k], width)


@borrowing
def _through_normal_equations(
    rows: Array, count: int, errors: Array, width: int, damping: float,
    normal: Array, x: Array, floor: float,
) -> bool:  # fmt: skip
    """Solve for x = (J̃ᵀJ̃ + λ²I)⁻¹ J̃ᵀ e; returns whether the rows span everything."""
    for i in range(width):
        x[i] = 0.0
        for j in range(i, width):
            normal[i, j] = 0.0
    add_to_normal(rows, count, errors, width, normal, x)
    return solve_normal(normal, x, width, damping, floor)


@borrowing
def _extended(
    rows: Array, count: int, width: int, basis: Array, ends: Indices, rank: int, largest: float
) -> int:
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
        end = _end(row, width)
        for b in range(start, rank):
            add_scaled(new, -dot(new, basis[b], ends[b]), basis[b], ends[b])
            end = max(end, ends[b])
        left = dot(new, new, width)
        if left <= RANK_TOLERANCE * RANK_TOLERANCE * whole:
            continue
        if left < 0.01 * whole:
            for b in range(rank):
                add_scaled(new, -dot(new, basis[b], ends[b]), basis[b], ends[b])
                end = max(end, ends[b])
            left = dot(new, new, width)
            if left <= RANK_TOLERANCE * RANK_TOLERANCE * whole:
                continue
        scale = 1.0 / np.sqrt(left)
        for i in range(width):
            new[i] *= scale
        ends[rank] = end
        rank += 1
    return rank


@borrowing
def add_wish(
    wish: Array, share: float, width: int,
    step: Array, basis: Array, ends: Indices, rank: int, left: Array,
) -> None:  # fmt: skip
    """The last layer (z of Eq. 1): `share` of what the layers leave free of `wish`, added.

    `left` is scratch of the size of the step.
    """
    if rank >= width:
        return
    for i in range(width):
        left[i] = share * (wish[i] - step[i])
    for b in range(rank):
        add_scaled(left, -dot(left, basis[b], ends[b]), basis[b], ends[b])
    for i in range(width):
        step[i] += left[i]
