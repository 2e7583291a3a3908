"""Rolling feet and the curves they are made of."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.samples.curves import (
    Step,
    ease,
    foot_motion,
    hermite,
    passage,
    pitch_deg,
    resting,
    through,
)
from poise.samples.plan import sole, two_bones


def test_a_quintic_meets_both_ends_in_value_rate_and_acceleration() -> None:
    start, end = (1.0, -2.0, 3.0), (4.0, 5.0, -6.0)
    h = 1e-4
    for at, wanted in ((2.0, start), (2.5, end)):
        t = np.array([at - h, at, at + h])
        a, b, c = hermite(t, 2.0, 2.5, start, end)
        np.testing.assert_allclose(
            [b, (c - a) / (2 * h), (a - 2 * b + c) / h**2], wanted, rtol=1e-2
        )


def test_a_passage_goes_from_nought_to_one_with_continuous_acceleration() -> None:
    s = np.linspace(-0.1, 1.1, 12001)
    for skew in (0.0, 0.4, -0.7):
        way = passage(s, 0.1, skew)
        assert way[0] == 0.0 and way[-1] == pytest.approx(1.0)
        assert (np.diff(way) >= -1e-12).all()
        acceleration = np.diff(way, n=2) / 1e-8
        assert np.abs(np.diff(acceleration)).max() < 0.02 * np.abs(acceleration).max()
    quick, slow = passage(np.array([0.25]), 0.1, -0.5), passage(np.array([0.25]), 0.1, 0.5)
    assert quick[0] > 0.25 > slow[0]


def test_keys_are_met_and_hold_outside() -> None:
    times = np.array([-1.0, 0.0, 0.5, 1.0, 9.0])
    assert resting(((0.0, 2.0), (1.0, 4.0)), times).tolist() == [2.0, 2.0, 3.0, 4.0, 4.0]
    assert ease(times, 0.0, 1.0).tolist() == [0.0, 0.0, 0.5, 1.0, 1.0]
    keys = ((0.0, 1.0, 0.0, 0.0), (0.5, 3.0, 7.0, 0.0), (1.0, 2.0, 0.0, 0.0))
    assert through(keys, times).tolist() == [1.0, 1.0, 3.0, 2.0, 2.0]


def test_two_bones_reach_the_end_and_bend_the_asked_way() -> None:
    rng = np.random.default_rng(5)
    start = rng.normal(size=(50, 3))
    end = start + rng.uniform(0.25, 0.44, size=(50, 3)) * rng.choice([-1, 1], size=(50, 3))
    pole = rng.normal(size=(50, 3))
    for bends_back in (True, False):
        upper, lower = two_bones(start, end, pole, (0.4, 0.45), bends_back=bends_back)
        middle = start + rotations.rotate(upper, [0.0, -0.4, 0.0])
        np.testing.assert_allclose(
            middle + rotations.rotate(lower, [0.0, -0.45, 0.0]), end, atol=1e-12
        )
        along = (end - start) / np.linalg.norm(end - start, axis=1)[:, None]
        aside = (middle - start) - np.sum((middle - start) * along, axis=1)[:, None] * along
        assert (np.sum(aside * pole, axis=1) > 0).all()
        turn = rotations.multiply(rotations.conjugate(upper), lower)
        assert np.abs(turn[:, 2:]).max() < 1e-12  # the joint between is a hinge about X
        assert ((turn[:, 1] * turn[:, 0] > 0) == bends_back).all()


def test_a_foot_rolls_over_its_heel_and_its_ball_without_slipping() -> None:
    step = Step((0.3, 1.0), 0.0, 0.1, 0.4, 0.7, pitch_deg(-20, 90), pitch_deg(50, 300), 0.2)
    times = np.linspace(0.0, 0.7, 701)
    foot = foot_motion([step], sole(), times)
    heel = foot.ankles_m + rotations.rotate(foot.rotations_wxyz, sole().heel_m)
    ball = foot.ankles_m + rotations.rotate(foot.rotations_wxyz, sole().ball_m)
    np.testing.assert_allclose(heel[:401], np.tile([0.3, 0.0, 1.0], (401, 1)), atol=1e-12)
    np.testing.assert_allclose(ball[100:], np.tile(ball[100], (601, 1)), atol=1e-12)
    assert heel[500, 1] > 0.01 and ball[50, 1] > 0.01
    # Toes stay level on the ground while the heel lifts.
    pitch = np.degrees(2 * np.arctan2(foot.rotations_wxyz[:, 1], foot.rotations_wxyz[:, 0]))
    np.testing.assert_allclose(np.degrees(foot.toes_rad[401:]), -np.abs(pitch[401:]), atol=2.0)


def test_a_swing_joins_its_steps_smoothly() -> None:
    first = Step((0.1, 0.0), lift_s=0.0, leave_s=0.2, leaving_rad=pitch_deg(50, 300))
    second = Step((0.1, 1.0), 0.6, 0.7, landing_rad=pitch_deg(-20, 90), yaw_rad=0.3)
    rate = 4000.0
    times = np.arange(0.15, 0.65, 1.0 / rate)
    foot = foot_motion([first, second], sole(), times)
    acceleration = np.diff(foot.ankles_m, n=2, axis=0) * rate**2
    assert np.abs(np.diff(acceleration, axis=0)).max() < 0.03 * np.abs(acceleration).max()
