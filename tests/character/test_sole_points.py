"""Soles: five points in one plane, and on the ground under real feet."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from poise.arrays import Array
from poise.character import Character, Skeleton, complete_character
from poise.character.contact_points import BREADTH_PER_LENGTH, SOLE_POINTS
from poise.formats import load_clip
from poise.mechanics import forward_kinematics, site_positions
from tests.character import known_skeletons as known
from tests.character.reference_human import reference_human, reference_skeleton
from tests.shared_data import MOCAP, needs_mocap


def soles(character: Character, side: str) -> dict[str, Array]:
    skeleton = character.skeleton
    state = forward_kinematics(skeleton, skeleton.offsets_m[0], skeleton.rest_wxyz)
    places = site_positions(state, character.sites)[0]
    return {p: places[character.sites.index(f"{side}_{p}")] for p in SOLE_POINTS}


def test_the_reference_humans_soles_by_hand() -> None:
    human = reference_human(2.0)
    points = soles(human, "left")
    ankle = human.skeleton.rest_positions_m[human.skeleton.index("left_ankle")]
    assert {p: round(v[1], 9) for p, v in points.items()} == dict.fromkeys(SOLE_POINTS, 0.0)
    np.testing.assert_allclose(points["ball"] - ankle, [0, -0.078, 0.156], atol=1e-12)
    length = points["toe_tip"][2] - points["heel"][2]
    half = 0.5 * BREADTH_PER_LENGTH * length
    np.testing.assert_allclose(points["outer_edge"] - points["ball"], [half, 0, 0], atol=1e-12)
    np.testing.assert_allclose(points["inner_edge"] - points["ball"], [-half, 0, 0], atol=1e-12)
    other = soles(human, "right")
    np.testing.assert_allclose(other["outer_edge"] * [-1, 1, 1], points["outer_edge"], atol=1e-12)


def test_what_rides_on_what() -> None:
    human = reference_human()
    riders = {
        p: human.skeleton.joint_names[human.sites.joints[human.sites.index(f"left_{p}")]]
        for p in SOLE_POINTS
    }
    expected = dict.fromkeys(SOLE_POINTS, "left_ankle") | {"toe_tip": "left_toe"}
    assert riders == expected


@pytest.mark.parametrize(
    "make",
    [known.mixamo, known.unreal4, known.smpl, known.vroid, known.xsens, known.cmu_asf],
    ids=lambda f: f.__name__,
)
def test_soles_are_flat_and_the_right_way_round_on_known_skeletons(make) -> None:
    character = complete_character(make())
    for side, out in (("left", 1.0), ("right", -1.0)):
        points = soles(character, side)
        assert points["heel"][2] < points["ball"][2] < points["toe_tip"][2]
        assert out * (points["outer_edge"] - points["inner_edge"])[0] > 0.03
        across = points["outer_edge"] - points["inner_edge"]
        along = points["ball"] - points["heel"]
        normal = np.cross(across, along)
        normal /= np.linalg.norm(normal)
        assert abs(normal @ (points["toe_tip"] - points["heel"])) < 0.03


def test_a_foot_without_toes_has_a_ball_by_proportion() -> None:
    skeleton = known.skeleton_from(
        """
Hips 0 100 0
 Chest 0 20 0
  Neck 0 30 0
   Head 0 10 0
    ^ 0 20 0
  LeftShoulder 18 25 0
   LeftElbow 28 0 0
    LeftWrist 25 0 0
     ^ 15 0 0
  RightShoulder -18 25 0
   RightElbow -28 0 0
    RightWrist -25 0 0
     ^ -15 0 0
 LeftHip 9 -5 0
  LeftKnee 0 -43 0
   LeftAnkle 0 -43 0
    ^ 0 -8 20
 RightHip -9 -5 0
  RightKnee 0 -43 0
   RightAnkle 0 -43 0
    ^ 0 -8 20
"""
    )
    assert isinstance(skeleton, Skeleton)
    points = soles(complete_character(skeleton), "left")
    assert points["ball"][2] == pytest.approx(0.20 / 1.51)
    np.testing.assert_allclose([p[1] for p in points.values()], points["toe_tip"][1], atol=1e-9)


def test_a_turned_figure_turns_its_soles() -> None:
    from dataclasses import replace

    from poise import rotations

    plain = reference_skeleton()
    rest = plain.rest_wxyz.copy()
    rest[0] = rotations.from_axis_angle([0, 1, 0], np.array(np.pi / 2))
    turned = complete_character(replace(plain, rest_wxyz=rest))
    still = complete_character(plain)
    np.testing.assert_allclose(turned.sites.offsets_m, still.sites.offsets_m, atol=1e-9)


@needs_mocap
@pytest.mark.parametrize("name", ["arnold_subject01_walk2", "arnold_subject04_walk2"])
def test_real_soles_lie_flat_in_mid_stance(name: str) -> None:
    subject = name.rpartition("_")[0]
    path = MOCAP / "addbio_grf" / subject / f"{name}.bvh"
    clip = load_clip(path)
    character = complete_character(clip.skeleton)
    places = site_positions(forward_kinematics(clip.skeleton, *clip.pose), character.sites)
    with path.with_name(f"{name}_contacts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for side in ("left", "right"):
        touching = np.array([row[f"{side}_contact"] == "1" for row in rows])
        points = places[:, [character.sites.index(f"{side}_{p}") for p in SOLE_POINTS]]
        speed = np.linalg.norm(np.gradient(points, 1 / clip.rate_hz, axis=0), axis=-1).max(axis=1)
        stance = np.flatnonzero(touching)
        slow = stance[np.argsort(speed[stance])[: len(stance) // 5]]
        heights = points[slow, :, 1]
        assert np.median(np.ptp(heights, axis=1)) < 0.015
        assert np.abs(np.median(heights, axis=0)).max() < 0.03
