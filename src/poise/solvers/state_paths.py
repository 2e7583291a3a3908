"""The likeliest path through layers of sets, and how sure each of its members is.

A hidden Markov model whose states are sets of members, as bits of a number. A layer (a frame) has
some of these sets, each with a log-likelihood; from one layer to the next every member that joins
or leaves has its cost. The likeliest path is Viterbi's; how probable each member is in each layer
follows from the forward and the backward pass.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.solvers.shortest_path import Layers

_NEVER = -1e300


class StatePaths(NamedTuple):
    """What a sequence of layers says."""

    states: Indices
    """(T,) of the likeliest path."""
    probabilities: Array
    """(T, B) of each member, whatever the others do."""


def likeliest_states(layers: Layers, log_likelihoods: Array, log_change: Array) -> StatePaths:
    """Find the likeliest path, and the probability of every member in every layer.

    Args:
        layers: which sets each layer has; a state's bits are its members.
        log_likelihoods: (N,) of each node.
        log_change: (B,) of each member that joins or leaves, negative.
    """
    count = len(layers.states)
    forward, backward, best = np.empty(count), np.empty(count), np.empty(count)
    came = np.zeros(count, np.int64)
    states = np.empty(layers.layer_count, np.int64)
    probabilities = np.zeros((layers.layer_count, len(log_change)))
    _pass(
        layers.starts, layers.states, log_likelihoods, log_change, forward, backward, best, came,
        states, probabilities,
    )  # fmt: skip
    return StatePaths(states, probabilities)


@borrowing
def _pass(
    starts: Indices, states: Indices, log_likelihoods: Array, log_change: Array, forward: Array,
    backward: Array, best: Array, came: NDArray[np.int64], taken: Indices, probabilities: Array,
) -> None:  # fmt: skip
    layers = len(starts) - 1
    for n in range(starts[0], starts[1]):
        forward[n] = best[n] = log_likelihoods[n]
    for t in range(1, layers):
        for n in range(starts[t], starts[t + 1]):
            top, where = _NEVER, starts[t - 1]
            highest = _NEVER
            for m in range(starts[t - 1], starts[t]):
                price = _price(states[n], states[m], log_change)
                if best[m] + price > top:
                    top, where = best[m] + price, m
                highest = max(highest, forward[m] + price)
            total = 0.0
            for m in range(starts[t - 1], starts[t]):
                price = _price(states[n], states[m], log_change)
                total += math.exp(forward[m] + price - highest)
            best[n], came[n] = top + log_likelihoods[n], where
            forward[n] = highest + math.log(total) + log_likelihoods[n]
    for n in range(starts[layers - 1], starts[layers]):
        backward[n] = 0.0
    for t in range(layers - 2, -1, -1):
        for n in range(starts[t], starts[t + 1]):
            highest = _NEVER
            for m in range(starts[t + 1], starts[t + 2]):
                price = _price(states[n], states[m], log_change)
                highest = max(highest, backward[m] + log_likelihoods[m] + price)
            total = 0.0
            for m in range(starts[t + 1], starts[t + 2]):
                price = _price(states[n], states[m], log_change)
                total += math.exp(backward[m] + log_likelihoods[m] + price - highest)
            backward[n] = highest + math.log(total)
    at = starts[layers - 1]
    for n in range(starts[layers - 1], starts[layers]):
        if best[n] > best[at]:
            at = n
    for t in range(layers - 1, -1, -1):
        taken[t] = states[at]
        at = came[at]
    for t in range(layers):
        highest = _NEVER
        for n in range(starts[t], starts[t + 1]):
            highest = max(highest, forward[n] + backward[n])
        total = 0.0
        for n in range(starts[t], starts[t + 1]):
            total += math.exp(forward[n] + backward[n] - highest)
        for n in range(starts[t], starts[t + 1]):
            share = math.exp(forward[n] + backward[n] - highest) / total
            for b in range(probabilities.shape[1]):
                if (states[n] >> b) & 1:
                    probabilities[t, b] += share


@borrowing
def _price(a: int, b: int, log_change: Array) -> float:
    """What the members cost by which two sets differ."""
    left, total, member = a ^ b, 0.0, 0
    while left:
        if left & 1:
            total += log_change[member]
        left >>= 1
        member += 1
    return total
