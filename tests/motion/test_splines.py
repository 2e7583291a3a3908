"""The quintic smoothing spline against what theory says of it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.motion.splines import smooth


def test_parabolas_pass_unchanged_with_their_derivatives() -> None:
    t = np.arange(200) / 100.0
    values = np.stack([3.0 - t, 0.5 * t**2], axis=1)
    fitted = smooth(values, 100.0, 2.0)
    np.testing.assert_allclose(fitted.values, values, atol=1e-9)
    np.testing.assert_allclose(fitted.first, np.stack([-np.ones(200), t], axis=1), atol=1e-6)
    np.testing.assert_allclose(fitted.second[:, 1], 1.0, atol=1e-4)


@pytest.mark.parametrize("frequency_hz", [3.0, 8.0, 15.0])
def test_half_the_amplitude_remains_at_the_cutoff(frequency_hz: float) -> None:
    rate, count = 120.0, 4001
    wave = np.sin(2 * np.pi * frequency_hz * np.arange(count) / rate)[:, None]
    middle = smooth(wave, rate, frequency_hz).values[1000:3000]
    assert np.abs(middle).max() == pytest.approx(0.5, abs=0.01)


def test_an_octave_above_the_cutoff_one_part_in_65_remains() -> None:
    rate, count, cutoff = 240.0, 4001, 6.0
    wave = np.sin(2 * np.pi * 2 * cutoff * np.arange(count) / rate)[:, None]
    middle = smooth(wave, rate, cutoff).values[1000:3000]
    assert np.abs(middle).max() == pytest.approx(1 / 65, rel=0.02)


def test_the_fit_is_the_minimum_it_claims_to_be() -> None:
    """Against a dense quadratic program with the third derivative by brute-force quadrature."""
    from scipy.interpolate import BSpline

    rng = np.random.default_rng(7)
    frames, rate, cutoff = 30, 30.0, 3.0
    y = rng.normal(size=(frames, 2))
    knots = np.arange(-5, frames + 5, dtype=float)
    spline = BSpline(knots, np.eye(frames + 4), 5)
    at = np.arange(frames, dtype=float)
    fine = np.linspace(0, frames - 1, 200 * (frames - 1) + 1)
    middle = 0.5 * (fine[1:] + fine[:-1])
    third = spline.derivative(3)(middle) * np.sqrt(fine[1] - fine[0])
    penalty = (2 * np.pi * cutoff / rate) ** -6
    basis = spline(at)
    best = np.linalg.solve(basis.T @ basis + penalty * third.T @ third, basis.T @ y)
    fitted = smooth(y, rate, cutoff)
    np.testing.assert_allclose(fitted.values, basis @ best, atol=2e-4)
    np.testing.assert_allclose(
        fitted.first, spline.derivative(1)(at) @ best * rate, atol=2e-2 * np.abs(fitted.first).max()
    )
    np.testing.assert_allclose(
        fitted.second,
        spline.derivative(2)(at) @ best * rate**2,
        atol=2e-2 * np.abs(fitted.second).max(),
    )
