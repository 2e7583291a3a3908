"""Every sample keeps what it promises: contacts, resting points, parabolas, smoothness, balance."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

import poise
from poise.errors import BadValue
from poise.mechanics import (
    center_of_mass,
    inverse_dynamics,
    momentum,
    zero_moment_point,
)
from poise.motion import differentiate
from poise.samples import SAMPLES, Sample, sample_character
from tests.samples.looking import parabola_error, place_error, site, soles, state_of

WHOLE_BODY = ("sit", "getup", "kneel", "cartwheel")
"""On more than their feet: see test_whole_body."""
NAMES = tuple(name for name in SAMPLES if name not in WHOLE_BODY)
FLYING = ("run", "jump", "hop")
STANDING = ("reach", "golf", "squat", "stand")
RATE_HZ = 240.0


@cache
def made(name: str, rate_hz: float = RATE_HZ) -> Sample:
    return SAMPLES[name](rate_hz=rate_hz)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("rate_hz", [RATE_HZ, 60.0, 97.3])
def test_planted_points_stand_exactly_where_they_are_said_to(name: str, rate_hz: float) -> None:
    sample = made(name, rate_hz)
    assert sample.planted
    for rest in (*sample.planted, *sample.reached):
        frames = rest.frames(rate_hz, sample.clip.frame_count)
        gap = np.abs(site(sample.clip, rest.site)[frames] - rest.position_m)
        assert gap.max(initial=0.0) < 1e-6, rest


@pytest.mark.parametrize("name", NAMES)
def test_no_sole_point_is_ever_below_the_ground(name: str) -> None:
    for side in ("left", "right"):
        assert soles(made(name).clip, side)[..., 1].min() > -1e-6


@pytest.mark.parametrize("name", NAMES)
def test_a_foot_touches_when_and_only_when_the_schedule_says_so(name: str) -> None:
    sample = made(name)
    for side in ("left", "right"):
        lowest = soles(sample.clip, side)[..., 1].min(axis=1)
        touching = sample.contacts.column(f"{side}_foot")
        assert np.abs(lowest[touching]).max(initial=0.0) < 1e-9
        # A frame right beside an event may be as near to the ground as it likes, but not in it.
        assert lowest[~touching].min(initial=1.0) > 0.0


def test_the_schedule_of_a_walk_is_the_one_it_was_made_from() -> None:
    sample = SAMPLES["walk"](seconds=2.16, rate_hz=100.0)
    left = sample.contacts.column("left_foot")
    # Cycles of 1.08 s, begun a tenth before the left foot lands; it stands for 62 % of each.
    assert np.flatnonzero(np.diff(left.astype(int))).tolist() == [10, 77, 118, 185]
    assert sample.contacts.touching.any(axis=1).all()


@pytest.mark.parametrize("name", FLYING)
@pytest.mark.parametrize("rate_hz", [RATE_HZ, 60.0, 97.3])
def test_the_centre_of_mass_flies_on_the_stated_parabola(name: str, rate_hz: float) -> None:
    sample = made(name, rate_hz)
    body = sample_character().body
    assert body is not None and sample.flights
    centers = center_of_mass(state_of(sample.clip), body)
    seen = 0
    for flight in sample.flights:
        frames = flight.frames(rate_hz, sample.clip.frame_count)
        parabola = flight.center_of_mass(frames / rate_hz)
        assert np.abs(centers[frames] - parabola).max(initial=0.0) < 1e-9
        assert not sample.contacts.touching[frames].any()
        seen += len(frames)
    assert seen == (~sample.contacts.touching.any(axis=1)).sum()


@pytest.mark.parametrize("name", FLYING)
def test_spin_hardly_changes_in_flight(name: str) -> None:
    sample = made(name)
    clip, body = sample.clip, sample_character().body
    assert body is not None
    rates = differentiate(clip)
    spin = momentum(
        state_of(clip), body, rates.root_velocities_m_s, rates.angular_velocities_rad_s
    ).angular_kg_m2_s
    scale = body.total_mass_kg * 1.75 * np.sqrt(9.81 * 1.75)
    for flight in sample.flights:
        frames = flight.frames(clip.rate_hz, clip.frame_count)[1:-1]
        if len(frames) > 1:
            assert np.ptp(spin[frames], axis=0).max() < 3e-4 * scale


@pytest.mark.parametrize("name", NAMES)
def test_motions_are_smooth(name: str) -> None:
    """Acceleration is continuous: it changes by less when frames are closer."""
    changes: list[float] = []
    peaks: list[float] = []
    for rate_hz in (480.0, 960.0):
        rates = differentiate(SAMPLES[name](seconds=2.5, rate_hz=rate_hz).clip)
        inside = slice(2, -2)
        linear = rates.root_accelerations_m_s2[inside]
        angular = rates.angular_accelerations_rad_s2[inside]
        changes.append(float(np.abs(np.diff(angular, axis=0)).max()))
        peaks.append(float(np.abs(angular).max()))
        assert np.abs(linear).max() < 150.0
    assert peaks[0] < 2500.0  # rad/s²: the knee of the jump as the heels come down
    assert changes[1] < 0.75 * changes[0] + 1e-3


@pytest.mark.parametrize("name", ["walk", *STANDING])
def test_who_stands_or_walks_is_balanced(name: str) -> None:
    sample = made(name)
    distance = excursions_m(sample)
    assert distance[2:-2].max() < (0.0 if name == "walk" else -0.05)


@pytest.mark.parametrize("name", FLYING)
def test_who_flies_pushes_the_ground_inside_its_feet(name: str) -> None:
    distance = excursions_m(made(name))
    # Differences across take-off and landing mean nothing: the push is a share of a body weight.
    assert np.nanpercentile(distance, 97) < 0.01


def excursions_m(sample: Sample) -> np.ndarray:
    """(F,) how far the zero-moment point lies outside the support area; NaN with little push."""
    clip, character = sample.clip, sample_character()
    assert character.body is not None
    rates = differentiate(clip)
    forces = inverse_dynamics(
        clip.skeleton,
        character.body,
        clip.rotations_wxyz,
        rates.angular_velocities_rad_s,
        rates.root_accelerations_m_s2,
        rates.angular_accelerations_rad_s2,
    )
    points = zero_moment_point(clip.root_positions_m, forces)
    weight = forces.root_force_n[:, 1] / (9.81 * character.body.total_mass_kg)
    found = np.full(clip.frame_count, np.nan)
    places = np.concatenate([soles(clip, "left"), soles(clip, "right")], axis=1)
    for frame in range(clip.frame_count):
        low = places[frame, :, 1] < 1e-4
        if weight[frame] > 0.2 and low.any():
            found[frame] = _outside(places[frame, low][:, [0, 2]], points[frame, [0, 2]])
    return found


def _outside(corners: np.ndarray, point: np.ndarray) -> float:
    """Distance of a point outside the hull of corners, negative inside, by all pairs of corners."""
    best, inside = np.inf, -np.inf
    for a in corners:
        for b in corners:
            along = b - a
            length = float(np.linalg.norm(along))
            if length < 1e-9:
                best = min(best, float(np.linalg.norm(point - a)))
                continue
            normal = np.array([along[1], -along[0]]) / length
            share = np.clip((point - a) @ along / length**2, 0.0, 1.0)
            best = min(best, float(np.linalg.norm(a + share * along - point)))
            if ((corners - a) @ normal).max() < 1e-9:  # an edge of the hull, seen from outside
                inside = max(inside, float((point - a) @ normal))
    return inside if -np.inf < inside <= 0.0 else best


@pytest.mark.parametrize("name", NAMES)
def test_the_truth_survives_a_bvh_file(name: str, tmp_path: Path) -> None:
    sample = SAMPLES[name](seconds=1.5, rate_hz=60.0)
    path = tmp_path / f"{name}.bvh"
    poise.save(sample.clip, path)
    back = poise.load(path)
    assert back.rate_hz == pytest.approx(60.0) and back.frame_count == sample.clip.frame_count
    for rest in sample.planted:
        frames = rest.frames(60.0, back.frame_count)
        assert np.abs(site(back, rest.site)[frames] - rest.position_m).max(initial=0.0) < 1e-6
    body = sample_character().body
    assert body is not None
    centers = center_of_mass(state_of(back), body)
    for flight in sample.flights:
        frames = flight.frames(60.0, back.frame_count)
        parabola = flight.center_of_mass(frames / 60.0)
        assert np.abs(centers[frames] - parabola).max(initial=0.0) < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_rate_and_length_change_nothing_but_the_frames(name: str) -> None:
    long = SAMPLES[name](seconds=1.6, rate_hz=120.0).clip
    short = SAMPLES[name](seconds=0.8, rate_hz=40.0).clip
    assert (long.frame_count, short.frame_count) == (193, 33)
    np.testing.assert_allclose(long.root_positions_m[:97:3], short.root_positions_m, atol=1e-10)
    np.testing.assert_allclose(long.rotations_wxyz[:97:3], short.rotations_wxyz, atol=1e-10)


@pytest.mark.parametrize("name", NAMES)
def test_one_frame_is_enough_and_the_same_comes_again(name: str) -> None:
    once, again = SAMPLES[name](seconds=0.0), SAMPLES[name](seconds=0.0)
    assert once.clip.frame_count == once.contacts.frame_count == 1
    np.testing.assert_array_equal(once.clip.rotations_wxyz, again.clip.rotations_wxyz)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["walk", "run", "hop"])
def test_long_clips_stay_true_to_the_end(name: str) -> None:
    """Also where frames fall on the seams of cycles, far from zero."""
    sample = SAMPLES[name](seconds=400.0, rate_hz=25.0)
    assert place_error(sample) < 1e-9 and parabola_error(sample) < 1e-9


@pytest.mark.parametrize("bad", [{"seconds": -1.0}, {"seconds": np.inf}, {"rate_hz": 0.0}])
def test_lengths_and_rates_that_make_no_sense_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(BadValue, match="must be"):
        SAMPLES["walk"](**bad)


def test_knees_bend_one_way_and_never_lock() -> None:
    for name in NAMES:
        clip = made(name).clip
        for side in ("Left", "Right"):
            knee = np.degrees(
                2.0
                * np.arctan2(
                    clip.rotations_wxyz[:, clip.skeleton.index(f"{side}Leg"), 1],
                    clip.rotations_wxyz[:, clip.skeleton.index(f"{side}Leg"), 0],
                )
            )
            knee = (knee + 180.0) % 360.0 - 180.0  # the sign of a quaternion says nothing
            assert 8.0 < knee.min() and knee.max() < 135.0, name
