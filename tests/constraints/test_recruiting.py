from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.constraints import Recruit
from poise.constraints.recruiting import (
    ORIGIN,
    body_recruits,
    carries_weight,
    find_joint,
    find_point,
    recruits_of_chain,
    recruits_of_point,
    recruits_of_turn,
)
from poise.errors import BadValue, UnknownName
from tests.constraints.made_scenes import free_scene, walk_scene

BODY = free_scene().character
ARM = ("left_shoulder", "left_elbow", "left_wrist")


def at(name: str) -> int:
    return BODY.skeleton.index(name)


def test_a_chain_runs_from_the_joint_to_the_one_named() -> None:
    chain = recruits_of_chain(BODY, at("left_wrist"), Recruit(up_to="left_shoulder"))
    assert chain.names(BODY) == ARM
    everything = recruits_of_chain(BODY, at("left_wrist"), Recruit())
    assert everything.translation and set(ARM) < set(everything.names(BODY))
    root = recruits_of_chain(BODY, at("left_wrist"), Recruit(up_to="root"))
    assert root.names(BODY) == everything.names(BODY)
    hips = recruits_of_chain(BODY, at("left_wrist"), Recruit(up_to="pelvis"))
    assert hips.translation


def test_a_chain_up_to_a_joint_that_does_not_carry_it_is_explained() -> None:
    with pytest.raises(BadValue) as problem:
        recruits_of_chain(BODY, at("left_wrist"), Recruit(up_to="left_hip"), asked_by="reach")
    assert "up_to of 'reach' must be a joint that carries left_wrist" in str(problem.value)


def test_a_list_is_taken_as_it_is() -> None:
    recruit = Recruit(joints=("translation", "left_hip", "head"))
    chosen = recruits_of_point(BODY, at("left_wrist"), ORIGIN, recruit)
    assert set(chosen.names(BODY)) == {"translation", "left_hip", "head"}


def test_the_origin_of_a_joint_recruits_from_its_parent() -> None:
    recruit = Recruit(up_to="left_shoulder")
    assert recruits_of_point(BODY, at("left_wrist"), ORIGIN, recruit).names(BODY) == ARM[:2]
    aside = np.array([0.1, 0.0, 0.0])
    assert recruits_of_point(BODY, at("left_wrist"), aside, recruit).names(BODY) == ARM


def test_seen_from_a_joint_the_chain_ends_below_what_carries_both() -> None:
    chosen = recruits_of_point(BODY, at("left_wrist"), ORIGIN, Recruit(), reference=at("head"))
    assert set(ARM[:2]) <= set(chosen.names(BODY)) and not chosen.translation
    assert not chosen.joints[at("chest")] and not chosen.joints[at("head")]


def test_seen_from_below_the_chain_is_the_one_below() -> None:
    chosen = recruits_of_turn(BODY, at("chest"), Recruit(), reference=at("left_wrist"))
    assert set(ARM) <= set(chosen.names(BODY)) and not chosen.joints[at("chest")]
    assert not chosen.translation


def test_without_a_choice_the_centre_is_moved_by_all_that_weighs_something() -> None:
    walker = walk_scene().character
    names = set(body_recruits(walker).names(walker))
    assert {"translation", "Hips", "LeftLeg", "Head", "RightHand", "LeftFoot"} <= names
    assert not {"LeftToeBase", "RightToeBase"} & names


def test_without_masses_roles_decide_and_without_roles_everything_counts() -> None:
    walker = walk_scene().character
    assert walker.roles is not None
    few = {role: name for role, name in walker.roles.joints.items() if "wrist" not in role}
    light = replace(walker, body=None, roles=replace(walker.roles, joints=few))
    named = {
        n for n, c in zip(walker.skeleton.joint_names, carries_weight(light), strict=True) if c
    }
    assert "LeftToeBase" in named and "LeftHand" not in named and "Spine1" in named
    assert carries_weight(replace(walker, body=None, roles=None)).all()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"up_to": "root", "joints": ("head",)}, "recruit must be either up_to or joints"),
        ({"joints": ()}, "joints to recruit must be a list of names, at least one"),
        ({"joints": "head"}, "joints to recruit must be a list of names, at least one"),
        ({"joints": (3,)}, "joints to recruit must be a list of names, at least one"),
        ({"up_to": 3}, "up_to must be the name of a joint or role"),
        ({"up_to": ""}, "up_to must be the name of a joint or role"),
    ],
)
def test_bad_recruits_say_so(values: dict[str, object], words: str) -> None:
    with pytest.raises(BadValue) as problem:
        Recruit(**values)  # type: ignore[arg-type]
    assert words in str(problem.value)


def test_joints_go_by_name_or_role_and_points_by_site_too() -> None:
    walker = walk_scene().character
    assert find_joint(walker, "left_wrist") == find_joint(walker, "LeftHand")
    joint, offset = find_point(walker, "left_wrist")
    assert joint == walker.skeleton.index("LeftHand") and not offset.any()
    joint, offset = find_point(walker, "left_hand_tip")
    assert joint == walker.skeleton.index("LeftHand") and offset.any()


def test_a_name_nobody_has_is_answered_with_the_nearest_and_who_asked() -> None:
    with pytest.raises(UnknownName, match=r"mean 'left_wrist'.*Asked for by 'reach'\."):
        find_joint(BODY, "left_wrst", asked_by="reach")
    with pytest.raises(UnknownName) as problem:
        find_point(BODY, "left_hel")
    assert problem.value.nearest == "left_heel" and "Asked" not in str(problem.value)
