"""Each defect changes exactly what it says, by the size it says."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.contact import FEET, ContactSchedule, touching_points
from poise.environment import Environment
from poise.errors import BadValue
from poise.measures import evaluate
from poise.mechanics import center_of_mass
from poise.samples import (
    SAMPLES,
    Sample,
    sample_character,
    with_dropped_frames,
    with_float,
    with_foot_slide,
    with_lean,
    with_noise,
    with_penetration,
    with_rotation_noise,
    with_t_pose,
    with_wrong_rate,
)
from tests.samples.looking import parabola_error, place_error, site, soles, state_of

RATE_HZ = 120.0


@pytest.fixture(scope="module")
def walk() -> Sample:
    return SAMPLES["walk"](seconds=2.0, rate_hz=RATE_HZ)


@pytest.fixture(scope="module")
def jump() -> Sample:
    return SAMPLES["jump"](rate_hz=RATE_HZ)


def same_turns(a: Sample, b: Sample) -> bool:
    return np.array_equal(a.clip.rotations_wxyz, b.clip.rotations_wxyz)


@pytest.mark.parametrize("direction", [(1.0, 0.0, 0.0), (0.0, 0.0, -2.0)])
def test_a_slide_moves_every_planted_point_at_that_speed(
    walk: Sample, direction: tuple[float, float, float]
) -> None:
    slid = with_foot_slide(walk, 12.5, direction)
    for rest in slid.planted:
        frames = rest.frames(RATE_HZ, slid.clip.frame_count)
        step = np.diff(site(slid.clip, rest.site)[frames], axis=0) * RATE_HZ
        np.testing.assert_allclose(np.linalg.norm(step, axis=1), 0.125, atol=1e-9)
    assert place_error(slid) < 1e-9
    assert same_turns(slid, walk) and slid.contacts is walk.contacts
    assert (slid.injected[0].defect, slid.injected[0].expected) == ("foot slide", 12.5)


def test_flights_of_a_sliding_jump_are_still_parabolas(jump: Sample) -> None:
    slid = with_foot_slide(jump, 30.0)
    assert parabola_error(slid) < 1e-9
    gained = slid.flights[0].take_off_velocity_m_s - jump.flights[0].take_off_velocity_m_s
    np.testing.assert_allclose(gained, [0.3, 0.0, 0.0], atol=1e-12)


def test_penetration_and_float_shift_the_figure_and_nothing_else(walk: Sample) -> None:
    for damaged, height in ((with_penetration(walk, 2.0), -0.02), (with_float(walk, 1.5), 0.015)):
        lowest = np.min([soles(damaged.clip, side)[..., 1] for side in ("left", "right")])
        assert lowest == pytest.approx(height, abs=1e-9)
        assert same_turns(damaged, walk)
        moved = damaged.clip.root_positions_m - walk.clip.root_positions_m
        np.testing.assert_allclose(moved, np.tile([0.0, height, 0.0], (len(moved), 1)), atol=1e-12)
        assert place_error(damaged) < 1e-9


@pytest.mark.parametrize("beyond_cm", [0.5, 4.0, 12.0])
def test_a_lean_puts_the_weight_that_far_beyond_the_toes(beyond_cm: float) -> None:
    stand = SAMPLES["stand"](seconds=0.2)
    leaning = with_lean(stand, beyond_cm)
    body = sample_character().body
    assert body is not None
    ahead = center_of_mass(state_of(leaning.clip), body)[:, 2]
    stands = ContactSchedule(FEET, np.ones((len(ahead), 2), dtype=np.bool_), stand.clip.rate_hz)
    touched = touching_points(
        state_of(leaning.clip), sample_character(), stands, Environment.flat()
    )
    toes = touched.places_m[0, :, 2].max()
    np.testing.assert_allclose(100.0 * (ahead - toes), beyond_cm, atol=1e-9)
    for side in ("left", "right"):  # and the feet are where they were
        np.testing.assert_allclose(soles(leaning.clip, side), soles(stand.clip, side), atol=1e-12)


def test_a_lean_needs_a_figure_that_stands_still(walk: Sample) -> None:
    with pytest.raises(BadValue, match="stands still, such as 'stand'"):
        with_lean(walk, 3.0)
    with pytest.raises(BadValue, match="reaches"):
        with_lean(SAMPLES["stand"](seconds=0.1), 90.0)


def test_noise_has_its_size_and_its_seed(walk: Sample) -> None:
    shaken = with_noise(walk, 1.5, seed=7)
    noise = shaken.clip.root_positions_m - walk.clip.root_positions_m
    np.testing.assert_allclose(np.sqrt((noise**2).mean(axis=0)), 0.0015, rtol=1e-9)
    # Smoothed by 1 / (1 + (f/12)⁶), the third derivative of white noise at rate r has the deviation
    # σ (2π)³ √(π/9 · 12⁷ / r) along each axis; the walk has a jerk of its own.
    own = evaluate(walk.clip, sample_character(), Environment.flat()).value("jitter.jerk")
    shaking = np.sqrt(3) * 0.0015 * (2 * np.pi) ** 3 * np.sqrt(np.pi / 9 * 12.0**7 / RATE_HZ)
    assert shaken.injected[0].expected == pytest.approx(np.hypot(own, shaking), rel=0.1)
    again, other = with_noise(walk, 1.5, seed=7), with_noise(walk, 1.5, seed=8)
    np.testing.assert_array_equal(again.clip.root_positions_m, shaken.clip.root_positions_m)
    assert np.abs(other.clip.root_positions_m - shaken.clip.root_positions_m).max() > 1e-4


def test_rotation_noise_turns_joints_by_its_size_on_average(walk: Sample) -> None:
    shaken = with_rotation_noise(walk, 0.8)
    angles = rotations.angle_between(shaken.clip.rotations_wxyz, walk.clip.rotations_wxyz)
    assert np.degrees(angles[:, 1:].mean()) == pytest.approx(0.8, rel=1e-6)
    assert angles[:, 0].max() < 1e-7
    assert shaken.injected[0].expected == pytest.approx(np.degrees(angles.mean()), rel=1e-6)


@pytest.mark.parametrize("factor", [2.0, 0.5, 1.5])
def test_a_wrong_rate_makes_gravity_seem_squared(jump: Sample, factor: float) -> None:
    hurried = with_wrong_rate(jump, factor)
    assert hurried.clip.rate_hz == RATE_HZ
    assert hurried.clip.frame_count == int((jump.clip.frame_count - 1) / factor) + 1
    assert hurried.contacts.frame_count == hurried.clip.frame_count
    assert -hurried.flights[0].gravity_m_s2[1] == pytest.approx(9.81 * factor**2)
    # Dropping frames is exact; frames between frames are interpolated.
    assert parabola_error(hurried) < (1e-9 if factor == 2.0 else 1e-4)
    body = sample_character().body
    assert body is not None
    flight = hurried.flights[0].frames(RATE_HZ, hurried.clip.frame_count)[2:-2]
    heights = center_of_mass(state_of(hurried.clip), body)[flight, 1]
    fitted = -2.0 * np.polyfit(flight / RATE_HZ, heights, 2)[0]
    assert fitted == pytest.approx(hurried.injected[0].expected, rel=1e-3)


def test_a_wrong_rate_comes_before_what_it_would_change(walk: Sample) -> None:
    with pytest.raises(BadValue, match="without foot slide"):
        with_wrong_rate(with_foot_slide(walk, 5.0), 2.0)
    assert [i.defect for i in with_noise(with_wrong_rate(walk, 2.0), 1.0).injected] == [
        "wrong rate",
        "noise",
    ]


def test_defects_compose_and_are_all_remembered(walk: Sample) -> None:
    damaged = with_penetration(with_foot_slide(walk, 10.0), 2.0)
    assert [(i.defect, i.size, i.unit) for i in damaged.injected] == [
        ("foot slide", 10.0, "cm/s"),
        ("penetration", 2.0, "cm"),
    ]
    assert place_error(damaged) < 1e-9
    assert damaged.clip.history[-2:] == (
        "sample defect: foot slide of 10 cm/s",
        "sample defect: penetration of 2 cm",
    )


def test_a_t_pose_shifts_the_truth_by_one_frame(jump: Sample) -> None:
    late = with_t_pose(with_foot_slide(jump, 10.0))
    assert late.clip.frame_count == late.contacts.frame_count == jump.clip.frame_count + 1
    assert not late.contacts.touching[0].any()
    np.testing.assert_array_equal(late.contacts.touching[1:], jump.contacts.touching)
    np.testing.assert_array_equal(late.clip.rotations_wxyz[0], late.clip.skeleton.rest_wxyz)
    assert place_error(late) < 1e-9 and parabola_error(late) < 1e-9


def test_dropped_frames_keep_the_truth(walk: Sample) -> None:
    dropped = with_dropped_frames(walk, (3, 9))
    assert dropped.contacts is walk.contacts
    assert (dropped.clip.root_positions_m[[3, 9]] == 0.0).all()
    kept = np.setdiff1d(np.arange(walk.clip.frame_count), [3, 9])
    np.testing.assert_array_equal(
        dropped.clip.root_positions_m[kept], walk.clip.root_positions_m[kept]
    )


@pytest.mark.parametrize("size", [0.0, -1.0, np.nan, np.inf])
def test_sizes_that_make_no_sense_are_refused(walk: Sample, size: float) -> None:
    for damage in (with_penetration, with_float, with_noise, with_rotation_noise, with_wrong_rate):
        with pytest.raises(BadValue, match="more than zero"):
            damage(walk, size)
    with pytest.raises(BadValue, match="level"):
        with_foot_slide(walk, 3.0, (0.0, 1.0, 0.0))


def test_the_input_is_left_alone(walk: Sample) -> None:
    before = walk.clip.root_positions_m.copy()
    with_foot_slide(walk, 5.0)
    with_noise(walk, 5.0)
    np.testing.assert_array_equal(walk.clip.root_positions_m, before)
    assert replace(walk).injected == ()
