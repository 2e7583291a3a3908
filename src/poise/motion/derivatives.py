"""Velocities and accelerations of a clip, with rotations differentiated as rotations.

Angular velocities are those of each joint's frame relative to its parent's (the root's: to the
world), in the axes of the joint's own frame, which is what the kernels of `mechanics` take.
Euler angles never appear: their differences are not velocities.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise import rotations
from poise.arrays import Array, frozen_array
from poise.motion import splines
from poise.motion.clip import Clip


@dataclass(frozen=True, eq=False)
class Derivatives:
    """First and second time derivatives at every frame of a clip."""

    root_velocities_m_s: Array
    """(F, 3) world."""
    root_accelerations_m_s2: Array
    """(F, 3) world."""
    angular_velocities_rad_s: Array
    """(F, J, 3) joint frame."""
    angular_accelerations_rad_s2: Array
    """(F, J, 3) time derivatives of the components above."""

    def __post_init__(self) -> None:
        frames, joints = np.shape(self.angular_velocities_rad_s)[:2]
        for name in ("root_velocities_m_s", "root_accelerations_m_s2"):
            object.__setattr__(self, name, frozen_array(name, getattr(self, name), (frames, 3)))
        for name in ("angular_velocities_rad_s", "angular_accelerations_rad_s2"):
            array = frozen_array(name, getattr(self, name), (frames, joints, 3))
            object.__setattr__(self, name, array)


def differentiate(clip: Clip, cutoff_hz: float | None = None) -> Derivatives:
    """Differentiate a clip.

    Args:
        clip: the motion.
        cutoff_hz: None takes central differences of the frames as they are (second order, one-sided
            at the ends). A frequency fits quintic smoothing splines that keep half the amplitude
            there: raw captures need one (6 to 15 Hz) before their accelerations mean anything.
    """
    if cutoff_hz is None or clip.frame_count < splines.SHORTEST:
        return _finite_differences(clip)
    return _smoothing_splines(clip, cutoff_hz)


def _finite_differences(clip: Clip) -> Derivatives:
    rate = clip.rate_hz
    q = clip.rotations_wxyz
    turns = rotations.log(rotations.multiply(rotations.conjugate(q[:-1]), q[1:])) * rate
    steps = np.diff(clip.root_positions_m, axis=0) * rate
    omega, alpha = _from_steps(turns, rate)
    velocity, acceleration = _from_steps(steps, rate)
    return Derivatives(velocity, acceleration, omega, alpha)


def _from_steps(steps: Array, rate: float) -> tuple[Array, Array]:
    """Rates at the frames from rates between them (F − 1 of them).

    With a = log(qᵢ⁻¹ qᵢ₊₁) and b = log(qᵢ₋₁⁻¹ qᵢ), (a + b)/2h and (a − b)/h² are ω and ω̇ at frame
    i to second order: the commutator terms of a and b cancel in both.
    """
    frames = len(steps) + 1
    shape = (frames, *steps.shape[1:])
    first, second = np.zeros(shape), np.zeros(shape)
    if frames == 2:
        first[:] = steps[0]
    elif frames > 2:
        first[1:-1] = 0.5 * (steps[1:] + steps[:-1])
        second[1:-1] = (steps[1:] - steps[:-1]) * rate
        second[0], second[-1] = second[1], second[-2]
        first[0] = 1.5 * steps[0] - 0.5 * steps[1]
        first[-1] = 1.5 * steps[-1] - 0.5 * steps[-2]
    return first, second


def _smoothing_splines(clip: Clip, cutoff_hz: float) -> Derivatives:
    frames, joints = clip.rotations_wxyz.shape[:2]
    root = splines.smooth(clip.root_positions_m, clip.rate_hz, cutoff_hz)
    # Smoothing the four components alike commutes with every rotation of the frames on either
    # side, so the choice of rest pose or world axes does not matter.
    columns = clip.rotations_wxyz.reshape(frames, joints * 4)
    fitted = splines.smooth(columns, clip.rate_hz, cutoff_hz)
    shape = (frames, joints, 4)
    s, ds, dds = (x.reshape(shape) for x in (fitted.values, fitted.first, fitted.second))
    # With s = |s| q: ω = 2 vec(s* ⊗ ṡ)/|s|²; its derivative by the product rule, where the vector
    # part of ṡ* ⊗ ṡ vanishes.
    norm2 = np.sum(s * s, axis=-1, keepdims=True)
    star = rotations.conjugate(s)
    omega = 2.0 * rotations.multiply(star, ds)[..., 1:] / norm2
    alpha = 2.0 * rotations.multiply(star, dds)[..., 1:] / norm2
    alpha -= omega * (2.0 * np.sum(s * ds, axis=-1, keepdims=True) / norm2)
    return Derivatives(root.first, root.second, omega, alpha)
