from __future__ import annotations

from dataclasses import replace

import pytest

from poise.constraints import (
    Constraint,
    HoldPoint,
    Interval,
    PlaceCenterOfMass,
    Plant,
    Recruit,
    check_nesting,
    tasks_of,
)
from poise.errors import Contradiction
from tests.constraints.made_scenes import walk_scene

WHEN = Interval(10, 30)
FOOT = Plant("left foot", "left_foot", WHEN, recruit=Recruit(up_to="left_hip"))
REACH = HoldPoint("reach", "left_wrist", (0, 1, 1), Interval(20, 40), priority=2)


def check(*constraints: Constraint) -> None:
    scene = walk_scene()
    check_nesting([t for c in constraints for t in tasks_of(c, scene)], scene.character)


def test_a_hand_that_moves_the_root_under_a_foot_is_explained() -> None:
    # Equation 2 as printed lets this pass: the two chains share nothing.
    with pytest.raises(Contradiction) as problem:
        check(FOOT, REACH)
    assert str(problem.value) == (
        "'left foot' and 'reach' contradict each other in frames 20 to 30: 'reach' (priority 2) "
        "recruits Hips and translation, which move 'left foot' (priority 1) but are not recruited "
        "by it, so it could not be protected. Let 'left foot' recruit Hips and translation too "
        "(recruit: up_to: root), or take them from 'reach'."
    )
    assert (problem.value.greater, problem.value.lesser) == ("left foot", "reach")
    assert problem.value.frames == (20, 30)


def test_both_ways_out_that_it_proposes_work() -> None:
    check(replace(FOOT, recruit=Recruit(up_to="root")), REACH)
    check(FOOT, replace(REACH, recruit=Recruit(up_to="spine")))


def test_two_hands_that_share_a_spine_are_fine() -> None:
    # Equation 2 as printed forbids this: the sets meet, and neither contains the other.
    check(REACH, replace(REACH, name="other", point="right_wrist", priority=3))


def test_order_does_not_matter_and_equals_do_not_protect_themselves() -> None:
    with pytest.raises(Contradiction):
        check(REACH, FOOT)
    check(FOOT, replace(REACH, priority=1))
    check(replace(FOOT, priority=7), replace(REACH, priority=7))
    head = HoldPoint("nod", "head_top", (0, 1, 1), WHEN, priority=9, recruit=Recruit(up_to="neck"))
    check(FOOT, replace(REACH, priority=1), head)


def test_only_the_order_of_priorities_counts() -> None:
    with pytest.raises(Contradiction, match="priority 50"):
        check(replace(FOOT, priority=5), replace(REACH, priority=50))
    check(replace(FOOT, priority=50), replace(REACH, priority=5))


def test_constraints_that_never_meet_or_do_not_count_are_fine() -> None:
    check(FOOT, replace(REACH, interval=Interval(31, 40)))
    check(FOOT, replace(REACH, weight=0.0))
    check(replace(FOOT, weight=0.0), REACH)
    check()


def test_one_shared_frame_is_enough() -> None:
    with pytest.raises(Contradiction, match="in frame 30: "):
        check(FOOT, replace(REACH, interval=Interval(30, 40)))


def test_a_chain_that_stops_short_is_told_how_far_to_go() -> None:
    arm = replace(REACH, name="arm", priority=1, recruit=Recruit(up_to="left_shoulder"))
    trunk = replace(REACH, name="trunk", recruit=Recruit(up_to="chest"))
    with pytest.raises(Contradiction, match=r"\(recruit: up_to: Spine2\)"):
        check(arm, trunk)


def test_what_is_at_the_end_of_no_chain_is_told_the_whole_list() -> None:
    balance = PlaceCenterOfMass("balance", WHEN, recruit=Recruit(joints=("Hips", "Spine")))
    lesser = replace(REACH, recruit=Recruit(joints=("LeftArm", "translation")))
    with pytest.raises(Contradiction) as problem:
        check(balance, lesser)
    assert "recruit LeftArm and translation too" in str(problem.value)
    assert "(recruit: joints: [Hips, Spine, LeftArm, translation])" in str(problem.value)


def test_a_single_joint_is_spoken_of_as_one() -> None:
    knee = replace(FOOT, recruit=Recruit(joints=("LeftUpLeg", "LeftFoot")))
    other = Plant("other", "left_foot", WHEN, priority=2, recruit=Recruit(up_to="left_hip"))
    with pytest.raises(Contradiction) as problem:
        check(knee, other)
    words = "'other' (priority 2) recruits LeftLeg, which moves 'left foot' (priority 1) but is not"
    assert words in str(problem.value)
    assert str(problem.value).endswith("or take it from 'other'.")
