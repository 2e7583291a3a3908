"""Feet of an edited motion: on prints that move as a whole, led smoothly from one to the next."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from poise import rotations
from poise.arrays import Array
from poise.constraints import Task
from poise.contact import ContactSchedule
from poise.contact.schedule import intervals
from poise.environment import Environment, Ground
from poise.methods.pattern.motion_vectors import motion_of
from poise.methods.pattern.planted import foot_tasks
from poise.motion import Clip
from poise.samples import Sample, walking
from tests.methods.swings import character, free_ways, moved, state_of

FLAT = Environment.flat()
ANKLES = {"left_foot": 3, "right_foot": 7}


@cache
def walk() -> Sample:
    return walking(seconds=2.0, rate_hz=30.0)


def bent(size: float, seed: int = 0) -> Clip:
    """The walk with all joints turned a little, and its root moved, slowly."""
    clip = walk().clip
    weights = size * np.random.default_rng(seed).normal(size=5)
    vector = np.tensordot(weights, free_ways(5, clip.frame_count), axes=1)
    roots, turns = motion_of(clip.root_positions_m, clip.rotations_wxyz, vector)
    return replace(clip, root_positions_m=roots, rotations_wxyz=turns)


def tasks_for(
    after: Clip, contacts: ContactSchedule | None = None, environment: Environment = FLAT
) -> dict[tuple[str, str], Task]:
    """Point and turn tasks of both feet, by name and kind."""
    made = foot_tasks(
        state_of(walk().clip),
        state_of(after),
        contacts or walk().contacts,
        character(),
        environment,
    )
    return {(task.name, task.kind): task for foot in made for task in foot}


def same_turns(a: Array, b: Array) -> float:
    return float(rotations.angle_between(a, b).max())


@pytest.mark.parametrize("foot", ANKLES)
def test_an_edit_that_changes_nothing_changes_no_foot(foot: str) -> None:
    tasks, state = tasks_for(walk().clip), state_of(walk().clip)
    np.testing.assert_allclose(
        tasks[foot, "point"].goals, state.positions_m[:, ANKLES[foot]], atol=1e-14
    )
    assert same_turns(tasks[foot, "turn"].goals, state.rotations_wxyz[:, ANKLES[foot]]) < 1e-7


@pytest.mark.parametrize("foot", ANKLES)
@pytest.mark.parametrize(
    "turn, by", [(0.0, (0.3, 0.0, -0.2)), (0.7, (0.0, 0.0, 0.0)), (-2.8, (1.0, 0.0, 2.0))]
)
def test_a_motion_moved_as_a_whole_takes_its_prints_along(
    foot: str, turn: float, by: tuple[float, float, float]
) -> None:
    after = moved(walk().clip, turn, by)
    tasks, state = tasks_for(after), state_of(after)
    np.testing.assert_allclose(
        tasks[foot, "point"].goals, state.positions_m[:, ANKLES[foot]], atol=1e-9
    )
    assert same_turns(tasks[foot, "turn"].goals, state.rotations_wxyz[:, ANKLES[foot]]) < 1e-7


@pytest.mark.parametrize("foot", ANKLES)
def test_a_motion_lifted_as_a_whole_is_put_back_on_the_ground(foot: str) -> None:
    after = moved(walk().clip, 0.0, (0.0, 0.1, 0.0))
    known = state_of(walk().clip).positions_m[:, ANKLES[foot]]
    np.testing.assert_allclose(tasks_for(after)[foot, "point"].goals, known, atol=1e-12)


@pytest.mark.parametrize("foot", ANKLES)
def test_on_a_print_the_foot_moves_as_in_the_clip_but_for_one_turn_and_shift(foot: str) -> None:
    tasks, ankle = tasks_for(bent(0.05)), ANKLES[foot]
    before = state_of(walk().clip)
    for first, stop in intervals(walk().contacts.column(foot)):
        old = before.positions_m[first:stop, ankle]
        goals = tasks[foot, "point"].goals[first:stop]
        np.testing.assert_allclose(goals[:, 1], old[:, 1], atol=1e-12)
        old_turns = before.rotations_wxyz[first:stop, ankle]
        turns = rotations.multiply(
            tasks[foot, "turn"].goals[first:stop], rotations.conjugate(old_turns)
        )
        assert same_turns(turns, turns[:1]) < 1e-7
        np.testing.assert_allclose(turns[:, [1, 3]], 0.0, atol=1e-12)
        apart = rotations.rotate(turns[0], old - old.mean(axis=0))
        np.testing.assert_allclose(goals - goals.mean(axis=0), apart, atol=1e-12)


@pytest.mark.parametrize("foot", ANKLES)
def test_a_print_lies_where_the_edit_has_the_foot_on_average(foot: str) -> None:
    after = bent(0.05)
    goals, places = (
        tasks_for(after)[foot, "point"].goals,
        state_of(after).positions_m[:, ANKLES[foot]],
    )
    for first, stop in intervals(walk().contacts.column(foot)):
        off = (goals - places)[first:stop].mean(axis=0)
        np.testing.assert_allclose(off[[0, 2]], 0.0, atol=1e-12)


@pytest.mark.parametrize("foot", ANKLES)
@pytest.mark.parametrize("size", [0.02, 0.08])
def test_what_is_added_to_a_foot_is_continuous_and_no_wilder_than_its_prints(
    foot: str, size: float
) -> None:
    after = bent(size)
    places = state_of(after).positions_m[:, ANKLES[foot]]
    added = tasks_for(after)[foot, "point"].goals - places
    touching = walk().contacts.column(foot)
    steps = np.linalg.norm(np.diff(added, axis=0), axis=1)
    both = touching[1:] & touching[:-1]
    assert steps.max() < 3.0 * steps[both].max() + 0.01
    # No corner where a foot leaves or lands, either.
    bends = np.linalg.norm(np.diff(added, 2, axis=0), axis=1)
    assert bends.max() < 0.4 * steps.max() + 2e-3


@pytest.mark.parametrize("foot", ANKLES)
def test_before_the_first_print_and_after_the_last_what_is_added_stays(foot: str) -> None:
    after = bent(0.05)
    places = state_of(after).positions_m[:, ANKLES[foot]]
    added = tasks_for(after)[foot, "point"].goals - places
    phases = intervals(walk().contacts.column(foot))
    first, last = phases[0][0], phases[-1][1] - 1
    np.testing.assert_allclose(added[:first], np.repeat(added[[first]], first, axis=0), atol=1e-12)
    rest = len(added) - last
    np.testing.assert_allclose(added[last:], np.repeat(added[[last]], rest, axis=0), atol=1e-12)


def test_a_print_of_one_frame_is_a_print() -> None:
    touching = np.zeros((walk().clip.frame_count, 1), dtype=np.bool_)
    touching[[10, 30, 31]] = True
    contacts = ContactSchedule(("left_foot",), touching, 30.0)
    after = bent(0.05)
    tasks = tasks_for(after, contacts)
    before = state_of(walk().clip).positions_m[:, 3]
    goals = tasks["left_foot", "point"].goals
    assert goals[10, 1] == pytest.approx(before[10, 1], abs=1e-12)
    assert np.isfinite(goals).all()
    assert ("right_foot", "point") not in tasks


def test_prints_side_by_side_are_two() -> None:
    touching = np.ones((walk().clip.frame_count, 1), dtype=np.bool_)
    touching[20] = False
    contacts = ContactSchedule(("left_foot",), touching, 30.0)
    goals = tasks_for(bent(0.05), contacts)["left_foot", "point"].goals
    steps = np.linalg.norm(np.diff(goals, axis=0), axis=1)
    assert np.isfinite(goals).all() and steps[18:22].max() < 2.0 * steps.max()


def test_feet_that_never_touch_are_left_alone() -> None:
    nothing = ContactSchedule(
        ("left_foot", "right_foot"), np.zeros((walk().clip.frame_count, 2), dtype=np.bool_), 30.0
    )
    assert tasks_for(bent(0.05), nothing) == {}
    other = ContactSchedule(
        ("pelvis",), np.ones((walk().clip.frame_count, 1), dtype=np.bool_), 30.0
    )
    assert tasks_for(bent(0.05), other) == {}


def test_on_ground_that_is_not_level_prints_stay_where_they_were() -> None:
    slope = Environment((Ground(normal=(0.1, 1.0, 0.0)),))
    tasks = tasks_for(bent(0.05), environment=slope)
    before = state_of(walk().clip).positions_m
    for foot, ankle in ANKLES.items():
        touching = walk().contacts.column(foot)
        goals = tasks[foot, "point"].goals
        np.testing.assert_allclose(goals[touching], before[touching, ankle], atol=1e-12)


def test_only_legs_are_asked() -> None:
    tasks, names = tasks_for(bent(0.05)), walk().clip.skeleton.joint_names
    for foot in ANKLES:
        side = foot.partition("_")[0].capitalize()
        for kind, known in (
            ("point", {f"{side}UpLeg", f"{side}Leg"}),
            ("turn", {f"{side}UpLeg", f"{side}Leg", f"{side}Foot"}),
        ):
            recruits = tasks[foot, kind].recruits
            assert {n for n, r in zip(names, recruits.joints, strict=True) if r} == known
            assert not recruits.translation
