"""The unscented update against the textbook's, on chains and trees of joints."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

from poise.arrays import Array
from poise.errors import BadValue
from poise.solvers.unscented_update import (
    DEPENDENT,
    INDEFINITE,
    NOT_FINITE,
    Measurements,
    Spread,
    always_definite,
    paper_spread,
    scaled_spread,
    unscented_update,
)
from tests.solvers.textbook_unscented import (
    Measurement,
    Update,
    Weights,
    paper_weights,
    scaled_weights,
    textbook_update,
)

NONSENSE = 7e7


@dataclass(frozen=True)
class Problem:
    measure: Measurement
    mean: Array
    deviations: Array
    goals: Array
    noise: Array

    def textbook(self, weights: Weights) -> Update:
        prior, noise = np.diag(self.deviations**2), np.diag(self.noise)
        return textbook_update(self.measure, self.mean, prior, noise, self.goals, weights)

    def rows(self, chosen: list[int]) -> Problem:
        """The same with these measurements only."""
        return self.measuring(
            lambda x: self.measure(x)[chosen], self.goals[chosen], self.noise[chosen]
        )

    def measuring(self, measure: Measurement, goals: Array, noise: Array) -> Problem:
        """Other measurements of the same state."""
        return replace(self, measure=measure, goals=goals, noise=noise)


@dataclass(frozen=True)
class Answer:
    code: int
    step: Array
    predicted: Array


def answer(problem: Problem, spread: Spread, floor: float = DEPENDENT) -> Answer:
    """What the kernel says about sigma points that differ in one coordinate each."""
    moves = np.diag(math.sqrt(spread.scale) * problem.deviations)
    plus = np.array([problem.measure(problem.mean + move) for move in moves])
    minus = np.array([problem.measure(problem.mean - move) for move in moves])
    return kernel_answer(problem.measure(problem.mean), plus, minus, problem, spread, floor)


def kernel_answer(
    center: Array, plus: Array, minus: Array, problem: Problem, spread: Spread,
    floor: float = DEPENDENT,
) -> Answer:  # fmt: skip
    """The kernel gets more room than it needs, full of nonsense."""
    size, rows = plus.shape
    given = [center, plus, minus, problem.deviations, problem.goals, problem.noise]
    before = [array.copy() for array in given]
    step, predicted = np.full(size + 2, NONSENSE), np.full(rows + 2, NONSENSE)
    measured = Measurements(
        center, plus, minus, problem.goals, problem.noise, predicted,
        np.full((rows + 1, 2 * size + 3), NONSENSE), np.full((rows + 2, rows + 3), NONSENSE),
        np.full(2 * rows + 1, NONSENSE), np.zeros(1, dtype=np.int64),
    )  # fmt: skip
    code = unscented_update(size, rows, measured, problem.deviations, spread, floor, step)
    assert (step[size:] == NONSENSE).all()
    assert (predicted[rows:] == NONSENSE).all()
    for array, copy in zip(given, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    return Answer(code, step[:size], predicted[:rows])


def planar(angles: Array) -> Array:
    """Ends of all links of a chain in the plane, one angle a joint; links get shorter."""
    lengths, headings = np.linspace(0.5, 0.3, len(angles)), np.cumsum(angles)
    x, y = np.cumsum(lengths * np.cos(headings)), np.cumsum(lengths * np.sin(headings))
    return np.stack([x, y], axis=1).ravel()


def spatial(angles: Array) -> Array:
    """Ends of all links of a chain in space; joint i turns about axis i modulo 3."""
    turn, end, ends = np.eye(3), np.zeros(3), []
    for i, angle in enumerate(angles):
        c, s, b = math.cos(angle), math.sin(angle), np.roll(np.eye(3), i, axis=0)
        turn = turn @ b.T @ np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]) @ b
        end = end + turn @ np.array([0.4, 0.1, -0.2])
        ends.append(end)
    return np.concatenate(ends)


def forked(angles: Array) -> Array:
    """Two planar arms upon one common joint: the ends of both."""
    half = (len(angles) + 1) // 2
    left = planar(angles[:half])[-2:]
    right = planar(np.concatenate([angles[:1], -angles[half:]]))[-2:]
    return np.concatenate([left, right])


SHAPES = {"planar": planar, "spatial": spatial, "forked": forked}


def reaching(shape: str, joints: int, seed: int, soft: bool) -> Problem:
    """The last rows, hard and as many as the joints can follow; or all, and most of them soft."""
    random = np.random.default_rng([seed, joints])
    mean = random.uniform(-1.0, 1.0, joints)
    deviations = random.uniform(0.05, 0.2, joints)
    measure = SHAPES[shape]
    rows = len(measure(mean))
    chosen = list(range(rows))[0 if soft else -(joints // 2) :]
    goals = measure(mean + deviations * random.normal(size=joints))[chosen]
    noise = random.uniform(1e-4, 1e-2, len(chosen)) if soft else np.zeros(len(chosen))
    noise[rows - joints // 3 :] = 0.0
    return Problem(lambda x: measure(x)[chosen], mean, deviations, goals, noise)


def spreads(joints: int) -> list[tuple[Spread, Weights]]:
    paper = [(paper_spread(joints, k), paper_weights(joints, k)) for k in (0.0, 0.7, 3.0)]
    scaled = [
        (scaled_spread(joints, *given), scaled_weights(joints, *given))
        for given in [(0.01, 2.0, 0.0), (0.1, 2.0, 0.0), (0.5, 0.3, 1.0), (1.0, 2.0, -0.5)]
    ]
    return [*paper, *scaled]


def assert_same(ours: Array, theirs: Array, within: float = 1e-8) -> None:
    scale = max(1e-9, float(np.abs(theirs).max(initial=0.0)))
    np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=within * scale)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("joints", range(2, 7))
@pytest.mark.parametrize("soft", [False, True], ids=["hard", "soft"])
@pytest.mark.parametrize("seed", range(3))
def test_step_and_prediction_are_those_of_the_textbook(
    shape: str, joints: int, soft: bool, seed: int
) -> None:
    problem = reaching(shape, joints, seed, soft)
    for spread, weights in spreads(joints):
        ours, theirs = answer(problem, spread), problem.textbook(weights)
        assert ours.code == 0
        assert_same(ours.step, theirs.step)
        assert_same(ours.predicted, theirs.predicted, within=1e-10)


def linear(seed: int, size: int = 7, rows: int = 4) -> tuple[Problem, Array]:
    """A measurement J x, and its J; even rows are hard."""
    random = np.random.default_rng(seed)
    jacobian = random.normal(size=(rows, size))
    noise = random.uniform(0.01, 0.1, rows) * (np.arange(rows) % 2)
    problem = Problem(
        lambda x: jacobian @ x,
        random.normal(size=size),
        random.uniform(0.1, 0.5, size),
        random.normal(size=rows),
        noise,
    )
    return problem, jacobian


@pytest.mark.parametrize("seed", range(5))
def test_a_linear_measurement_gives_the_kalman_filter(seed: int) -> None:
    problem, j = linear(seed)
    prior = np.diag(problem.deviations**2)
    gain = prior @ j.T @ np.linalg.inv(j @ prior @ j.T + np.diag(problem.noise))
    expected = gain @ (problem.goals - j @ problem.mean)
    for spread, _ in spreads(7):
        ours = answer(problem, spread)
        assert ours.code == 0
        assert_same(ours.step, expected, within=1e-10)
        hard = problem.noise == 0.0
        met = problem.measure(problem.mean + ours.step)
        np.testing.assert_allclose(met[hard], problem.goals[hard], atol=1e-9)


@pytest.mark.parametrize("kappa", [-6.5, -4.0, 0.0, 9.0])
def test_the_mean_of_a_parabola_is_exact_whatever_the_spread(kappa: float) -> None:
    random = np.random.default_rng(3)
    bends, deviations = random.normal(size=(2, 7)), random.uniform(0.1, 0.5, 7)
    nothing = np.zeros(2)
    problem = Problem(lambda x: bends @ x**2, np.zeros(7), deviations, nothing, nothing)
    for spread in (paper_spread(7, kappa), scaled_spread(7, 0.001, 2.0, kappa)):
        expected = bends @ deviations**2
        np.testing.assert_allclose(answer(problem, spread).predicted, expected, rtol=1e-10)


def with_rows_that_repeat(problem: Problem, mix: Array) -> Problem:
    """Further hard rows that are sums of the given ones, goals too: they ask for nothing new."""
    return problem.measuring(
        lambda x: np.concatenate([problem.measure(x), mix @ problem.measure(x)]),
        np.concatenate([problem.goals, mix @ problem.goals]),
        np.zeros(len(problem.goals) + len(mix)),
    )


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("factor", [1.0, 1e-5], ids=["wide", "tiny"])
def test_rows_that_repeat_others_are_left_out_and_change_nothing(seed: int, factor: float) -> None:
    problem = reaching("spatial", 6, seed, soft=False)
    problem = replace(problem, deviations=factor * problem.deviations)
    mixes = [np.eye(3)[[1]], 1e4 * np.eye(3)[[0]], -1e-4 * np.eye(3), np.ones((2, 3))]
    for spread in (paper_spread(6, 1.0), scaled_spread(6, 0.1)):
        alone = answer(problem, spread)
        assert alone.code == 0
        for mix in mixes:
            repeated = answer(with_rows_that_repeat(problem, mix), spread)
            assert repeated.code == len(mix)
            assert_same(repeated.step, alone.step)
            # Without a floor it is up to rounding which are found; none makes P_zz indefinite.
            assert answer(with_rows_that_repeat(problem, mix), spread, floor=0.0).code >= 0


def test_of_two_hard_rows_that_disagree_the_earlier_counts() -> None:
    problem = reaching("planar", 6, 1, soft=False)
    twice = problem.rows([0, 1, 2, 1])
    twice = replace(twice, goals=twice.goals + np.array([0.0, 0.0, 0.0, 0.2]))
    spread = scaled_spread(6)
    ours = answer(twice, spread)
    assert ours.code == 1
    assert_same(ours.step, answer(problem, spread).step)


def test_a_row_that_nothing_moves_is_left_out() -> None:
    problem = reaching("planar", 4, 1, soft=False)
    stuck = problem.measuring(
        lambda x: np.append(3.0, problem.measure(x)), np.append(4.0, problem.goals), np.zeros(3)
    )
    ours = answer(stuck, scaled_spread(4))
    assert ours.code == 1
    assert_same(ours.step, answer(problem, scaled_spread(4)).step)


def test_what_is_left_of_a_row_is_measured_by_its_whole_variance() -> None:
    """Rows without slope differ by the spread of their bends, which vanishes with the spread."""
    random = np.random.default_rng(4)
    bends, zero = random.uniform(0.5, 1.5, (3, 5)), np.zeros(3)
    problem = Problem(lambda x: bends @ x**2, np.zeros(5), np.full(5, 0.1), zero, zero)
    assert answer(problem, scaled_spread(5, 0.5)).code == 0
    assert answer(problem, scaled_spread(5, 1e-6)).code == 2


@pytest.mark.parametrize("shape", ["planar", "spatial"])
def test_passes_with_ever_smaller_deviations_reach_the_goals(shape: str) -> None:
    """Passes with the same ones settle where the prediction is right, and the tip is not."""
    problem = reaching(shape, 6, 3, soft=False)
    for _ in range(6):
        step = answer(problem, scaled_spread(6)).step
        problem = replace(problem, mean=problem.mean + step, deviations=0.1 * problem.deviations)
    np.testing.assert_allclose(problem.measure(problem.mean), problem.goals, atol=1e-8)


def test_two_points_of_a_rigid_foot_are_brought_to_their_goals() -> None:
    """The middle and the end of the last link: dependent to first order, not to second."""

    def ankle_and_toe(x: Array) -> Array:
        ends = planar(x)
        return np.concatenate([ends[-4:-2], ends[-2:], 0.5 * (ends[-4:-2] + ends[-2:])])

    random = np.random.default_rng(0)
    mean = random.uniform(0.2, 0.8, 6)
    goals = ankle_and_toe(mean + 0.1 * random.normal(size=6))
    problem = Problem(ankle_and_toe, mean, np.full(6, 0.1), goals, np.zeros(6))
    for _ in range(4):
        ours = answer(problem, scaled_spread(6))
        assert ours.code >= 2
        problem = replace(problem, mean=problem.mean + ours.step)
    np.testing.assert_allclose(ankle_and_toe(problem.mean), goals, atol=1e-9)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e300])
@pytest.mark.parametrize("where", ["center", "plus", "minus", "goals", "noise", "deviations"])
def test_what_is_not_finite_is_said_and_moves_nothing(where: str, value: float) -> None:
    problem = reaching("planar", 5, 2, soft=True)
    spread = scaled_spread(5)
    moves = np.diag(math.sqrt(spread.scale) * problem.deviations)
    arrays = {
        "center": problem.measure(problem.mean),
        "plus": np.array([problem.measure(problem.mean + move) for move in moves]),
        "minus": np.array([problem.measure(problem.mean - move) for move in moves]),
        "goals": problem.goals.copy(),
        "noise": problem.noise.copy(),
        "deviations": problem.deviations.copy(),
    }
    arrays[where].flat[-1] = value
    problem = replace(
        problem, goals=arrays["goals"], noise=arrays["noise"], deviations=arrays["deviations"]
    )
    ours = kernel_answer(arrays["center"], arrays["plus"], arrays["minus"], problem, spread)
    if math.isfinite(value) and where in ("goals", "noise", "deviations"):
        assert ours.code >= 0
        assert np.isfinite(ours.step).all()
    else:
        assert ours.code == NOT_FINITE
        assert (ours.step == 0.0).all()


def test_a_step_too_large_for_a_number_is_not_taken() -> None:
    problem = reaching("planar", 4, 0, soft=False)
    problem = replace(problem, goals=np.full(2, 1e308), deviations=np.full(4, 1e-3))
    ours = answer(problem, scaled_spread(4))
    assert ours.code == NOT_FINITE
    assert (ours.step == 0.0).all()


@pytest.mark.parametrize("seed", range(3))
def test_coordinates_without_deviation_never_move(seed: int) -> None:
    problem = reaching("spatial", 6, seed, soft=True)
    still = np.array([True, False, False, True, False, True])
    problem = replace(problem, deviations=np.where(still, 0.0, problem.deviations))
    for spread, _ in spreads(6):
        ours = answer(problem, spread)
        assert (ours.step[still] == 0.0).all()
        assert (ours.step[~still] != 0.0).all()
    nowhere = replace(problem, deviations=np.zeros(6))
    assert (answer(nowhere, scaled_spread(6)).step == 0.0).all()


@pytest.mark.parametrize("seed", range(5))
def test_the_order_of_rows_does_not_matter(seed: int) -> None:
    problem = reaching("spatial", 6, seed, soft=True)
    order = np.random.default_rng(seed).permutation(len(problem.goals)).tolist()
    for spread, _ in spreads(6):
        ours, shuffled = answer(problem, spread), answer(problem.rows(order), spread)
        assert shuffled.code == ours.code == 0
        assert_same(shuffled.step, ours.step)
        assert_same(shuffled.predicted, ours.predicted[order], within=1e-14)


@pytest.mark.parametrize("order", [[0, 1, 2, 3], [3, 2, 1, 0]], ids=["hard first", "soft first"])
def test_soft_rows_yield_to_hard_ones(order: list[int]) -> None:
    """The soft rows ask the same end to be elsewhere."""
    problem, _ = linear(1, rows=2)
    elsewhere = problem.goals + np.array([0.4, -0.3])
    both = problem.measuring(
        lambda x: np.tile(problem.measure(x), 2),
        np.concatenate([problem.goals, elsewhere]),
        np.array([0.0, 0.0, 0.01, 0.01]),
    ).rows(order)
    ours = answer(both, scaled_spread(7))
    assert ours.code == 0
    met = problem.measure(problem.mean + ours.step)
    np.testing.assert_allclose(met, problem.goals, atol=1e-9)


def test_the_softer_a_row_the_less_it_moves() -> None:
    problem = reaching("planar", 4, 2, soft=False).rows([0])
    lengths = [
        float(np.linalg.norm(answer(replace(problem, noise=np.array([n])), scaled_spread(4)).step))
        for n in (0.0, 1e-4, 1e-2, 1.0, 1e12)
    ]
    assert all(harder > softer for harder, softer in pairwise(lengths))
    assert lengths[-1] < 1e-9


def test_only_the_ratios_of_deviations_matter_to_hard_rows() -> None:
    problem, _ = linear(2)
    problem = replace(problem, mean=np.zeros(7), noise=np.zeros(4))
    wide = answer(problem, scaled_spread(7))
    for factor in (1e-5, 1e-9, 1e6):
        narrow = answer(replace(problem, deviations=factor * problem.deviations), scaled_spread(7))
        assert narrow.code == 0
        assert_same(narrow.step, wide.step, within=1e-10)


def bent(seed: int) -> Problem:
    """Parabolas with a slope: strongly bent ones fool a mean that weighs less than nothing."""
    random = np.random.default_rng(seed)
    slopes, bends = random.normal(size=(3, 5)), 3.0 * random.normal(size=(3, 5))
    return Problem(
        lambda x: slopes @ x + bends @ x**2,
        np.zeros(5),
        random.uniform(0.1, 0.5, 5),
        random.normal(size=3),
        np.full(3, 1e-3),
    )


@pytest.mark.parametrize("kappa", [-4.0, -2.0])
def test_an_indefinite_covariance_is_refused_and_no_other(kappa: float) -> None:
    spread, weights = paper_spread(5, kappa), paper_weights(5, kappa)
    refused = 0
    for seed in range(40):
        problem = bent(seed)
        theirs, ours = problem.textbook(weights), answer(problem, spread)
        if np.linalg.eigvalsh(theirs.innovation)[0] < 0.0:
            refused += 1
            assert ours.code == INDEFINITE
            assert (ours.step == 0.0).all()
        else:
            assert ours.code == 0
            assert_same(ours.step, theirs.step)
    assert 0 < refused < 40


def test_weights_that_are_always_definite_are_never_refused() -> None:
    safe = [
        paper_spread(5, 0.0), paper_spread(5, 4.0), scaled_spread(5), scaled_spread(5, 0.1, 0.01),
        Spread(1.0, 0.8), Spread(0.1, 1.0),
    ]  # fmt: skip
    unsafe = [paper_spread(5, -0.1), scaled_spread(5, 0.1, 0.0, -0.1), Spread(1.0, 0.79)]
    for spread in safe:
        assert always_definite(5, spread.scale, spread.excess)
        for seed in range(20):
            problem = replace(bent(seed), noise=np.zeros(3))
            assert answer(problem, spread).code == 0
    for spread in unsafe:
        assert not always_definite(5, spread.scale, spread.excess)
        # Equal bends in all coordinates and no slope: nothing but the bend is left to weigh.
        alike = Problem(
            lambda x: np.array([x @ x]), np.zeros(5), np.ones(5), np.ones(1), np.zeros(1)
        )
        assert answer(alike, spread).code == INDEFINITE


def test_without_rows_nothing_moves() -> None:
    problem = reaching("planar", 3, 0, soft=False).rows([])
    ours = answer(problem, scaled_spread(3))
    assert ours.code == 0
    assert (ours.step == 0.0).all()


def test_the_scaled_transform_with_neutral_numbers_is_the_papers() -> None:
    assert scaled_spread(6, alpha=1.0, beta=0.0, kappa=1.5) == paper_spread(6, 1.5)


def test_points_lie_within_a_tenth_of_a_deviation_unless_asked_otherwise() -> None:
    assert math.sqrt(scaled_spread(100).scale) == pytest.approx(0.1)
    assert scaled_spread(100).excess == pytest.approx(3.0, abs=1e-3)


@pytest.mark.parametrize("kappa", [-6.0, -7.0, np.nan, np.inf, -np.inf])
def test_a_kappa_without_a_spread_is_refused(kappa: float) -> None:
    with pytest.raises(BadValue, match="kappa"):
        paper_spread(6, kappa)
    with pytest.raises(BadValue, match="kappa"):
        scaled_spread(6, kappa=kappa)


@pytest.mark.parametrize("alpha", [0.0, -1.0, np.nan, np.inf, 1e-200, 1e200])
def test_an_alpha_without_a_spread_is_refused(alpha: float) -> None:
    with pytest.raises(BadValue, match="alpha"):
        scaled_spread(6, alpha)


def test_a_beta_that_is_no_number_and_a_state_without_coordinates_are_refused() -> None:
    with pytest.raises(BadValue, match="beta"):
        scaled_spread(6, beta=math.nan)
    with pytest.raises(BadValue, match="size"):
        paper_spread(0, 1.0)
