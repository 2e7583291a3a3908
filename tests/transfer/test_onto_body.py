"""A clip on another body: its feet go where they went, the rest stays as it was."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import (
    Character,
    Skeleton,
    complete_character,
    contact_points,
    with_proportions,
)
from poise.errors import BadValue
from poise.formats import load_character, load_clip
from poise.mechanics import forward_kinematics, site_positions
from poise.methods import Edit, filter
from poise.methods.filter import Settings
from poise.methods.filter.stream import FilterStream, clip_of, frames_of
from poise.methods.filter.stream_goals import ALWAYS
from poise.motion import Clip
from poise.transfer import OntoBody, onto_body, standing_rise_m
from tests.methods.edited import feet, misses, recorded, sampled
from tests.methods.other_bodies import bones_off_deg
from tests.shared_data import MOCAP, needs_mocap

BUILDS = [(0.8, 1.25), (1.2, 0.8)]


@cache
def walk() -> tuple[Clip, Character]:
    return sampled("walk", 30.0)


def soles_m(clip: Clip, character: Character) -> Array:
    """(F, S, 3) all points of both soles."""
    state = forward_kinematics(clip.skeleton, *clip.pose)
    points = contact_points(character)
    return np.concatenate(
        [site_positions(state, points[part]) for part in ("left_foot", "right_foot")], axis=1
    )


def filtered(put: OntoBody, body: Character) -> Clip:
    edit = Edit(put.clip, body, feet(put.clip), original=put.original)
    result = filter.run(edit, Settings(updates=4))
    assert result.status == "converged", result.summary
    assert max(float(missed.max()) for missed in misses(edit, result.clip).values()) < 1e-4
    return result.clip


@pytest.mark.parametrize(("limbs", "trunk"), BUILDS)
def test_soles_follow_the_sources_unscaled(limbs: float, trunk: float) -> None:
    clip, character = walk()
    body = with_proportions(character, limbs=limbs, trunk=trunk)
    put = onto_body(clip, character, body)
    wanted = soles_m(clip, character)
    before = np.abs(soles_m(put.clip, body) - wanted).max()
    after = np.abs(soles_m(filtered(put, body), body) - wanted).max()
    assert before > 0.03 and after < 2e-3


@pytest.mark.parametrize(("limbs", "trunk"), BUILDS)
def test_the_root_is_moved_by_what_legs_are_longer(limbs: float, trunk: float) -> None:
    clip, character = walk()
    body = with_proportions(character, limbs=limbs, trunk=trunk)
    put = onto_body(clip, character, body)
    moved = put.clip.root_positions_m - clip.root_positions_m
    np.testing.assert_allclose(moved, np.tile([0.0, put.raised_m, 0.0], (len(moved), 1)))
    np.testing.assert_allclose(put.clip.rotations_wxyz, clip.rotations_wxyz)
    # Legs are nearly straight where a walk stands.
    skeleton, roles = character.skeleton, character.roles
    assert roles is not None
    hip, knee, ankle = (
        skeleton.rest_positions_m[skeleton.index(roles.joint(f"left_{part}"))]
        for part in ("hip", "knee", "ankle")
    )
    leg = float(np.linalg.norm(hip - knee) + np.linalg.norm(knee - ankle))
    assert put.raised_m == pytest.approx((limbs - 1.0) * leg, rel=0.08)
    assert standing_rise_m(character, body) == pytest.approx((limbs - 1.0) * leg, rel=1e-6)


@needs_mocap
def test_a_dance_comes_out_of_a_stream_as_it_comes_out_whole() -> None:
    clip, character = recorded("05_02", 60.0, 300)
    body = with_proportions(character, limbs=0.8, trunk=1.25)
    put = onto_body(clip, character, body)
    always = [replace(each, interval=ALWAYS) for each in feet(clip)]
    stream = FilterStream(
        body, clip.rate_hz, always, Settings(updates=4), source=character, rise_m=put.raised_m
    )
    assert stream.latency_frames == 0
    frames = [frame for frame in map(stream.push, frames_of(clip)) if frame is not None]
    made, whole = clip_of(frames, put.clip), filtered(put, body)
    np.testing.assert_allclose(made.rotations_wxyz, whole.rotations_wxyz, atol=1e-8)
    np.testing.assert_allclose(made.root_positions_m, whole.root_positions_m, atol=1e-8)


def test_its_own_body_changes_nothing() -> None:
    clip, character = walk()
    put = onto_body(clip, character, character)
    assert abs(put.raised_m) < 1e-12 and not put.notes
    np.testing.assert_allclose(put.clip.rotations_wxyz, clip.rotations_wxyz)
    mine, theirs = (forward_kinematics(c.skeleton, *c.pose) for c in (put.original, clip))
    np.testing.assert_allclose(mine.positions_m, theirs.positions_m, atol=1e-12)


def test_a_longer_foot_has_its_sole_where_the_sources_was() -> None:
    clip, character = walk()
    assert character.roles is not None
    offsets = character.skeleton.offsets_m.copy()
    offsets[character.skeleton.index(character.roles.joint("left_toe"))] *= 1.2
    longer = replace(character.skeleton, offsets_m=offsets)
    body = complete_character(Character(longer, roles=character.roles))
    put = onto_body(clip, character, body)
    state = forward_kinematics(put.original.skeleton, *put.original.pose)
    source = forward_kinematics(clip.skeleton, *clip.pose)
    mine, theirs = (
        site_positions(s, contact_points(c)["left_foot"]).mean(axis=1)
        for s, c in ((state, body), (source, character))
    )
    ankle = body.skeleton.index(character.roles.joint("left_ankle"))
    assert np.abs(state.positions_m[:, ankle] - source.positions_m[:, ankle]).max() > 3e-3
    # The toes bend, so that the middle moves a little where the foot rolls.
    flat = np.abs(mine - theirs).max(axis=1)
    assert np.median(flat) < 2e-3


def renamed(skeleton: Skeleton, names: dict[str, str]) -> Skeleton:
    return replace(skeleton, joint_names=tuple(names.get(n, n) for n in skeleton.joint_names))


def turned_frames(skeleton: Skeleton, joint: int) -> Skeleton:
    """The same figure with the frame of one joint lying otherwise in it."""
    turn = rotations.from_axis_angle(np.array([0.0, 0.6, 0.8]), 1.1)
    back = rotations.conjugate(turn)
    rest, offsets = skeleton.rest_wxyz.copy(), skeleton.offsets_m.copy()
    rest[joint] = rotations.multiply(rest[joint], turn)
    for child in skeleton.children[joint]:
        rest[child] = rotations.multiply(back, rest[child])
        offsets[child] = rotations.rotate(back, offsets[child])
    sites = skeleton.end_sites
    places = sites.offsets_m.copy()
    places[sites.joints == joint] = rotations.rotate(back, places[sites.joints == joint])
    return replace(
        skeleton, rest_wxyz=rest, offsets_m=offsets, end_sites=replace(sites, offsets_m=places)
    )


@needs_mocap
def test_joints_are_matched_by_role_where_names_and_frames_differ() -> None:
    clip, character = recorded("61_03", 30.0, 200)
    other = renamed(clip.skeleton, {"LeftUpLeg": "l_thigh", "Head": "skull", "LThumb": "wart"})
    knee = clip.skeleton.index("LeftLeg")
    assert character.roles is not None
    roles = {r: {"LeftUpLeg": "l_thigh", "Head": "skull"}.get(n, n)
             for r, n in character.roles.joints.items()}  # fmt: skip
    body = complete_character(turned_frames(other, knee), overrides=roles)
    put = onto_body(clip, character, body)
    mine = forward_kinematics(put.clip.skeleton, *put.clip.pose).positions_m
    theirs = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    np.testing.assert_allclose(mine, theirs, atol=1e-9)
    assert not put.notes, "a wart is where the thumb was"


def test_what_has_no_counterpart_is_said() -> None:
    clip, character = walk()
    names = {n: n.replace("Left", "l_").replace("Right", "r_") for n in clip.skeleton.joint_names}
    tail = renamed(clip.skeleton, names)
    more = replace(
        tail, joint_names=(*tail.joint_names, "tail"), parents=np.append(tail.parents, 0),
        offsets_m=np.vstack([tail.offsets_m, [[0.0, 0.0, -0.1]]]),
        rest_wxyz=np.vstack([tail.rest_wxyz, rotations.IDENTITY]),
        kinds=(*tail.kinds, "ball"), hinge_axes=np.vstack([tail.hinge_axes, tail.hinge_axes[:1]]),
        limits_rad=np.concatenate([tail.limits_rad, tail.limits_rad[:1]]),
    )  # fmt: skip
    assert character.roles is not None
    roles = {role: names[name] for role, name in character.roles.joints.items()}
    put = onto_body(clip, character, complete_character(more, overrides=roles))
    assert put.notes == ("no counterpart in the clip, left at rest: tail",)


@needs_mocap
def test_another_person_with_the_same_joints_has_feet_on_the_same_ground() -> None:
    clip, character = recorded("61_03", 30.0, 400)
    other = load_clip(MOCAP / "cmu" / "13_11.bvh").skeleton
    body = complete_character(other)
    put = onto_body(clip, character, body)
    assert 0.02 < put.raised_m < 0.2  # the dancer is small
    made = filtered(put, body)
    low, wanted = (soles_m(c, b)[..., 1].min(axis=1) for c, b in
                   ((made, body), (clip, character)))  # fmt: skip
    # Where a foot stands on its edge, a longer one reaches deeper.
    apart = np.abs(low - wanted)
    assert np.median(apart) < 0.006 and apart.max() < 0.03


@needs_mocap
@pytest.mark.parametrize(
    ("file", "most_m"),
    [
        ("cmu_3dsmax/131_01.bvh", 1e-6),  # the same person with arms down
        ("tennis/adorozco_Reves_8seg.bvh", 0.05),  # another one with legs together, no toes
    ],
)
def test_a_rig_that_rests_in_another_pose_moves_alike(file: str, most_m: float) -> None:
    clip, character = recorded("131_01", 30.0, 100)
    body = complete_character(load_clip(MOCAP / file).skeleton)
    put = onto_body(clip, character, body)
    assert bones_off_deg(put.clip, body, clip, character) < 1e-3
    low, wanted = (soles_m(c, b)[..., 1].min(axis=1) for c, b in
                   ((put.clip, body), (clip, character)))  # fmt: skip
    assert abs(np.median(low - wanted)) < 1e-9 and np.abs(low - wanted).max() < most_m
    mine, theirs = (soles_m(c, b).mean(axis=1) for c, b in
                    ((put.original, body), (clip, character)))  # fmt: skip
    assert np.abs(mine - theirs).max() < 0.01, "constraints speak of the source's soles"


@needs_mocap
def test_an_asf_is_a_body_for_a_bvh_of_the_same_person() -> None:
    clip, character = recorded("02_01", 30.0, 200)
    body = complete_character(load_character(MOCAP / "cmu_asfamc" / "02.asf"))
    put = onto_body(clip, character, body)
    assert character.roles is not None and body.roles is not None
    mine = forward_kinematics(put.clip.skeleton, *put.clip.pose).positions_m
    theirs = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    for role in ("left_knee", "right_ankle", "left_hip"):
        here = mine[:, body.skeleton.index(body.roles.joint(role))]
        there = theirs[:, clip.skeleton.index(character.roles.joint(role))]
        assert np.abs(here - there).max() < 0.01, role


def test_a_body_without_roles_is_refused() -> None:
    clip, character = walk()
    with pytest.raises(BadValue, match="roles"):
        onto_body(clip, character, Character(character.skeleton))
