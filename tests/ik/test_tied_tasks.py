"""Points that are tied from frame to frame: they move as their goals do, wherever they are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from poise import ik
from poise.arrays import Array
from poise.constraints import Recruits, Scene, Task
from poise.errors import BadValue
from poise.ik.followed_frames import follow
from poise.ik.problem import IkSolution, unsolved
from poise.mechanics import forward_kinematics
from poise.physics import nowhere, solve_clip
from tests.constraints.made_scenes import free_scene, quantity, walk_scene
from tests.ik.posed import everything
from tests.ik.test_rows import CASES, FRAMES
from tests.methods.edited import sampled
from tests.physics.kinematic import nothing, settings, solve_whole
from tests.physics.test_likeness_rows import Filled, dense, filled

FAR_M = np.array([30.0, -20.0, 10.0])
FIRST, LAST = 10, 40
HUMAN = free_scene(0, FRAMES).character
TIED_POINTS = [n for n in CASES if CASES[n].kind == "point"]


def foot_of(scene: Scene) -> int:
    return scene.character.skeleton.index("LeftFoot")


def leg_of(scene: Scene) -> Recruits:
    """The leg alone: nothing far away is within its reach."""
    skeleton = scene.character.skeleton
    joints = np.zeros(skeleton.joint_count, dtype=np.bool_)
    joints[list(skeleton.ancestors(foot_of(scene))[:3])] = True
    return Recruits(joints, False)


def standing(goals: Array, first: int = FIRST, *, by: Recruits | None = None) -> Task:
    scene = walk_scene()
    return Task(
        "stands", "point", first, goals, by or leg_of(scene), joint=foot_of(scene), tied=True
    )


def still(at_m: Array = FAR_M, frames: int = LAST - FIRST + 1) -> Array:
    """(n, 3) goals that do not move."""
    return np.tile(at_m, (frames, 1))


def places(scene: Scene, found: IkSolution) -> Array:
    """(F, 3) of the foot."""
    skeleton = scene.character.skeleton
    state = forward_kinematics(skeleton, found.root_positions_m, found.rotations_wxyz)
    return state.positions_m[:, foot_of(scene)]


def solved(*tasks: Task) -> IkSolution:
    return solve_whole(ik.build(walk_scene(), list(tasks)))


def slow_part() -> tuple[int, int]:
    """Frames in which the foot stays within what its leg can make up for."""
    path = walk_scene().state.positions_m[:, foot_of(walk_scene())]
    length = 16
    spread = [float(np.ptp(path[f : f + length], axis=0).max()) for f in range(len(path) - length)]
    first = int(np.argmin(spread))
    return first, first + length


def test_a_point_that_stands_does_not_move_wherever_it_stands() -> None:
    scene, (first, stop) = walk_scene(), slow_part()
    before = scene.state.positions_m[first:stop, foot_of(scene)]
    assert np.ptp(before, axis=0).max() > 0.01  # or there would be nothing to do
    found = solved(standing(still(frames=stop - first), first))
    after = places(scene, found)[first:stop]
    assert np.ptp(after, axis=0).max() < 1e-4
    assert np.linalg.norm(after - before, axis=1).max() < 0.05
    # A goal that is a place is out of reach, and tears at the leg.
    held = solved(replace(standing(still(frames=stop - first), first), tied=False))
    assert np.nanmin(held.misses) > 30.0
    assert np.linalg.norm(places(scene, held)[first:stop] - before, axis=1).max() > 0.2


def test_where_the_goals_of_a_tied_point_are_says_nothing() -> None:
    first, stop = slow_part()
    near, far = (solved(standing(still(at, stop - first), first)) for at in (np.zeros(3), FAR_M))
    np.testing.assert_allclose(near.rotations_wxyz, far.rotations_wxyz, atol=1e-9)
    np.testing.assert_allclose(near.misses, far.misses, atol=1e-9)


@pytest.mark.parametrize("belt", [(0.0, 0.0, -0.9), (0.3, 0.0, 0.6)])
def test_a_tied_point_takes_the_steps_of_its_goal(belt: tuple[float, float, float]) -> None:
    """As on a belt, and on one that starts and stops."""
    scene, (first, stop) = walk_scene(), slow_part()
    steps = np.outer(np.sin(np.linspace(0.0, np.pi, stop - first - 1)), belt) / 30.0
    goals = FAR_M + np.concatenate([np.zeros((1, 3)), np.cumsum(steps, axis=0)])
    found = solve_whole(ik.build(scene, [standing(goals, first, by=everything(scene.character))]))
    after = places(scene, found)[first:stop]
    np.testing.assert_allclose(np.diff(after, axis=0), steps, atol=1e-5)


def test_only_the_axes_that_count_are_tied() -> None:
    scene, (first, stop) = walk_scene(), slow_part()
    level = replace(standing(still(frames=stop - first), first), axes=(True, False, True))
    spread = np.ptp(places(scene, solved(level))[first:stop], axis=0)
    assert spread[[0, 2]].max() < 1e-4 < 1e-3 < spread[1]


@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_misses_of_tied_points_are_steps_not_distances(weight: float) -> None:
    """In metres, whatever it weighs against others; nothing precedes the first."""
    scene = walk_scene()
    light = replace(standing(still()), weight=weight, priority=2)
    # The root is held, and the foot cannot stand over so many frames.
    heavy = Task(
        "held", "point", 0, scene.state.positions_m[:, 0], everything(scene.character), priority=2,
        joint=0,
    )  # fmt: skip
    found = solved(light, heavy)
    misses = found.misses[:, [t.name for t in (light, heavy)].index("stands")]
    steps = np.linalg.norm(np.diff(places(scene, found)[FIRST : LAST + 1], axis=0), axis=1)
    assert misses[FIRST] == 0.0 and np.isnan(np.delete(misses, range(FIRST, LAST + 1))).all()
    np.testing.assert_allclose(misses[FIRST + 1 : LAST + 1], steps, atol=1e-12)
    assert steps.max() > 1e-3


def test_nothing_is_tied_across_a_gap() -> None:
    """Of frames without goals, or between one task and the next."""
    scene, frames = walk_scene(), LAST - FIRST + 1
    whole = ik.build(scene, [standing(still())])
    goals = whole.packed.goals.copy()
    goals[14:17] = np.nan
    gap = solve_whole(whole.with_goals(goals))
    assert np.isnan(gap.misses[FIRST + 14 : FIRST + 17]).all()
    assert gap.misses[FIRST, 0] == gap.misses[FIRST + 17, 0] == 0.0
    parts = [
        replace(standing(still(frames=14)), name="before"),
        replace(standing(still(-FAR_M, frames - 17), FIRST + 17), name="after"),
    ]
    two = solved(*parts)
    np.testing.assert_allclose(gap.rotations_wxyz, two.rotations_wxyz, atol=1e-9)
    path = places(scene, two)
    for first, stop in ((FIRST, FIRST + 14), (FIRST + 17, LAST + 1)):
        assert np.diff(path[first:stop], axis=0).max() < 1e-3
    assert np.linalg.norm(path[FIRST + 17] - path[FIRST + 13]) > 0.02


def test_a_goal_of_one_frame_ties_nothing() -> None:
    found = solved(standing(still(frames=1)))
    np.testing.assert_allclose(found.rotations_wxyz, walk_scene().clip.rotations_wxyz, atol=1e-14)
    assert found.misses[FIRST, 0] == 0.0


# The equations.


@pytest.mark.parametrize("name", TIED_POINTS)
@pytest.mark.parametrize("priority", [1, 2])
def test_the_right_side_is_the_slope_of_what_tied_points_cost(name: str, priority: int) -> None:
    tied = replace(CASES[name], tied=True, priority=priority, weight=0.6)
    others = [replace(CASES["point at a joint"], priority=priority), CASES["turn"]]
    case = filled([tied, *others])
    cost, equations = case.cost_and_equations()
    right = equations.right.copy()
    steps = np.diff(tied.goals - quantity(tied, case.problem.scene.state, HUMAN), axis=0)
    weight = case.price.hard if priority == 1 else case.price.wish
    alone, _ = filled(others).cost_and_equations()
    by_hand = 0.6 * weight * (steps[:, list(tied.axes)] ** 2).sum()
    assert cost - alone == pytest.approx(by_hand, rel=1e-9)
    for direction in case.directions():
        slope = case.slope(direction)
        assert slope == pytest.approx(-2.0 * (right @ direction), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("name", TIED_POINTS)
def test_the_band_is_the_curvature_where_tied_points_stay(name: str) -> None:
    scene = free_scene(0, FRAMES)
    goals = FAR_M + quantity(CASES[name], scene.state, scene.character)
    case = filled([replace(CASES[name], goals=goals, tied=True)])
    cost, equations = case.cost_and_equations()
    assert cost == pytest.approx(0.0, abs=1e-18)
    matrix = dense(equations, case.problem.width)
    for steps in case.directions():
        ahead, behind = (case.moved(steps, s).cost_and_equations()[0] for s in (1e-5, -1e-5))
        assert 0.5 * (ahead + behind) / 1e-10 == pytest.approx(steps @ matrix @ steps, rel=1e-4)


def test_the_right_side_holds_across_gaps_and_beside_others() -> None:
    """Two tied points, one with gaps, with a place, a turn and a centre."""
    frames = 12
    random = np.random.default_rng(3)
    tied = [
        replace(CASES[n], goals=random.normal(size=(frames, 3)), tied=True)
        for n in ("point beside a joint", "point beyond a hinge")
    ]
    late = replace(CASES["turn"], first=5)
    center = replace(CASES["center"], first=4, priority=2)
    case = filled([*tied, late, center, replace(CASES["point at the root"], first=2)], frames)
    goals = case.problem.packed.goals.copy()
    start = int(case.problem.packed.goal[0])
    goals[[start, start + 3, start + 7, start + 8]] = np.nan
    case = replace(case, problem=case.problem.with_goals(goals))
    cost, equations = case.cost_and_equations()
    right = equations.right.copy()
    for steps in case.directions():
        assert case.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-5, abs=1e-4)
    again, _ = case.cost_and_equations()
    assert again == cost  # nothing is left over from the time before


def one_sided(side: int) -> tuple[Filled, NDArray[np.bool_], Array]:
    """Distances on both sides of their goals; which ask for something, and by how much."""
    frames = 12
    task = replace(CASES["distance"], goals=np.full((frames, 1), 1.0))
    apart = quantity(task, free_scene(0, frames).state, HUMAN)[:, 0]
    shift = 0.3 * np.where(np.arange(frames) % 2, 1.0, -1.0)
    task = replace(task, goals=(apart + shift)[:, None], side=side)
    case = filled([task], frames, velocity=0.0, acceleration=0.0)
    return case, side * shift < 0.0, shift


@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_distances_cost_on_their_wrong_side_only(side: int) -> None:
    """At most so far (1): what is nearer is welcome. At least so far (-1): what is farther is."""
    case, asks, shift = one_sided(side)
    cost, equations = case.cost_and_equations()
    right, width = equations.right.copy(), case.problem.width
    assert cost == pytest.approx(case.price.hard * (shift[asks] ** 2).sum(), rel=1e-9)
    asked = np.abs(right.reshape(-1, width)).max(axis=1) > 1e-9
    np.testing.assert_array_equal(asked, asks)
    for steps in case.directions():
        assert case.slope(steps) == pytest.approx(-2.0 * (right @ steps), rel=1e-5, abs=1e-4)


@pytest.mark.parametrize("side", [1, -1])
def test_one_sided_distances_are_kept_and_nothing_else_moves(side: int) -> None:
    scene = walk_scene()
    skeleton = scene.character.skeleton
    hand, head = skeleton.index("LeftHand"), skeleton.index("Head")
    task = Task(
        "apart", "distance", 0, np.ones((60, 1)), everything(scene.character), joint=hand,
        reference=head, side=side,
    )  # fmt: skip
    apart = quantity(task, scene.state, scene.character)[:, 0]
    kept = replace(task, goals=np.full((60, 1), np.median(apart)))
    found = solved(kept)
    state = forward_kinematics(skeleton, found.root_positions_m, found.rotations_wxyz)
    after = quantity(task, state, scene.character)[:, 0]
    assert (side * (apart - np.median(apart))).max() > 0.01  # or there would be nothing to do
    assert (side * (after - np.median(apart))).max() < 1e-3
    easy = replace(task, goals=np.full((60, 1), apart.max() + 1 if side > 0 else 0.0))
    np.testing.assert_allclose(solved(easy).rotations_wxyz, scene.clip.rotations_wxyz, atol=1e-14)


# Windows.


def long_stand() -> tuple[Scene, list[Task], int]:
    """Eight seconds, over all of which both feet are tied though they walk: legs make up for it.

    The walk is slowed down to a crawl, or no leg would reach.
    """
    clip, character = sampled("walk", 30.0, 8.0)
    roots = clip.root_positions_m[0] + 0.03 * (clip.root_positions_m - clip.root_positions_m[0])
    scene = Scene(replace(clip, root_positions_m=roots), character)
    foot = character.skeleton.index("LeftFoot")
    goals = np.tile(FAR_M, (clip.frame_count, 1))
    task = Task("stands", "point", 0, goals, everything(character), joint=foot, tied=True)
    return scene, [task], foot


def stepped(scene: Scene, joint: int, roots: Array, turns: Array) -> Array:
    """(F - 1,) metres from frame to frame."""
    state = forward_kinematics(scene.character.skeleton, roots, turns)
    return np.linalg.norm(np.diff(state.positions_m[:, joint], axis=0), axis=1)


def test_a_tied_point_does_not_jump_nor_where_windows_meet() -> None:
    """Multipliers hold it within a tenth of a millimetre, and windows go on from each other."""
    scene, tasks, foot = long_stand()
    clip = scene.clip
    for window_s in (20.0, 3.0):
        found = solve_clip(
            scene, tasks, nothing(clip.frame_count, clip.rate_hz), settings(),
            asked=nowhere(clip.frame_count), window_s=window_s, overlap_s=1.5,
        )  # fmt: skip
        steps = stepped(scene, foot, *found.pose)
        assert steps.max() < 2e-4
        assert steps.max() <= found.missed_m["point: stands"] + 1e-4


# Wrong use.


@pytest.mark.parametrize("name", ["turn", "aim", "distance", "center"])
def test_only_points_can_be_tied(name: str) -> None:
    with pytest.raises(BadValue, match="tied of 'task'"):
        replace(CASES[name], tied=True)


@pytest.mark.parametrize("side", [1, -1])
def test_a_tied_point_has_no_side(side: int) -> None:
    with pytest.raises(BadValue, match="points without a side"):
        replace(CASES["point at a joint"], tied=True, side=side)


@pytest.mark.parametrize("kind", ["turn", "aim", "center"])
def test_only_points_and_distances_have_a_side(kind: str) -> None:
    with pytest.raises(BadValue, match="points and distances"):
        replace(CASES[kind], side=1)


@pytest.mark.parametrize("way", ["solve", "follow"])
def test_frame_by_frame_tied_points_are_refused(way: str) -> None:
    problem = ik.build(walk_scene(), [standing(still())])
    with pytest.raises(BadValue, match="tied"):
        if way == "solve":
            ik.solve(problem, ik.IkSettings(), unsolved(problem), 0, 5)
        else:
            follow(problem, unsolved(problem), 0, 5)
