"""The physics solve without its laws: what it meets, how smoothly, and what it leaves alone."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from poise import ik, rotations
from poise.arrays import Array
from poise.character import Character, with_ranges
from poise.constraints import Recruits, Scene, Task
from poise.constraints.recruiting import EVERYTHING, recruits_of_point, recruits_of_turn
from poise.contact import intervals
from poise.errors import BadValue
from poise.ik.inertia_stiffness import inertia_stiffness
from poise.ik.limits import limited_numbers as limited_numbers_kernel
from poise.ik.limits import widened
from poise.ik.packed import ANGLE
from poise.ik.problem import IkProblem, IkSolution, unsolved
from poise.mechanics import center_of_mass, forward_kinematics
from poise.mechanics.center_of_mass import carried_inertias_kg_m2
from poise.motion import Clip
from poise.physics import WholeSettings
from poise.physics.likeness import tail_of
from poise.samples import sample_character, walking, with_foot_slide
from tests.called_from_python import from_python
from tests.constraints.made_scenes import gap
from tests.ik.posed import everything
from tests.physics.kinematic import settings, solve_whole
from tests.physics.test_likeness_rows import Filled, price_of

limited_numbers = from_python(limited_numbers_kernel)

MET_M = 1e-4


@cache
def walk(rate_hz: float = 60.0) -> tuple[Scene, tuple[Task, ...]]:
    """A walk that slides over the ground, and tasks that hold its feet where they stand."""
    sample = with_foot_slide(walking(seconds=2.0, rate_hz=rate_hz), 10.0, (1.0, 0.0, 0.0))
    character = sample_character()
    scene = Scene(sample.clip, character)
    tasks: list[Task] = []
    for side, name in (("left", "LeftFoot"), ("right", "RightFoot")):
        joint = character.skeleton.index(name)
        path, turns = scene.state.positions_m[:, joint], scene.state.rotations_wxyz[:, joint]
        still = sample.contacts.column(f"{side}_foot")
        # While the ankle hardly goes ahead, the foot is flat.
        still = still & (np.abs(np.gradient(path[:, 2])) * rate_hz < 0.05)
        for a, b in intervals(still):
            held = np.repeat(path[[(a + b) // 2]], b - a, axis=0)
            by = recruits_of_point(character, joint, np.zeros(3), EVERYTHING)
            tasks.append(Task(f"{side} from {a}", "point", a, held, by, joint=joint))
            by = recruits_of_turn(character, joint, EVERYTHING)
            tasks.append(Task(f"{side} flat from {a}", "turn", a, turns[a:b], by, joint=joint))
    assert len(tasks) >= 6
    return scene, tuple(tasks)


def made_clip(scene: Scene, solution: IkSolution) -> Clip:
    return replace(
        scene.clip,
        root_positions_m=solution.root_positions_m,
        rotations_wxyz=rotations.continuous(solution.rotations_wxyz),
    )


@cache
def solved() -> IkSolution:
    scene, tasks = walk()
    return solve_whole(ik.build(scene, tasks))


def jerk(clip: Clip) -> float:
    """RMS of all joints, m/s³."""
    places = forward_kinematics(clip.skeleton, *clip.pose).positions_m
    third = np.diff(places, 3, axis=0) * clip.rate_hz**3
    return float(np.sqrt((third**2).sum(axis=-1).mean()))


def test_hard_tasks_are_met() -> None:
    scene, tasks = walk()
    assert max(gap(task, scene).max() for task in tasks) > 0.01
    clip = made_clip(scene, solved())
    for task in tasks:
        assert gap(task, scene, clip).max() < MET_M


def test_misses_are_those_of_the_motion_that_is_returned() -> None:
    scene, tasks = walk()
    clip, misses = made_clip(scene, solved()), solved().misses
    for n, task in enumerate(ik.build(scene, tasks).tasks):
        frames = slice(task.first, task.last + 1)
        np.testing.assert_allclose(misses[frames, n], gap(task, scene, clip), atol=1e-7)
        assert np.isnan(np.delete(misses[:, n], np.r_[frames])).all()


def test_a_whole_clip_is_smoother_than_one_frame_after_the_other() -> None:
    scene, tasks = walk()
    problem = ik.build(scene, tasks)
    framewise = unsolved(problem)
    ik.solve(problem, ik.IkSettings(), framewise, 0, scene.clip.frame_count - 1)
    one_by_one = jerk(made_clip(scene, framewise))
    together = jerk(made_clip(scene, solved()))
    assert together < 0.5 * one_by_one
    assert together < 1.3 * jerk(scene.clip)


def test_the_same_problem_has_the_same_solution() -> None:
    scene, tasks = walk()
    again = solve_whole(ik.build(scene, tasks))
    np.testing.assert_array_equal(again.rotations_wxyz, solved().rotations_wxyz)
    np.testing.assert_array_equal(again.root_positions_m, solved().root_positions_m)


def test_the_original_is_not_written_to() -> None:
    scene, tasks = walk()
    roots, turns = scene.clip.root_positions_m.copy(), scene.clip.rotations_wxyz.copy()
    solve_whole(ik.build(scene, tasks), replace(settings(), iterations=2))
    np.testing.assert_array_equal(scene.clip.root_positions_m, roots)
    np.testing.assert_array_equal(scene.clip.rotations_wxyz, turns)


@pytest.mark.parametrize("hard", [1e4, 1e7])
def test_the_cost_never_rises(hard: float) -> None:
    scene, tasks = walk(30.0)
    problem = ik.build(scene, tasks)
    s, rate = WholeSettings(), scene.clip.rate_hz
    chosen = replace(settings((hard,)), rounds=0, gain=1e-9)
    velocity, acceleration = (s.velocity_s * rate) ** 2, (s.acceleration_s * rate) ** 4
    price = price_of(
        inertia_stiffness(problem), scene.clip.frame_count, place=s.place, velocity=velocity,
        acceleration=acceleration, hard=hard, wish=s.wish, center=s.center * rate**4, range=s.range,
        tail=tail_of(s.place, velocity, np.full(problem.width, acceleration)),
    )  # fmt: skip
    costs = [Filled(problem, price, unsolved(problem)).cost_and_equations()[0]]
    for most in range(1, 9):
        at = solve_whole(problem, replace(chosen, iterations=most))
        costs.append(Filled(problem, price, at).cost_and_equations()[0])
    assert all(after <= before for before, after in pairwise(costs))
    assert costs[-1] < 0.05 * costs[0]


def test_going_on_from_a_solution_hardly_moves_it() -> None:
    scene, tasks = walk()
    again = solve_whole(ik.build(scene, tasks), start=solved())
    turned = rotations.angle_between(again.rotations_wxyz, solved().rotations_wxyz)
    assert np.degrees(turned.max()) < 0.5
    for task in tasks:
        assert gap(task, scene, made_clip(scene, again)).max() < MET_M


def test_what_nobody_recruits_keeps_its_bits() -> None:
    scene, _ = walk()
    character, skeleton = scene.character, scene.character.skeleton
    hand = skeleton.index("LeftHand")
    arm = np.array([n.startswith("Left") and "Arm" in n for n in skeleton.joint_names])
    goals = scene.state.positions_m[30:60, hand] + [0.03, 0.04, 0.0]
    task = Task("hand", "point", 30, goals, Recruits(arm, False), joint=hand)
    solution = solve_whole(ik.build(scene, [task]))
    np.testing.assert_array_equal(solution.root_positions_m, scene.clip.root_positions_m)
    np.testing.assert_array_equal(
        solution.rotations_wxyz[:, ~arm], scene.clip.rotations_wxyz[:, ~arm]
    )
    assert gap(task, scene, made_clip(scene, solution)).max() < 2.0 * MET_M
    assert character.body is not None


def test_nothing_to_do_is_nothing_done() -> None:
    scene, tasks = walk()
    nothing = solve_whole(ik.build(scene, []))
    np.testing.assert_array_equal(nothing.rotations_wxyz, scene.clip.rotations_wxyz)
    there = [replace(task, goals=_as_is(task, scene)) for task in tasks]
    kept = solve_whole(ik.build(scene, there))
    assert np.abs(kept.root_positions_m - scene.clip.root_positions_m).max() < 1e-9
    turned = rotations.angle_between(kept.rotations_wxyz, scene.clip.rotations_wxyz)
    assert turned.max() < 1e-6


def _as_is(task: Task, scene: Scene) -> Array:
    state = scene.state
    held = state.positions_m if task.kind == "point" else state.rotations_wxyz
    return held[task.first : task.last + 1, task.joint]


def low_wrist(side: int) -> tuple[Scene, Task]:
    """The wrist may not be above (1) or below (-1) its middle height."""
    scene, _ = walk()
    hand = scene.character.skeleton.index("LeftHand")
    path = scene.state.positions_m[:, hand]
    goals = path.copy()
    goals[:, 1] = 0.5 * (path[:, 1].min() + path[:, 1].max())
    by = recruits_of_point(scene.character, hand, np.zeros(3), EVERYTHING)
    axes = (False, True, False)
    return scene, Task("wrist", "point", 0, goals, by, joint=hand, axes=axes, side=side)


@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_tasks_hold_on_one_side_only(side: int) -> None:
    scene, task = low_wrist(side)
    clip = made_clip(scene, solve_whole(ik.build(scene, [task])))
    before = side * (scene.state.positions_m[:, task.joint, 1] - task.goals[:, 1])
    state = forward_kinematics(clip.skeleton, *clip.pose)
    after = side * (state.positions_m[:, task.joint, 1] - task.goals[:, 1])
    assert before.max() > 0.01
    assert after.max() < MET_M
    # Where it was well on the right side it is not drawn to the goal.
    well = before < 0.5 * before.min()
    assert (after[well] < 0.3 * before.min()).all()


@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_tasks_ask_for_nothing_on_the_right_side(side: int) -> None:
    scene, task = low_wrist(side)
    away = task.goals + np.array([0.0, side * 1.0, 0.0])
    solution = solve_whole(ik.build(scene, [replace(task, goals=away)]))
    np.testing.assert_allclose(
        solution.root_positions_m, scene.clip.root_positions_m, rtol=0, atol=1e-12
    )
    turned = rotations.angle_between(solution.rotations_wxyz, scene.clip.rotations_wxyz)
    assert turned.max() < 1e-7


def excess_rad(problem: IkProblem, turns: Array) -> float:
    """How far a motion is beyond limits."""
    limits, worst = problem.limits, 0.0
    for l in range(len(limits.block)):
        joint = int(problem.blocks.joint[limits.block[l]])
        count = 1 if limits.kind[l] == ANGLE else 3
        for q in turns[:, joint]:
            n = np.array(limited_numbers(limits, l, *q))[:count]
            over = np.maximum(n - limits.high[l, :count], limits.low[l, :count] - n)
            worst = max(worst, float(over.max()))
    return worst


def reaching_behind() -> tuple[Scene, Task]:
    """A hand that should be held so that the wrist has to bend further than it can."""
    scene, _ = walk(30.0)
    character = with_ranges(scene.character)
    scene = Scene(scene.clip, character)
    hand = character.skeleton.index("LeftHand")
    only = np.zeros(character.skeleton.joint_count, dtype=np.bool_)
    only[[character.skeleton.index(n) for n in ("LeftHand", "LeftForeArm", "LeftArm")]] = True
    bent = rotations.multiply(
        scene.state.rotations_wxyz[10:40, hand], rotations.exp(np.array([1.2, -0.9, 1.4]))
    )
    return scene, Task("hand", "turn", 10, bent, Recruits(only, False), joint=hand)


def test_joints_stay_in_their_ranges() -> None:
    scene, task = reaching_behind()
    problem = ik.build(scene, [task])
    held = widened(problem.limits, problem.blocks, scene.clip.rotations_wxyz)
    problem = replace(problem, limits=held)
    assert excess_rad(problem, scene.clip.rotations_wxyz) <= 1e-12
    # What has to hold is stronger than a range, and a range than a wish.
    ranged, without = (
        solve_whole(
            problem,
            replace(settings((1e2,), place=10.0, range=weight), rounds=0),
        )
        for weight in (1e6, 0.0)
    )
    assert excess_rad(problem, without.rotations_wxyz) > np.radians(2.0)
    assert excess_rad(problem, ranged.rotations_wxyz) < np.radians(0.2)


def swift_reach() -> tuple[Scene, list[Task]]:
    """Feet that stand, and a hand that is pulled aside in a sixth of a second."""
    scene, feet = walk()
    hand = scene.character.skeleton.index("LeftHand")
    path = scene.state.positions_m[:, hand]
    by = recruits_of_point(scene.character, hand, np.zeros(3), EVERYTHING)
    here = Task("here", "point", 30, path[30:55], by, joint=hand)
    aside = path[65:90] + np.array([0.15, 0.0, 0.0])
    there = Task("there", "point", 65, aside, by, joint=hand)
    return scene, [*feet, here, there]


def fastest_rad_s(clip: Clip) -> Array:
    """(J,)"""
    turns = clip.rotations_wxyz
    return rotations.angle_between(turns[:-1], turns[1:]).max(axis=0) * clip.rate_hz


def test_joints_turn_hardly_faster_than_they_may() -> None:
    scene, tasks = swift_reach()
    problem, names = ik.build(scene, tasks), scene.character.skeleton.joint_names
    arm = [name in ("LeftShoulder", "LeftArm", "LeftForeArm") for name in names]
    most = np.where(arm, np.maximum(1.05 * fastest_rad_s(scene.clip), 0.5), np.inf)
    free = made_clip(scene, solve_whole(problem))
    calm = made_clip(scene, solve_whole(problem, fastest_rad_s=most))
    assert (fastest_rad_s(free) / most).max() > 1.2
    assert (fastest_rad_s(calm) / most).max() < 1.03
    for task in tasks:
        assert gap(task, scene, calm).max() < MET_M


def test_widened_limits_hold_the_motion_and_are_no_wider() -> None:
    scene, _ = walk(30.0)
    character = with_ranges(scene.character)
    problem = ik.build(
        Scene(scene.clip, character),
        [Task("all", "turn", 0, scene.clip.rotations_wxyz[:, 0], everything(character), joint=0)],
    )
    narrow = problem.limits._replace(low=0.2 * problem.limits.low, high=0.2 * problem.limits.high)
    tight = replace(problem, limits=narrow)
    assert excess_rad(tight, scene.clip.rotations_wxyz) > 0.05
    wide = widened(narrow, problem.blocks, scene.clip.rotations_wxyz)
    assert (wide.low <= narrow.low).all() and (wide.high >= narrow.high).all()
    assert excess_rad(replace(problem, limits=wide), scene.clip.rotations_wxyz) <= 1e-12
    # Slack is added to that, for the joints that have it.
    slack = np.zeros(character.skeleton.joint_count)
    slack[3] = 0.2
    loose = widened(narrow, problem.blocks, scene.clip.rotations_wxyz, slack)
    has = problem.blocks.joint[problem.limits.block] == 3
    assert has.any()
    np.testing.assert_allclose(loose.high - wide.high, 0.2 * np.tile(has[:, None], 3))
    np.testing.assert_allclose(wide.low - loose.low, 0.2 * np.tile(has[:, None], 3))
    # One frame alone asks for no more than all of them, and the given limits are as they were.
    one = widened(narrow, problem.blocks, scene.clip.rotations_wxyz[:1])
    assert (one.low >= wide.low).all() and (one.high <= wide.high).all()
    assert excess_rad(tight, scene.clip.rotations_wxyz) > 0.05


def test_centres_are_asked_to_accelerate_as_their_goals_do() -> None:
    scene, tasks = walk()
    body = scene.character.body
    assert body is not None
    path = center_of_mass(scene.state, body)
    nobody = Recruits(np.zeros(scene.character.skeleton.joint_count, dtype=np.bool_), True)
    # Where the goal is says nothing, nor how fast it goes: only its acceleration does.
    goals = path + np.array([5.0, 1.0, -3.0]) + np.arange(len(path))[:, None] * [0.01, 0.02, 0.0]
    wish = Task("centre", "center", 0, goals, nobody, 2)

    def missed(weight: float) -> float:
        at = solve_whole(ik.build(scene, [*tasks, wish]), settings(center=weight))
        clip = made_clip(scene, at)
        for task in tasks:
            assert gap(task, scene, clip).max() < MET_M
        state = forward_kinematics(clip.skeleton, *clip.pose)
        off = np.diff(center_of_mass(state, body) - path, 2, axis=0) * clip.rate_hz**2
        return float(np.sqrt((off**2).mean()))

    assert missed(1.0) < 0.5 * missed(0.0)


# Refusals, and what joints carry


def test_weights_beyond_all_reason_are_refused() -> None:
    with pytest.raises(BadValue, match="acceleration_s must be from 0"):
        WholeSettings(acceleration_s=1e60)


def test_a_character_without_masses_is_refused() -> None:
    scene, tasks = walk(30.0)
    bare = Scene(scene.clip, replace(scene.character, body=None))
    problem = ik.build(bare, tasks)
    with pytest.raises(BadValue, match="body"):
        solve_whole(problem)


@pytest.mark.parametrize("frames", [1, 2, 3])
def test_clips_of_few_frames_are_solved(frames: int) -> None:
    scene, _ = walk()
    clip = scene.clip.sliced(0, frames)
    short = Scene(clip, scene.character)
    joint = clip.skeleton.index("LeftHand")
    goals = short.state.positions_m[:, joint] + [0.0, 0.05, 0.0]
    by = recruits_of_point(scene.character, joint, np.zeros(3), EVERYTHING)
    task = Task("hand", "point", 0, goals, by, joint=joint)
    assert gap(task, short, made_clip(short, solve_whole(ik.build(short, [task])))).max() < MET_M


def test_joints_carry_the_inertia_of_all_that_hangs_on_them() -> None:
    character: Character = sample_character()
    skeleton, body = character.skeleton, character.body
    assert body is not None
    carried = carried_inertias_kg_m2(skeleton, body)
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.rest_wxyz[None])
    # About the root, by hand: the trace of every segment's inertia moved there by Steiner's law.
    total = np.zeros((3, 3))
    for j in range(skeleton.joint_count):
        matrix = rotations.to_matrix(rest.rotations_wxyz[0, j])
        r = rest.positions_m[0, j] + matrix @ body.centers_m[j] - rest.positions_m[0, 0]
        total += matrix @ body.inertias_kg_m2[j] @ matrix.T
        total += body.masses_kg[j] * ((r @ r) * np.eye(3) - np.outer(r, r))
    assert carried[0] == pytest.approx(np.trace(total) / 3.0)
    names = ("LeftArm", "LeftForeArm", "LeftHand")
    down = [carried[skeleton.index(name)] for name in names]
    assert carried[0] > down[0] > down[1] > down[2] > 0.0
