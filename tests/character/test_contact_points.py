"""Contact points: every part a schedule may name, on the right joint, the right way from it."""

from __future__ import annotations

import numpy as np
import pytest

from poise.character import Character, complete_character, contact_points, contact_radii_m
from poise.contact import BODY_PARTS
from poise.errors import BadValue
from poise.formats import load_character
from tests.character import known_skeletons as known
from tests.character.reference_human import reference_human
from tests.shared_data import ROBOTS, needs_robots


def test_the_reference_human_can_touch_with_every_part() -> None:
    points = contact_points(reference_human())
    assert set(points) == set(BODY_PARTS)
    assert points["left_foot"].names == (
        "left_heel", "left_ball", "left_inner_edge", "left_outer_edge", "left_toe_tip",
    )  # fmt: skip
    assert set(points["left_hand"].names) == {"left_wrist", "left_palm", "left_hand_tip"}


def test_points_lie_where_the_parts_are() -> None:
    human = reference_human(2.0)
    skeleton = human.skeleton
    points, radii = contact_points(human), contact_radii_m(human)
    palm = points["left_hand"]
    i = palm.index("left_palm")
    np.testing.assert_allclose(palm.offsets_m[i], [0, -0.108, 0], atol=1e-12)
    head = points["head"]
    place = skeleton.rest_positions_m[head.joints[0]] + head.offsets_m[0]
    crown = human.sites.offsets_m[human.sites.index("head_top")]
    top = skeleton.rest_positions_m[skeleton.index("head")] + crown
    assert np.linalg.norm(top - place) == pytest.approx(radii["head"])
    assert radii["left_foot"] == 0.0
    assert all(0 < radii[p] < 0.2 for p in BODY_PARTS if "foot" not in p)
    hips = points["pelvis"]
    assert skeleton.joint_names[hips.joints[0]] == "pelvis"
    np.testing.assert_allclose(hips.offsets_m[0], 0.0, atol=1e-12)


@pytest.mark.parametrize("make", [known.mixamo, known.lafan1, known.smpl, known.biped])
def test_known_skeletons_have_hands_knees_and_a_seat(make) -> None:
    points = contact_points(complete_character(make()))
    assert {"left_hand", "right_knee", "pelvis", "chest", "head"} <= set(points)
    assert set(points) <= set(BODY_PARTS)


@needs_robots
@pytest.mark.other_engine
def test_robots_touch_with_what_they_have() -> None:
    robot = complete_character(load_character(ROBOTS / "unitree_h1" / "h1_nomesh.xml"))
    points = contact_points(robot)
    assert {"left_foot", "right_foot", "left_hand", "pelvis"} <= set(points)


def test_a_character_without_roles_is_refused() -> None:
    with pytest.raises(BadValue, match="complete_character"):
        contact_points(Character(known.mixamo()))
