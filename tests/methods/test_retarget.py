"""The same motion on another body: matches, rest poses, sizes, robots."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Character, complete_character
from poise.errors import BadValue, UnknownName
from poise.formats import load_clip
from poise.methods.retarget import retargeted
from poise.motion import Clip
from poise.samples import walking
from poise.transfer import correspondence
from tests.methods.other_bodies import (
    FLAT,
    HUMAN,
    MADE,
    ROBOT_FILES,
    beyond_range_rad,
    body,
    bones_off_deg,
    places,
    resting_otherwise,
)
from tests.shared_data import MOCAP, needs_mocap

WALK = walking(seconds=1.5, rate_hz=30.0).clip


def test_a_body_follows_itself_joint_by_joint() -> None:
    matches = correspondence(HUMAN, HUMAN)
    np.testing.assert_array_equal(matches.sources[:, 0], np.arange(HUMAN.skeleton.joint_count))
    assert not matches.shares.any() and not matches.unused


def test_on_its_own_body_a_motion_stays_what_it_is() -> None:
    made = retargeted(WALK, HUMAN, HUMAN, correspondence(HUMAN, HUMAN), FLAT, feet=False)
    assert made.scale == pytest.approx(1.0)
    np.testing.assert_allclose(places(made.clip), places(WALK), atol=1e-6)


@pytest.mark.parametrize(
    "turns",
    [
        {"LeftArm": (0.0, 0.0, -1.2), "RightArm": (0.0, 0.0, 1.2)},
        {"LeftUpLeg": (0.0, 0.0, 0.2), "RightUpLeg": (0.0, 0.0, -0.2)},
    ],
    ids=["arms down", "legs aside"],
)
def test_the_pose_a_body_rests_in_does_not_matter(turns: dict[str, tuple[float, ...]]) -> None:
    other = complete_character(resting_otherwise(HUMAN.skeleton, turns))
    made = retargeted(WALK, HUMAN, other, correspondence(HUMAN, other), FLAT, feet=False)
    np.testing.assert_allclose(places(made.clip), places(WALK), atol=1e-3)


def test_what_is_given_is_followed_and_what_is_not_there_is_named() -> None:
    matches = correspondence(HUMAN, HUMAN, {"Head": "Neck", "LeftHand": ""})
    skeleton = HUMAN.skeleton
    assert matches.sources[skeleton.index("Head"), 0] == skeleton.index("Neck")
    assert not matches.follows(skeleton.index("LeftHand"))
    with pytest.raises(UnknownName, match="Nek"):
        correspondence(HUMAN, HUMAN, {"Head": "Nek"})
    with pytest.raises(UnknownName, match="Haed"):
        correspondence(HUMAN, HUMAN, {"Haed": "Neck"})


def test_a_body_that_is_not_recognised_is_refused() -> None:
    with pytest.raises(BadValue, match="recognised"):
        correspondence(HUMAN, replace(HUMAN, roles=None))


@pytest.mark.parametrize("scale", [0.0, -1.0, 1e9, float("nan")])
def test_a_scale_that_is_none_is_refused(scale: float) -> None:
    matches = correspondence(HUMAN, HUMAN)
    with pytest.raises(BadValue, match="scale"):
        retargeted(WALK, HUMAN, HUMAN, matches, FLAT, scale=scale)


@needs_mocap
def test_one_capture_on_two_skeletons_has_its_joints_in_the_same_places() -> None:
    """The two conversions differ in how hands are turned, so fingers are left out."""
    first = load_clip(MOCAP / "cmu" / "131_01.bvh").sliced(1, None)  # without its T-pose
    second = load_clip(MOCAP / "cmu_3dsmax" / "131_01.bvh")
    source, target = complete_character(first.skeleton), complete_character(second.skeleton)
    matches = correspondence(source, target)
    made = retargeted(first, source, target, matches, FLAT, feet=False)
    apart = np.linalg.norm(places(made.clip) - places(second), axis=-1).max(axis=0)
    fingers = [target.skeleton.index(name) for name in ("LFingers", "RFingers")]
    assert np.delete(apart, fingers).max() < 1e-3


@pytest.mark.parametrize("name", ROBOT_FILES)
def test_a_robot_walks_within_its_limits_where_it_should(name: str) -> None:
    target = body(name)
    made = retargeted(WALK, HUMAN, target, correspondence(HUMAN, target), FLAT)
    assert beyond_range_rad(made.clip) < 1e-9
    assert target.roles is not None
    ankles = [
        target.skeleton.index(target.roles.joint(f"{side}_ankle")) for side in ("left", "right")
    ]
    off = np.linalg.norm(places(made.clip) - made.wanted_m, axis=-1)[:, ankles]
    assert off.mean() < 0.05


@pytest.mark.parametrize("name", MADE)
def test_other_proportions_are_matched_by_what_joints_are(name: str) -> None:
    target = body(name)
    matches = correspondence(HUMAN, target)
    assert target.roles is not None and HUMAN.roles is not None
    for role, joint in target.roles.joints.items():
        followed = matches.sources[target.skeleton.index(joint), 0]
        assert HUMAN.skeleton.joint_names[followed] == HUMAN.roles.joint(role), role
    assert not matches.unused


@pytest.mark.parametrize("name", MADE)
def test_bones_point_where_they_did_and_places_scale_with_the_legs(name: str) -> None:
    target = body(name)
    made = retargeted(WALK, HUMAN, target, correspondence(HUMAN, target), FLAT, feet=False)
    assert bones_off_deg(made.clip, target, WALK, HUMAN) < 0.1
    legs = [_leg_m(character) for character in (target, HUMAN)]
    assert made.scale == pytest.approx(legs[0] / legs[1], rel=1e-6)
    went, goes = (np.ptp(hips_m(c, b)[:, 2]) for c, b in ((WALK, HUMAN), (made.clip, target)))
    assert goes == pytest.approx(made.scale * went, rel=1e-6)


def test_a_scale_that_is_given_is_how_far_it_goes() -> None:
    target = body("long legs")
    matches = correspondence(HUMAN, target)
    made = retargeted(WALK, HUMAN, target, matches, FLAT, scale=1.1, feet=False)
    went, goes = (np.ptp(hips_m(c, b)[:, 2]) for c, b in ((WALK, HUMAN), (made.clip, target)))
    assert made.scale == 1.1 and goes == pytest.approx(1.1 * went, rel=1e-6)


def hips_m(clip: Clip, character: Character) -> Array:
    """(F, 3) the middle of the hips."""
    assert character.roles is not None
    joints = [
        character.skeleton.index(character.roles.joint(f"{s}_hip")) for s in ("left", "right")
    ]
    return places(clip)[:, joints].mean(axis=1)


def _leg_m(character: Character) -> float:
    """From hip to ankle, along the bones."""
    assert character.roles is not None
    joints = [
        character.skeleton.index(character.roles.joint(f"left_{p}")) for p in ("knee", "ankle")
    ]
    return float(np.linalg.norm(character.skeleton.offsets_m[joints], axis=1).sum())
