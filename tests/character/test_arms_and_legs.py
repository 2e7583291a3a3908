"""Arms and legs of different builds: each as long as asked, and the body whole."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character, complete_character, with_proportions
from poise.character.proportions import with_arms_and_legs
from poise.errors import BadValue
from poise.formats import load_clip
from tests.character.reference_human import reference_human
from tests.character.test_proportions import length_m
from tests.shared_data import MOCAP, needs_mocap

ARMS = [("shoulder", "elbow"), ("elbow", "wrist")]
LEGS = [("hip", "knee"), ("knee", "ankle")]
KEPT = [("ankle", "toe"), ("collar", "shoulder")]


def human() -> Character:
    return complete_character(reference_human().skeleton, mass_kg=70.0)


@pytest.mark.parametrize(("arms", "legs", "trunk"), [(1.5, 0.8, 1.0), (0.7, 1.2, 0.9)])
def test_arms_and_legs_change_by_their_own_factors(arms: float, legs: float, trunk: float) -> None:
    before = human()
    after = with_arms_and_legs(before, arms=arms, legs=legs, trunk=trunk)
    for factor, pairs in ((arms, ARMS), (legs, LEGS), (1.0, KEPT)):
        for upper, lower in pairs:
            for side in ("left", "right"):
                pair = f"{side}_{upper}", f"{side}_{lower}"
                assert length_m(after, *pair) == pytest.approx(factor * length_m(before, *pair))
    assert after.skeleton.joint_names == before.skeleton.joint_names
    assert "arms" in after.notes[-1]


def test_masses_grow_with_the_lengths() -> None:
    before = human()
    after = with_arms_and_legs(before, arms=1.5, legs=0.8)
    assert before.body is not None and after.body is not None and before.roles is not None
    for role, factor in (("left_elbow", 1.5), ("left_knee", 0.8), ("left_wrist", 1.0)):
        joint = before.skeleton.index(before.roles.joint(role))
        now, then = after.body.masses_kg[joint], before.body.masses_kg[joint]
        assert now == pytest.approx(factor * then) and then > 0.0


def test_equal_factors_are_the_builds_that_are_known() -> None:
    before = human()
    one = with_arms_and_legs(before, arms=1.2, legs=1.2, trunk=0.8)
    other = with_proportions(before, limbs=1.2, trunk=0.8)
    np.testing.assert_array_equal(one.skeleton.offsets_m, other.skeleton.offsets_m)


def test_what_makes_no_body_is_refused() -> None:
    with pytest.raises(BadValue, match="factor"):
        with_arms_and_legs(human(), arms=9.0)
    with pytest.raises(BadValue, match="roles"):
        with_arms_and_legs(Character(reference_human().skeleton), arms=1.5)


@needs_mocap
def test_a_captured_skeleton_gets_long_arms() -> None:
    before = complete_character(load_clip(MOCAP / "cmu" / "140_01.bvh").skeleton)
    after = with_arms_and_legs(before, arms=1.5, legs=0.8)
    assert length_m(after, "left_shoulder", "left_elbow") == pytest.approx(
        1.5 * length_m(before, "left_shoulder", "left_elbow")
    )
    assert length_m(after, "right_hip", "right_knee") == pytest.approx(
        0.8 * length_m(before, "right_hip", "right_knee")
    )
