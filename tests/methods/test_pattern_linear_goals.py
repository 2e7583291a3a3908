"""Solving where the answer is known: goals that are linear in the coefficients."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.arrays import Array
from poise.methods.pattern.goals import Goal
from poise.methods.pattern.motion_space_ik import Damping, Rules, Solved, solve
from tests.methods.linear_goals import least_in_ball, linear_goal, weighted_error

often = settings(max_examples=25, deadline=None, derandomize=True)
seeds = st.integers(0, 2**31)
counts = st.integers(4, 9)
FINE = 1e-6
RULES = Rules(FINE, FINE, 200)
MOVES_M = (0.5, 0.3, 0.2)
"""How far a deviation moves the point, along the best, the next and the least way."""


def case(seed: int, count: int) -> tuple[Array, Array, Array]:
    """Rows (3, m), deviations and a start inside a ball of two deviations."""
    random = np.random.default_rng(seed)
    start = random.normal(size=count)
    start *= random.uniform(0.0, 1.0) / np.linalg.norm(start)
    deviations = np.geomspace(3.0, 0.3, count)
    left, right = (np.linalg.qr(random.normal(size=(n, 3)))[0] for n in (3, count))
    return left * MOVES_M @ right.T / deviations, deviations, start * deviations


def whitened(change: Array, deviations: Array) -> Array:
    return change / deviations


@often
@given(seeds, counts)
def test_of_all_changes_that_meet_a_goal_the_smallest_is_made(seed: int, count: int) -> None:
    """Smallest counted in deviations of the population."""
    rows, deviations, start = case(seed, count)
    goal = 0.1 * np.random.default_rng(seed).normal(size=3)
    found = solve([linear_goal(rows, goal)], start, deviations, RULES)
    assert found.ending == "met"
    known = np.linalg.pinv(rows * deviations) @ goal
    np.testing.assert_allclose(whitened(found.change, deviations), known, atol=1e-5)
    # Exactly along what the goal sees, at any rate:
    seen = np.linalg.pinv(rows * deviations) @ (rows * deviations)
    step = whitened(found.change, deviations)
    np.testing.assert_allclose(seen @ step, step, atol=1e-9)


def test_that_is_not_the_smallest_in_plain_coefficients() -> None:
    rows, deviations, start = case(1, 6)
    goal = np.array([0.05, -0.02, 0.04])
    ours = solve([linear_goal(rows, goal)], start, deviations, RULES)
    printed = solve([linear_goal(rows, goal)], start, deviations, Rules(FINE, FINE, 9, "none"))
    np.testing.assert_allclose(printed.change, np.linalg.pinv(rows) @ goal, atol=1e-9)
    assert np.linalg.norm(printed.change) < 0.99 * np.linalg.norm(ours.change)
    sizes = [np.linalg.norm(whitened(each.change, deviations)) for each in (ours, printed)]
    assert sizes[0] < 0.99 * sizes[1]


@often
@given(seeds, counts, st.floats(1.0, 30.0))
def test_a_goal_outside_the_population_ends_on_its_edge_as_near_as_one_can(
    seed: int, count: int, far: float
) -> None:
    rows, deviations, start = case(seed, count)
    radius = 1.2
    pull = np.random.default_rng(seed).normal(size=count)
    away = rows @ (radius * far * pull / np.linalg.norm(pull) * deviations)
    goals = [linear_goal(rows, away)]
    found = solve(goals, start, deviations, Rules(FINE, FINE, 1500, radius=radius))
    known, change = least_in_ball(goals, whitened(start, deviations), deviations, radius)
    if known < 1e-6:
        return
    assert found.ending == "outside"
    assert found.errors_m[-1] <= known * (1.0 + 1e-5) + 1e-9
    assert found.deviations == pytest.approx(radius, rel=1e-6)
    assert np.linalg.norm(whitened(start + found.change, deviations)) <= radius * (1.0 + 1e-9)
    np.testing.assert_allclose(
        rows @ found.change, rows @ change, atol=3e-3 * float(np.linalg.norm(away))
    )


@pytest.mark.parametrize("radius", [np.inf, 5.0])
@pytest.mark.parametrize("seed", range(6))
def test_two_layers_that_can_both_be_met_are_met(seed: int, radius: float) -> None:
    rows, deviations, start = case(seed, 7)
    other, random = case(seed + 1, 7)[0], np.random.default_rng(seed)
    goals = [
        linear_goal(rows, 0.1 * random.normal(size=3)),
        linear_goal(other, 0.1 * random.normal(size=3), priority=2),
    ]
    found = solve(goals, start, deviations, Rules(1e-4, 1e-4, 500, radius=radius))
    assert found.ending == "met"
    both = np.vstack([rows, other]) * deviations
    known = np.linalg.pinv(both) @ np.concatenate([goal.goal for goal in goals])
    np.testing.assert_allclose(whitened(found.change, deviations), known, atol=1e-2)


@pytest.mark.parametrize("seed", range(8))
def test_of_two_layers_that_cannot_both_be_met_the_greater_is(seed: int) -> None:
    greater, lesser, deviations, start = conflict(seed)
    found = solve([greater, lesser], start, deviations, Rules(1e-5, 1e-5, 500))
    assert weighted_error([greater], found.change) < 1e-5
    assert found.ending == "stuck"


def test_of_two_layers_that_cannot_both_be_met_the_lesser_comes_as_near_as_it_can() -> None:
    for seed in range(9):
        greater, lesser, deviations, start = conflict(seed)
        found = solve([greater, lesser], start, deviations, Rules(1e-5, 1e-5, 500))
        rows, others = (goal.root_slices.T * deviations for goal in (greater, lesser))
        exact = np.linalg.lstsq(rows, greater.goal, rcond=None)[0]
        free = np.linalg.svd(rows)[2][3:].T
        left = np.linalg.lstsq(others @ free, lesser.goal - others @ exact, rcond=None)[0]
        known = weighted_error([lesser], (exact + free @ left) * deviations)
        assert weighted_error([lesser], found.change) <= known * 1.001 + 1e-5


def conflict(seed: int) -> tuple[Goal, Goal, Array, Array]:
    """Four coefficients and six rows: the second layer has one way left."""
    rows, deviations, start = case(seed, 4)
    other, random = case(seed + 1, 4)[0], np.random.default_rng(seed)
    greater = linear_goal(rows, 0.05 * random.normal(size=3))
    lesser = linear_goal(other, 0.05 * random.normal(size=3), priority=2)
    return greater, lesser, deviations, start


def beside_and_alone(seed: int) -> tuple[float, float]:
    """The error of a goal far outside, with a lesser one and without."""
    rows, deviations, start = case(seed, 7)
    other, random = case(seed + 1, 7)[0], np.random.default_rng(seed)
    greater = linear_goal(rows, 5.0 * random.normal(size=3))
    lesser = linear_goal(other, random.normal(size=3), priority=2)
    rules = Rules(FINE, FINE, 1500, radius=1.2)
    beside = solve([greater, lesser], start, deviations, rules)
    alone = solve([greater], start, deviations, rules)
    assert alone.ending == beside.ending == "outside"
    return weighted_error([greater], beside.change), alone.errors_m[-1]


@pytest.mark.parametrize("seed", [*range(20), 290, 351, 365])
def test_a_lesser_goal_takes_nothing_from_a_greater_one_outside(seed: int) -> None:
    beside, alone = beside_and_alone(seed)
    assert beside <= alone * (1.0 + 1e-5)


@pytest.mark.parametrize("weight", [1e-2, 1.0, 1e2])
def test_in_one_layer_weights_decide(weight: float) -> None:
    rows, deviations, start = case(4, 4)
    other = case(5, 4)[0]
    goals = [
        linear_goal(rows, np.ones(3) * 0.1, weight=weight),
        linear_goal(other, -np.ones(3) * 0.1),
    ]
    found = solve(goals, start, deviations, Rules(FINE, FINE, 500))
    stacked = np.vstack([np.sqrt(weight) * rows, other]) * deviations
    wanted = np.concatenate([np.sqrt(weight) * goals[0].goal, goals[1].goal])
    known = np.linalg.lstsq(stacked, wanted, rcond=None)[0]
    assert found.ending == "stuck"
    assert found.errors_m[-1] <= np.linalg.norm(wanted - stacked @ known) * (1.0 + 1e-5)


def test_what_no_coefficient_moves_is_given_up_at_once() -> None:
    found = solve([linear_goal(np.zeros((3, 4)), np.ones(3))], np.zeros(4), np.ones(4), RULES)
    assert found.ending == "stuck" and found.iterations <= 5
    np.testing.assert_array_equal(found.change, 0.0)


def test_what_coefficients_move_only_in_part_is_met_in_that_part() -> None:
    rows = np.zeros((3, 4))
    rows[0, :2], rows[1, 1:] = 0.3, 0.2
    found = solve([linear_goal(rows, np.full(3, 0.1))], np.zeros(4), np.ones(4), RULES)
    assert found.ending == "stuck"
    np.testing.assert_allclose(rows @ found.change, [0.1, 0.1, 0.0], atol=1e-5)


def test_axes_that_do_not_count_are_not_asked_for() -> None:
    rows, deviations, start = case(8, 5)
    goal = linear_goal(rows, np.full(3, 0.1), axes="xz")
    found = solve([goal], start, deviations, RULES)
    assert found.ending == "met"
    seen = (rows * deviations)[[0, 2]]
    known = np.linalg.pinv(seen) @ np.full(2, 0.1)
    np.testing.assert_allclose(whitened(found.change, deviations), known, atol=1e-5)


@pytest.mark.parametrize("damping", ["adaptive", "fixed", "none"])
def test_a_single_coefficient_is_enough(damping: Damping) -> None:
    rows = np.array([[0.5], [0.0], [0.0]])
    goal = linear_goal(rows, np.array([0.2, 0.0, 0.0]))
    found = solve([goal], np.zeros(1), np.ones(1), Rules(1e-6, 1e-6, 1500, damping))
    assert found.ending == "met"
    np.testing.assert_allclose(found.change, [0.4], atol=1e-5)


def test_a_goal_that_is_met_already_changes_nothing() -> None:
    rows, deviations, start = case(2, 5)
    for damping in ("adaptive", "fixed", "none"):
        rules = Rules(1e-3, 1e-3, 100, damping)
        found = solve([linear_goal(rows, np.full(3, 1e-4))], start, deviations, rules)
        assert found.ending == "met" and found.iterations == 0 and len(found.errors_m) == 1
        assert not found.change.any()


def test_no_goals_change_nothing() -> None:
    found = solve([], np.ones(3), np.ones(3), RULES)
    assert found.ending == "met" and not found.change.any()


def stepwise(
    goals: list[Goal], start: Array, deviations: Array, radius: float, most: int
) -> list[Solved]:
    """The search after one iteration, after two, and so on."""
    return [
        solve(goals, start, deviations, Rules(FINE, FINE, n, radius=radius)) for n in range(1, most)
    ]


@often
@given(seeds, counts, st.floats(0.1, 20.0), st.floats(0.3, 3.0))
def test_no_step_ever_leaves_the_ball_or_makes_the_error_greater(
    seed: int, count: int, far: float, radius: float
) -> None:
    rows, deviations, start = case(seed, count)
    goals = [linear_goal(rows, far * np.random.default_rng(seed).normal(size=3))]
    home = float(np.linalg.norm(whitened(start, deviations)))
    for found in stepwise(goals, start, deviations, radius, 12):
        assert found.deviations <= max(radius, home) * (1.0 + 1e-9)
        errors = np.array(found.errors_m)
        assert (np.diff(errors) <= 1e-9 * errors[0]).all()
        assert found.errors_m[-1] == pytest.approx(weighted_error(goals, found.change), abs=1e-12)


@often
@given(seeds, counts, st.floats(0.1, 1e3))
def test_no_step_is_longer_than_half_the_radius_by_damping_alone(
    seed: int, count: int, far: float
) -> None:
    """λ is the error over the radius: |J e| / (J² + λ²) is at most |e| / 2λ."""
    rows, deviations, _ = case(seed, count)
    radius = 2.0
    goals = [linear_goal(rows, far * np.random.default_rng(seed).normal(size=3))]
    found = solve(goals, np.zeros(count), deviations, Rules(FINE, FINE, 1, radius=radius))
    steepest = np.linalg.norm(rows * deviations, 2)
    if found.errors_m[0] / radius <= steepest:
        assert found.deviations <= 0.5 * radius * (1.0 + 1e-9)


def test_a_start_outside_the_ball_may_stay_but_goes_no_further() -> None:
    rows, deviations, start = case(6, 6)
    start *= 4.0 / np.linalg.norm(whitened(start, deviations))
    inward = rows @ (-0.2 * start)
    outward = rows @ (9.0 * start)
    rules = Rules(1e-6, 1e-6, 500, radius=1.5)
    near = solve([linear_goal(rows, inward)], start, deviations, rules)
    assert near.ending == "met" and near.deviations < 4.0
    far = solve([linear_goal(rows, outward)], start, deviations, rules)
    assert far.ending == "outside" and far.deviations <= 4.0 * (1.0 + 1e-9)


def test_without_a_bound_any_distance_is_gone() -> None:
    rows, deviations, start = case(7, 6)
    goal = rows @ (100.0 * deviations)
    found = solve([linear_goal(rows, goal)], start, deviations, Rules(1e-4, 1e-4, 1500))
    assert found.ending == "met" and found.iterations < 100


# As printed


def test_one_iteration_of_the_printed_algorithm_is_its_equation() -> None:
    rows, deviations, start = case(9, 6)
    goal = np.array([0.3, -0.2, 0.1])
    for damping, xi in (("fixed", 0.1), ("fixed", 10.0), ("none", 0.0)):
        rules = Rules(FINE, FINE, 1, damping, xi)  # type: ignore[arg-type]
        found = solve([linear_goal(rows, goal)], start, deviations, rules)
        known = rows.T @ np.linalg.solve(rows @ rows.T + xi**2 * np.eye(3), goal)
        np.testing.assert_allclose(found.change, known, rtol=1e-9)
        assert len(found.errors_m) == 2
        assert found.deviations == pytest.approx(np.linalg.norm((start + known) / deviations))


def test_iterations_that_run_out_are_said_to() -> None:
    rows, deviations, start = case(9, 6)
    goal = [linear_goal(rows, np.array([3.0, -2.0, 1.0]))]
    for damping in ("adaptive", "fixed"):
        found = solve(goal, start, deviations, Rules(FINE, FINE, 1, damping))
        assert found.ending == "out_of_iterations" and found.iterations == 1
        assert len(found.errors_m) == 2 and found.errors_m[1] < found.errors_m[0]
