"""Feet between stances, on their toes and turning on their balls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.character import contact_points
from poise.constraints import Scene, Task
from poise.contact.floor import foot_sites
from poise.contact.foot_motion import foot_motion, sole_heights_m
from poise.environment import Environment
from poise.footing import Movers, contact_tasks, moving_joints
from poise.footing.foot_path import LONGEST_ROLL_S, touching_sole
from poise.footing.foot_shape import BALL, HEEL, TIP
from poise.footing.footprints import LARGEST_TURN_RAD, stretches_of, weights_of
from poise.methods.correct.recovery import swing_tasks
from poise.motion import Clip
from poise.samples import sample_character, walking
from tests.methods.rolling_feet import RATE_HZ, Seen, shape_of, soles, travelling

FLAT = Environment.flat()


# Swings


def swings(clip: Clip) -> tuple[Scene, dict[str, list[tuple[Task, Array]]]]:
    """For each foot every wish, and where its point is; the clip's contacts are true."""
    scene = Scene(clip, sample_character(), FLAT, None)
    movers = Movers(scene.character, moving_joints(clip))
    _, paths, _ = contact_tasks(scene, walking().contacts, None, movers)
    found: dict[str, list[tuple[Task, Array]]] = {}
    for task in swing_tasks(scene, paths, movers):
        assert task.priority == 2 and task.kind == "point"
        part = task.name.split(" swings")[0]
        assert task.joint == shape_of(part.split("_")[0]).joint
        turns = scene.state.rotations_wxyz[:, task.joint]
        own = scene.state.positions_m[:, task.joint] + rotations.rotate(turns, task.offset_m)
        found.setdefault(part, []).append((task, own[task.first : task.last + 1]))
    return scene, found


def test_swings_of_a_motion_that_stands_right_are_as_they_are() -> None:
    _, found = swings(walking().clip)
    assert set(found) == {"left_foot", "right_foot"}
    for wishes in found.values():
        for task, own in wishes:
            assert np.linalg.norm(task.goals - own, axis=1).max() < 0.01


def test_swings_go_from_what_one_stance_does_to_what_the_next_does() -> None:
    # A figure that slides to its left by 20 cm/s: prints are behind it early in a stance, and
    # ahead late.
    clean = walking().clip
    times = np.arange(clean.frame_count) / clean.rate_hz
    slid = clean.root_positions_m + 0.2 * times[:, None] * np.array([1.0, 0.0, 0.0])
    _, found = swings(replace(clean, root_positions_m=slid))
    for wishes in found.values():
        between = [w for w in wishes if w[0].first > 0 and w[0].last < clean.frame_count - 60]
        assert between
        for task, own in between:
            moved = (task.goals - own)[:, 0]
            # Behind at the end of a stance, ahead at the start of the next, and steadily between.
            assert moved[0] < -0.02 and moved[-1] > 0.02
            assert (np.diff(moved) > 0.0).all()


# Toes


def test_the_tip_is_measured_from_where_the_ball_stands() -> None:
    clip, character = walking().clip, sample_character()
    points = contact_points(character)
    feet = foot_motion(Scene(clip, character, FLAT).state, foot_sites(points), clip.rate_hz, FLAT)
    heights = sole_heights_m(feet, points["left_foot"].names)
    tip, ball = (feet.motion.names.index(f"left_{p}") for p in ("toe_tip", "ball"))
    standing = feet.motion.heights_m[:, tip] - heights[:, TIP]
    np.testing.assert_allclose(standing, feet.standing_m[:, ball], atol=1e-12)
    np.testing.assert_allclose(
        feet.motion.heights_m[:, ball] - heights[:, BALL], feet.standing_m[:, ball], atol=1e-12
    )


@pytest.mark.parametrize("share", [0.5, 2.0])
def test_a_foot_rolls_over_its_tip_or_stands_on_its_ball(share: float) -> None:
    frames = round(share * LONGEST_ROLL_S * RATE_HZ)
    heights = np.zeros((frames + 40, 5))
    raised = slice(20, 20 + frames)
    heights[raised, HEEL], heights[raised, BALL:TIP] = 0.12, 0.03
    found = touching_sole(np.ones(len(heights), dtype=np.bool_), heights, shape_of(), RATE_HZ)
    middle = slice(raised.start + 5, raised.stop - 5)
    assert found[middle, BALL].all() == (share > 1.0)
    assert found[middle, BALL].any() == (share > 1.0)
    assert not found[middle, HEEL].any()


# Turning on the ball


def turning(angle_rad: float, frames: int = 60) -> Seen:
    headings = np.concatenate([np.zeros(30), np.linspace(0.0, angle_rad, frames - 30)])
    return travelling(shape_of(), FLAT, headings, np.zeros((frames, 2)))


@pytest.mark.parametrize("share", [0.8, 4.0])
def test_feet_that_turn_far_on_the_ball_do_not_stand_in_one_print(share: float) -> None:
    seen = turning(share * LARGEST_TURN_RAD)
    flags = np.zeros((seen.count, 5), dtype=np.bool_)
    flags[:, BALL] = True  # the ball alone carries
    weights = weights_of(flags, np.zeros((seen.count, 5)))
    found = stretches_of(seen.shape, seen.points_m[..., [2, 0]], weights, 0, RATE_HZ)
    assert (len(found) == 1) == (share < 1.0)


def test_a_foot_that_turns_on_its_ball_keeps_its_heading_and_its_place() -> None:
    seen = turning(2.5)
    path = seen.path()
    assert not path.static.all()
    assert np.linalg.norm(path.ball_m - path.ball_m.mean(axis=0), axis=1).max() < 0.02
    ahead = seen.points_m[:, TIP] - seen.points_m[:, HEEL]
    made = soles(path)
    ours = made[:, TIP] - made[:, HEEL]
    cosine = (ahead * ours).sum(axis=1) / (
        np.linalg.norm(ahead, axis=1) * np.linalg.norm(ours, axis=1)
    )
    assert np.degrees(np.arccos(np.clip(cosine, -1.0, 1.0))).max() < np.degrees(LARGEST_TURN_RAD)
