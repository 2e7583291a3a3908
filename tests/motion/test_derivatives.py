"""Velocities and accelerations against motions whose derivatives are known."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.character import Skeleton
from poise.errors import BadValue
from poise.motion import Clip
from poise.motion.derivatives import differentiate

RATE_HZ = 120.0
TWO_JOINTS = Skeleton(("root", "tip"), np.array([-1, 0]), np.array([[0.0, 0, 0], [0, 1.0, 0]]))


def tumbling(frames: int, rate_hz: float = RATE_HZ) -> tuple[Clip, np.ndarray, np.ndarray]:
    """A clip with constant world spin about one axis while turning about another in its own frame.

    q(t) = exp(a t) ⊗ exp(b t) gives body angular velocity ω = exp(−b t)·a + b exactly, and
    ω̇ = −b × (exp(−b t)·a).
    """
    t = np.arange(frames) / rate_hz
    a, b = np.array([1.5, -0.7, 2.0]), np.array([0.3, 2.2, -1.1])
    spin, own = rotations.exp(t[:, None] * a), rotations.exp(t[:, None] * b)
    q = rotations.multiply(spin, own)
    carried = rotations.rotate(rotations.conjugate(own), a)
    omega, alpha = carried + b, -np.cross(b, carried)
    path = np.stack([np.sin(3 * t), t**2, 2 * t], axis=1)
    clip = Clip(TWO_JOINTS, rate_hz, path, np.stack([q, rotations.conjugate(own)], axis=1))
    return clip, omega, alpha


@pytest.mark.parametrize("cutoff_hz", [None, 40.0])
def test_tumbling_has_the_angular_velocity_of_the_closed_form(cutoff_hz: float | None) -> None:
    clip, omega, alpha = tumbling(300)
    found = differentiate(clip, cutoff_hz)
    inner = slice(10, -10)
    np.testing.assert_allclose(found.angular_velocities_rad_s[inner, 0], omega[inner], atol=3e-3)
    np.testing.assert_allclose(
        found.angular_accelerations_rad_s2[inner, 0], alpha[inner], atol=6e-3
    )
    np.testing.assert_allclose(found.root_accelerations_m_s2[inner, 1], 2.0, atol=1e-6)


def test_central_differences_converge_with_the_square_of_the_step() -> None:
    worst = []
    for rate_hz in (60.0, 120.0, 240.0):
        clip, omega, alpha = tumbling(round(rate_hz * 2) + 1, rate_hz)
        found = differentiate(clip)
        errors = (
            np.abs(found.angular_velocities_rad_s[1:-1, 0] - omega[1:-1]).max(),
            np.abs(found.angular_accelerations_rad_s2[1:-1, 0] - alpha[1:-1]).max(),
        )
        worst.append(errors)
    ratios = np.array(worst[:-1]) / np.array(worst[1:])
    np.testing.assert_allclose(ratios, 4.0, rtol=0.1)


def test_sign_flips_of_quaternions_change_nothing() -> None:
    clip, *_ = tumbling(50)
    q = clip.rotations_wxyz.copy()
    q[10:20] *= -1.0
    flipped = Clip(clip.skeleton, clip.rate_hz, clip.root_positions_m, q)
    for cutoff in (None, 20.0):
        a, b = differentiate(clip, cutoff), differentiate(flipped, cutoff)
        np.testing.assert_allclose(
            a.angular_velocities_rad_s, b.angular_velocities_rad_s, atol=1e-9
        )


def test_the_spline_does_not_depend_on_rest_pose_or_world_axes() -> None:
    clip, *_ = tumbling(80)
    turn = rotations.normalize([0.3, -0.5, 0.7, 0.2])
    q = rotations.multiply(turn, clip.rotations_wxyz)
    turned = Clip(clip.skeleton, clip.rate_hz, clip.root_positions_m, q)
    a = differentiate(clip, 10.0).angular_accelerations_rad_s2
    b = differentiate(turned, 10.0).angular_accelerations_rad_s2
    np.testing.assert_allclose(a, b, atol=1e-8)


def test_smoothing_tames_noise_that_differences_amplify() -> None:
    rng = np.random.default_rng(12345)
    clip, _, alpha = tumbling(400)
    noise = rotations.exp(rng.normal(scale=1e-3, size=(400, 2, 3)))
    noisy = Clip(
        clip.skeleton,
        clip.rate_hz,
        clip.root_positions_m,
        rotations.multiply(clip.rotations_wxyz, noise),
    )
    inner = slice(30, -30)

    def error(cutoff_hz: float | None) -> float:
        found = differentiate(noisy, cutoff_hz).angular_accelerations_rad_s2[inner, 0]
        return float(np.sqrt(np.mean((found - alpha[inner]) ** 2)))

    assert error(6.0) < 0.02 * error(None)


@pytest.mark.parametrize("frames", [1, 2, 3, 4, 5])
def test_very_short_clips_have_derivatives_too(frames: int) -> None:
    clip, *_ = tumbling(frames)
    for cutoff in (None, 10.0):
        found = differentiate(clip, cutoff)
        assert found.angular_velocities_rad_s.shape == (frames, 2, 3)
        assert found.root_accelerations_m_s2.shape == (frames, 3)


def test_a_cutoff_beyond_half_the_rate_is_refused_with_the_bound() -> None:
    clip, *_ = tumbling(20)
    with pytest.raises(BadValue, match=r"half the rate \(60 Hz\)"):
        differentiate(clip, 61.0)
