"""Problems in layers, the compiled solver on them, and the paper's recursion written plainly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.solvers.prioritized_least_squares import RANK_TOLERANCE, add_layer, add_wish


@dataclass(frozen=True)
class Layer:
    rows: Array
    """(K, W)"""
    errors: Array
    """(K,)"""
    damping: float = 0.0


@dataclass(frozen=True)
class Answer:
    step: Array
    """(W,)"""
    free: Array
    """(W, W) projector onto what the layers leave free."""
    rank: int


def compiled_answer(layers: list[Layer], width: int) -> Answer:
    """What the kernels say; they get more room than they need, full of nonsense."""
    most = max([width, *(len(layer.rows) for layer in layers)])
    step, basis = np.zeros(width + 2), np.full((width, width), 7e7)
    matrix, vector = np.full((most, most), 7e7), np.full(2 * most, 7e7)
    step[width:] = 7e7
    rank = 0
    ends = np.zeros(width, dtype=np.int64)
    for layer in layers:
        left = layer.errors - layer.rows @ step[:width]
        rank = add_layer(
            layer.rows.copy(), len(layer.rows), left, width, layer.damping, step, basis, ends,
            rank, matrix, vector,
        )  # fmt: skip
    assert (step[width:] == 7e7).all()
    # Of a basis that spans everything only the rank is told.
    used = basis[:rank] if rank < width else np.eye(width)
    return Answer(step[:width].copy(), np.eye(width) - used.T @ used, rank)


def with_wish(layers: list[Layer], wish: Array, share: float) -> Array:
    """(W,) the step with the optimization vector as its last layer."""
    width = len(wish)
    step, basis = np.zeros(width), np.zeros((width, width))
    most = max([width, *(len(layer.rows) for layer in layers)])
    matrix, vector, rank = np.zeros((most, most)), np.zeros(2 * most), 0
    ends = np.zeros(width, dtype=np.int64)
    for layer in layers:
        left = layer.errors - layer.rows @ step
        rank = add_layer(
            layer.rows.copy(), len(layer.rows), left, width, layer.damping, step, basis, ends,
            rank, matrix, vector,
        )  # fmt: skip
    add_wish(wish, share, width, step, basis, ends, rank, np.zeros(width))
    return step


def paper_answer(layers: list[Layer], width: int) -> Answer:
    """Section 3.2 as it stands, with P₀ = I: damped for the step, undamped for the projector."""
    step, free, rank = np.zeros(width), np.eye(width), 0
    for layer in layers:
        projected = layer.rows @ free
        left = layer.errors - layer.rows @ step
        step = step + damped_inverse(projected, layer.damping) @ left
        _, s, vt = np.linalg.svd(projected)
        kept = s > RANK_TOLERANCE * np.linalg.norm(layer.rows, axis=1).max(initial=0.0)
        free = free - vt[: len(s)][kept].T @ vt[: len(s)][kept]
        rank += int(kept.sum())
    return Answer(step, free, rank)


def damped_inverse(matrix: Array, damping: float) -> Array:
    """Jᵀ(JJᵀ + λ²I)⁻¹ by singular values; without damping the pseudo-inverse."""
    u, s, vt = np.linalg.svd(matrix, full_matrices=False)
    scale = np.linalg.norm(matrix, axis=1).max(initial=0.0)
    kept = s > 1e-9 * scale
    share = np.where(kept, s / np.where(kept, s * s + damping, 1.0), 0.0)
    return (vt.T * share) @ u.T
