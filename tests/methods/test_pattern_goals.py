"""Goals in a pattern's coefficients: where a point is, and how it moves with them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise import rotations
from poise.arrays import Array
from poise.constraints import HoldPoint, Interval, LookAt, Scene, StayOnSide, tasks_of
from poise.errors import BadValue
from poise.methods.pattern import learn
from poise.methods.pattern.goals import POINT, TURN, TURN_M, Goal, goals_of
from poise.methods.pattern.placed import PlacedClip, place
from poise.motion import Clip
from tests.character.reference_human import reference_human
from tests.methods.swings import (
    CLUB,
    HIT,
    changed,
    character,
    golfer,
    hit,
    learned,
    pattern,
    placed,
    placed_aside,
    point_of,
    state_of,
    swings,
)

often = settings(max_examples=25, deadline=None, derandomize=True)
seeds = st.integers(0, 2**31)
ALL, FRAMES = 5, (0, 17, HIT, 90)


def any_goal(seed: int, kind: int, angle: float, turn_rad: float = 0.0, count: int = 4) -> Goal:
    """A chain of five joints turned by as much as `angle` against its mean."""
    random = np.random.default_rng(seed)
    vectors = random.normal(size=(5, 3))
    vectors *= angle / np.linalg.norm(vectors, axis=1, keepdims=True)
    turn = rotations.from_axis_angle(np.array([0.0, 1.0, 0.0]), np.float64(turn_rad))
    return Goal(
        "any", kind, 0, 1, 1.0, (0, 1, 2), rotations.to_matrix(turn).T,
        random.normal(size=(5, 3)), rotations.normalize(random.normal(size=(5, 4))), vectors,
        0.3 * random.normal(size=(count, 5, 3)), random.normal(size=3),
        random.normal(size=(count, 3)), random.normal(size=3),
        random.normal(size=3) if kind == POINT else rotations.normalize(random.normal(size=4)),
    )  # fmt: skip


def differences(value: Callable[[Array], Array], at: Array) -> Array:
    """(3, m) by central differences of fourth order."""
    columns: list[Array] = []
    for way in np.eye(len(at)):
        one, two = (value(at + k * 1e-3 * way) - value(at - k * 1e-3 * way) for k in (1, 2))
        columns.append((8.0 * one - two) / 12e-3)
    return np.stack(columns, axis=1)


@often
@given(seeds, st.sampled_from([0.0, 1e-9, 1e-5, 9e-5, 1.1e-4, 1e-3, 0.5, 2.5, 3.1]))
def test_rows_of_a_place_are_its_derivatives(seed: int, angle: float) -> None:
    goal, at = any_goal(seed, POINT, angle, 0.9), np.zeros(4)
    known = -differences(lambda x: goal.look(x)[0], at)
    np.testing.assert_allclose(goal.look(at)[1], known, atol=1e-8 * max(1.0, np.abs(known).max()))


@often
@given(seeds, st.sampled_from([0.0, 1e-5, 0.5, 2.5]))
def test_rows_of_a_place_are_its_derivatives_after_a_change_too(seed: int, angle: float) -> None:
    goal, at = any_goal(seed, POINT, angle), np.random.default_rng(seed).normal(size=4)
    known = -differences(lambda x: goal.look(x)[0], at)
    np.testing.assert_allclose(goal.look(at)[1], known, atol=1e-7 * max(1.0, np.abs(known).max()))


def turned_to(goal: Goal, change: Array) -> Array:
    """(4,) how the last joint is turned, from the chain's rotations one after the other."""
    vectors = goal.vectors + np.tensordot(change, goal.slices, axes=1)
    whole = np.array([1.0, 0.0, 0.0, 0.0])
    for mean, vector in zip(goal.mean, vectors, strict=True):
        whole = rotations.multiply(whole, rotations.multiply(mean, rotations.exp(vector)))
    return whole


@often
@given(seeds, st.sampled_from([0.0, 1e-5, 0.5, 2.5]))
def test_rows_of_an_orientation_are_the_turns_that_coefficients_make(
    seed: int, angle: float
) -> None:
    goal, at = any_goal(seed, TURN, angle, -1.3), 0.3 * np.ones(4)
    now = turned_to(goal, at)

    def turn(x: Array) -> Array:
        away = rotations.multiply(turned_to(goal, x), rotations.conjugate(now))
        return goal.to_clip @ rotations.log(away)

    known = differences(turn, at)
    np.testing.assert_allclose(goal.look(at)[1], known, atol=1e-8 * max(1.0, np.abs(known).max()))


@often
@given(seeds, st.sampled_from([0.0, 0.7, 2.5]))
def test_the_error_of_an_orientation_falls_as_its_rows_say(seed: int, angle: float) -> None:
    """However far it is: along the error itself, turns are angles."""
    goal, at = any_goal(seed, TURN, angle), 0.1 * np.ones(4)
    error, rows = goal.look(at)
    if np.linalg.norm(error) > 3.0:
        return  # at half a turn there are two ways back

    def half_square(x: Array) -> Array:
        missing = goal.look(x)[0]
        return np.array([0.5 * missing @ missing])

    known = differences(half_square, at)[0]
    np.testing.assert_allclose(-error @ rows, known, atol=1e-7 * max(1.0, np.abs(known).max()))


def test_an_orientation_is_missed_by_the_turn_that_leads_to_it() -> None:
    for seed in range(10):
        goal, at = any_goal(seed, TURN, 1.0, 0.4), np.full(4, 0.2)
        error, _ = goal.look(at)
        back = rotations.multiply(rotations.exp(goal.to_clip.T @ error), turned_to(goal, at))
        assert rotations.angle_between(back, goal.goal) < 1e-7


def spots() -> list[tuple[PlacedClip, int, str]]:
    at = placed_aside()
    return [
        *((placed(0), frame, "club_head") for frame in FRAMES),
        *((at, frame, "club_head") for frame in (0, 5, 33, 61, 100, at.clip.frame_count - 1)),
        (at, 40, "head"),
        (at, 40, "left_toe_tip"),
        (at, 40, "pelvis"),
    ]


@pytest.mark.parametrize("number", range(len(spots())))
def test_the_point_is_where_the_whole_body_has_it(number: int) -> None:
    """Also between the pattern's frames, in a room that is turned against the pattern's."""
    at, frame, point = spots()[number]
    random = np.random.default_rng(number)
    (goal,) = goals_of(at, hit(at, (0.3, 0.2, 0.1), frame, point), ALL)
    for size in (0.0, 0.5, 2.0):
        change = size * random.normal(size=ALL) * pattern().deviations
        there = point_of(changed(at, change), point)[frame]
        error, _ = goal.look(change)
        np.testing.assert_allclose(error, np.array([0.3, 0.2, 0.1]) - there, atol=1e-11)


@pytest.mark.parametrize("number", range(len(spots())))
def test_the_joint_is_turned_as_the_whole_body_has_it(number: int) -> None:
    at, frame, point = spots()[number]
    random = np.random.default_rng(number)
    wanted = rotations.normalize(random.normal(size=4))
    tasks = hit(at, (0, 0, 0), frame, point, turn_wxyz=tuple(wanted.tolist()))
    place_goal, goal = goals_of(at, tasks, ALL)
    assert (place_goal.kind, goal.kind) == (POINT, TURN)
    change = random.normal(size=ALL) * pattern().deviations
    there = state_of(changed(at, change)).rotations_wxyz[frame, tasks[1].joint]
    known = rotations.log(rotations.multiply(wanted, rotations.conjugate(there)))
    np.testing.assert_allclose(goal.look(change)[0], known, atol=1e-9)


@pytest.mark.parametrize("frame", [0, 5, 33, 61, 100])
def test_rows_are_the_derivatives_of_the_whole_body(frame: int) -> None:
    at, scale = placed_aside(), pattern().deviations
    (goal,) = goals_of(at, hit(at, (0, 0, 0), frame), ALL)
    change = 0.7 * scale

    def there(x: Array) -> Array:
        return point_of(changed(at, change + x * scale))[frame]

    known = differences(there, np.zeros(ALL))
    np.testing.assert_allclose(goal.look(change)[1] * scale, known, atol=1e-9)


@pytest.mark.parametrize("axes", ["x", "y", "z", "xz", "xy", "yz"])
def test_axes_are_those_of_the_clip_s_room(axes: str) -> None:
    at = placed_aside()
    assert abs(at.placing.turn_rad) > 0.3
    (whole,) = goals_of(at, hit(at, (1.0, 2.0, 3.0), 61), ALL)
    (some,) = goals_of(at, hit(at, (1.0, 2.0, 3.0), 61, axes=axes), ALL)
    change = pattern().deviations
    counted = np.array([axis in axes for axis in "xyz"])
    for a, b in zip(some.look(change), whole.look(change), strict=True):
        np.testing.assert_allclose(a[counted], b[counted], atol=1e-14)
        assert not a[~counted].any()


def test_fewer_coefficients_have_the_same_rows() -> None:
    at = placed_aside()
    (whole,) = goals_of(at, hit(at, (1.0, 2.0, 3.0), 61), ALL)
    (few,) = goals_of(at, hit(at, (1.0, 2.0, 3.0), 61), 2)
    change = pattern().deviations.copy()
    change[2:] = 0.0
    error, rows = whole.look(change)
    np.testing.assert_allclose(few.look(change[:2])[0], error, atol=1e-14)
    np.testing.assert_allclose(few.look(change[:2])[1], rows[:, :2], atol=1e-14)


def test_changes_are_added_to_whatever_vector_is_given() -> None:
    at = placed_aside()
    dropped = at.projected(3)
    (goal,) = goals_of(at, hit(at, (0, 0, 0), 61), 3, dropped)
    change = 0.5 * pattern().deviations[:3]
    there = at.with_motion(*at.motion(dropped + at.displacement(change)))
    np.testing.assert_allclose(-goal.look(change)[0], point_of(there)[61], atol=1e-11)


def with_sliding_shoulder(clip: Clip) -> Clip:
    """The left collar's origin moves, as some files have it."""
    joint = clip.skeleton.index("LeftShoulder")
    path = np.linspace(0.0, 0.2, clip.frame_count)[:, None] * np.array([0.3, 1.0, -0.5])
    offsets = clip.skeleton.offsets_m[joint] + path
    return replace(clip, moving_joints=(joint,), moving_offsets_m=offsets[:, None])


def test_offsets_that_move_are_part_of_where_the_point_is() -> None:
    clips = [with_sliding_shoulder(clip) for clip in swings()[:4]]
    p = learned(clips, tools=[CLUB])
    at = place(p, clips[1], golfer(), 0.0)
    (goal,) = goals_of(at, hit(at, (0, 0, 0), 80), 3)
    for change in (np.zeros(3), p.deviations):
        made = changed(at, change)
        np.testing.assert_array_equal(made.moving_offsets_m, clips[1].moving_offsets_m)
        np.testing.assert_allclose(-goal.look(change)[0], point_of(made)[80], atol=1e-11)

    def there(x: Array) -> Array:
        return point_of(changed(at, x * p.deviations))[80]

    known = differences(there, np.zeros(3))
    np.testing.assert_allclose(goal.look(np.zeros(3))[1] * p.deviations, known, atol=1e-9)


@cache
def bending() -> tuple[Clip, ...]:
    """Motions of a body with hinges, each bent about its axis only."""
    body, random = reference_human(), np.random.default_rng(0)
    skeleton, made = body.skeleton, list[Clip]()
    assert "hinge" in skeleton.kinds
    x = np.linspace(0.0, np.pi, 31)
    columns, shared = (
        np.stack([np.sin(x), np.cos(x)]),
        random.normal(size=(skeleton.joint_count, 3, 2)),
    )
    for _ in range(4):
        waves = (shared + 0.2 * random.normal(size=shared.shape)) @ columns
        vectors = 0.5 * np.moveaxis(waves, 2, 0)
        for joint, kind in enumerate(skeleton.kinds):
            if kind == "hinge":
                vectors[:, joint] = vectors[:, joint, :1] * skeleton.hinge_axes[joint]
            elif kind == "fixed":
                vectors[:, joint] = 0.0
        turns = rotations.multiply(skeleton.rest_wxyz, rotations.exp(vectors))
        made.append(
            Clip(skeleton, 30.0, 0.05 * random.normal(size=(1, 3)) + np.zeros((31, 3)), turns)
        )
    return tuple(made)


def test_hinges_stay_hinges() -> None:
    body, clips = reference_human(), bending()
    p = learn(clips, body, grounds_m=[0.0] * 4)
    made = changed(place(p, clips[0], body, 0.0), 2.0 * p.deviations)
    skeleton = body.skeleton
    for joint, kind in enumerate(skeleton.kinds):
        if kind == "hinge":
            bend = rotations.multiply(
                rotations.conjugate(skeleton.rest_wxyz[joint]), made.rotations_wxyz[:, joint]
            )
            off = np.cross(rotations.log(bend), skeleton.hinge_axes[joint])
            assert np.abs(off).max() < 1e-9
            assert np.abs(rotations.log(bend)).max() > 0.05


# From tasks to goals


def test_weights_are_roots_and_turns_count_in_metres() -> None:
    at = placed(0)
    place_goal, turn_goal = goals_of(
        at, hit(at, (0, 0, 0), turn_wxyz=(1, 0, 0, 0), weight=4.0), ALL
    )
    assert place_goal.weight == 2.0 and turn_goal.weight == pytest.approx(2.0 * TURN_M)


def test_greater_layers_come_first_and_equals_stay_in_order() -> None:
    at = placed(0)
    tasks = [
        *hit(at, (0, 0, 0), name="c", priority=3), *hit(at, (0, 0, 0), name="a"),
        *hit(at, (0, 0, 0), name="d", priority=3), *hit(at, (0, 0, 0), name="b"),
    ]  # fmt: skip
    assert [goal.name for goal in goals_of(at, tasks, ALL)] == ["a", "b", "c", "d"]


def test_a_task_of_several_frames_is_a_goal_in_each() -> None:
    at = placed(0)
    hold = HoldPoint("hold", "left_wrist", (0.1, 1.0, 0.3), Interval(50, 53))
    goals = goals_of(at, tasks_of(hold, Scene(at.clip, golfer())), ALL)
    assert [goal.frame for goal in goals] == [50, 51, 52, 53]
    path = point_of(at.clip, "left_wrist")
    for goal in goals:
        known = np.array([0.1, 1.0, 0.3]) - path[goal.frame]
        np.testing.assert_allclose(goal.look(np.zeros(ALL))[0], known, atol=1e-12)


def test_what_a_pattern_has_no_answer_to_is_refused_by_name() -> None:
    at, when = placed(0), Interval(50, 53)
    refused = [
        LookAt("gaze", "head", (3.0, 1.0, 2.0), when),
        HoldPoint("beside", "left_wrist", (0.1, 0.0, 0.0), when, "relative", "right_wrist"),
        StayOnSide("above", "left_wrist", 0.5, when, "above"),
    ]
    for constraint in refused:
        tasks = tasks_of(constraint, Scene(at.clip, character()))
        with pytest.raises(BadValue, match=constraint.name):
            goals_of(at, tasks, ALL)
