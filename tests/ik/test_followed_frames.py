"""Frames that are followed one after another: as near to their goals as they can come."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from poise import ik, rotations
from poise.arrays import Array
from poise.character import Character, complete_character
from poise.constraints import Recruits, Scene, Task
from poise.errors import BadValue
from poise.formats.robots import read_character
from poise.ik.followed_frames import FollowSettings, follow
from poise.ik.problem import IkProblem, IkSolution, keep_in_range, unsolved
from poise.mechanics import forward_kinematics
from poise.motion import Clip
from tests.ik.hinged import (
    RATE_HZ,
    TIP_M,
    Lacking,
    angles,
    arm,
    displacement,
    hinges,
    largest_step,
    scene_of,
    tip_task,
    turned,
)
from tests.ik.posed import everything
from tests.shared_data import ROBOTS, needs_robots

FRAMES = 20
THOROUGH = FollowSettings(iterations=300, settled=1e-12)


def followed(
    problem: IkProblem, settings: FollowSettings | None = None, last: int | None = None
) -> IkSolution:
    at = unsolved(problem)
    follow(problem, at, 0, problem.scene.clip.frame_count - 1 if last is None else last, settings)
    return at


def waving(frames: int = FRAMES, seed: int = 0, size: float = 0.8) -> Array:
    """(F, 6) angles of an arm that moves smoothly within its ranges."""
    random = np.random.default_rng(seed)
    phase, pace = random.uniform(0, 6.3, 6), random.uniform(0.5, 1.5, 6)
    swing = size * np.sin(phase + pace * np.arange(frames)[:, None] / 8.0)
    return swing + np.array([0.0, 0.0, 0.0, 1.2, 0.0, 0.0])


def tips(character: Character, turns: Array) -> Array:
    """(F, 3)"""
    state = forward_kinematics(character.skeleton, np.zeros((len(turns), 3)), turns)
    return state.positions_m[:, 6] + rotations.rotate(state.rotations_wxyz[:, 6], TIP_M)


def reaching(shift_m: Array, seed: int = 0, **changes: Any) -> IkProblem:
    """An arm at rest whose tip is to be where that of a waving one is, shifted."""
    character = arm()
    goals = tips(character, turned(character, waving(seed=seed))) + shift_m
    still = turned(character, np.tile(waving(1, seed), (FRAMES, 1)))
    return ik.build(scene_of(character, still), [replace(tip_task(character, goals), **changes)])


def costs(problem: IkProblem, at: IkSolution, settings: FollowSettings) -> tuple[Array, Array]:
    """(F,) of every frame as found, and as SciPy finds it from the same start."""
    ours, theirs = [], []
    for f in np.flatnonzero(np.isfinite(at.misses).any(axis=1)).tolist():
        before = displacement(problem, f - 1, at) if f else np.zeros(problem.width)
        lacking = Lacking(problem, f, before, settings)
        ours.append(lacking.cost(displacement(problem, f, at)))
        theirs.append(lacking.least())
    return np.array(ours), np.array(theirs)


@pytest.mark.parametrize("seed", range(4))
def test_goals_within_reach_are_met(seed: int) -> None:
    """But for what displacements cost: a thousandth of a metre's error a radian."""
    problem = reaching(np.zeros(3), seed)
    free = FollowSettings(place=1e-9, calm_s=0.0, iterations=100, settled=1e-9)
    assert np.nanmax(followed(problem, free).misses) < 1e-4
    assert np.nanmax(followed(problem).misses) < 0.02
    assert np.nanmax(unsolved(problem).misses, initial=0.0) == 0.0  # nothing is there at first


def test_misses_are_those_of_the_poses_found() -> None:
    problem = reaching(np.array([0.5, 0.0, 0.4]))
    found = followed(problem)
    looked = found.copy()
    looked.misses[:] = np.nan
    ik.look(problem, looked, 0, FRAMES - 1)
    np.testing.assert_allclose(found.misses, looked.misses, atol=1e-12)
    assert np.nanmax(found.misses) > 0.1


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("shift_m", [(0.0, 0.0, 0.0), (0.9, 0.2, -0.4)], ids=["within", "beyond"])
def test_no_frame_costs_more_than_scipy_makes_it_cost(
    seed: int, shift_m: tuple[float, float, float]
) -> None:
    problem = reaching(np.array(shift_m), seed)
    ours, theirs = costs(problem, followed(problem, THOROUGH), THOROUGH)
    assert (ours <= theirs * (1.0 + 1e-3) + 1e-9).all(), (ours / theirs).max()
    usual = FollowSettings()
    ours, theirs = costs(problem, followed(problem, usual), usual)
    assert (ours <= 1.05 * theirs + 1e-6)[5:].all(), (ours / theirs).max()  # the first: see below


@pytest.mark.parametrize("seed", [2, 10])
def test_the_first_frame_costs_no_more_than_later_ones_either(seed: int) -> None:
    problem, usual = reaching(np.array([0.9, 0.2, -0.4]), seed), FollowSettings()
    ours, theirs = costs(problem, followed(problem, usual, 0), usual)
    assert ours[0] <= 1.5 * theirs[0] + 1e-6


def g1_problem() -> IkProblem:
    """G1 that should have hands, feet and pelvis where a body of another size has them."""
    g1 = complete_character(read_character(ROBOTS / "unitree_g1/g1_nomesh.xml"))
    skeleton, roles = g1.skeleton, g1.roles
    assert roles is not None
    random, frames = np.random.default_rng(8), 6
    low, high = np.clip(skeleton.limits_rad[:, 0].T, -0.6, 0.6)
    share = 0.5 + 0.5 * np.sin(
        random.uniform(0, 6.3, skeleton.joint_count) + 0.15 * np.arange(frames)[:, None]
    )
    bend = (low + share * (high - low))[..., None] * skeleton.hinge_axes
    shown = rotations.multiply(skeleton.rest_wxyz, rotations.exp(bend))
    roots = np.tile(skeleton.offsets_m[0], (frames, 1))
    state = forward_kinematics(skeleton, roots, shown)
    rest = np.tile(skeleton.rest_wxyz, (frames, 1, 1))
    scene, by, tasks = Scene(Clip(skeleton, RATE_HZ, roots, rest), g1), everything(g1), list[Task]()
    for role, larger in (("wrist", 1.4), ("elbow", 1.2), ("knee", 1.15), ("ankle", 1.15)):
        for side in ("left", "right"):
            joint = skeleton.index(roles.joints[f"{side}_{role}"])
            goals = larger * (state.positions_m[:, joint] - roots) + roots
            name = f"{side} {role}"
            tasks.append(Task(name, "point", 0, goals, by, joint=joint, weight=0.5 + larger / 3))
    for joint in (0, *(skeleton.index(roles.joints[f"{s}_ankle"]) for s in ("left", "right"))):
        goals = state.rotations_wxyz[:, joint]
        tasks.append(Task(f"turn of {joint}", "turn", 0, goals, by, joint=joint, weight=0.7))
    return ik.build(scene, tasks)


@needs_robots
def test_g1_comes_as_near_to_what_it_cannot_reach_as_scipy_makes_it() -> None:
    problem = g1_problem()
    assert problem.width == 35
    found = followed(problem, THOROUGH)
    assert np.nanmax(found.misses) > 0.03
    ours, theirs = costs(problem, found, THOROUGH)
    assert (ours <= 1.001 * theirs).all(), (ours / theirs).max()
    usual = FollowSettings()
    ours, theirs = costs(problem, followed(problem, usual), usual)
    assert (ours <= 1.05 * theirs).all(), (ours / theirs).max()


@needs_robots
def test_g1_keeps_to_its_ranges() -> None:
    problem = g1_problem()
    found, skeleton = followed(problem), problem.scene.character.skeleton
    low, high = skeleton.limits_rad[hinges(problem.scene.character).joints, 0].T
    hinge = angles(problem.scene.character, found.rotations_wxyz)
    assert np.maximum(low - hinge, hinge - high).max() < 0.02
    keep_in_range(problem, found, 0, len(hinge) - 1)
    hinge = angles(problem.scene.character, found.rotations_wxyz)
    assert np.maximum(low - hinge, hinge - high).max() < 1e-8


@pytest.mark.parametrize("beyond", ["goals", "original"])
def test_hinges_are_in_their_ranges_once_they_are_kept_there(beyond: str) -> None:
    character, skeleton = arm(), arm().skeleton
    goals = np.tile([[-1.5, -1.0, 0.7]], (FRAMES, 1))
    start = waving(size=0.4 if beyond == "goals" else 2.3)
    problem = ik.build(scene_of(character, turned(character, start)), [tip_task(character, goals)])
    found = followed(problem)
    low, high = skeleton.limits_rad[1:, 0].T
    hinge = angles(character, found.rotations_wxyz)
    over = np.maximum(low - hinge, hinge - high).max()
    assert 1e-6 < over < 0.3
    keep_in_range(problem, found, 0, FRAMES - 1)
    kept = angles(character, found.rotations_wxyz)
    assert np.maximum(low - kept, kept - high).max() < 1e-8
    inside = (hinge >= low) & (hinge <= high)
    np.testing.assert_allclose(kept[inside], hinge[inside], atol=1e-12)


# One frame after another.


def over_the_top(past_m: float = 0.002, frames: int = 41) -> IkProblem:
    """A tip that passes the axis of the base's yaw: close by, half a turn in a frame or two.

    Or the pitch goes through zero, as it can.
    """
    axes = np.stack([np.zeros(3), np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])])
    plain = arm().skeleton
    limits = np.tile([-np.inf, np.inf], (7, 3, 1))
    limits[1:, 0] = [-3.0, 3.0]
    axes = np.concatenate([axes, np.tile([1.0, 0.0, 0.0], (4, 1))])
    character = Character(
        replace(
            plain, rest_wxyz=np.tile([1.0, 0, 0, 0], (7, 1)), hinge_axes=axes, limits_rad=limits
        )
    )
    start = turned(character, np.tile([0.0, 0.5, 0.0, 0.4, 0.3, 0.0], (frames, 1)))
    along = np.linspace(0.35, -0.35, frames)
    goals = np.stack([np.full(frames, past_m), np.full(frames, 0.75), along], axis=1)
    return ik.build(scene_of(character, start), [tip_task(character, goals)])


def test_a_calm_arm_passes_a_singular_pose_without_a_flip() -> None:
    problem = over_the_top()
    character = problem.scene.character
    calm = angles(character, followed(problem).rotations_wxyz)
    wild = angles(
        character, followed(problem, FollowSettings(place=1e-9, calm_s=0.0)).rotations_wxyz
    )
    assert largest_step(np.unwrap(wild, axis=0)) > 0.4
    assert largest_step(calm) < 0.2
    assert np.nanmax(followed(problem).misses) < 0.05


@pytest.mark.parametrize("calm_s", [0.0, 6e-4])
def test_calm_is_a_time_against_that_of_a_frame(calm_s: float) -> None:
    """Twice as long at half the rate is the same for every frame."""
    problem = reaching(np.zeros(3))
    settings = FollowSettings(calm_s=calm_s)
    ours, theirs = costs(problem, followed(problem, settings), settings)
    assert (ours <= 1.05 * theirs + 1e-6).all()
    slow = replace(problem, scene=replace(problem.scene, clip=_at(problem.scene.clip, 15.0)))
    again = followed(slow, replace(settings, calm_s=2.0 * calm_s))
    np.testing.assert_array_equal(again.rotations_wxyz, followed(problem, settings).rotations_wxyz)


def _at(clip: Clip, rate_hz: float) -> Clip:
    return replace(clip, rate_hz=rate_hz)


def test_the_same_frames_twice_are_the_same_to_the_last_bit() -> None:
    problem = reaching(np.array([0.3, 0.1, 0.0]))
    first, second = followed(problem), followed(problem)
    other = followed(reaching(np.array([0.3, 0.1, 0.0])))
    for again in (second, other):
        np.testing.assert_array_equal(first.rotations_wxyz, again.rotations_wxyz)
        np.testing.assert_array_equal(first.misses, again.misses)
        np.testing.assert_array_equal(first.iterations, again.iterations)


@pytest.mark.parametrize("cut", [1, 7, FRAMES - 1])
def test_what_is_left_goes_on_from_the_frame_before(cut: int) -> None:
    problem = reaching(np.array([0.3, 0.1, 0.0]))
    whole, parts = followed(problem), unsolved(problem)
    follow(problem, parts, 0, cut - 1)
    np.testing.assert_array_equal(
        parts.rotations_wxyz[cut:], problem.scene.clip.rotations_wxyz[cut:]
    )
    follow(problem, parts, cut, FRAMES - 1)
    np.testing.assert_array_equal(whole.rotations_wxyz, parts.rotations_wxyz)
    np.testing.assert_array_equal(whole.misses, parts.misses)
    # What the frame before holds counts, whoever put it there.
    moved = whole.copy()
    moved.rotations_wxyz[cut - 1] = problem.scene.clip.rotations_wxyz[cut - 1]
    follow(problem, moved, cut, cut)
    assert np.abs(moved.rotations_wxyz[cut] - whole.rotations_wxyz[cut]).max() > 1e-9


def test_without_iterations_the_displacement_of_the_frame_before_is_kept() -> None:
    character = arm()
    start = turned(character, waving())
    problem = ik.build(scene_of(character, start), [tip_task(character, np.zeros((FRAMES, 3)))])
    at = unsolved(problem)
    follow(problem, at, 0, 0)
    follow(problem, at, 1, FRAMES - 1, FollowSettings(iterations=0))
    off = angles(character, at.rotations_wxyz) - angles(character, start)
    assert np.abs(off[0]).max() > 0.01
    np.testing.assert_allclose(off, np.tile(off[0], (FRAMES, 1)), atol=1e-12)
    assert (at.iterations[1:] == 0).all() and np.isfinite(at.misses).all()


# No tasks, no goals.


def test_without_tasks_nothing_moves() -> None:
    character = arm()
    scene = scene_of(character, turned(character, waving()))
    for also in (None, hinges(character)):
        found = followed(ik.build(scene, [], also=also))
        np.testing.assert_allclose(found.rotations_wxyz, scene.clip.rotations_wxyz, atol=1e-15)
        assert found.misses.shape == (FRAMES, 0)


def test_tasks_that_recruit_nothing_move_nothing() -> None:
    nobody = Recruits(np.zeros(7, dtype=np.bool_), False)
    problem = reaching(np.zeros(3), recruits=nobody)
    found = followed(problem)
    np.testing.assert_array_equal(found.rotations_wxyz, problem.scene.clip.rotations_wxyz)


def test_goals_of_nan_are_no_goals() -> None:
    """They are the same as frames in which no task holds, and their misses are NaN."""
    problem = reaching(np.array([0.2, 0.0, 0.1]))
    goals = problem.packed.goals.copy()
    goals[6:11] = np.nan
    found = followed(problem.with_goals(goals))
    assert np.isnan(found.misses[6:11]).all()
    assert np.isfinite(np.delete(found.misses, range(6, 11))).all()
    task = problem.tasks[0]
    parts = [
        replace(task, goals=task.goals[:6]), replace(task, first=11, goals=task.goals[11:])
    ]  # fmt: skip
    cut = followed(ik.build(problem.scene, parts))
    np.testing.assert_array_equal(found.rotations_wxyz, cut.rotations_wxyz)
    assert np.isfinite(found.rotations_wxyz).all()


def test_a_displacement_fades_where_there_are_no_goals() -> None:
    problem = reaching(np.array([0.2, 0.0, 0.1]))
    goals = problem.packed.goals.copy()
    goals[4:] = np.nan
    found = followed(problem.with_goals(goals))
    off = np.array([np.linalg.norm(displacement(problem, f, found)) for f in range(FRAMES)])
    assert (np.diff(off[3:]) < 0.0).all()


def test_one_sided_points_ask_for_nothing_on_their_right_side() -> None:
    low = np.array([-9.0, -9.0, -9.0])
    inside = reaching(low, side=-1)
    found = followed(inside)
    np.testing.assert_allclose(found.rotations_wxyz, inside.scene.clip.rotations_wxyz, atol=1e-15)
    outside = reaching(-low, side=-1, axes=(True, False, False))
    off = followed(outside).rotations_wxyz - outside.scene.clip.rotations_wxyz
    assert np.abs(off).max() > 0.1


@pytest.mark.parametrize(
    "wrong", [{"place": 0.0}, {"place": float("nan")}, {"iterations": -1}, {"iterations": 1001}]
)
def test_settings_that_make_no_sense_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadValue, match=next(iter(wrong))):
        FollowSettings(**wrong)


@pytest.mark.parametrize("name", ["calm_s", "range", "settled"])
@pytest.mark.parametrize("value", [-1.0, float("nan")])
def test_negative_prices_are_refused(name: str, value: float) -> None:
    with pytest.raises(BadValue, match=name):
        FollowSettings(**{name: value})  # type: ignore[arg-type]
