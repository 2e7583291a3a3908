"""The race of the correction: L-BFGS has the same cost, a true gradient, and no bone to pay for."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from benchmarks.correct_angles import cost_of_vertices
from benchmarks.correct_body import MOTIONS, ready, settings_of, taken
from benchmarks.correct_convergence import Angles, Walk, angles_of, minimized, walk_problem
from benchmarks.correct_growth import there_and_back
from poise.arrays import Array
from poise.methods.correct.problem import BALANCE
from tests.shared_data import needs_mocap

pytestmark = needs_mocap
ROUNDS = 5


@cache
def solved_walk() -> Walk:
    walk = walk_problem()
    walk.solve(ROUNDS, True)
    return walk


def somewhere(angles: Angles) -> Array:
    """Unknowns of a motion that is clearly another."""
    steps = np.random.default_rng(12345).normal(size=angles.shape)
    return 0.002 * np.cumsum(steps, axis=0)


def slopes(angles: Angles, count: int = 4) -> tuple[Array, Array]:
    """Of the cost along some directions: by the gradient, and by differences."""
    at, rng, size = somewhere(angles), np.random.default_rng(1), 1e-6
    gradient, unused = np.zeros(angles.shape), np.zeros(angles.shape)
    angles.cost(at, gradient)
    told, seen = np.zeros(count), np.zeros(count)
    for n in range(count):
        way = gradient / np.linalg.norm(gradient) if n == 0 else rng.normal(size=angles.shape)
        told[n] = np.sum(gradient * way)
        before, after = angles.cost(at - size * way, unused), angles.cost(at + size * way, unused)
        seen[n] = (after - before) / (2.0 * size)
    return told, seen


def test_the_race_is_over_the_same_cost() -> None:
    walk = solved_walk()
    ours = walk.solve(ROUNDS, True)[0][-1]
    x = walk.work.x
    cost = cost_of_vertices(walk.problem, walk.planes, walk.contacts, walk.work, np.zeros_like(x))
    assert cost == pytest.approx(ours, rel=1e-9)


def test_angles_at_rest_are_the_reference_and_pay_for_no_bone() -> None:
    walk = solved_walk()
    angles = angles_of(walk)
    angles.cost(np.zeros(angles.shape), np.zeros(angles.shape))
    assert np.allclose(angles.work.x, walk.problem.reference, atol=1e-12)
    cost = angles.cost(somewhere(angles), np.zeros(angles.shape))
    rigid = replace(angles, problem=walk.problem)
    assert rigid.cost(somewhere(angles), np.zeros(angles.shape)) == pytest.approx(cost, rel=1e-9)


def test_the_gradient_is_that_of_differences_where_the_allowed_set_is_fixed() -> None:
    walk = solved_walk()
    weights = walk.problem.weights.copy()
    weights[BALANCE] = 0.0
    angles = angles_of(replace(walk, problem=walk.problem._replace(weights=weights)))
    told, seen = slopes(angles)
    assert np.allclose(told, seen, rtol=1e-6)


def test_balance_whose_cones_move_leaves_slopes_right_within_three_percent_of_the_steepest() -> (
    None
):
    told, seen = slopes(angles_of(solved_walk()))
    assert np.abs(told - seen).max() < 0.03 * np.abs(seen).max()


def test_places_that_angles_can_have_are_fitted() -> None:
    angles = angles_of(solved_walk())
    wanted = somewhere(angles)
    gradient = np.zeros(angles.shape)
    cost = angles.cost(wanted, gradient)
    places = np.moveaxis(angles.work.x.reshape(3, angles.shape[0], -1), 0, 2).copy()
    assert angles.cost(angles.fitted(places), gradient) == pytest.approx(cost, rel=1e-3)


def test_lbfgs_goes_down_and_further_with_scaled_unknowns() -> None:
    angles = angles_of(solved_walk())
    plain = minimized(angles, np.ones(angles.shape), 30)
    scaled = minimized(angles, angles.curvatures() ** -0.5, 30)
    assert plain.costs[-1] < 0.5 * plain.costs[0]
    assert scaled.costs[-1] < plain.costs[-1]
    assert plain.reaches(0.0) == float("inf")


def test_the_paper_s_two_timed_clips_have_its_frames_and_candidates() -> None:
    for name, candidates in (("walking", 4), ("standing up", 8)):
        chosen = ready(name)
        assert chosen.working.frame_count == MOTIONS[name].frames
        assert len(settings_of(name).candidates or ()) == candidates


def test_the_sitter_s_clip_has_its_true_rate() -> None:
    assert taken("sitting").clip.rate_hz == 60.0


def test_a_clip_there_and_back_goes_on_without_a_jump() -> None:
    chosen, reference, contacts = there_and_back("walking", 1_000)
    assert reference.shape == (1_000, chosen.mesh.vertex_count, 3)
    assert contacts.shape == (1_000, len(chosen.mesh.candidates))
    once = np.abs(np.diff(reference[: chosen.working.frame_count], axis=0)).max()
    assert np.abs(np.diff(reference, axis=0)).max() == once
