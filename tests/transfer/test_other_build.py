"""What a correction starts from on another build: feet planted, the lying not buried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import SIDES, Character, contact_points, contact_radii_m
from poise.character.proportions import with_arms_and_legs
from poise.environment import Ground
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from poise.samples import SAMPLES, sample_character
from poise.transfer import leg_ratio, onto_body
from tests.character.reference_human import reference_human
from tests.methods.other_bodies import bones_off_deg

FLOOR = Ground()


def ape() -> Character:
    return with_arms_and_legs(sample_character(), arms=1.5, legs=0.8)


def points_m(clip: Clip, character: Character, part: str) -> Array:
    state = forward_kinematics(clip.skeleton, *clip.pose)
    return site_positions(state, contact_points(character)[part])


def test_its_own_build_changes_nothing() -> None:
    clip = SAMPLES["walk"]().clip
    same = onto_body(clip, sample_character(), sample_character(), scale=None, ground=FLOOR).clip
    np.testing.assert_allclose(same.root_positions_m, clip.root_positions_m, atol=1e-12)
    np.testing.assert_array_equal(same.rotations_wxyz, clip.rotations_wxyz)


def test_a_walkers_feet_stay_near_the_floor_and_nearly_planted() -> None:
    sample = SAMPLES["walk"]()
    clip, body = sample.clip, ape()
    moved = onto_body(clip, sample_character(), body, scale=None, ground=FLOOR).clip
    for side in ("left", "right"):
        before = points_m(clip, sample_character(), f"{side}_foot")
        after = points_m(moved, body, f"{side}_foot")
        standing = np.linalg.norm(np.gradient(before, axis=0), axis=-1) * clip.rate_hz < 1e-3
        assert standing.any()
        speeds = np.linalg.norm(np.gradient(after, axis=0), axis=-1) * clip.rate_hz
        # Unscaled, the root would drag the feet along at a fifth of its speed: 26 cm/s.
        assert speeds[standing].mean() < 0.12
        assert np.abs(after[..., 1][standing]).max() < 0.04


def test_who_lies_is_not_buried() -> None:
    clip, character = SAMPLES["stand"]().clip, sample_character()
    radius = contact_radii_m(character)["pelvis"]
    q = clip.rotations_wxyz.copy()
    turn = rotations.from_axis_angle(np.array([1.0, 0.0, 0.0]), 0.5 * np.pi)
    q[:, 0] = rotations.multiply(turn, q[:, 0])
    roots = clip.root_positions_m.copy()
    roots[:, 1] = radius
    lying = replace(clip, rotations_wxyz=q, root_positions_m=roots)
    moved = onto_body(lying, character, ape(), scale=None, ground=FLOOR).clip
    np.testing.assert_allclose(moved.root_positions_m[:, 1], radius, atol=1e-9)


def test_legs_and_ways_shrink_alike() -> None:
    clip, body = SAMPLES["walk"]().clip, ape()
    moved = onto_body(clip, sample_character(), body, scale=None, ground=FLOOR).clip
    ways = [np.ptp(each.root_positions_m[:, 2]) for each in (clip, moved)]
    assert ways[1] / ways[0] == pytest.approx(leg_ratio(sample_character(), body))
    assert leg_ratio(sample_character(), body) == pytest.approx(0.8)


def test_other_joints_follow_by_what_they_are() -> None:
    clip, character, body = SAMPLES["walk"]().clip, sample_character(), reference_human()
    put = onto_body(clip, character, body, scale=None, ground=FLOOR)
    assert put.scale == pytest.approx(leg_ratio(character, body))
    assert bones_off_deg(put.clip, body, clip, character) < 2.0


def test_soles_are_as_high_as_they_were() -> None:
    clip, body = SAMPLES["walk"]().clip, ape()
    put = onto_body(clip, sample_character(), body, scale=None, ground=FLOOR)
    low, wanted = (
        np.min([points_m(c, b, f"{side}_foot")[..., 1].min(axis=1) for side in SIDES], axis=0)
        for c, b in ((put.clip, body), (clip, sample_character()))
    )
    assert np.median(low - put.scale * wanted) == pytest.approx(0.0, abs=1e-9)
