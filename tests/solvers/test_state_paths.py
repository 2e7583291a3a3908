"""The likeliest path and the members' probabilities, against all paths there are."""

from __future__ import annotations

from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from poise.solvers import Layers, likeliest_states

MEMBERS = 3


def layered(sets: list[list[int]]) -> Layers:
    starts = np.cumsum([0, *(len(some) for some in sets)]).astype(np.int64)
    return Layers(starts, np.array([s for some in sets for s in some], np.int64), 1 << MEMBERS)


def scores_of_all_paths(sets, likelihoods, log_change) -> dict[tuple[int, ...], float]:
    """By place in each layer: the log-probability of every path, not normalised."""
    starts = np.cumsum([0, *(len(some) for some in sets)])
    found = {}
    for path in product(*(range(len(some)) for some in sets)):
        states = [sets[t][k] for t, k in enumerate(path)]
        changed = sum(
            log_change[bit]
            for a, b in pairwise(states)
            for bit in range(MEMBERS)
            if (a ^ b) >> bit & 1
        )
        here = sum(likelihoods[starts[t] + k] for t, k in enumerate(path))
        found[tuple(states)] = here + changed
    return found


@st.composite
def problems(draw):
    count = draw(st.integers(1, 5))
    sets = [
        sorted(draw(st.sets(st.integers(0, (1 << MEMBERS) - 1), min_size=1, max_size=5)))
        for _ in range(count)
    ]
    rng = np.random.default_rng(draw(st.integers(0, 10_000)))
    likelihoods = rng.normal(0.0, draw(st.sampled_from([0.1, 1.0, 30.0])), sum(map(len, sets)))
    costs = st.sampled_from([0.0, -0.5, -2.0, -20.0])
    return sets, likelihoods, np.array([draw(costs) for _ in range(MEMBERS)])


@settings(max_examples=80, deadline=None)
@given(problems())
def test_the_likeliest_path_and_all_probabilities(problem) -> None:
    sets, likelihoods, log_change = problem
    found = likeliest_states(layered(sets), likelihoods, log_change)
    paths = scores_of_all_paths(sets, likelihoods, log_change)
    best = max(paths.values())
    assert paths[tuple(found.states.tolist())] == pytest.approx(best, abs=1e-9)
    weights = np.exp(np.array(list(paths.values())) - best)
    weights = weights / weights.sum()
    members = np.array([[[(s >> b) & 1 for b in range(MEMBERS)] for s in path] for path in paths])
    expected = np.einsum("p,ptb->tb", weights, members)
    np.testing.assert_allclose(found.probabilities, expected, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(problems(), st.floats(-1e4, 1e4))
def test_only_differences_of_likelihoods_count(problem, more) -> None:
    sets, likelihoods, log_change = problem
    layers = layered(sets)
    as_is = likeliest_states(layers, likelihoods, log_change)
    shifted = likeliest_states(layers, likelihoods + more, log_change)
    np.testing.assert_allclose(as_is.probabilities, shifted.probabilities, atol=1e-6)


def test_backwards_is_the_same() -> None:
    rng = np.random.default_rng(5)
    sets = [[0, 1, 2, 3]] * 30
    likelihoods = rng.normal(size=120)
    there = likeliest_states(layered(sets), likelihoods, np.full(2, -1.0))
    back = likeliest_states(
        layered(sets), likelihoods.reshape(30, 4)[::-1].ravel().copy(), np.full(2, -1.0)
    )
    np.testing.assert_array_equal(there.states, back.states[::-1])
    np.testing.assert_allclose(there.probabilities, back.probabilities[::-1], atol=1e-12)


def test_a_long_path_neither_overflows_nor_forgets() -> None:
    """Hundreds of thousands of layers, each with a little evidence for the same member."""
    count = 200_000
    likelihoods = np.tile([0.0, 0.3], count)
    starts = 2 * np.arange(count + 1, dtype=np.int64)
    layers = Layers(starts, np.tile(np.array([0, 1], np.int64), count), 2)
    found = likeliest_states(layers, likelihoods, np.array([-3.0]))
    assert (found.states == 1).all()
    assert np.isfinite(found.probabilities).all()
    assert found.probabilities[count // 2, 0] > 0.95


def test_a_costly_change_bridges_a_doubtful_layer() -> None:
    sets = [[0, 1]] * 5
    likelihoods = np.array([0, 4, 0, 4, 0.5, 0, 0, 4, 0, 4], float)
    assert likeliest_states(layered(sets), likelihoods, np.array([-2.0])).states.tolist() == [1] * 5
    assert likeliest_states(layered(sets), likelihoods, np.zeros(1)).states.tolist() == [
        1,
        1,
        0,
        1,
        1,
    ]
