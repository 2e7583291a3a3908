"""Rotations through a curve fit: four components each, and back onto the unit sphere.

Angular velocities and accelerations are in the joint's own frame, as in `motion.Derivatives`. The
fitted components leave the sphere a little; dividing by their length bends the curve, and the
velocities returned are those of the bent one, exactly.
"""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.errors import BadShape
from poise.methods.filter.curve_fit import CurveFit


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
