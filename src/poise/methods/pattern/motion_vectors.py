"""Motions as vectors (Eq. 1 and 2): exponential maps of all joints, and the root's place.

The maps are taken about the mean motion, frame by frame, not about the rest pose of the file. A
rotation then differs from its centre by what makes the motions different and by nothing else: no
angle comes near the half turn where an exponential map jumps, nothing has to be unwrapped, a
pirouette is as good as a step, and the result does not depend on how the skeleton was at rest. The
mean motion itself is the zero vector.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.mechanics import exponential, logarithm, multiply
from poise.motion import Clip


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


_STEPS = 50
_AT_REST_RAD = 1e-12


def sampled_turns(rotations_wxyz: Array, frames: Array) -> Array:
    """(n, J, 4) rotations at fractional frames, by spherical interpolation."""
    made = np.empty((len(frames), *rotations_wxyz.shape[1:]))
    slerp_frames(rotations_wxyz, frames, made)
    return made


def sampled_places(places_m: Array, frames: Array) -> Array:
    """(n, 3) places at fractional frames, on straight lines."""
    at = np.clip(np.floor(frames).astype(np.int64), 0, max(len(places_m) - 2, 0))
    share = (frames - at)[:, None]
    after = places_m[np.minimum(at + 1, len(places_m) - 1)]
    return (1.0 - share) * places_m[at] + share * after


def sampled(clip: Clip, frames: Array) -> tuple[Array, Array]:
    """A clip's root places (n, 3) and rotations (n, J, 4) at fractional frames."""
    return (
        sampled_places(clip.root_positions_m, frames),
        sampled_turns(clip.rotations_wxyz, frames),
    )


def mean_turns(rotations_wxyz: Array) -> Array:
    """(N, J, 4) the mean of M motions (M, N, J, 4): their turns away from it sum to zero.

    Found by going where the mean of the rotation vectors points, from the first motion on.
    """
    mean = np.array(rotations_wxyz[0])
    away = np.empty((*rotations_wxyz.shape[1:-1], 3))
    for _ in range(_STEPS):
        whole = np.zeros_like(away)
        for each in rotations_wxyz:
            turns_from(mean, each, away)
            whole += away
        whole /= len(rotations_wxyz)
        next_mean = np.empty_like(mean)
        turned_by(mean, whole, next_mean)
        mean = next_mean / np.linalg.norm(next_mean, axis=-1, keepdims=True)
        if np.abs(whole).max() < _AT_REST_RAD:
            break
    return mean


def vector_of(
    mean_roots_m: Array, mean_wxyz: Array, roots_m: Array, rotations_wxyz: Array
) -> Array:  # fmt: skip
    """(F, 1 + J, 3) what leads from the mean to a motion: the root's way, then every turn."""
    made = np.empty((len(roots_m), 1 + rotations_wxyz.shape[1], 3))
    made[:, 0] = roots_m - mean_roots_m
    turns = np.empty((len(roots_m), rotations_wxyz.shape[1], 3))
    turns_from(mean_wxyz, rotations_wxyz, turns)
    made[:, 1:] = turns
    return made


def motion_of(mean_roots_m: Array, mean_wxyz: Array, vector: Array) -> tuple[Array, Array]:
    """Root places and rotations that lie a vector (F, 1 + J, 3) away from the mean."""
    turns = np.empty_like(mean_wxyz)
    turned_by(mean_wxyz, np.ascontiguousarray(vector[:, 1:]), turns)
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    return mean_roots_m + vector[:, 0], turns


def sampled_vectors(vectors: Array, frames: Array) -> Array:
    """Vectors (N, ...) at fractional frames, by cubics through four neighbours (Catmull and Rom).

    What is added to a motion between the pattern's frames then has a continuous speed.
    """
    rows, weights = _neighbours(len(vectors), frames)
    made = np.empty((len(frames), vectors[0].size))
    blended_rows(vectors.reshape(len(vectors), -1), rows, weights, made)
    return made.reshape(len(frames), *vectors.shape[1:])


def _neighbours(count: int, frames: Array) -> tuple[Indices, Array]:
    """(n, 4) rows and their weights."""
    at = np.clip(np.floor(frames).astype(np.int64), 0, max(count - 2, 0))
    s = np.clip(frames - at, 0.0, 1.0)
    rows = at[:, None] + np.arange(-1, 3)
    weights = 0.5 * np.stack(
        [
            -s + 2.0 * s**2 - s**3,
            2.0 - 5.0 * s**2 + 3.0 * s**3,
            s + 4.0 * s**2 - 3.0 * s**3,
            -(s**2) + s**3,
        ],
        axis=1,
    )
    if count > 1:
        # Beyond the ends it goes on as straight as it came: v(-1) = 2 v(0) - v(1).
        for column, at_end, inside in ((0, rows[:, 0] < 0, 1), (3, rows[:, 3] >= count, -1)):
            beyond = np.where(at_end, weights[:, column], 0.0)
            weights[:, column] -= beyond
            weights[:, column + inside] += 2.0 * beyond
            weights[:, column + 2 * inside] -= beyond
    return np.clip(rows, 0, count - 1), weights
