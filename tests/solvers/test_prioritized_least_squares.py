"""Strict layers against the recursion of the paper, written plainly."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from tests.solvers.layered_problems import (
    Layer,
    compiled_answer,
    damped_inverse,
    paper_answer,
    with_wish,
)

WIDTH = 12
Maker = np.random.Generator


def random_layers(random: Maker, counts: list[int], width: int = WIDTH) -> list[Layer]:
    """Errors of a few centimetres, damped as in a pose: by a limb's length times the error."""
    layers: list[Layer] = []
    for count in counts:
        rows, errors = random.normal(size=(count, width)), 0.05 * random.normal(size=count)
        layers.append(Layer(rows, errors, 0.3 * float(np.linalg.norm(errors))))
    return layers


def assert_same(layers: list[Layer], width: int = WIDTH, within: float = 1e-9) -> None:
    ours, theirs = compiled_answer(layers, width), paper_answer(layers, width)
    scale = max(1e-3, float(np.abs(theirs.step).max()))
    np.testing.assert_allclose(ours.step, theirs.step, atol=within * scale)
    assert ours.rank == theirs.rank
    np.testing.assert_allclose(ours.free, theirs.free, atol=within)


@pytest.mark.parametrize("counts", [
    [1], [5], [12], [20], [3, 3], [3, 20], [6, 3, 2], [2, 2, 2, 2], [4, 1, 3, 1, 2],
    [1, 2, 1, 2, 1, 2], [12, 3], [30, 3], [9, 9, 9], [3, 30, 3], [0, 3], [3, 0, 2],
], ids=str)  # fmt: skip
@pytest.mark.parametrize("seed", range(3))
def test_layers_follow_the_recursion_of_the_paper(counts: list[int], seed: int) -> None:
    assert_same(random_layers(np.random.default_rng(seed), counts))


@pytest.mark.parametrize("spread", [1e-1, 1e-2, 1e-4])
@pytest.mark.parametrize("counts", [[4], [20], [3, 3, 3], [5, 20, 3], [2] * 6], ids=str)
def test_badly_conditioned_layers_follow_it_too(spread: float, counts: list[int]) -> None:
    random = np.random.default_rng(5)
    scales = np.geomspace(1.0, spread, WIDTH)
    layers = [
        Layer(layer.rows * scales, layer.errors, layer.damping)
        for layer in random_layers(random, counts)
    ]
    assert_same(layers, within=1e-9 / spread)


def deficient(random: Maker, count: int, rank: int, width: int = WIDTH) -> np.ndarray:
    return random.normal(size=(count, rank)) @ random.normal(size=(rank, width))


@pytest.mark.parametrize(
    ("shapes"), [[(4, 2)], [(20, 5)], [(3, 1), (6, 2), (4, 4)], [(20, 7), (4, 2), (20, 3)]], ids=str
)
@pytest.mark.parametrize("damping", [1e-2, 1e-4])
def test_dependent_rows_within_a_layer_add_what_they_span(
    shapes: list[tuple[int, int]], damping: float
) -> None:
    random = np.random.default_rng(8)
    layers = [Layer(deficient(random, *s), random.normal(size=s[0]), damping) for s in shapes]
    assert_same(layers, within=1e-8)


def test_rows_that_greater_layers_span_already_add_nothing() -> None:
    random = np.random.default_rng(3)
    first = random_layers(random, [4])[0]
    mixed = np.vstack([random.normal(size=(2, 4)) @ first.rows, random.normal(size=(1, WIDTH))])
    layers = [first, Layer(mixed, random.normal(size=3), 1e-3)]
    assert_same(layers)
    assert compiled_answer(layers, WIDTH).rank == 5
    again = [first, Layer(first.rows, random.normal(size=4), 1e-3)]
    ours = compiled_answer(again, WIDTH)
    np.testing.assert_array_equal(ours.step, compiled_answer([first], WIDTH).step)
    assert ours.rank == 4


@pytest.mark.parametrize("count", [13, 25, 60])
def test_few_rows_and_many_take_different_paths_to_one_answer(count: int) -> None:
    """Each row of a small layer repeated (and shortened to match) is the same problem."""
    random = np.random.default_rng(count)
    few = random_layers(random, [5])[0]
    share = random.dirichlet(np.ones(count), size=1)[0]
    picks = np.concatenate([np.arange(5), random.integers(0, 5, count - 5)])
    weights = np.array([share[picks == k].sum() for k in range(5)])
    scale = np.sqrt(share / weights[picks])
    many = Layer(few.rows[picks] * scale[:, None], few.errors[picks] * scale, few.damping)
    other = random_layers(random, [4])[0]
    for layers in ([few], [few, other], [other, few]):
        twin = [many if layer is few else layer for layer in layers]
        one, two = compiled_answer(layers, WIDTH), compiled_answer(twin, WIDTH)
        np.testing.assert_allclose(two.step, one.step, atol=1e-10)
        np.testing.assert_allclose(two.free, one.free, atol=1e-10)


@pytest.mark.parametrize("counts", [[3, 3], [4, 20], [2, 3, 4], [1, 1, 1, 1, 1, 1]], ids=str)
def test_what_a_layer_does_to_greater_ones_is_nothing(counts: list[int]) -> None:
    layers = random_layers(np.random.default_rng(11), counts)
    for depth in range(1, len(layers)):
        without, beside = (compiled_answer(layers[:n], WIDTH).step for n in (depth, depth + 1))
        for greater in layers[:depth]:
            np.testing.assert_allclose(greater.rows @ beside, greater.rows @ without, atol=1e-14)


def test_an_undamped_layer_is_met_and_a_conflict_costs_only_the_lesser() -> None:
    random = np.random.default_rng(2)
    first, second, free = (random.normal(size=(n, WIDTH)) for n in (3, 3, 2))
    e = random.normal(size=8)
    conflict = Layer(np.vstack([first[:1], free]), e[5:])
    layers = [Layer(first, e[:3]), Layer(second[:2], e[3:5]), conflict]
    step = compiled_answer(layers, WIDTH).step
    np.testing.assert_allclose(first @ step, e[:3], atol=1e-10)
    np.testing.assert_allclose(second[:2] @ step, e[3:5], atol=1e-10)
    np.testing.assert_allclose(free @ step, e[6:], atol=1e-10)
    assert abs(first[0] @ step - e[5]) > 1e-2


def test_damping_shortens_the_step_and_not_the_directions() -> None:
    random = np.random.default_rng(4)
    rows, errors = random.normal(size=(4, WIDTH)), random.normal(size=4)
    plain, damped = (compiled_answer([Layer(rows, errors, d)], WIDTH) for d in (0.0, 10.0))
    assert np.linalg.norm(damped.step) < 0.8 * np.linalg.norm(plain.step)
    np.testing.assert_array_equal(plain.free, damped.free)
    np.testing.assert_allclose(damped.step, damped_inverse(rows, 10.0) @ errors, atol=1e-13)


@pytest.mark.parametrize("counts", [[], [3], [3, 4], [12], [30]], ids=str)
@pytest.mark.parametrize("share", [1.0, 0.3])
def test_the_wish_acts_where_no_layer_looks(counts: list[int], share: float) -> None:
    random = np.random.default_rng(6)
    layers, wish = random_layers(random, counts), random.normal(size=WIDTH)
    reached = paper_answer(layers, WIDTH)
    wanted = reached.step + share * reached.free @ (wish - reached.step)
    np.testing.assert_allclose(with_wish(layers, wish, share), wanted, atol=1e-10)


def test_rows_of_zeros_ask_for_nothing() -> None:
    random = np.random.default_rng(9)
    nothing = Layer(np.zeros((3, WIDTH)), np.ones(3), 1e-2)
    some = random_layers(random, [4])[0]
    empty = compiled_answer([nothing], WIDTH)
    assert not empty.step.any() and empty.rank == 0
    both = compiled_answer([nothing, some], WIDTH)
    np.testing.assert_array_equal(both.step, compiled_answer([some], WIDTH).step)
    padded = Layer(np.vstack([some.rows, nothing.rows]), np.append(some.errors, np.ones(3)),
                   some.damping)  # fmt: skip
    assert_same([padded])


@pytest.mark.parametrize("damping", [0.0, 1e-9])
def test_contradicting_rows_stay_calm_without_damping(damping: float) -> None:
    """The same direction asked to go both ways ends in the middle."""
    row = np.zeros((2, WIDTH))
    row[:, 3] = 1.0
    step = compiled_answer([Layer(row, np.array([1.0, -1.0]), damping)], WIDTH).step
    assert np.abs(step).max() < 0.1


@st.composite
def problems(draw: st.DrawFn) -> tuple[int, list[Layer]]:
    width = draw(st.integers(1, 9))
    # Numbers whose squares underflow are no part of any body.
    numbers = st.one_of(
        st.sampled_from([0.0, 1.0, -1.0, 1e-7]),
        st.floats(-1e4, 1e4).map(lambda x: x if abs(x) > 1e-9 else 0.0),
    )
    layers = []
    for count in draw(st.lists(st.integers(0, 12), min_size=1, max_size=6)):
        rows = draw(arrays(np.float64, (count, width), elements=numbers))
        errors = draw(arrays(np.float64, count, elements=st.floats(-1.0, 1.0)))
        layers.append(Layer(rows, errors, draw(st.sampled_from([0.0, 1e-12, 1e-4, 0.3]))))
    return width, layers


@given(problems())
@settings(deadline=None)
def test_nothing_finite_goes_in_that_comes_out_as_nan(problem: tuple[int, list[Layer]]) -> None:
    width, layers = problem
    answer = compiled_answer(layers, width)
    assert np.isfinite(answer.step).all() and np.isfinite(answer.free).all()
    assert 0 <= answer.rank <= width
    # The basis is orthonormal whatever the rows were, or layers would leak.
    np.testing.assert_allclose(answer.free @ answer.free, answer.free, atol=1e-6)


@given(problems())
@settings(deadline=None)
def test_lesser_layers_leave_greater_ones_alone_whatever_they_are(
    problem: tuple[int, list[Layer]],
) -> None:
    """With a trace of damping, as the loop has: rows that contradict each other, undamped, would
    be answered by numbers so large that their rounding shows."""
    width, given_layers = problem
    layers = [
        replace(layer, damping=max(layer.damping, 1e-9 * float((layer.rows**2).max(initial=0.0))))
        for layer in given_layers
    ]
    for depth in range(1, len(layers)):
        before = compiled_answer(layers[:depth], width).step
        after = compiled_answer(layers[: depth + 1], width).step
        for greater in layers[:depth]:
            size = np.linalg.norm(greater.rows, axis=1)
            moved = np.abs(greater.rows @ (after - before))
            longest = max(1.0, float(np.linalg.norm(after - before)))
            # Rows that are a millionth of their layer's longest add no direction of their own.
            # (The square of a row below 1e-150 is zero: such a row is none.)
            assert (moved <= 1e-5 * size.max(initial=0.0) * longest + 1e-100).all()
