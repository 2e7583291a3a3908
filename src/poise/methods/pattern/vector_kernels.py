"""Between poses and motion vectors, compiled: slerp, logarithm and exponential of whole clips."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.mechanics import exponential, logarithm, multiply


@borrowing
def slerp_frames(rotations: Array, frames: Array, made: Array) -> None:
    """Rotations (F, J, 4) at fractional frames (n,), along the shorter arc; fills (n, J, 4)."""
    last = len(rotations) - 1
    for n in range(len(frames)):
        f = min(max(int(np.floor(frames[n])), 0), max(last - 1, 0))
        share = frames[n] - f
        g = min(f + 1, last)
        for j in range(rotations.shape[1]):
            aw, ax, ay, az = (
                rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            )  # fmt: skip
            if share == 0.0:
                made[n, j, 0], made[n, j, 1], made[n, j, 2], made[n, j, 3] = aw, ax, ay, az
                continue
            w, x, y, z = multiply(
                aw, -ax, -ay, -az,
                rotations[g, j, 0], rotations[g, j, 1], rotations[g, j, 2], rotations[g, j, 3],
            )  # fmt: skip
            vx, vy, vz = logarithm(w, x, y, z)
            w, x, y, z = exponential(share * vx, share * vy, share * vz)
            w, x, y, z = multiply(aw, ax, ay, az, w, x, y, z)
            made[n, j, 0], made[n, j, 1], made[n, j, 2], made[n, j, 3] = w, x, y, z


@borrowing
def turns_from(mean: Array, rotations: Array, vectors: Array) -> None:
    """Rotation vectors (F, J, 3) that lead from the mean (F, J, 4) to rotations (F, J, 4)."""
    for f in range(len(rotations)):
        for j in range(rotations.shape[1]):
            w, x, y, z = multiply(
                mean[f, j, 0], -mean[f, j, 1], -mean[f, j, 2], -mean[f, j, 3],
                rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3],
            )  # fmt: skip
            vectors[f, j, 0], vectors[f, j, 1], vectors[f, j, 2] = logarithm(w, x, y, z)


@borrowing
def turned_by(mean: Array, vectors: Array, made: Array) -> None:
    """Rotations (F, J, 4): the mean turned by rotation vectors (F, J, 3); fills `made`."""
    for f in range(len(mean)):
        for j in range(mean.shape[1]):
            w, x, y, z = exponential(vectors[f, j, 0], vectors[f, j, 1], vectors[f, j, 2])
            w, x, y, z = multiply(
                mean[f, j, 0], mean[f, j, 1], mean[f, j, 2], mean[f, j, 3], w, x, y, z
            )
            made[f, j, 0], made[f, j, 1], made[f, j, 2], made[f, j, 3] = w, x, y, z


@borrowing
def blended_rows(values: Array, rows: Indices, weights: Array, made: Array) -> None:
    """Weighted sums of four rows each: values (N, D), rows and weights (n, 4), made (n, D)."""
    for n in range(len(rows)):
        a, b, c, d = rows[n, 0], rows[n, 1], rows[n, 2], rows[n, 3]
        p, q, r, s = weights[n, 0], weights[n, 1], weights[n, 2], weights[n, 3]
        for k in range(values.shape[1]):
            made[n, k] = p * values[a, k] + q * values[b, k] + r * values[c, k] + s * values[d, k]
