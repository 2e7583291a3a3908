from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise.constraints import (
    CurveEnd,
    FollowCurve,
    Interval,
    PassPoint,
    Scene,
    shape_curve,
    tasks_of,
)
from poise.constraints.record_checks import Mode
from poise.constraints.scene import point_path
from poise.errors import BadValue
from tests.constraints.made_scenes import gap, quantity, walk_scene

WHEN = Interval(10, 50)
THROUGH = (PassPoint(22, (0.4, 1.3, 1.0)), PassPoint(30, (0.2, 1.5, 1.2), 36))
MODES: list[tuple[Mode, str | None]] = [
    ("absolute", None),
    ("relative", "chest"),
    ("offset", None),
    ("offset", "chest"),
]


def goals(record: FollowCurve, scene: Scene | None = None) -> np.ndarray:
    (task,) = tasks_of(record, scene or walk_scene())
    return task.goals


@pytest.mark.parametrize(("mode", "to"), MODES)
def test_without_places_to_pass_it_keeps_to_the_original(mode: Mode, to: str | None) -> None:
    (task,) = tasks_of(FollowCurve("f", "left_hand_tip", (), WHEN, mode, to), walk_scene())
    assert gap(task, walk_scene()).max() < 1e-12


@pytest.mark.parametrize(("mode", "to"), MODES)
def test_places_are_passed_in_the_frame_they_are_given_in(mode: Mode, to: str | None) -> None:
    scene = walk_scene()
    record = FollowCurve("f", "left_hand_tip", THROUGH, WHEN, mode, to)
    (task,) = tasks_of(record, scene)
    found = task.goals
    if mode == "offset":
        found = found - quantity(task, scene.state, scene.character)[10:51]
    np.testing.assert_allclose(found[12], THROUGH[0].place_m, atol=1e-12)
    np.testing.assert_allclose(found[20:27], [THROUGH[1].place_m] * 7, atol=1e-12)
    assert gap(task, scene)[[0, -1]].max() < 1e-12


def test_the_curve_is_the_one_of_the_five_steps() -> None:
    path = point_path(walk_scene(), "left_wrist", 0, 60)
    start = CurveEnd(10, path[10], (path[11] - path[9]) / 2)
    end = CurveEnd(50, path[50], (path[51] - path[49]) / 2)
    curve = shape_curve(start, end, THROUGH)
    found = goals(FollowCurve("f", "left_wrist", THROUGH, WHEN))
    np.testing.assert_allclose(found, curve.at(WHEN.frames), atol=1e-13)


def test_it_leaves_and_rejoins_the_original_without_a_jump_in_speed() -> None:
    # On a finer grid: the jump of a first difference shrinks with the step where there is none.
    path = point_path(walk_scene(), "left_wrist", 0, 60)
    edited = path.copy()
    edited[10:51] = goals(FollowCurve("f", "left_wrist", THROUGH, WHEN))
    jumps = np.linalg.norm(np.diff(edited, 2, axis=0), axis=1)
    assert jumps[[8, 9, 48, 49]].max() < 1.5 * jumps[10:48].max()
    assert np.linalg.norm(edited[10] - path[10]) == 0


def test_a_displacement_starts_and_ends_at_rest() -> None:
    path = point_path(walk_scene(), "left_wrist", 10, 50)
    moved = goals(FollowCurve("f", "left_wrist", THROUGH, WHEN, "offset")) - path
    steps = np.linalg.norm(np.diff(moved, axis=0), axis=1)
    assert steps[[0, -1]].max() < 0.15 * steps.max()


def test_a_place_at_the_end_of_the_interval_replaces_that_end() -> None:
    whole = (PassPoint(10, (0.4, 1.3, 1.0), 50),)
    found = goals(FollowCurve("f", "left_wrist", whole, WHEN))
    np.testing.assert_array_equal(found, [whole[0].place_m] * 41)
    ends = (PassPoint(10, (0.4, 1.3, 1.0)), PassPoint(50, (0.5, 1.3, 1.0)))
    found = goals(FollowCurve("f", "left_wrist", ends, WHEN))
    np.testing.assert_allclose(found[[0, -1]], [p.place_m for p in ends], atol=1e-12)


def test_at_the_ends_of_the_clip_speeds_come_from_one_side() -> None:
    last = walk_scene().clip.frame_count - 1
    path = point_path(walk_scene(), "left_wrist", 0, last)
    found = goals(
        FollowCurve("f", "left_wrist", (PassPoint(30, (0.4, 1.3, 1.0)),), Interval(0, last))
    )
    start = CurveEnd(0, path[0], path[1] - path[0])
    end = CurveEnd(last, path[-1], path[-1] - path[-2])
    curve = shape_curve(start, end, [PassPoint(30, (0.4, 1.3, 1.0))])
    np.testing.assert_allclose(found, curve.at(np.arange(last + 1)), atol=1e-13)


def test_easing_blends_from_the_original_as_everywhere() -> None:
    record = FollowCurve("f", "left_wrist", THROUGH, WHEN)
    eased = replace(record, interval=Interval(10, 50, 10, 10))
    path = point_path(walk_scene(), "left_wrist", 10, 50)
    shares = eased.interval.shares()[:, None]
    expected = path + shares * (goals(record) - path)
    np.testing.assert_allclose(goals(eased), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("through", "words"),
    [
        ((PassPoint(9, (0, 1, 0)),), "inside its interval (10 to 50), got 'frames 9 to 9'"),
        ((PassPoint(45, (0, 1, 0), 51),), "inside its interval (10 to 50)"),
        ((PassPoint(20, (0, 1, 0)), PassPoint(20, (0, 2, 0))), "in ascending order"),
        ((PassPoint(20, (0, 1, 0), 30), PassPoint(30, (0, 2, 0))), "one place at a time"),
        ([(20, (0, 1, 0))], "a list of PassPoints"),
        (PassPoint(20, (0, 1, 0)), "a list of PassPoints"),
    ],
)
def test_places_that_cannot_be_passed_are_explained(through: object, words: str) -> None:
    with pytest.raises(BadValue) as problem:
        FollowCurve("f", "left_wrist", through, WHEN)  # type: ignore[arg-type]
    assert "through of 'f' must be" in str(problem.value) and words in str(problem.value)
