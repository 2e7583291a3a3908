"""How many stretches of one contact state there are, as an effective number (Lee & Lee, 3.5.1).

Eq. 27 takes the shares of the time that each *state* has, but then a walk of any length has at most
as many as there are states in a step, while the paper's Table 2 asks for 15 to 30. With the shares
of the time that each unbroken *stretch* of a state has, the index grows with every change and with
the length of the clip, as the table does. Many short stretches among few long ones count less than
their number.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.solvers import CheapestPaths, Layers, cheapest_paths

PER_SECOND = 12.0
"""Stretches a second that a sequence may have when nothing else is asked: a little more than the
paper's liveliest, the run, with 15 in 43 frames at 30 a second. (Its walk has half as many.) Less
would take the push-off from a runner, whose steps have three or four at three steps a second; the
least price of a change keeps calm motion calm."""

_HALVINGS = 14
_DEAREST = 1e4
"""Beyond this a change is avoided wherever it can be: more than any clip's nodes cost."""
_CHEAPEST = 1e-6


def diversity(states: Indices) -> float:
    """The effective number of stretches of a sequence (T,): Eq. 27 over stretches."""
    ends = np.flatnonzero(np.diff(states)) + 1
    shares = np.diff(np.concatenate([[0], ends, [len(states)]])) / len(states)
    return float(np.exp(-np.sum(shares * np.log(shares))))


def limited_paths(
    layers: Layers, costs: Array, weights: Array, least_jump: float, most: float
) -> tuple[CheapestPaths, Array]:
    """The cheapest paths that have at most so many stretches, and the price of change of each.

    The price of a change starts at `least_jump` and is raised, by halving the interval of its
    logarithm, hardly more than is needed.

    Args:
        layers: the graph.
        costs: (N, C) kinds of cost of each node.
        weights: (P, T, C) of the kinds, for every path.
        least_jump: the price of a change that is always asked.
        most: the largest diversity.
    """
    count = len(weights)
    least_jump = max(least_jump, _CHEAPEST)
    low, high = np.full(count, least_jump), np.full(count, max(_DEAREST, least_jump))
    found = cheapest_paths(layers, costs, weights, low)
    states, nodes, paid = found.states.copy(), found.nodes.copy(), found.costs.copy()
    over = np.flatnonzero([diversity(path) > most for path in states])
    jumps = low.copy()
    if not len(over):
        return found, jumps
    # What even the dearest change leaves over the limit stays as that leaves it.
    trial = cheapest_paths(layers, costs, weights[over], high[over])
    _put(trial, over, states, nodes, paid)
    jumps[over] = high[over]
    for _ in range(_HALVINGS):
        middle = np.sqrt(low[over] * high[over])
        trial = cheapest_paths(layers, costs, weights[over], middle)
        fits = np.array([diversity(path) <= most for path in trial.states])
        high[over[fits]], low[over[~fits]] = middle[fits], middle[~fits]
        kept = over[fits]
        states[kept], nodes[kept], paid[kept] = (
            trial.states[fits], trial.nodes[fits], trial.costs[fits],
        )  # fmt: skip
        jumps[kept] = middle[fits]
    return CheapestPaths(nodes, states, paid), jumps


def _put(trial: CheapestPaths, rows: Indices, states: Indices, nodes: Indices, paid: Array) -> None:
    states[rows], nodes[rows], paid[rows] = trial.states, trial.nodes, trial.costs
