"""The smoothing that suits a clip: noise found, formula held, bounds kept."""

from __future__ import annotations

import numpy as np
import pytest

from poise.contact.clip_dynamics import (
    ACCELERATION_NOISE,
    HIGHEST_HZ,
    LOWEST_HZ,
    noise_m,
    suited_cutoff_hz,
)
from poise.motion.splines import smooth


def path(noise_m: float, rate_hz: float = 120.0, seconds: float = 60.0) -> np.ndarray:
    rng = np.random.default_rng(12345)
    t = np.arange(round(seconds * rate_hz)) / rate_hz
    walk = np.stack([1.3 * t, 0.02 * np.sin(4 * np.pi * t), 0.03 * np.sin(2 * np.pi * t)], axis=1)
    return walk + rng.normal(scale=noise_m, size=walk.shape)


@pytest.mark.parametrize("noise", [2e-5, 1e-4, 1e-3])
def test_the_noise_of_a_walk_is_found(noise: float) -> None:
    assert noise_m(path(noise)) == pytest.approx(noise, rel=0.1)


@pytest.mark.parametrize("noise", [6e-5, 1.2e-4])
def test_what_noise_leaves_in_the_acceleration_is_as_promised(noise: float) -> None:
    cutoff = suited_cutoff_hz(path(noise), 120.0)
    assert LOWEST_HZ < cutoff < HIGHEST_HZ
    still = np.random.default_rng(1).normal(scale=noise, size=(20000, 3))
    left = smooth(still, 120.0, cutoff).second[500:-500]
    assert left.std() == pytest.approx(ACCELERATION_NOISE, rel=0.1)


def test_bounds_hold_for_clean_and_for_hopeless_clips() -> None:
    assert suited_cutoff_hz(path(0.0), 120.0) == HIGHEST_HZ
    assert suited_cutoff_hz(np.zeros((100, 3)), 120.0) == HIGHEST_HZ
    assert suited_cutoff_hz(path(0.01), 120.0) == LOWEST_HZ
    assert suited_cutoff_hz(path(0.0)[:3], 120.0) == HIGHEST_HZ


@pytest.mark.parametrize(("rate_hz", "cutoff_hz"), [(30.0, 6.0), (25.0, 5.0), (10.0, 4.0)])
def test_slow_cameras_get_what_their_rate_allows(rate_hz: float, cutoff_hz: float) -> None:
    assert suited_cutoff_hz(path(1e-4, rate_hz), rate_hz) == pytest.approx(cutoff_hz)
