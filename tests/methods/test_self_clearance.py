"""Limbs that would go through each other: capsules, their distances, and what parts them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, complete_character, contact_radii_m
from poise.contact import ContactSchedule
from poise.mechanics import (
    BodyState,
    Capsule,
    Limbs,
    apart_m,
    capsules,
    deepest_overlap_m,
    forward_kinematics,
    gaps_at_rest_m,
    gaps_m,
    limbs_of,
)
from poise.methods.retarget import Settings
from poise.methods.retarget.holding import hold
from poise.motion import Clip
from poise.physics import Clearing
from poise.physics.self_clearance_rows import apart_of
from poise.samples import standing, walking
from tests.methods.other_bodies import FLAT, HUMAN, MADE, ROBOT_FILES, body, put_on

SOFT_M = 0.005
FRAMES = 12
LIMBS = limbs_of(HUMAN)


def state_of(clip: Clip) -> BodyState:
    return forward_kinematics(clip.skeleton, *clip.pose)


def line(rng: np.random.Generator, count: int, radius_m: float) -> Capsule:
    return Capsule(rng.normal(size=(count, 3)), rng.normal(size=(count, 3)), radius_m)


def by_sampling(a: Capsule, b: Capsule, samples: int = 201) -> Array:
    """(F,) the least distance between many points of one line and the other line itself."""
    shares = np.linspace(0.0, 1.0, samples)[:, None, None]
    points = a.start_m + shares * (a.end_m - a.start_m)
    way = b.end_m - b.start_m
    length = np.maximum((way * way).sum(-1), 1e-300)
    along = np.clip(((points - b.start_m) * way).sum(-1) / length, 0.0, 1.0)
    apart = np.linalg.norm(points - (b.start_m + along[..., None] * way), axis=-1)
    return np.asarray(apart.min(axis=0) - a.radius_m - b.radius_m)


def test_distances_of_capsules_are_those_of_brute_force() -> None:
    rng = np.random.default_rng(12345)
    a, b = line(rng, 400, 0.1), line(rng, 400, 0.3)
    gap, first, second = apart_m(a, b)
    sampled = by_sampling(a, b, 4001)
    assert (gap <= sampled + 1e-12).all(), "never further than a pair of points that there is"
    np.testing.assert_allclose(gap, sampled, atol=1e-3)
    np.testing.assert_allclose(np.linalg.norm(first - second, axis=1) - 0.4, gap, atol=1e-12)


def test_distances_are_the_same_from_either_side_and_anywhere() -> None:
    rng = np.random.default_rng(12345)
    a, b = line(rng, 100, 0.1), line(rng, 100, 0.2)
    gap, first, second = apart_m(a, b)
    other, theirs, mine = apart_m(b, a)
    np.testing.assert_allclose(gap, other, atol=1e-9)
    np.testing.assert_allclose(first, mine, atol=1e-6)
    np.testing.assert_allclose(second, theirs, atol=1e-6)
    shift = np.array([5.0, 1.0, 2.0])
    moved = [replace(c, start_m=c.start_m + shift, end_m=c.end_m + shift) for c in (a, b)]
    np.testing.assert_allclose(apart_m(moved[0], moved[1])[0], gap, atol=1e-9)


@pytest.mark.parametrize(
    ("ends", "apart"),
    [
        (((0, 0, 0), (1, 0, 0), (0, 1, 0), (1, 1, 0)), 1.0),
        (((0, 0, 0), (1, 0, 0), (3, 1, 0), (1.5, 1, 0)), np.hypot(0.5, 1.0)),
        (((0, 0, 0), (1, 0, 0), (0.2, 1, 0), (0.6, 1, 0)), 1.0),
        (((0, 0, 0), (0, 0, 0), (1, 2, 0), (3, 2, 0)), np.hypot(1.0, 2.0)),
        (((1, 0, 0), (3, 0, 0), (0, 2, 0), (0, 2, 0)), np.hypot(1.0, 2.0)),
        (((0, 0, 0), (0, 0, 0), (1, 1, 1), (1, 1, 1)), np.sqrt(3.0)),
        (((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0)), 0.0),
        (((0, 0, 0), (1, 0, 0), (2, 0, 0), (3, 0, 0)), 1.0),
        (((0, 0, 0), (1, 0, 0), (0.5, 1, 0), (0.5, 2, 0)), 1.0),
    ],
    ids=["beside", "parallel beyond", "parallel within", "point line", "line point", "points",
         "crossing", "in line", "end on"],
)  # fmt: skip
def test_distances_by_hand(ends: tuple[tuple[float, ...], ...], apart: float) -> None:
    one, two, three, four = (np.array([end], dtype=np.float64) for end in ends)
    a, b = Capsule(one, two, 0.1), Capsule(three, four, 0.2)
    gap, first, second = apart_m(a, b)
    assert gap[0] == pytest.approx(apart - 0.3, abs=1e-9)
    assert np.isfinite(first).all() and np.isfinite(second).all()


def by_name(state: BodyState, limbs: Limbs) -> dict[str, Capsule]:
    return dict(zip(limbs.names, capsules(state, limbs), strict=True))


@pytest.mark.parametrize("name", [*MADE, *ROBOT_FILES])
def test_capsules_go_from_joint_to_joint(name: str) -> None:
    target = body(name)
    skeleton, roles = target.skeleton, target.roles
    assert roles is not None
    state = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.rest_wxyz[None])
    found, radii = by_name(state, limbs_of(target)), contact_radii_m(target)
    for side in ("left", "right"):
        ends = [
            state.positions_m[0, skeleton.index(roles.joint(f"{side}_{p}"))]
            for p in ("hip", "knee")
        ]
        thigh = found[f"{side}_thigh"]
        np.testing.assert_array_equal([thigh.start_m[0], thigh.end_m[0]], ends)
        assert thigh.radius_m == pytest.approx(1.2 * radii[f"{side}_knee"])
        knee = state.positions_m[0, skeleton.index(roles.joint(f"{side}_knee"))]
        np.testing.assert_array_equal(found[f"{side}_shin"].start_m[0], knee)
    assert set(found) >= {"trunk", "left_upper_arm", "right_shin"}


def posed(**turns: tuple[float, ...]) -> Clip:
    """Someone who stands still, with some joints turned."""
    clip = standing(1.0, 30.0).clip.sliced(0, FRAMES)
    made = clip.rotations_wxyz.copy()
    for name, vector in turns.items():
        joint = clip.skeleton.index(name)
        made[:, joint] = rotations.multiply(made[:, joint], rotations.exp(np.array(vector)))
    return replace(clip, rotations_wxyz=made)


@cache
def in_the_thigh() -> Clip:
    """A left forearm that hangs inside the left thigh."""
    clip = posed(LeftArm=(0.0, 0.0, -0.28))
    depth, which = deepest_overlap_m(state_of(clip), LIMBS)
    assert depth > 0.03 and which == "left_forearm and left_thigh", (depth, which)
    return clip


def feet_down(frames: int) -> ContactSchedule:
    touching = np.ones((frames, 2), dtype=np.bool_)
    return ContactSchedule(("left_foot", "right_foot"), touching, 30.0)


def test_who_stands_has_no_limb_in_another() -> None:
    state = state_of(posed())
    assert deepest_overlap_m(state, LIMBS)[0] < SOFT_M


@pytest.mark.parametrize("name", [*MADE, *ROBOT_FILES])
def test_neighbours_are_not_compared(name: str) -> None:
    """Folded knees and elbows bring limbs together that always touch: nothing is said of them."""
    target = body(name)
    skeleton = target.skeleton
    state = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.rest_wxyz[None])
    limbs = by_name(state, limbs_of(target))
    for side in ("left", "right"):
        for a, b in (("thigh", "shin"), ("upper_arm", "forearm")):
            if f"{side}_{b}" in limbs:
                gap = apart_m(limbs[f"{side}_{a}"], limbs[f"{side}_{b}"])[0]
                assert gap[0] < -SOFT_M, "they overlap at their joint"
        assert apart_m(limbs[f"{side}_thigh"], limbs["trunk"])[0][0] < 0.0
    named = limbs_of(target).pair_names
    for side in ("left", "right"):
        for a, b in (("thigh", "shin"), ("upper_arm", "forearm")):
            assert f"{side}_{a} and {side}_{b}" not in named
        for limb in ("thigh", "upper_arm"):
            assert f"{side}_{limb} and trunk" not in named


def test_holding_takes_a_forearm_out_of_a_thigh() -> None:
    clip = in_the_thigh()
    held = hold(clip, clip, [], HUMAN, FLAT, feet_down(FRAMES))
    depth, which = deepest_overlap_m(state_of(held.clip), LIMBS)
    assert depth < SOFT_M + 1e-3, which
    before, after = state_of(clip).positions_m, state_of(held.clip).positions_m
    far = [HUMAN.skeleton.index(name) for name in ("RightHand", "Head", "RightFoot")]
    assert np.linalg.norm(after - before, axis=-1)[:, far].max() < 0.02, "the rest stays"


def test_limbs_may_be_as_near_as_in_the_clip_or_at_rest_unless_somebody_asks() -> None:
    clip = in_the_thigh()
    state, radii = state_of(clip), LIMBS.radii_m[LIMBS.pairs].sum(axis=1)
    asked = apart_of(state, HUMAN.skeleton, Clearing(LIMBS, least_m=0.01, as_clip=False))
    np.testing.assert_allclose(asked.least, np.broadcast_to(radii + 0.01, asked.least.shape))
    lenient = apart_of(state, HUMAN.skeleton, Clearing(LIMBS))
    np.testing.assert_allclose(lenient.least - radii, np.minimum(gaps_m(state, LIMBS), 0.0))
    target = narrow(0.5)
    limbs = limbs_of(target)
    wide = forward_kinematics(target.skeleton, *posed(LeftArm=(0.0, 0.0, 1.2)).pose)
    at_rest = apart_of(wide, target.skeleton, Clearing(limbs))
    least = at_rest.least - limbs.radii_m[limbs.pairs].sum(axis=1)
    assert (gaps_at_rest_m(target.skeleton, limbs) < -0.02).any()
    assert (least <= gaps_at_rest_m(target.skeleton, limbs) + 1e-12).all()


def test_what_is_clear_is_left_alone() -> None:
    clip = posed(LeftArm=(0.0, 0.0, 0.4))
    held = hold(clip, clip, [], HUMAN, FLAT, feet_down(FRAMES))
    apart = state_of(held.clip).positions_m - state_of(clip).positions_m
    assert np.linalg.norm(apart, axis=-1).max() < 2e-3


def test_the_deepest_overlap_is_that_of_all_frames_and_pairs() -> None:
    """Against the brute force over every pair that is not of neighbours."""
    clip = in_the_thigh()
    state = state_of(clip)
    limbs = by_name(state, LIMBS)
    deepest = float(-by_sampling(limbs["left_forearm"], limbs["left_thigh"], 2001).min())
    assert deepest_overlap_m(state, LIMBS)[0] == pytest.approx(deepest, abs=1e-5)
    wide = state_of(posed(LeftArm=(0.0, 0.0, 1.2), RightArm=(0.0, 0.0, -1.2)))
    least, which = deepest_overlap_m(wide, LIMBS)
    assert least < 0.0 and which, "negative where nothing overlaps, and it is said what is nearest"


def narrow(share: float) -> Character:
    """A body whose shoulders are so many times as far apart, so that its arms hang in its hips."""
    skeleton = HUMAN.skeleton
    offsets = skeleton.offsets_m.copy()
    for side in ("Left", "Right"):
        offsets[skeleton.index(f"{side}Arm"), 0] *= share
    return complete_character(replace(skeleton, offsets_m=offsets))


@pytest.mark.parametrize("share", [0.5, 0.35])
def test_a_walk_on_narrow_shoulders_keeps_its_arms_out_of_its_hips(share: float) -> None:
    target, clip = narrow(share), walking(1.5, 30.0).clip
    posing, holding = (
        put_on(clip, HUMAN, target, FLAT, Settings(feet=feet, balance=False))
        for feet in (False, True)
    )
    assert posing.report.stages[0].overlap_m > 0.02
    assert holding.report.stages[0].overlap_m < SOFT_M + 2e-3
    depth, _ = deepest_overlap_m(state_of(holding.clip), limbs_of(target))
    assert holding.report.stages[0].overlap_m == depth
    assert holding.report.stages[0].residuals.slide_cm_s < 0.5
