from __future__ import annotations

import numpy as np
import pytest

from poise.constraints import HoldPoint, Interval, tasks_of
from poise.constraints.scene import point_path
from poise.errors import BadValue
from tests.constraints.made_scenes import free_scene, quantity, walk_scene

WHEN = Interval(10, 40, 8, 8)
FULL = slice(8, 23)
PLACE = (0.3, 1.1, 0.4)


def test_absolute_is_a_place_in_the_world() -> None:
    (task,) = tasks_of(HoldPoint("h", "left_wrist", PLACE, WHEN), walk_scene())
    assert (task.kind, task.reference, task.first) == ("point", -1, 10)
    np.testing.assert_array_equal(task.goals[FULL], [PLACE] * 15)


def test_offset_is_added_to_where_the_point_was() -> None:
    (task,) = tasks_of(HoldPoint("h", "left_heel", PLACE, WHEN, "offset"), walk_scene())
    original = point_path(walk_scene(), "left_heel", 10, 40)
    shares = WHEN.shares()[:, None]
    np.testing.assert_allclose(task.goals, original + shares * PLACE, atol=1e-15)


def test_relative_is_a_place_in_a_moving_frame() -> None:
    scene = walk_scene()
    (task,) = tasks_of(HoldPoint("h", "left_heel", PLACE, WHEN, "relative", "chest"), scene)
    assert task.reference == scene.character.skeleton.index("Spine2")
    np.testing.assert_array_equal(task.goals[FULL], [PLACE] * 15)
    original = quantity(task, scene.state, scene.character)[10:41]
    shares = WHEN.shares()[:, None]
    np.testing.assert_allclose(task.goals, original + shares * (PLACE - original), atol=1e-12)


def test_an_offset_in_a_moving_frame_turns_with_it() -> None:
    scene = free_scene()
    when = Interval(0, 11)
    wish = HoldPoint("h", "left_wrist", PLACE, when, "offset", "head")
    (task,) = tasks_of(wish, scene)
    original = quantity(task, scene.state, scene.character)
    np.testing.assert_allclose(task.goals - original, [PLACE] * 12, atol=1e-12)


def test_axes_that_do_not_count_are_marked() -> None:
    (task,) = tasks_of(HoldPoint("h", "left_wrist", PLACE, WHEN, axes="zx"), walk_scene())
    assert task.axes == (True, False, True)


def test_a_point_that_never_moves_against_its_reference_is_explained() -> None:
    stuck = HoldPoint("h", "left_hand_tip", PLACE, WHEN, "relative", "left_wrist")
    with pytest.raises(BadValue, match="none: nothing can change it"):
        tasks_of(stuck, walk_scene())


def test_relative_needs_something_to_be_relative_to() -> None:
    with pytest.raises(BadValue, match="relative_to of 'h' must be a joint or role"):
        HoldPoint("h", "left_wrist", PLACE, WHEN, "relative")
