"""Samples on hands, knees and seats: what touches stands still and carries."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import poise
from poise.character import contact_points, contact_radii_m
from poise.contact import clip_dynamics, reaction_forces, touching_points
from poise.environment import query
from poise.mechanics import site_positions
from poise.samples import SAMPLES, Sample, sample_character
from tests.samples.looking import site, state_of
from tests.samples.test_truth import WHOLE_BODY

RATE_HZ = 240.0
PARTS = {
    "sit": {"pelvis"},
    "getup": {"pelvis", "left_hand", "right_hand"},
    "kneel": {"left_hand", "right_hand", "left_knee", "right_knee"},
    "cartwheel": {"left_hand", "right_hand"},
}
"""What touches besides the feet."""


@cache
def made(name: str, rate_hz: float = RATE_HZ) -> Sample:
    return SAMPLES[name](rate_hz=rate_hz)


def lowest_m(sample: Sample, part: str) -> np.ndarray:
    """(F,) how far the skin of a part's lowest point is over what it touches."""
    character = sample_character()
    places = site_positions(state_of(sample.clip), contact_points(character)[part])
    heights = query(sample.environment, places).distances_m
    return heights.min(axis=1) - contact_radii_m(character)[part]


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_the_parts_that_touch_are_those_that_it_is_about(name: str) -> None:
    contacts = made(name).contacts
    touched = {part for part in contacts.parts if contacts.column(part).any()}
    assert touched == {*PARTS[name], "left_foot", "right_foot"}


@pytest.mark.parametrize("name", WHOLE_BODY)
@pytest.mark.parametrize("rate_hz", [RATE_HZ, 60.0, 97.3])
def test_planted_points_stand_exactly_where_they_are_said_to(name: str, rate_hz: float) -> None:
    sample = made(name, rate_hz)
    for rest in sample.planted:
        frames = rest.frames(rate_hz, sample.clip.frame_count)
        gap = np.abs(site(sample.clip, rest.site)[frames] - rest.position_m)
        assert gap.max(initial=0.0) < 1e-8, rest


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_what_touches_does_not_slide_and_lies_on_its_surface(name: str) -> None:
    sample = made(name)
    for part in sample.contacts.parts:
        touching, low = sample.contacts.column(part), lowest_m(sample, part)
        assert np.abs(low[touching]).max(initial=0.0) < 1e-6, part
        for rest in (rest for rest in sample.planted if rest.part == part):
            frames = rest.frames(RATE_HZ, sample.clip.frame_count)
            moved = np.diff(site(sample.clip, rest.site)[frames], axis=0)
            assert np.linalg.norm(moved, axis=1).max(initial=0.0) * RATE_HZ < 1e-3, rest


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_what_does_not_touch_is_over_its_surface(name: str) -> None:
    sample = made(name)
    for part in contact_points(sample_character()):
        known = part in sample.contacts.parts
        off = ~sample.contacts.column(part) if known else np.ones(sample.clip.frame_count, bool)
        low = lowest_m(sample, part)[off]
        assert low.min(initial=1.0) > -1e-3, part
        # Slow ends of a motion hover for a moment; a part is not nearly down for long.
        assert (low < 0.01).sum() < 0.3 * RATE_HZ, part


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_the_touching_parts_can_give_the_forces(name: str) -> None:
    """Mean and 95th percentile of what they leave, in body weights and body weight × size."""
    sample = SAMPLES[name]()
    dynamics = clip_dynamics(sample.clip, sample_character())
    state = state_of(sample.clip)
    points = touching_points(state, sample_character(), sample.contacts, sample.environment)
    found = reaction_forces(dynamics, points)
    force = np.linalg.norm(found.missing_force_n, axis=1) / dynamics.weight_n
    moment = np.linalg.norm(found.missing_moment_nm, axis=1)
    moment = moment / (dynamics.weight_n * dynamics.length_m)
    cartwheel = name == "cartwheel"
    assert force.mean() < (0.01 if cartwheel else 0.001)
    assert moment.mean() < (0.015 if cartwheel else 0.002)
    assert np.quantile(force, 0.95) < (0.05 if cartwheel else 0.01)
    assert np.quantile(moment, 0.95) < (0.10 if cartwheel else 0.02)


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_joints_bend_as_far_as_people_bend_them(name: str) -> None:
    clip = made(name).clip
    turned = np.degrees(2.0 * np.arccos(np.clip(np.abs(clip.rotations_wxyz[..., 0]), 0.0, 1.0)))
    for side in ("Left", "Right"):
        for joint, most in (("Leg", 150.0), ("ForeArm", 150.0), ("Foot", 80.0), ("Hand", 140.0)):
            assert turned[:, clip.skeleton.index(side + joint)].max() < most, (side, joint)
    for joint in ("Spine", "Spine1", "Spine2", "Neck", "Head"):
        assert turned[:, clip.skeleton.index(joint)].max() < 45.0, joint


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_motions_are_smooth(name: str) -> None:
    """Joints do not jump: halving the step halves what velocities change by."""
    changes = []
    for rate_hz in (240.0, 480.0):
        places = state_of(made(name, rate_hz).clip).positions_m
        velocities = np.diff(places, axis=0) * rate_hz
        changes.append(float(np.abs(np.diff(velocities, axis=0)).max()))
    assert changes[1] < 0.75 * changes[0]


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_rate_and_length_change_nothing_but_the_frames(name: str) -> None:
    long = SAMPLES[name](seconds=1.6, rate_hz=120.0).clip
    short = SAMPLES[name](seconds=0.8, rate_hz=40.0).clip
    np.testing.assert_allclose(long.root_positions_m[:97:3], short.root_positions_m, atol=1e-8)
    turned = np.abs(np.sum(long.rotations_wxyz[:97:3] * short.rotations_wxyz, axis=-1))
    np.testing.assert_allclose(turned, 1.0, atol=1e-12)


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_one_frame_is_enough(name: str) -> None:
    once = SAMPLES[name](seconds=0.0)
    assert once.clip.frame_count == once.contacts.frame_count == 1


def test_a_cartwheel_is_its_own_mirror_image_backwards() -> None:
    contacts = made("cartwheel").contacts
    for part in ("foot", "hand"):
        left, right = (contacts.column(f"{side}_{part}") for side in ("left", "right"))
        np.testing.assert_array_equal(left, right[::-1])
    assert contacts.touching.any(axis=1).all()


def test_the_stool_is_where_the_sitter_sits() -> None:
    sample = made("sit")
    assert len(sample.environment.surfaces) == 2
    low = lowest_m(sample, "pelvis")
    assert low[sample.contacts.column("pelvis")] == pytest.approx(0.0, abs=1e-9)
    assert low[0] > 0.3


@pytest.mark.parametrize("name", WHOLE_BODY)
def test_the_truth_survives_a_bvh_file(name: str, tmp_path) -> None:
    sample = SAMPLES[name](rate_hz=30.0)
    poise.save(sample.clip, tmp_path / "clip.bvh")
    back = poise.load(tmp_path / "clip.bvh")
    for rest in sample.planted:
        frames = rest.frames(30.0, back.frame_count)
        assert np.abs(site(back, rest.site)[frames] - rest.position_m).max(initial=0.0) < 1e-5
