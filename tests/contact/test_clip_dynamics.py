from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.contact import clip_dynamics
from poise.motion import resample
from poise.samples import walk
from tests.contact.standing import moved, standing


def test_a_bounce_asks_for_mass_times_acceleration() -> None:
    clip, character, _ = standing(200)
    t = np.arange(200)[:, None] / clip.rate_hz
    pace = 2 * np.pi * 1.5
    bounce = moved(clip, 0.05 * np.sin(pace * t) * np.array([[0.0, 1.0, 0.0]]))
    wanted = 70.0 * (9.81 - 0.05 * pace**2 * np.sin(pace * t[:, 0]))
    for cutoff in (None, 12.0):
        found = clip_dynamics(bounce, character, cutoff)
        inner = slice(10, -10)
        assert np.allclose(found.outer_force_n[inner, 1], wanted[inner], atol=0.01 * 686)
        assert np.abs(found.outer_moment_nm).max() < 1e-6 * 686
    assert found.weight_n == pytest.approx(70 * 9.81)
    assert 1.4 < found.length_m < 2.2


def test_smoothing_keeps_noise_out_of_the_forces() -> None:
    clip, character, _ = standing(300)
    rng = np.random.default_rng(12345)
    shaking = moved(clip, rng.normal(0, 2e-4, (300, 3)))
    rough = clip_dynamics(shaking, character, None).outer_force_n[:, 1].std()
    smooth = clip_dynamics(shaking, character).outer_force_n[:, 1].std()
    assert smooth < 0.1 * rough


def test_slow_cameras_get_what_their_rate_allows() -> None:
    character = standing()[1]
    clip = resample(walk(2.0), 24.0)
    assert np.isfinite(clip_dynamics(clip, character).outer_force_n).all()
    # More than 0.4 of the rate cannot be asked for.
    asked, given = (clip_dynamics(clip, character, hz).outer_force_n for hz in (20.0, 9.6))
    assert np.allclose(asked, given)


def test_a_single_frame_stands_still() -> None:
    clip, character, _ = standing(1)
    found = clip_dynamics(replace(clip), character)
    assert np.allclose(found.outer_force_n, [[0.0, 686.7, 0.0]], atol=0.01)
