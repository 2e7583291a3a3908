"""The search through layers against every path there is, and against the full graph."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from poise.errors import BadShape, BadValue
from poise.solvers.shortest_path import Layers, cheapest_paths


def full(layer_count: int, state_count: int) -> Layers:
    starts = np.arange(layer_count + 1) * state_count
    return Layers(starts, np.tile(np.arange(state_count), layer_count), state_count)


def random_layers(rng: np.random.Generator, layer_count: int, state_count: int) -> Layers:
    kept = [np.flatnonzero(rng.random(state_count) < 0.6) for _ in range(layer_count)]
    kept = [k if len(k) else np.array([int(rng.integers(state_count))]) for k in kept]
    starts = np.concatenate([[0], np.cumsum([len(k) for k in kept])])
    return Layers(starts, np.concatenate(kept), state_count)


def price(layers: Layers, nodes, costs, weights, jump: float) -> float:
    paid = sum(float(weights[t] @ costs[n]) for t, n in enumerate(nodes))
    return paid + jump * int((np.diff(layers.states[list(nodes)]) != 0).sum())


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("jump", [0.0, 0.1, 0.7, 100.0])
def test_no_path_is_cheaper(seed: int, jump: float) -> None:
    rng = np.random.default_rng(seed)
    layers = random_layers(rng, 5, 6)
    costs, weights = rng.random((len(layers.states), 3)), rng.random((1, 5, 3))
    found = cheapest_paths(layers, costs, weights, np.array([jump]))
    every = product(*(range(a, b) for a, b in zip(layers.starts, layers.starts[1:], strict=False)))
    least = min(price(layers, nodes, costs, weights[0], jump) for nodes in every)
    assert found.costs[0] == pytest.approx(least, rel=1e-12)
    assert price(layers, found.nodes[0], costs, weights[0], jump) == pytest.approx(least, rel=1e-12)
    assert (found.states[0] == layers.states[found.nodes[0]]).all()


def test_leaving_out_states_that_cost_too_much_changes_nothing() -> None:
    """States dearer than the cheapest by more than two jumps are never visited."""
    rng = np.random.default_rng(5)
    frames, states, jump = 40, 32, 0.05
    everything = full(frames, states)
    costs = rng.random((frames * states, 1)) ** 3
    by_layer = costs.reshape(frames, states)
    kept = by_layer <= by_layer.min(axis=1, keepdims=True) + 2 * jump
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])
    pruned = Layers(starts, np.nonzero(kept)[1], states)
    one = np.ones((1, frames, 1))
    whole = cheapest_paths(everything, costs, one, np.array([jump]))
    less = cheapest_paths(pruned, costs[kept.ravel()], one, np.array([jump]))
    assert (whole.states == less.states).all()
    assert len(pruned.states) < 0.9 * len(everything.states)


def test_many_weights_at_once_are_as_each_alone() -> None:
    rng = np.random.default_rng(6)
    layers = random_layers(rng, 30, 16)
    costs, weights = rng.random((len(layers.states), 3)), rng.random((9, 30, 3))
    jumps = rng.random(9)
    together = cheapest_paths(layers, costs, weights, jumps)
    for p in range(9):
        alone = cheapest_paths(layers, costs, weights[p : p + 1], jumps[p : p + 1])
        assert (alone.nodes[0] == together.nodes[p]).all()
        assert alone.costs[0] == together.costs[p]


def test_dear_jumps_leave_one_state_and_free_ones_take_each_layers_best() -> None:
    rng = np.random.default_rng(7)
    layers, costs = full(20, 8), rng.random((160, 1))
    found = cheapest_paths(layers, costs, np.ones((2, 20, 1)), np.array([0.0, 1e6]))
    assert (found.states[0] == costs.reshape(20, 8).argmin(axis=1)).all()
    assert (found.states[1] == costs.reshape(20, 8).sum(axis=0).argmin()).all()


def test_malformed_graphs_are_refused() -> None:
    with pytest.raises(BadValue, match="ascending"):
        Layers(np.array([0, 2]), np.array([1, 1]), 2)
    with pytest.raises(BadValue, match="every layer"):
        Layers(np.array([0, 1, 1]), np.array([0]), 2)
    with pytest.raises(BadValue, match="from 0 to 1"):
        Layers(np.array([0, 1]), np.array([2]), 2)
    with pytest.raises(BadShape, match="weights"):
        cheapest_paths(full(2, 2), np.zeros((4, 1)), np.zeros((1, 3, 1)), np.zeros(1))
