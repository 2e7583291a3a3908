"""Steps, slopes and seats that clips show: made ones whose truth is known, and real ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.character import complete_character, contact_points
from poise.contact import suggest_place
from poise.contact.floor import foot_sites
from poise.contact.resting_feet import resting_feet
from poise.environment import Environment, query
from poise.formats import load_clip
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip, resample
from poise.motion.cleanup import clean
from poise.samples import SAMPLES, sample_character, walking, with_noise
from tests.contact.lifted_walk import stances, walk_on_steps, walk_up_a_slope
from tests.contact.rigid_clips import human
from tests.contact.sitting import sitting_clip
from tests.shared_data import MOCAP, needs_mocap

UP, DOWN = (0.0, 0.0, 0.12, 0.24, 0.36), (0.36, 0.36, 0.24, 0.12, 0.0, 0.0, 0.0, 0.0)


def heights_of(place: Environment) -> list[float]:
    """Of all solids, over the ground."""
    floor = place.grounds[0].height_m
    return [float(p.vertices_m[:, 1].max()) - floor for p in place.surfaces[1:]]  # pyright: ignore


@pytest.mark.parametrize("name", ["walk", "run", "jump", "hop", "reach", "golf", "squat", "stand"])
def test_level_ground_shows_nothing(name: str) -> None:
    found = suggest_place(SAMPLES[name]().clip, sample_character())
    assert not found.surfaces and len(found.environment.surfaces) == 1


@pytest.mark.parametrize("heights_m", [UP, DOWN], ids=["up", "down"])
def test_stairs_are_found_at_their_heights(heights_m: tuple[float, ...]) -> None:
    found = suggest_place(walk_on_steps(heights_m), sample_character())
    assert {shown.kind for shown in found.surfaces} == {"step"}
    assert heights_of(found.environment) == pytest.approx([0.12, 0.24, 0.36], abs=0.01)
    assert abs(found.environment.grounds[0].height_m) < 0.01
    words = " ".join(found.environment.notes)
    assert "12 cm high" in words and "36 cm high" in words and "not measured" in words


@pytest.mark.parametrize("heights_m", [UP, DOWN], ids=["up", "down"])
def test_feet_stand_on_the_steps_and_nobody_walks_through_them(
    heights_m: tuple[float, ...],
) -> None:
    clip, figure = walk_on_steps(heights_m), sample_character()
    found = suggest_place(clip, figure)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    feet = foot_sites(contact_points(figure))
    places = site_positions(state, feet)
    near = query(found.environment, places).distances_m
    assert near.min() > -0.035
    for side in ("left", "right"):
        flat = [i for i, name in enumerate(feet.names) if name in (f"{side}_heel", f"{side}_ball")]
        for start, end, _ in stances(side):
            middle = round(clip.rate_hz * (start + 0.4 * (end - start)))
            if start > 0.0 and middle < clip.frame_count:  # all of the stance is there
                assert np.abs(near[middle, flat]).max() < 0.015


@pytest.mark.parametrize("rate_hz", [60.0, 30.0])
def test_slow_cameras_show_the_same_steps(rate_hz: float) -> None:
    found = suggest_place(resample(walk_on_steps(UP), rate_hz), sample_character())
    assert heights_of(found.environment) == pytest.approx([0.12, 0.24, 0.36], abs=0.01)


@pytest.mark.parametrize("millimetres", [5.0, 15.0])
def test_noise_shows_nothing_on_level_ground(millimetres: float) -> None:
    noisy = with_noise(walking(), millimetres).clip
    assert not suggest_place(noisy, sample_character()).surfaces


def test_one_stone_on_level_ground_is_one_step() -> None:
    found = suggest_place(walk_on_steps((0.0, 0.0, 0.0, 0.1, 0.0, 0.0, 0.0)), sample_character())
    (stone,) = found.surfaces
    assert stone.height_m == pytest.approx(0.1, abs=0.01) and len(stone.parts) == 1


@pytest.mark.parametrize("rise", [0.08, 0.15, 0.2, -0.12])
def test_a_slope_is_no_stairs(rise: float) -> None:
    found = suggest_place(walk_up_a_slope(rise), sample_character())
    (slope,) = found.surfaces
    assert slope.kind == "slope" and slope.height_m == pytest.approx(abs(rise), abs=0.01)
    ground = found.environment.grounds[0]
    there = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 4.0]])
    assert ground.heights_m(there) == pytest.approx([0.0, 4.0 * rise], abs=0.03)


def test_a_floor_that_is_off_level_by_little_is_only_a_floor() -> None:
    assert not suggest_place(walk_up_a_slope(0.03), sample_character()).surfaces


def test_a_sitter_shows_a_seat_and_when() -> None:
    found = suggest_place(sitting_clip(), human())
    (seat,) = found.surfaces
    assert seat.kind == "seat" and seat.parts == ("pelvis",)
    assert 60 < np.mean(seat.frames) < 300 and "A seat" in seat.words()


def test_a_clip_too_short_shows_its_floor_alone() -> None:
    clip = walk_on_steps(UP)
    for count in (1, 2, 5):
        found = suggest_place(clip.sliced(0, count), sample_character())
        assert not found.surfaces and len(found.environment.surfaces) == 1


def test_a_foot_held_up_carries_nothing() -> None:
    clip = SAMPLES["stand"]().clip
    assert not any(rest.alone for rest in resting_feet(clip, sample_character()))


def captured(name: str, rate_hz: float = 120.0) -> Clip:
    clip, _ = clean(
        load_clip(MOCAP / f"{name}.bvh"), ("missing-thorax", "t-pose", "dropped-frames")
    )
    return replace(clip, rate_hz=rate_hz)


@needs_mocap
@pytest.mark.parametrize(
    ("name", "rises_m"),
    [("13_35", (0.21, 0.41, 0.63)), ("83_28", (0.12, 0.24, 0.36)), ("03_01", (0.12, 0.23))],
)
def test_real_stairs_and_stones_are_found(name: str, rises_m: tuple[float, ...]) -> None:
    clip = captured(f"cmu/{name}")
    found = suggest_place(clip, complete_character(clip.skeleton))
    assert {shown.kind for shown in found.surfaces} == {"step"}
    assert heights_of(found.environment) == pytest.approx(list(rises_m), abs=0.02)


@needs_mocap
@pytest.mark.parametrize(
    ("name", "rate_hz", "high_m"), [("14_28", 120.0, 0.66), ("143_18", 60.0, 0.34)]
)
def test_real_seats_are_found(name: str, rate_hz: float, high_m: float) -> None:
    clip = captured(f"cmu/{name}", rate_hz)
    (seat,) = suggest_place(clip, complete_character(clip.skeleton)).surfaces
    assert seat.kind == "seat" and seat.height_m == pytest.approx(high_m, abs=0.03)


@needs_mocap
@pytest.mark.parametrize(
    "name",
    ["cmu/02_01", "cmu/05_02", "cmu/49_02", "cmu/49_06", "cmu/90_28", "cmu/140_01", "cmu/85_06",
     "cmu/131_01", "cmu_random/20_03", "cmu_random/126_13"],
)  # fmt: skip
def test_real_level_ground_shows_nothing(name: str) -> None:
    clip = captured(name)
    assert not suggest_place(clip, complete_character(clip.skeleton)).surfaces
