"""The cheapest way through layers of states, where changing state has one price.

A layered graph has T layers (frames), each with some of the states 0 to S − 1. A path takes one
state per layer and pays for each node that it passes, and a jump for every change of state
(Lee & Lee 2018, Eqs. 21 and 26). Any state may follow any other, but because a jump costs the same
from all to all, a node is reached best either from the same state or from the cheapest node of the
layer before: the search is linear in the number of nodes, not of edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array, Indices, frozen_indices
from poise.compiled import borrowing
from poise.errors import BadShape, BadValue


@dataclass(frozen=True, eq=False)
class Layers:
    """Which states each layer has: rows of nodes, layer after layer."""

    starts: Indices
    """(T + 1,) the first node of each layer, and the number of nodes."""
    states: Indices
    """(N,) the state of each node, ascending and different within a layer."""
    state_count: int
    """S."""

    def __post_init__(self) -> None:
        starts = frozen_indices("starts", self.starts, ("T + 1",))
        object.__setattr__(self, "starts", starts)
        states = frozen_indices("states", self.states, ("N",))
        object.__setattr__(self, "states", states)
        if len(starts) < 2 or starts[0] != 0 or starts[-1] != len(states):
            raise BadValue("starts", f"from 0 to {len(states)}, at least two", starts)
        if not (np.diff(starts) > 0).all():
            raise BadValue("starts", "rising: every layer needs a state", starts)
        if states.min() < 0 or states.max() >= self.state_count:
            raise BadValue("states", f"from 0 to {self.state_count - 1}", states)
        inner = np.ones(len(states) - 1, np.bool_)
        inner[starts[1:-1] - 1] = False
        if not (np.diff(states)[inner] > 0).all():
            raise BadValue("states", "ascending within each layer", states)

    @property
    def layer_count(self) -> int:
        """T."""
        return len(self.starts) - 1


@dataclass(frozen=True, eq=False)
class CheapestPaths:
    """One path for every set of weights."""

    nodes: Indices
    """(P, T) the node taken in each layer."""
    states: Indices
    """(P, T) its state."""
    costs: Array
    """(P,) of the whole path, jumps included."""


def cheapest_paths(layers: Layers, costs: Array, weights: Array, jumps: Array) -> CheapestPaths:
    """Search the graph once for every set of weights.

    Of equally cheap ways the one with the fewer jumps at the end is taken, then the lower state, so
    equal input gives equal paths.

    Args:
        layers: the graph.
        costs: (N, C) kinds of cost of each node.
        weights: (P, T, C) of the kinds in each layer, for every path that is wanted.
        jumps: (P,) what a change of state costs.
    """
    count, kinds = len(layers.states), costs.shape[-1]
    if costs.shape != (count, kinds):
        raise BadShape("costs", f"({count}, C)", costs.shape)
    paths = len(jumps)
    if weights.shape != (paths, layers.layer_count, kinds):
        wanted = f"({paths}, {layers.layer_count}, {kinds})"
        raise BadShape("weights", wanted, weights.shape)
    nodes = np.empty((paths, layers.layer_count), np.int64)
    totals = np.empty(paths)
    _search(
        layers.starts, layers.states, np.ascontiguousarray(costs, np.float64),
        np.ascontiguousarray(weights, np.float64), np.ascontiguousarray(jumps, np.float64),
        np.empty(layers.state_count), np.empty(layers.state_count, np.int64),
        np.empty(layers.state_count, np.int64), np.empty(count, np.int64), nodes, totals,
    )  # fmt: skip
    return CheapestPaths(nodes, layers.states[nodes], totals)


@borrowing
def _search(
    starts: Indices, states: Indices, costs: Array, weights: Array, jumps: Array,
    reached: Array, at: Indices, seen: Indices, back: Indices, nodes: Indices, totals: Array,
) -> None:  # fmt: skip
    """Fill `nodes` and `totals`; the others are scratch, by state (3) and by node (1)."""
    layer_count, kinds = len(starts) - 1, costs.shape[1]
    for p in range(len(jumps)):
        seen[:] = -1
        best, best_node = 0.0, -1
        for t in range(layer_count):
            # Of the layer before: its cheapest node, and by state what reaching it cost.
            jump = best + jumps[p] if t > 0 else 0.0
            jump_node = best_node
            best, best_node = np.inf, starts[t]
            for n in range(starts[t], starts[t + 1]):
                s = states[n]
                cost = 0.0
                for k in range(kinds):
                    cost += weights[p, t, k] * costs[n, k]
                if t > 0 and seen[s] == t - 1 and reached[s] <= jump:
                    cost += reached[s]
                    back[n] = at[s]
                else:
                    cost += jump
                    back[n] = jump_node
                reached[s] = cost
                at[s] = n
                seen[s] = t
                if cost < best:
                    best, best_node = cost, n
        totals[p] = best
        for t in range(layer_count - 1, -1, -1):
            nodes[p, t] = best_node
            best_node = back[best_node]
