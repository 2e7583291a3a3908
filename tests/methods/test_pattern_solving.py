"""Inverse kinematics in the coefficients of swings: near goals, far goals, several at once."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from poise.arrays import Array
from poise.constraints import Task
from poise.methods.pattern.goals import Goal, goals_of
from poise.methods.pattern.motion_space_ik import Damping, Rules, Solved, solve
from poise.methods.pattern.placed import PlacedClip
from tests.methods.linear_goals import least_in_ball, weighted_error
from tests.methods.swings import (
    HIT,
    changed,
    hit,
    pattern,
    placed,
    placed_aside,
    point_of,
    state_of,
)

ALL, MM = 5, 1e-3
REACHABLE = range(6)


def inside(seed: int, at: PlacedClip, most: float = 0.8) -> Array:
    """A change of coefficients that ends well inside the population."""
    random = np.random.default_rng(seed)
    there = random.normal(size=ALL)
    there *= most * random.uniform(0.3, 1.0) * radius() / np.linalg.norm(there)
    return there * deviations() - at.coefficients


def deviations() -> Array:
    return pattern().deviations


def radius(count: int = ALL) -> float:
    return pattern().furthest(count)


def home(at: PlacedClip) -> Array:
    return at.coefficients / deviations()


def spot(at: PlacedClip, change: Array, point: str = "club_head", frame: int = HIT) -> Array:
    """(3,) where a point of a changed clip is."""
    return point_of(changed(at, change), point)[frame]


def solved(at: PlacedClip, goals: list[Goal], **rules: object) -> Solved:
    options: dict = {"radius": radius(), **rules}
    made = Rules(MM, 0.01, options.pop("iterations", 1500), **options)
    return solve(goals, at.coefficients, deviations(), made)


def one_goal(at: PlacedClip, place_m: Array, **options: object) -> list[Goal]:
    return goals_of(at, hit(at, place_m, **options), ALL)  # type: ignore[arg-type]


@cache
def reachable(seed: int) -> tuple[PlacedClip, list[Goal]]:
    at = placed(seed % 6) if seed % 2 else placed_aside()
    return at, one_goal(at, spot(at, inside(seed, at)))


@pytest.mark.parametrize("seed", REACHABLE)
def test_a_goal_inside_the_population_is_met(seed: int) -> None:
    at, goals = reachable(seed)
    found = solved(at, goals)
    assert found.ending == "met" and found.iterations < 20
    there = spot(at, found.change)
    goal = at.placing.places_back(goals[0].goal)
    assert np.linalg.norm(there - goal) <= MM
    assert found.errors_m[-1] == pytest.approx(np.linalg.norm(there - goal), abs=1e-9)
    assert found.deviations == pytest.approx(
        np.linalg.norm((at.coefficients + found.change) / deviations()), abs=1e-9
    )


@pytest.mark.parametrize("seed", [0, 1, 4])
def test_all_dampings_reach_the_same_place(seed: int) -> None:
    at, goals = reachable(seed)
    ways: list[tuple[Damping, float]] = [("adaptive", 0.1), ("fixed", 0.1), ("none", 0.1)]
    found = [solved(at, goals, damping=d, damping_m=xi, radius=np.inf) for d, xi in ways]
    for each in found:
        assert each.ending == "met"
        np.testing.assert_allclose(spot(at, each.change), spot(at, found[0].change), atol=2 * MM)


@pytest.mark.parametrize("seed", REACHABLE)
def test_damping_by_the_error_takes_far_fewer_iterations_than_a_fixed_one(seed: int) -> None:
    at, goals = reachable(seed)
    ours, printed = (solved(at, goals, damping=d, damping_m=2.0) for d in ("adaptive", "fixed"))
    assert 10 * ours.iterations < printed.iterations


@pytest.mark.parametrize("seed", REACHABLE)
def test_what_is_found_is_nearer_than_what_the_goal_was_made_of(seed: int) -> None:
    """The goal was made by a change; a smaller one meets it as well."""
    at, goals = reachable(seed)
    found = solved(at, goals)
    made = np.linalg.norm(inside(seed, at) / deviations())
    assert np.linalg.norm(found.change / deviations()) <= 1.02 * made


@pytest.mark.parametrize("seed", REACHABLE)
def test_hardly_any_smaller_change_meets_the_goal(seed: int) -> None:
    """Against a program that looks for the smallest one; a few steps each smallest come near it."""
    from scipy.optimize import minimize

    at, goals = reachable(seed)
    found = solved(at, goals, radius=np.inf).change / deviations()
    best = minimize(
        lambda x: x @ x, found, method="SLSQP", options={"maxiter": 300, "ftol": 1e-12},
        constraints=[{"type": "eq", "fun": lambda x: goals[0].look(x * deviations())[0]}],
    )  # fmt: skip
    assert best.success
    assert np.linalg.norm(found) <= 1.05 * np.sqrt(best.fun) + 0.01


FAR = [(0, 1.0), (1, 0.6), (2, 3.0), (3, 0.4), (4, 1.5), (5, 30.0)]
"""Seeds, and metres away."""


def far_goal(seed: int, away_m: float) -> tuple[PlacedClip, list[Goal]]:
    at, random = reachable(seed)[0], np.random.default_rng(seed)
    way = random.normal(size=3)
    start = spot(at, -at.coefficients)
    return at, one_goal(at, start + away_m * way / np.linalg.norm(way))


@pytest.mark.parametrize("seed, away_m", FAR)
def test_a_goal_outside_ends_at_the_edge_with_the_least_error_there(
    seed: int, away_m: float
) -> None:
    at, goals = far_goal(seed, away_m)
    bound = 0.6 * radius()
    start = 0.3 * home(at) * deviations()
    moved = at.displacement(start - at.coefficients)
    goals = goals_of(at, _tasks(at, goals), ALL, at.vector + moved)
    rules = Rules(MM, 0.01, 1500, radius=bound)
    found = solve(goals, start, deviations(), rules)
    known, _ = least_in_ball(goals, start / deviations(), deviations(), bound, [found.change])
    assert known > 0.01, "the goal is inside"
    assert found.ending == "outside"
    assert found.deviations == pytest.approx(bound, rel=1e-6)
    assert found.errors_m[-1] == pytest.approx(weighted_error(goals, found.change), abs=1e-9)
    assert found.errors_m[-1] <= known + 1e-4 * away_m


def _tasks(at: PlacedClip, goals: list[Goal]) -> list[Task]:
    return hit(at, at.placing.places_back(goals[0].goal))


@pytest.mark.parametrize("seed, away_m", FAR)
def test_no_iteration_leaves_the_population_or_goes_away_from_the_goal(
    seed: int, away_m: float
) -> None:
    at, goals = far_goal(seed, away_m)
    most = max(radius(), float(np.linalg.norm(home(at))))
    for iterations in range(1, 12):
        found = solved(at, goals, iterations=iterations)
        assert found.deviations <= most * (1.0 + 1e-9)
        assert (np.diff(found.errors_m) <= 1e-12).all()
        assert found.iterations <= iterations
        assert len(found.errors_m) == found.iterations + 1


@pytest.mark.parametrize("seed", [0, 2, 5])
def test_without_a_bound_a_goal_beyond_the_arms_ends_where_nothing_brings_it_nearer(
    seed: int,
) -> None:
    at, goals = far_goal(seed, 30.0)
    found = solved(at, goals, radius=np.inf)
    assert found.ending in ("stuck", "met")
    error, rows = goals[0].look(found.change)
    slope = (error @ rows) * deviations() / max(float(np.linalg.norm(error)), 1e-9)
    assert np.linalg.norm(slope) < 0.05 * np.linalg.norm(rows * deviations())


@pytest.mark.parametrize("away_m", [0.3, 2.0, 40.0])
def test_any_goal_gives_numbers(away_m: float) -> None:
    for seed in range(6):
        at, goals = far_goal(seed, away_m)
        for damping in ("adaptive", "fixed", "none"):
            found = solved(at, goals, damping=damping, iterations=60)
            assert np.isfinite(found.change).all() and np.isfinite(found.errors_m).all()


def test_from_outside_the_population_one_may_go_in_but_not_further_out() -> None:
    at = placed_aside()
    start = 3.0 * radius() * deviations() * home(at) / np.linalg.norm(home(at))
    vector = at.vector + at.displacement(start - at.coefficients)
    rules = Rules(MM, 0.01, 500, radius=radius())
    back = spot(at, 0.5 * (start + at.coefficients) - at.coefficients)
    goals = goals_of(at, hit(at, back), ALL, vector)
    found = solve(goals, start, deviations(), rules)
    assert found.ending == "met" and found.deviations <= 3.0 * radius()
    goals = goals_of(at, hit(at, back + 5.0), ALL, vector)
    found = solve(goals, start, deviations(), rules)
    assert found.ending == "outside" and found.deviations <= 3.0 * radius() * (1.0 + 1e-9)


def test_one_iteration_is_one_step() -> None:
    at, goals = reachable(0)
    found = solved(at, goals, iterations=1)
    assert found.ending == "out_of_iterations" and found.iterations == 1
    assert found.change.any() and found.errors_m[1] < found.errors_m[0]


def test_the_same_goal_gives_the_same_bits() -> None:
    at, goals = reachable(2)
    a, b = solved(at, goals), solved(at, goals)
    np.testing.assert_array_equal(a.change, b.change)


# Orientations


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_an_orientation_inside_the_population_is_met(seed: int) -> None:
    at = reachable(seed)[0]
    made = changed(at, inside(seed, at, 0.5))
    joint = made.skeleton.index("LeftHand")
    turn = tuple(state_of(made).rotations_wxyz[HIT, joint].tolist())
    tasks = hit(at, point_of(made, "left_wrist")[HIT], point="left_wrist", turn_wxyz=turn)
    goals = goals_of(at, tasks[1:], ALL)
    assert solved(at, goals).ending == "met"
    both = goals_of(at, tasks, ALL)
    found = solved(at, both)
    known, _ = least_in_ball(
        both, home(at), deviations(), radius(), [found.change, inside(seed, at, 0.5)]
    )
    assert known < 1e-4  # six rows, five coefficients, and yet it is there
    assert found.errors_m[-1] < 5e-3


# Several goals


def two_goals(seed: int, keep: str = "head", axes: str = "y") -> tuple[PlacedClip, list[Goal]]:
    """The height of the head first, then the club: both as some motion of the pattern has them."""
    at = reachable(seed)[0]
    made = changed(at, inside(seed, at))
    first = hit(at, point_of(made, keep)[HIT], point=keep, axes=axes, name="first")
    return at, goals_of(at, [*first, *hit(at, point_of(made)[HIT], priority=2)], ALL)


@pytest.mark.parametrize("seed", REACHABLE)
def test_a_lesser_goal_leaves_a_greater_one_met(seed: int) -> None:
    at, goals = two_goals(seed)
    assert solved(at, goals[:1]).ending == "met"
    assert weighted_error(goals[:1], solved(at, goals).change) <= MM


@pytest.mark.parametrize("seed", [0, 2, 4, 5])
def test_a_lesser_goal_is_met_beside_a_greater_one_where_it_can_be(seed: int) -> None:
    at, goals = two_goals(seed)
    known, _ = least_in_ball(
        goals[1:], home(at), deviations(), radius(), [inside(seed, at)], goals[:1]
    )
    assert known < 1e-3
    found = solved(at, goals)
    assert weighted_error(goals[1:], found.change) <= 0.01


@pytest.mark.parametrize("seed", [1, 4, 5])
def test_keeping_what_is_met_already_does_not_stop_a_lesser_goal(seed: int) -> None:
    """The head's height stays what it is; the club goes as near as that allows."""
    at = reachable(seed)[0]
    keep = hit(at, point_of(at.clip, "head")[HIT], point="head", axes="y", name="keep")
    there = spot(at, inside(seed, at))
    goals = goals_of(at, [*keep, *hit(at, there, priority=2)], ALL)
    known, _ = least_in_ball(
        goals[1:], home(at), deviations(), radius(), [inside(seed, at)], goals[:1]
    )
    found = solved(at, goals)
    assert weighted_error(goals[:1], found.change) <= MM
    before = weighted_error(goals[1:], np.zeros(ALL))
    assert weighted_error(goals[1:], found.change) <= known + 0.1 * (before - known)


def test_a_lesser_goal_does_not_worsen_a_greater_one_that_is_out_of_reach() -> None:
    for seed in range(12):
        at, goals = two_goals(seed)
        goals[0].goal[1] += 0.5
        alone, beside = solved(at, goals[:1]), solved(at, goals)
        greater = weighted_error(goals[:1], alone.change)
        assert weighted_error(goals[:1], beside.change) <= greater + 2e-4


@pytest.mark.parametrize("seed", REACHABLE)
def test_goals_of_one_layer_share_what_cannot_be_met(seed: int) -> None:
    at, goals = two_goals(seed, "right_wrist", "xyz")
    tasks = [
        *hit(at, at.placing.places_back(goals[0].goal) + 0.1, point="right_wrist", name="a"),
        *hit(at, at.placing.places_back(goals[1].goal) - 0.1, name="b", weight=3.0),
    ]
    together = goals_of(at, tasks, ALL)
    found = solved(at, together)
    known, _ = least_in_ball(
        together, home(at), deviations(), radius(), [found.change, inside(seed, at)]
    )
    assert weighted_error(together, found.change) <= known + 2e-3


def test_only_the_order_of_priorities_matters() -> None:
    at, goals = two_goals(1)
    tasks = [(1, 2), (3, 700)]
    made = []
    for first, second in tasks:
        named = [
            *hit(at, at.placing.places_back(goals[0].goal), point="head", axes="y", priority=first),
            *hit(at, at.placing.places_back(goals[1].goal), priority=second),
        ]
        made.append(solved(at, goals_of(at, named, ALL)).change)
    np.testing.assert_array_equal(made[0], made[1])


@pytest.mark.parametrize("weight", [1e-6, 1e-4, 1e4])
def test_alone_in_its_layer_a_goal_needs_no_weight(weight: float) -> None:
    for seed in range(4):
        at, goals = two_goals(seed)
        there = [at.placing.places_back(goal.goal) for goal in goals]
        there[0][1] += 0.5  # out of reach
        made: list[float] = []
        for each in (1.0, weight):
            first = hit(at, there[0], point="head", axes="y", name="first", weight=each)
            both = goals_of(at, [*first, *hit(at, there[1], priority=2)], ALL)
            made.append(float(np.linalg.norm(both[0].look(solved(at, both).change)[0])))
        assert made[1] == pytest.approx(made[0], abs=1e-3)
