"""Flesh that keeps apart: limbs as near as in the capture, the user's spheres not at all."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.environment import Environment
from poise.mechanics import (
    forward_kinematics,
    gaps_at_rest_m,
    gaps_m,
    limbs_of,
    site_positions,
    with_spheres,
)
from poise.methods import Edit
from poise.methods.correct import Settings, run
from poise.methods.correct.flesh import clearing_of, flesh_of, sphere_pairs
from poise.methods.correct.mesh import Mesh, motion_mesh
from poise.methods.correct.settings import FEET
from poise.motion import Clip
from poise.physics.self_clearance_rows import apart_of
from poise.samples import jumping, sample_character, with_foot_slide

BODY = sample_character()
LIMBS = limbs_of(BODY)
SPHERES = {"left_knee": 0.13, "left_wrist": 0.08, "right_wrist": 0.08}


@cache
def hugging() -> Clip:
    """A jump with feet that slide and forearms in the thighs: its arms swing too near."""
    clip = with_foot_slide(jumping(), 8.0).clip
    turns = clip.rotations_wxyz.copy()
    for side, sign in (("Left", -1.0), ("Right", 1.0)):
        arm = clip.skeleton.index(f"{side}Arm")
        inward = rotations.exp(np.array([0.0, 0.0, sign * np.radians(9.0)]))
        turns[:, arm] = rotations.multiply(turns[:, arm], inward)
    return replace(clip, rotations_wxyz=turns)


def corrected(settings: Settings) -> Clip:
    edit = Edit(hugging(), BODY, environment=Environment.flat(0.0), contacts=jumping().contacts)
    return run(edit, settings).clip


def limb_gaps_m(clip: Clip) -> Array:
    return gaps_m(forward_kinematics(clip.skeleton, *clip.pose), LIMBS)


def sphere_gaps_m(clip: Clip, mesh: Mesh) -> Array:
    """(F, Q) between the surfaces of spheres that may not meet."""
    places = site_positions(forward_kinematics(clip.skeleton, *clip.pose), mesh.sites)
    a, b = sphere_pairs(mesh).T
    apart = np.linalg.norm(places[:, a] - places[:, b], axis=2)
    return np.asarray(apart - mesh.sphere_m[a] - mesh.sphere_m[b])


def thick(spheres: dict[str, float] = SPHERES) -> Mesh:
    return motion_mesh(BODY, FEET, spheres=spheres)


def test_spheres_are_capsules_of_length_zero() -> None:
    mesh, clip = thick(), hugging()
    flesh = flesh_of(mesh)
    assert len(flesh.sites) == 3
    pairs = np.array([[0, 1], [2, 0]])
    found = gaps_m(
        forward_kinematics(clip.skeleton, *clip.pose),
        with_spheres(LIMBS, flesh.sites, flesh.radii_m, pairs),
    )
    np.testing.assert_array_equal(found[:, : len(LIMBS.pairs)], limb_gaps_m(clip))
    places = site_positions(forward_kinematics(clip.skeleton, *clip.pose), flesh.sites)
    by_hand = [
        np.linalg.norm(places[:, a] - places[:, b], axis=1) - flesh.radii_m[[a, b]].sum()
        for a, b in pairs
    ]
    np.testing.assert_allclose(found[:, len(LIMBS.pairs) :], np.transpose(by_hand), atol=1e-12)


def test_spheres_that_are_tied_or_meet_at_rest_are_no_pair() -> None:
    named = {frozenset(thick().names[v] for v in pair) for pair in sphere_pairs(thick())}
    wrists = {"LeftHand", "RightHand"}
    assert named == {frozenset(wrists), *(frozenset({"LeftLeg", wrist}) for wrist in wrists)}
    # A bone ties an elbow to its wrist; knees so thick that they reach the hands at rest may.
    assert len(sphere_pairs(thick({"left_elbow": 0.01, "left_wrist": 0.01}))) == 0
    assert len(sphere_pairs(thick({"left_knee": 0.4, "left_wrist": 0.01}))) == 0


def test_limbs_may_be_as_near_as_in_the_capture_and_spheres_may_not() -> None:
    mesh, clip = thick(), hugging()
    asked = clearing_of(BODY, mesh)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    least = apart_of(state, clip.skeleton, asked).least
    gap = least - asked.limbs.radii_m[asked.limbs.pairs].sum(axis=1)
    near = np.minimum(limb_gaps_m(clip), gaps_at_rest_m(clip.skeleton, LIMBS))
    np.testing.assert_allclose(gap[:, : len(LIMBS.pairs)], np.minimum(near, 0.0), atol=1e-12)
    assert (gap[:, : len(LIMBS.pairs)] < -0.01).any()
    np.testing.assert_allclose(gap[:, len(LIMBS.pairs) :], 0.0, atol=1e-12)
    assert sphere_gaps_m(clip, mesh).min() < -0.03, "though the capture has them in each other"


@pytest.mark.parametrize("spheres", [{}, SPHERES], ids=["limbs", "spheres"])
def test_a_corrected_jump_keeps_flesh_apart(spheres: dict[str, float]) -> None:
    """Without rows for it, forearms go 1.5 cm deeper into the thighs than in the capture, and
    a hand stays in a thick knee."""
    made = corrected(Settings(spheres=spheres))
    before, rest = limb_gaps_m(hugging()), gaps_at_rest_m(made.skeleton, LIMBS)
    least = np.minimum(np.minimum(before, rest), 0.0)
    assert (least - limb_gaps_m(made)).max() < 2e-3
    assert least.min() < -0.01
    if spheres:
        assert sphere_gaps_m(made, thick()).min() > -2e-3
