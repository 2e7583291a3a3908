from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from poise.arrays import Array
from poise.errors import BadShape, BadValue
from poise.solvers.cone_least_squares import ConeSettings, ConeSolution, cone_least_squares
from tests.solvers.cone_problems import (
    Problem,
    pyramid_matrix,
    random_problems,
    round_certificate,
    wanted,
)

CONES = ("round", "four_sided")
FRICTION = 0.8


def solve(problem: Problem, settings: ConeSettings, **more: object) -> ConeSolution:
    return cone_least_squares(*problem.arguments(), settings, **more)  # type: ignore[arg-type]


def missing(solution: ConeSolution, f: int = 0) -> Array:
    return np.concatenate([solution.missing_force_n[f], solution.missing_moment_nm[f]])


def standing(points: Array, force: Array, moment: Array | None = None) -> Problem:
    """One frame on level ground, centre one metre up."""
    count = len(points)
    return Problem(
        np.array(points, float)[None],
        np.tile([0.0, 1.0, 0.0], (1, count, 1)),
        np.ones((1, count)),
        np.array([[0.0, 1.0, 0.0]]),
        np.asarray(force, float)[None],
        np.zeros((1, 3)) if moment is None else np.asarray(moment, float)[None],
    )


SQUARE = np.array([[0.1, 0, 0.1], [0.1, 0, -0.1], [-0.1, 0, 0.1], [-0.1, 0, -0.1]])
WEIGHT = np.array([0.0, 1.0, 0.0])


@pytest.mark.parametrize("weight", [1.0, 1e-2, 1e-4, 1e-6])
def test_four_sided_agrees_with_nnls(weight: float) -> None:
    problems = random_problems(250)
    solution = solve(problems, ConeSettings(cone="four_sided", force_weight=weight))
    assert solution.converged.all()
    for f in range(250):
        problem = problems.frame(f)
        a, b = pyramid_matrix(problem, FRICTION), wanted(problem)
        stacked = np.vstack([a, np.sqrt(weight) * np.eye(a.shape[1])])
        beta, _ = nnls(stacked, np.concatenate([b, np.zeros(a.shape[1])]), maxiter=1000)
        assert np.abs(missing(solution, f) - (b - a @ beta)).max() < 1e-9


def test_exact_four_sided_leaves_what_nnls_leaves() -> None:
    problems = random_problems(250, seed=7)
    solution = solve(problems, ConeSettings(cone="four_sided", exact=True))
    assert solution.converged.all()
    for f in range(250):
        problem = problems.frame(f)
        a, b = pyramid_matrix(problem, FRICTION), wanted(problem)
        beta, _ = nnls(a, b, maxiter=1000)
        assert np.abs(missing(solution, f) - (b - a @ beta)).max() < 1e-8


@pytest.mark.parametrize("ceiling", [np.inf, 0.6, 0.15])
@pytest.mark.parametrize("friction", [0.1, 0.8])
def test_no_step_inside_the_round_cones_is_better(ceiling: float, friction: float) -> None:
    problems = random_problems(200, seed=3)
    rng = np.random.default_rng(4)
    problems = replace(problems, grip=problems.grip * rng.uniform(0.05, 1, problems.grip.shape))
    settings = ConeSettings(friction=friction, ceiling=ceiling, force_weight=1e-3)
    solution = solve(problems, settings)
    assert solution.converged.all()
    for f in range(200):
        gap = round_certificate(
            problems.frame(f), solution.forces_n[f], missing(solution, f), friction, 1e-3, ceiling
        )
        assert abs(gap) < 1e-8
    _assert_inside(problems, solution.forces_n, friction, ceiling)


def _assert_inside(problem: Problem, forces: Array, friction: float, ceiling: float) -> None:
    normal = np.sum(forces * problem.normals, axis=-1)
    side = np.linalg.norm(forces - normal[..., None] * problem.normals, axis=-1)
    assert (normal >= -1e-12).all()
    assert (side <= friction * normal + 1e-10).all()
    assert (normal[problem.grip > 0] <= (problem.grip[problem.grip > 0]) * ceiling + 1e-10).all()


def test_exact_round_cones_meet_the_conditions_of_least_squares() -> None:
    problems = random_problems(250, seed=5)
    solution = solve(problems, ConeSettings(exact=True))
    assert solution.converged.all()
    for f in range(250):
        gap = round_certificate(
            problems.frame(f), solution.forces_n[f], missing(solution, f), FRICTION, 0.0, np.inf
        )
        assert abs(gap) < 1e-7
    _assert_inside(problems, solution.forces_n, FRICTION, np.inf)


@pytest.mark.parametrize("seed", range(12))
def test_four_sided_with_ceiling_and_torque_agrees_with_a_general_program(seed: int) -> None:
    problem = random_problems(1, points=5, seed=seed)
    problem = replace(problem, grip=np.ones((1, 5)))
    weight, torque_weight, bound, ceiling = 1e-2, 0.1, 0.05, 0.25
    settings = ConeSettings(
        cone="four_sided", ceiling=ceiling, force_weight=weight,
        torque_bound=bound, torque_weight=torque_weight,
    )  # fmt: skip
    solution = solve(problem, settings, bodies=[0, 0, 0, 1, 1])
    assert solution.converged.all()
    a, b = pyramid_matrix(problem, FRICTION), wanted(problem)
    torques = np.vstack([np.zeros((3, 6)), np.tile(np.eye(3), 2)])
    matrix = np.hstack([a, torques])
    weights = np.concatenate([np.full(20, weight), np.full(6, torque_weight)])

    def cost(x: Array) -> float:
        return float(np.sum((b - matrix @ x) ** 2) + weights @ x**2)

    def slope(x: Array) -> Array:
        return -2 * matrix.T @ (b - matrix @ x) + 2 * weights * x

    limits = [
        {"type": "ineq", "fun": lambda x: ceiling - x[:20].reshape(5, 4).sum(axis=1)},
        {"type": "ineq", "fun": lambda x: bound**2 - np.sum(x[20:].reshape(2, 3) ** 2, axis=1)},
    ]
    bounds = [(0, None)] * 20 + [(None, None)] * 6
    other = minimize(
        cost, np.full(26, 0.01), jac=slope, bounds=bounds, constraints=limits,
        method="SLSQP", options={"ftol": 1e-16, "maxiter": 1000},
    )  # fmt: skip
    assert np.abs(missing(solution) - (b - matrix @ other.x)).max() < 1e-5
    assert np.linalg.norm(solution.torques_nm[0], axis=-1).max() <= bound + 1e-12
    assert np.allclose(solution.torques_nm[0], other.x[20:].reshape(2, 3), atol=1e-4)


def test_the_pyramid_lies_inside_the_cone() -> None:
    problems = random_problems(200, seed=9)
    cone = solve(problems, ConeSettings(exact=True))
    inner = solve(problems, ConeSettings(exact=True, cone="four_sided"))
    outer = solve(problems, ConeSettings(exact=True, cone="four_sided", friction=2**0.5 * FRICTION))
    left = [
        np.sum(s.missing_force_n**2 + s.missing_moment_nm**2, axis=1) for s in (outer, cone, inner)
    ]
    assert (left[0] <= left[1] + 1e-9).all()
    assert (left[1] <= left[2] + 1e-9).all()
    assert (left[2] - left[1]).max() > 1e-4


def test_turning_the_world_turns_the_round_answer() -> None:
    problems = random_problems(50, seed=11)
    c, s = np.cos(0.7), np.sin(0.7)
    turn = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ np.array(
        [[1, 0, 0], [0, c, -s], [0, s, c]]
    )
    settings = ConeSettings(ceiling=0.3, torque_bound=0.01)
    here, there = solve(problems, settings), solve(problems.turned(turn), settings)
    assert np.allclose(here.forces_n @ turn.T, there.forces_n, atol=1e-6)
    assert np.allclose(here.missing_moment_nm @ turn.T, there.missing_moment_nm, atol=1e-9)


@pytest.mark.parametrize("cone", CONES)
def test_standing_still_shares_the_weight(cone: str) -> None:
    solution = solve(standing(SQUARE, WEIGHT), ConeSettings(cone=cone, exact=True))  # type: ignore[arg-type]
    assert np.allclose(solution.forces_n[0], 0.25 * WEIGHT, atol=1e-9)
    assert np.abs(missing(solution)).max() < 1e-12


@pytest.mark.parametrize("cone", CONES)
def test_a_force_wanted_off_centre_loads_the_nearer_points(cone: str) -> None:
    # The weight acts 5 cm towards +x: the lever rule says 3/4 and 1/4.
    moment = np.cross([0.05, -1.0, 0.0], WEIGHT)
    solution = solve(standing(SQUARE, WEIGHT, moment), ConeSettings(cone=cone, exact=True))  # type: ignore[arg-type]
    assert np.allclose(solution.forces_n[0, :, 1], [0.375, 0.375, 0.125, 0.125], atol=1e-8)


@pytest.mark.parametrize("cone", CONES)
def test_beyond_the_edge_nothing_without_friction_helps(cone: str) -> None:
    # One point under the centre carries no moment about it: all of it remains.
    problem = standing(np.zeros((1, 3)), WEIGHT, np.array([0.0, 0.0, 0.3]))
    solution = solve(problem, ConeSettings(cone=cone, friction=0.0, exact=True))  # type: ignore[arg-type]
    assert np.allclose(missing(solution), [0, 0, 0, 0, 0, 0.3], atol=1e-12)
    assert np.allclose(solution.forces_n[0, 0], WEIGHT, atol=1e-12)


@pytest.mark.parametrize("cone", CONES)
def test_without_friction_a_sideways_push_remains(cone: str) -> None:
    problem = standing(SQUARE, np.array([0.2, 1.0, 0.0]))
    solution = solve(problem, ConeSettings(cone=cone, friction=0.0, exact=True))  # type: ignore[arg-type]
    assert np.allclose(missing(solution), [0.2, 0, 0, 0, 0, 0], atol=1e-11)


def test_friction_gives_out_at_its_coefficient() -> None:
    # Points at the height of the centre, so that a sideways force makes no moment. Wanted 0.5
    # sideways with μ = 0.2: the best f = (μ n, n) has (0.5 − μ n) μ + (1 − n) = 0.
    points = SQUARE + np.array([0.0, 1.0, 0.0])
    solution = solve(
        standing(points, np.array([0.5, 1.0, 0.0])), ConeSettings(friction=0.2, exact=True)
    )
    normal = (1 + 0.5 * 0.2) / (1 + 0.2**2)
    assert np.allclose(solution.forces_n[0].sum(axis=0), [0.2 * normal, normal, 0], atol=1e-9)


def test_a_wall_holds_what_a_slippery_floor_cannot() -> None:
    # A push of 0.3 along +x at the wall's height comes from the wall alone.
    problem = Problem(
        np.array([[*SQUARE, [-0.5, 1.0, 0.0]]]),
        np.array([[*np.tile(WEIGHT, (4, 1)), [1.0, 0.0, 0.0]]]),
        np.ones((1, 5)),
        np.array([[0.0, 1.0, 0.0]]),
        np.array([[0.3, 1.0, 0.0]]),
        np.zeros((1, 3)),
    )
    solution = solve(problem, ConeSettings(friction=0.0, exact=True))
    assert np.allclose(solution.forces_n[0, 4], [0.3, 0, 0], atol=1e-9)
    assert np.allclose(solution.forces_n[0, :4].sum(axis=0), WEIGHT, atol=1e-9)
    pull = replace(problem, force=np.array([[-0.3, 1.0, 0.0]]))
    assert np.allclose(missing(solve(pull, ConeSettings(friction=0.0, exact=True)))[0], -0.3)


@pytest.mark.parametrize("cone", CONES)
def test_a_ceiling_holds(cone: str) -> None:
    solution = solve(standing(SQUARE, WEIGHT), ConeSettings(cone=cone, ceiling=0.2))  # type: ignore[arg-type]
    assert np.allclose(solution.forces_n[0], 0.2 * WEIGHT, atol=1e-9)
    assert np.allclose(solution.missing_force_n[0], 0.2 * WEIGHT, atol=1e-9)


@pytest.mark.parametrize("cone", CONES)
def test_a_small_torque_is_spent_only_up_to_its_bound(cone: str) -> None:
    problem = standing(np.zeros((1, 3)), WEIGHT, np.array([0.0, 0.02, 0.0]))
    small = ConeSettings(cone=cone, torque_bound=0.05, torque_weight=1e-3)  # type: ignore[arg-type]
    assert np.allclose(solve(problem, small).torques_nm[0, 0, 1], 0.02 / (1 + 1e-3), atol=1e-9)
    tight = replace(small, torque_bound=0.005)
    solution = solve(problem, tight)
    assert np.allclose(solution.torques_nm[0, 0], [0, 0.005, 0], atol=1e-12)
    assert np.allclose(solution.missing_moment_nm[0, 1], 0.015, atol=1e-12)


@pytest.mark.parametrize("cone", CONES)
def test_points_at_one_place_share_alike(cone: str) -> None:
    solution = solve(standing(np.zeros((6, 3)), WEIGHT), ConeSettings(cone=cone, exact=True))  # type: ignore[arg-type]
    assert np.allclose(solution.forces_n[0], WEIGHT / 6, atol=1e-9)


def test_where_nothing_touches_everything_remains() -> None:
    problem = replace(standing(SQUARE, WEIGHT), grip=np.zeros((1, 4)))
    problem.points[0, 2] = np.nan
    solution = solve(problem, ConeSettings())
    assert not solution.forces_n.any()
    assert solution.converged.all()
    assert np.array_equal(missing(solution), [0, 1, 0, 0, 0, 0])
    none = cone_least_squares(
        np.zeros((2, 0, 3)), np.zeros((2, 0, 3)), np.zeros((2, 0)), *np.ones((3, 2, 3))
    )
    assert none.forces_n.shape == (2, 0, 3)
    assert (none.missing_force_n == 1).all()


def test_a_huge_weight_leaves_next_to_no_force() -> None:
    solution = solve(standing(SQUARE, WEIGHT), ConeSettings(force_weight=1e6))
    # f = 4 w/λ per point at the round cone's axis, for a pull of one unit of weight.
    assert np.allclose(solution.forces_n[0, :, 1], 4e-6, rtol=1e-3)


@pytest.mark.parametrize("cone", CONES)
def test_a_point_that_lets_go_fades(cone: str) -> None:
    grips = np.concatenate([np.linspace(1, 0, 201), [0.0]])
    problem = standing(np.concatenate([SQUARE, 0.5 * SQUARE]), WEIGHT)
    frames = Problem(*(np.repeat(a, len(grips), axis=0) for a in problem.arguments()))
    frames.grip[:, :4] = grips[:, None]
    solution = solve(frames, ConeSettings(cone=cone))  # type: ignore[arg-type]
    carried = solution.forces_n[:, 0, 1]
    assert np.abs(np.diff(solution.forces_n, axis=0)).max() < 0.003
    assert (np.diff(carried) <= 1e-12).all()
    assert carried[-1] == 0.0


def test_warm_and_cold_starts_agree_and_chunks_keep_their_bits() -> None:
    t = np.linspace(0, 2 * np.pi, 200)[:, None]
    problem = standing(SQUARE, WEIGHT)
    frames = Problem(*(np.repeat(a, 200, axis=0) for a in problem.arguments()))
    sway = np.hstack([0.2 * np.sin(t), 1 + 0.2 * np.cos(2 * t), 0.1 * np.cos(t)])
    frames = replace(frames, force=sway, moment=0.1 * np.hstack([np.sin(t), np.cos(t), t / 9]))
    settings = ConeSettings(torque_bound=0.01, ceiling=1.0)
    whole = solve(frames, settings)
    assert whole.converged.all()
    for f in (1, 70, 199):
        alone = solve(frames.frame(f), settings)
        assert np.allclose(alone.forces_n[0], whole.forces_n[f], atol=1e-7)
    part = solve(Problem(*(a[64:] for a in frames.arguments())), settings)
    assert np.array_equal(part.forces_n, whole.forces_n[64:])
    assert whole.iterations.mean() < 3


def test_units_do_not_matter() -> None:
    problems = random_problems(40, seed=21)
    small = solve(problems, ConeSettings(ceiling=0.5))
    weight, length = 700.0, 1.7
    large = Problem(
        problems.points * length, problems.normals, problems.grip, problems.centers * length,
        problems.force * weight, problems.moment * weight * length,
    )  # fmt: skip
    scaled = solve(large, ConeSettings(ceiling=0.5), force_scale_n=weight, length_scale_m=length)
    assert np.allclose(scaled.forces_n, weight * small.forces_n, atol=1e-5)


def test_hard_problems_converge() -> None:
    problems = random_problems(3000, points=24, seed=31)
    for settings in (
        ConeSettings(ceiling=0.1, torque_bound=0.007),
        ConeSettings(ceiling=0.3, cone="four_sided", torque_bound=0.007),
        ConeSettings(force_weight=1e-6),
        ConeSettings(exact=True),
        ConeSettings(friction=5.0, exact=True, cone="four_sided"),
    ):
        assert solve(problems, settings).converged.all(), settings


def test_misuse_is_named() -> None:
    problem = standing(SQUARE, WEIGHT)
    with pytest.raises(BadValue, match="force_n must be finite"):
        solve(replace(problem, force=np.array([[0, np.nan, 0]])), ConeSettings())
    broken = problem.points.copy()
    broken[0, 1] = np.inf
    with pytest.raises(BadValue, match=r"points_m must be finite.*\(0, 1\)"):
        solve(replace(problem, points=broken), ConeSettings())
    with pytest.raises(BadValue, match="unit vectors"):
        solve(replace(problem, normals=2 * problem.normals), ConeSettings())
    with pytest.raises(BadValue, match="between 0 and 1"):
        solve(replace(problem, grip=2 * problem.grip), ConeSettings())
    with pytest.raises(BadShape, match="centers_m"):
        solve(replace(problem, centers=np.zeros((2, 3))), ConeSettings())
    for wrong in ({"friction": -1.0}, {"ceiling": 0.0}, {"force_weight": 0.0}, {"cone": "oval"}):
        with pytest.raises(BadValue):
            ConeSettings(**wrong)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="exact"):
        ConeSettings(exact=True, torque_bound=1.0)
