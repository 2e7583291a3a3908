"""Toe tips, heels, hand tips and head tops: in the file, by proportion, and under real walkers."""

from __future__ import annotations

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import Character, Skeleton
from poise.character.complete import character_from
from poise.character.role_detection import find_roles
from poise.character.role_sites import HEEL_BEHIND_ANKLE, TOES_BEYOND_BALL, role_sites
from poise.character.roles import SITE_ROLES
from poise.formats.table import load_clip
from poise.mechanics import forward_kinematics, site_positions
from poise.motion import Clip
from tests.character import known_skeletons as known
from tests.shared_data import MOCAP, needs_mocap


def at_rest(character: Character, name: str) -> Array:
    """Where a site is in the rest pose."""
    skeleton, i = character.skeleton, character.sites.index(name)
    joint = character.sites.joints[i]
    turned = rotations.rotate(skeleton.rest_world_wxyz[joint], character.sites.offsets_m[i])
    return skeleton.rest_positions_m[joint] + turned


def carrier(character: Character, name: str) -> str:
    return character.skeleton.joint_names[character.sites.joints[character.sites.index(name)]]


@pytest.mark.parametrize(
    "skeleton",
    [
        known.mixamo(),
        known.unreal4(),
        known.smpl(),
        known.rokoko(),
        known.vroid(),
        known.rigify(),
        known.biped(),
        known.xsens(),
        known.cmu_asf(),
    ],
    ids=["mixamo", "unreal", "smpl", "rokoko", "vroid", "rigify", "biped", "xsens", "asf"],
)
def test_every_recognised_figure_has_all_points_in_plausible_places(skeleton: Skeleton) -> None:
    character = character_from(skeleton)
    assert set(SITE_ROLES) <= set(character.sites.names)
    assert character.roles is not None
    place = {
        role: skeleton.rest_positions_m[skeleton.index(j)]
        for role, j in character.roles.joints.items()
    }
    for side in ("left", "right"):
        toe, heel = at_rest(character, f"{side}_toe_tip"), at_rest(character, f"{side}_heel")
        ankle = place[f"{side}_ankle"]
        assert toe[2] > place[f"{side}_toe"][2] > ankle[2] > heel[2]
        assert 0.13 < toe[2] - heel[2] < 0.36
        assert heel[1] < ankle[1] and toe[1] < ankle[1]
        hand = at_rest(character, f"{side}_hand_tip") - place[f"{side}_wrist"]
        assert 0.07 < np.linalg.norm(hand) < 0.3
    assert 0.05 < (at_rest(character, "head_top") - place["head"])[1] < 0.3


def test_end_joints_end_sites_and_heel_joints_are_used_where_the_file_has_them() -> None:
    mixamo = character_from(known.mixamo(""))
    assert at_rest(mixamo, "left_toe_tip") == pytest.approx(
        mixamo.skeleton.rest_positions_m[mixamo.skeleton.index("LeftToe_End")]
    )
    assert carrier(mixamo, "left_toe_tip") == "LeftToeBase"
    assert carrier(mixamo, "head_top") == "Head"
    assert carrier(mixamo, "left_hand_tip") == "LeftHandIndex3"  # not the thumb
    rigify = character_from(known.rigify())
    assert carrier(rigify, "left_heel") == "heel.02.L"
    assert at_rest(rigify, "head_top") == pytest.approx(
        rigify.skeleton.rest_end_positions_m[rigify.skeleton.end_sites.index("spine.006_end")]
    )


def test_points_by_proportion_follow_the_documented_figures() -> None:
    smpl = character_from(known.smpl())
    ankle, ball = (
        smpl.skeleton.rest_positions_m[smpl.skeleton.index(n)] for n in ("L_Ankle", "L_Foot")
    )
    foot = (ball - ankle) * [1, 0, 1]
    toe, heel = at_rest(smpl, "left_toe_tip"), at_rest(smpl, "left_heel")
    assert toe[[0, 2]] == pytest.approx((ankle + (1 + TOES_BEYOND_BALL) * foot)[[0, 2]], abs=5e-3)
    assert heel[[0, 2]] == pytest.approx((ankle - HEEL_BEHIND_ANKLE * foot)[[0, 2]], abs=1.2e-2)


def test_a_splayed_leg_carries_its_heel_along() -> None:
    """CMU legs rest 20 degrees apart; seen from the foot, the heel must be straight behind."""
    character = character_from(known.cmu_asf())
    skeleton = character.skeleton
    knee, ankle = (skeleton.rest_positions_m[skeleton.index(n)] for n in ("ltibia", "lfoot"))
    shin = (ankle - knee) / np.linalg.norm(ankle - knee)
    side = np.cross(shin, [0, 0, 1.0])  # across the leg
    heel = at_rest(character, "left_heel") - ankle
    assert heel @ side == pytest.approx(0, abs=2e-4)  # offsets there are rounded
    assert heel @ shin > 0.02


def test_partial_figures_get_the_points_their_limbs_allow() -> None:
    skeleton = known.mixamo("")
    roles = find_roles(skeleton)
    legs = {r: j for r, j in roles.joints.items() if "left" in r or r == "pelvis"}
    sites = role_sites(skeleton, type(roles)(legs, roles.forward, "test"))
    assert set(sites.names) == {"left_toe_tip", "left_heel", "left_hand_tip"}
    assert len(role_sites(skeleton, type(roles)({}, roles.forward, "test"))) == 0


def paths(clip: Clip, character: Character, names: list[str]) -> Array:
    """(F, n, 3) the sites in the world, the first frame (a T-pose in some files) aside."""
    state = forward_kinematics(clip.skeleton, clip.root_positions_m, clip.rotations_wxyz)
    columns = [character.sites.index(n) for n in names]
    return site_positions(state, character.sites)[1:, columns]


@needs_mocap
@pytest.mark.parametrize(
    "file",
    [
        "cmu/02_01.bvh",
        "cmu/131_01.bvh",
        "tennis/adorozco_Reves_8seg.bvh",
        "addbio_grf/arnold_subject01/arnold_subject01_walk2.bvh",
        "addbio_grf/opencap_subject2/opencap_subject2_walking1.bvh",
    ],
)
def test_under_a_real_walker_heels_and_toes_at_rest_are_near_one_floor(file: str) -> None:
    clip = load_clip(MOCAP / file)
    names = [f"{s}_{p}" for s in ("left", "right") for p in ("heel", "toe_tip")]
    places = paths(clip, character_from(clip.skeleton), names)
    speed = np.linalg.norm(np.gradient(places, axis=0), axis=-1) * clip.rate_hz
    levels = []
    for i in range(len(names)):
        still = speed[:, i] < 0.15
        assert still.mean() > 0.1, names[i]  # stance is a good part of walking
        levels.append(float(np.median(places[still, i, 1])))
    # Soles are rigid here and shoes are not: a few centimetres is what captures allow.
    assert np.ptp(levels) < 0.035, dict(zip(names, levels, strict=True))
