"""Soles fitted to where feet stand flat: what is found, and what is left alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character, contact_points
from poise.contact import fit_soles
from poise.environment import Environment
from poise.formats import load_clip
from poise.job import measurable
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from tests.contact.force_plates import trial_paths
from tests.contact.standing import moved, standing
from tests.shared_data import MOCAP, needs_mocap

FRAMES = 100


def off(character: Character, name: str, up_m: float) -> Character:
    """The character with one of its named points elsewhere, by so much in the rest pose."""
    sites, skeleton = character.sites, character.skeleton
    i = sites.index(name)
    offsets = sites.offsets_m.copy()
    turn = skeleton.rest_world_wxyz[sites.joints[i]]
    offsets[i] += rotations.rotate(rotations.conjugate(turn), np.array([0.0, up_m, 0.0]))
    return replace(character, sites=replace(sites, offsets_m=offsets))


def plain_character(path: Path) -> Character:
    """As its skeleton says."""
    return complete_character(load_clip(path).skeleton)


def heights_m(clip: Clip, character: Character, part: str = "left_foot") -> Array:
    """(5,) of a sole's points in the first frame."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    return site_positions(state, contact_points(character)[part])[0, :, 1]


@pytest.mark.parametrize("up_m", [-0.03, 0.03])
def test_a_heel_that_is_elsewhere_is_put_on_the_level_of_the_ball(up_m: float) -> None:
    clip, character, floor = standing(FRAMES)
    fitted, notes = fit_soles(off(character, "left_heel", up_m), clip, floor)
    before = heights_m(clip, character)
    np.testing.assert_allclose(heights_m(clip, fitted), before, atol=1e-3)
    (note,) = notes
    assert "left foot" in note and f"heel {-100.0 * up_m:+.1f} cm" in note
    np.testing.assert_array_equal(
        heights_m(clip, fitted, "right_foot"), heights_m(clip, character, "right_foot")
    )


def test_tips_of_toes_come_out_of_the_ground_and_hover_where_they_do() -> None:
    clip, character, floor = standing(FRAMES)
    level = heights_m(clip, character)[1]
    sunk, _ = fit_soles(off(character, "left_toe_tip", -0.04), clip, floor)
    assert heights_m(clip, sunk)[4] == pytest.approx(level, abs=1e-3)
    raised = off(character, "left_toe_tip", 0.04)
    assert fit_soles(raised, clip, floor) == (raised, ())


def test_a_known_sole_stays_as_it_is() -> None:
    clip, character, floor = standing(FRAMES)
    assert fit_soles(character, clip, floor) == (character, ())


@pytest.mark.parametrize("rise_m", [-0.03, 0.03])
def test_a_body_that_hovers_or_sinks_still_does(rise_m: float) -> None:
    clip, character, floor = standing(FRAMES)
    clip = moved(clip, np.array([0.0, rise_m, 0.0]))
    assert fit_soles(character, clip, floor) == (character, ())


def test_who_stands_on_the_toes_or_moves_or_lies_shows_no_soles() -> None:
    clip, character, floor = standing(FRAMES)
    spoiled = off(character, "left_heel", 0.03)
    foot = character.skeleton.index(character.known_roles.joint("left_ankle"))
    q = clip.rotations_wxyz.copy()
    q[:, foot] = rotations.multiply(rotations.from_axis_angle([1.0, 0.0, 0.0], 0.6), q[:, foot])
    on_toes = replace(clip, rotations_wxyz=q)
    assert fit_soles(spoiled, on_toes, floor) == (spoiled, ())
    travels = moved(clip, np.linspace(0.0, 1.0, FRAMES)[:, None] * [0.0, 0.0, 1.0])
    assert fit_soles(spoiled, travels, floor) == (spoiled, ())
    q = clip.rotations_wxyz.copy()
    q[:, 0] = rotations.from_axis_angle([1.0, 0.0, 0.0], 0.5 * np.pi)
    lying = replace(clip, rotations_wxyz=q)
    assert fit_soles(spoiled, lying, Environment.flat(-0.2)) == (spoiled, ())


@needs_mocap
def test_takes_of_one_person_show_the_same_soles() -> None:
    """Golf swings of subject 64: what is fitted belongs to the person, not to the take."""
    found: list[Array] = []
    for path in sorted((MOCAP / "cmu").glob("64_0*.bvh")):
        fitted, plain = measurable(path).character, plain_character(path)
        shifts = np.linalg.norm(fitted.sites.offsets_m - plain.sites.offsets_m, axis=1)
        found.append(shifts[[fitted.sites.index(f"left_{p}") for p in ("heel", "outer_edge")]])
    assert len(found) == 7
    middle = np.median(found, axis=0)
    assert (middle > 0.004).all()
    assert np.abs(np.array(found) - middle).max() < 0.006


@needs_mocap
@pytest.mark.parametrize("path", trial_paths(), ids=lambda path: path.stem)
def test_skeletons_whose_heels_are_known_are_left_nearly_alone(path: Path) -> None:
    """Force-plate trials have a joint in the heel: their soles are where they say."""
    fitted = measurable(path).character
    plain = plain_character(path)
    apart = np.linalg.norm(fitted.sites.offsets_m - plain.sites.offsets_m, axis=1)
    assert apart.max() < 0.01
