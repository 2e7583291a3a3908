"""Joint limits inside the loop: the numbers they are about, and goals met with joints at them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import ik, rotations
from poise.arrays import Array
from poise.character import Character, Skeleton, with_ranges
from poise.constraints import EVERYTHING, HoldPoint, Interval, Orient, Recruit, Scene, tasks_of
from poise.constraints.recruiting import find_joint
from poise.ik.limits import limited_numbers as limited_numbers_kernel
from poise.ik.packed import ANGLE, BALL, HINGE, ROTATION_VECTOR, SWING_TWIST
from poise.ik.packing import pack_blocks, pack_limits
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from poise.samples import sample_character, walking
from tests.called_from_python import from_python
from tests.character.held_rotations import (
    clamped,
    from_swing_and_twist,
    local_rotations,
)
from tests.character.reference_human import reference_human
from tests.ik.posed import everything
from tests.ik.test_rows import made

limited_numbers = from_python(limited_numbers_kernel)

OUTSIDE_RAD = 1e-6


@cache
def ranged_person() -> Character:
    return with_ranges(sample_character())


@cache
def robot() -> Character:
    """Balls limited by their rotation vectors, hinges by their angles."""
    character = reference_human()
    skeleton = character.skeleton
    random = np.random.default_rng(5)
    limits = np.stack(
        [random.uniform(-0.6, -0.05, (skeleton.joint_count, 3)),
         random.uniform(0.05, 0.6, (skeleton.joint_count, 3))], axis=-1,
    )  # fmt: skip
    limits[0] = [-np.inf, np.inf]
    return replace(character, skeleton=replace(skeleton, limits_rad=limits), ranges=None)


def own_numbers(skeleton: Skeleton, rotations_wxyz: Array) -> Array:
    """(F, J, 3) what `Skeleton.limits_rad` is about, by other code."""
    turn = rotations.multiply(rotations.conjugate(skeleton.rest_wxyz), rotations_wxyz)
    numbers = rotations.log(turn)
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge":
            angle = rotations.twist_angle(turn[:, joint], skeleton.hinge_axes[joint])
            numbers[:, joint] = np.stack([angle, 0 * angle, 0 * angle], axis=-1)
    return numbers


def excess(character: Character, rotations_wxyz: Array) -> Array:
    """(F, J) how far each joint is outside."""
    if character.ranges is not None:
        return character.ranges.excess(rotations_wxyz).max(axis=-1)
    skeleton = character.skeleton
    numbers = own_numbers(skeleton, rotations_wxyz)
    low, high = skeleton.limits_rad[..., 0], skeleton.limits_rad[..., 1]
    return np.maximum(low - numbers, numbers - high).max(axis=-1, initial=0.0)


def posing_at_limits(character: Character, frames: int, seed: int) -> Array:
    """(F, J, 4) poses inside the limits, half of the numbers at an end of their range."""
    random, skeleton = np.random.default_rng(seed), character.skeleton
    limits = skeleton.limits_rad if character.ranges is None else character.ranges.limits_rad
    bounded = np.clip(limits, -0.5, 0.5)
    shape = (frames, skeleton.joint_count, 3)
    share = np.clip(random.uniform(-0.5, 1.5, shape), 0, 1)
    numbers = bounded[..., 0] + share * (bounded[..., 1] - bounded[..., 0])
    if character.ranges is not None:
        free = ~np.isfinite(character.ranges.limits_rad).all(axis=(1, 2))
        turns = local_rotations(character.ranges.axes, from_swing_and_twist(numbers))
        turns[:, free] = skeleton.rest_wxyz[free]
        return turns
    hinges = np.array([kind == "hinge" for kind in skeleton.kinds])
    vectors = np.where(hinges[:, None], numbers[..., :1] * skeleton.hinge_axes, numbers)
    return rotations.multiply(skeleton.rest_wxyz, rotations.exp(vectors))


CHARACTERS = {"person": ranged_person, "robot": robot}


def test_the_limited_numbers_are_those_of_the_ranges() -> None:
    character = ranged_person()
    assert character.ranges is not None
    task = replace(made("center"), recruits=everything(character))
    blocks, _ = pack_blocks(character.skeleton, [task], {})
    limits = pack_limits(character, blocks)
    random = np.random.default_rng(1)
    turns = rotations.normalize(random.normal(size=(50, character.skeleton.joint_count, 4)))
    wanted = character.ranges.angles(turns)
    assert len(limits.block) > 15 and (limits.kind == SWING_TWIST).all()
    for l, block in enumerate(limits.block.tolist()):
        joint = int(blocks.joint[block])
        np.testing.assert_array_equal(limits.low[l], character.ranges.limits_rad[joint, :, 0])
        for turn, numbers in zip(turns[:, joint], wanted[:, joint], strict=True):
            np.testing.assert_allclose(limited_numbers(limits, l, *turn), numbers, atol=1e-9)


def test_the_limited_numbers_are_those_of_the_skeleton() -> None:
    character = robot()
    task = replace(made("center"), recruits=everything(character))
    blocks, _ = pack_blocks(character.skeleton, [task], {})
    limits = pack_limits(character, blocks)
    turns = posing_at_limits(character, 20, 2)
    wanted = own_numbers(character.skeleton, turns)
    kinds = {BALL: ROTATION_VECTOR, HINGE: ANGLE}
    assert {kinds[int(blocks.kind[b])] for b in limits.block} == {ROTATION_VECTOR, ANGLE}
    for l, block in enumerate(limits.block.tolist()):
        assert limits.kind[l] == kinds[int(blocks.kind[block])]
        joint = int(blocks.joint[block])
        for turn, numbers in zip(turns[:, joint], wanted[:, joint], strict=True):
            np.testing.assert_allclose(limited_numbers(limits, l, *turn), numbers, atol=1e-9)


def solved(character: Character, turns: Array, goals: list[HoldPoint | Orient]) -> ik.IkSolution:
    """From poses in the middle, towards goals."""
    clip = Clip(character.skeleton, 30.0, np.zeros((len(turns), 3)), turns)
    scene = Scene(clip, character)
    problem = ik.build(scene, [task for goal in goals for task in tasks_of(goal, scene)])
    solution = ik.unsolved(problem)
    ik.solve(problem, ik.IkSettings(iterations=200), solution, 0, len(turns) - 1)
    return solution


@pytest.mark.parametrize("who", CHARACTERS)
@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("recruit", ["everything", "arm"])
def test_goals_that_some_pose_within_the_limits_reaches_are_met(
    who: str, seed: int, recruit: str
) -> None:
    """The goal is the wrist of a pose with half of its numbers at an end of their range."""
    character = CHARACTERS[who]()
    extreme = posing_at_limits(character, 1, seed)
    start = np.broadcast_to(character.skeleton.rest_wxyz, extreme.shape).copy()
    start = start if character.ranges is None else clamped(character.ranges, start)
    up = EVERYTHING if recruit == "everything" else Recruit(up_to="left_collar")
    wrist = find_joint(character, "left_wrist")
    if recruit == "arm":  # the rest of the body is where it is
        arm = list(character.skeleton.ancestors(wrist))
        keep = [j for j in range(character.skeleton.joint_count) if j not in arm[:4]]
        extreme[:, keep] = start[:, keep]
    place = forward_kinematics(character.skeleton, np.zeros((1, 3)), extreme).positions_m[0, wrist]
    goal = HoldPoint("reach", "left_wrist", tuple(place), Interval(0, 0), recruit=up)
    solution = solved(character, start, [goal])
    assert excess(character, solution.rotations_wxyz).max() <= OUTSIDE_RAD
    assert solution.misses.max() < 1e-4


@pytest.mark.parametrize("who", CHARACTERS)
def test_goals_far_beyond_the_limits_leave_no_joint_outside(who: str) -> None:
    character = CHARACTERS[who]()
    turns = posing_at_limits(character, 8, 3)
    turn = (0.3, 0.8, -0.4, 0.2)
    goals = [
        HoldPoint("up", "left_wrist", (0.3, 2.0, -1.0), Interval(0, 7)),
        HoldPoint("down", "right_toe_tip" if who == "person" else "right_toe", (0.0, 1.0, 1.5),
                  Interval(0, 7), recruit=Recruit(up_to="right_hip"), priority=2),
        Orient("head", "head", turn, Interval(0, 7), recruit=Recruit(up_to="chest"), priority=3),
    ]  # fmt: skip
    solution = solved(character, turns, goals)
    assert np.isfinite(solution.rotations_wxyz).all()
    assert excess(character, solution.rotations_wxyz).max() <= OUTSIDE_RAD


def test_an_original_beyond_its_limits_is_brought_inside_where_it_is_recruited() -> None:
    """And nowhere else: what no constraint recruits keeps its bits."""
    character = ranged_person()
    assert character.ranges is not None
    clip = walking(seconds=0.3, rate_hz=30.0).clip
    turns = clip.rotations_wxyz.copy()
    elbow, knee = (find_joint(character, r) for r in ("left_elbow", "right_knee"))
    for joint in (elbow, knee):
        turns[:, joint] = rotations.multiply(turns[:, joint], rotations.exp([0.4, 0.9, 0.8]))
    before = character.ranges.excess(turns).max(axis=-1)
    assert before[:, elbow].min() > 0.1 and before[:, knee].min() > 0.1
    goal = HoldPoint(
        "hold", "left_wrist", (0.0, 0.02, 0.0), Interval(0, len(turns) - 1), "offset",
        recruit=Recruit(up_to="left_shoulder"),
    )  # fmt: skip
    solution = solved(character, turns, [goal])
    after = character.ranges.excess(solution.rotations_wxyz).max(axis=-1)
    assert after[:, elbow].max() <= OUTSIDE_RAD
    np.testing.assert_array_equal(solution.rotations_wxyz[:, knee], turns[:, knee])
