"""How good a motion is: the errors of linear potentials, and Eq. 20."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.methods.correct.problem import ANCHOR, BALANCE, POSE, TRAJECTORY, Problem
from poise.methods.correct.settings import Preset, Settings
from poise.solvers import CheapestPaths, Layers, cheapest_paths

# How many stretches of one contact state there are, as an effective number (Lee & Lee, 3.5.1).
#
# Eq. 27 takes the shares of the time that each *state* has, but then a walk of any length has at
# most as many as there are states in a step, while the paper's Table 2 asks for 15 to 30. With
# the shares of the time that each unbroken *stretch* of a state has, the index grows with every
# change and with the length of the clip, as the table does. Many short stretches among few long
# ones count less than their number.
PER_SECOND: dict[Preset, float] = {
    "auto": 15 * 30 / 85, "walk": 15 * 30 / 85, "run": 15 * 30 / 43, "dance": 20 * 30 / 254,
    "acrobatic": 20 * 60 / 255, "floor": 30 * 30 / 162, "roll": 20 * 30 / 210,
    "seat": 20 * 30 / 238,
}  # fmt: skip
"""Stretches a second that a sequence may have: Table 2 over the lengths of Table 3's clips."""

_HALVINGS = 14
_DEAREST = 1e4
"""Beyond this a change is avoided wherever it can be: more than any clip's nodes cost."""
_CHEAPEST = 1e-6


def most_stretches(settings: Settings, duration_s: float) -> float:
    """The diversity that a clip of this length may have."""
    if settings.diversity is not None:
        return settings.diversity
    return max(1.0, PER_SECOND[settings.preset] * duration_s)


def diversity(states: Indices) -> float:
    """The effective number of stretches of a sequence (T,): Eq. 27 over stretches."""
    ends = np.flatnonzero(np.diff(states)) + 1
    shares = np.diff(np.concatenate([[0], ends, [len(states)]])) / len(states)
    return float(np.exp(-np.sum(shares * np.log(shares))))


def limited_paths(layers: Layers, costs: Array, weights: Array, most: float) -> CheapestPaths:
    """The cheapest paths that have at most so many stretches.

    Nodes cost (N, C), weighed by (P, T, C) for every path. The price of a change (Eq. 26) starts
    next to nothing and is raised, by halving the interval of its logarithm, no more than needed.
    """
    count = len(weights)
    low, high = np.full(count, _CHEAPEST), np.full(count, _DEAREST)
    found = cheapest_paths(layers, costs, weights, low)
    over = np.flatnonzero([diversity(path) > most for path in found.states])
    if not len(over):
        return found
    found = CheapestPaths(found.nodes.copy(), found.states.copy(), found.costs.copy())
    # What even the dearest change leaves over the limit stays as that leaves it.
    trial = cheapest_paths(layers, costs, weights[over], high[over])
    _put(trial, np.ones(len(over), np.bool_), found, over)
    for _ in range(_HALVINGS):
        middle = np.sqrt(low[over] * high[over])
        trial = cheapest_paths(layers, costs, weights[over], middle)
        fits = np.array([diversity(path) <= most for path in trial.states])
        high[over[fits]], low[over[~fits]] = middle[fits], middle[~fits]
        _put(trial, fits, found, over[fits])
    return found


def _put(
    trial: CheapestPaths, chosen: NDArray[np.bool_], found: CheapestPaths, rows: Indices
) -> None:
    """Paths of a trial that are chosen, in the place of those found before."""
    found.nodes[rows], found.states[rows] = trial.nodes[chosen], trial.states[chosen]
    found.costs[rows] = trial.costs[chosen]


POSE_M = 0.02
"""Displacement within a limb that counts like a joint's acceleration wrong by gravity's."""


@inner_borrowing
def linear_errors(problem: Problem, contacts: NDArray[np.bool_], x: Array, found: Array) -> None:
    """Trajectory (of what does not touch) and pose, squared and summed."""
    frames, width = len(contacts), len(problem.shares)
    path = 0.0
    for k in range(3):
        for i in range(width, (frames - 1) * width):
            path += _path_error(problem, x, k, i) ** 2
        for t in range(1, frames - 1):
            for b in range(contacts.shape[1]):
                if contacts[t, b]:
                    i = t * width + problem.contact_vertex[b]
                    path -= _path_error(problem, x, k, i) ** 2
    pose = 0.0
    for t in range(frames):
        for r in range(len(problem.rows)):
            pose += _row_error(problem, x, t, r)
    found[TRAJECTORY] = max(0.0, path)
    found[POSE] = pose


@inlined_borrowing
def _path_error(problem: Problem, x: Array, k: int, i: int) -> float:
    width = len(problem.shares)
    return 0.5 * (x[k, i - width] + x[k, i + width]) - x[k, i] - problem.paths[k, i]


@inner_borrowing
def _row_error(problem: Problem, x: Array, t: int, r: int) -> float:
    start, rows = t * len(problem.shares), len(problem.rows)
    middle, one, other = problem.rows[r]
    error = 0.0
    for k in range(3):
        gap = x[k, start + middle] - x[k, start + one] - problem.row_targets[k, t * rows + r]
        if other >= 0:
            gap += 0.5 * (x[k, start + one] - x[k, start + other])
        error += gap * gap
    return error


@inner_borrowing
def pose_cost(problem: Problem, x: Array) -> float:
    """All rows of the pose, weighed."""
    total = 0.0
    for t in range(len(problem.lengths)):
        for r in range(len(problem.rows)):
            total += problem.row_weights[r] * _row_error(problem, x, t, r)
    return total


@inner_borrowing
def anchor_cost(problem: Problem, x: Array) -> float:
    """The pull to the reference, weighed."""
    total = 0.0
    for k in range(3):
        for i in range(x.shape[1]):
            total += (x[k, i] - problem.reference[k, i]) ** 2
    return problem.weights[ANCHOR] * total


@inner_borrowing
def score_errors(problem: Problem, found: Array, score: Array) -> None:
    """Eq. 20, its three parts made comparable, and each a mean over frames.

    A trajectory error is a wrong acceleration, in units of gravity's, squared, over the number of
    vertices. A pose error is a displacement within a limb, in units of `POSE_M`, squared, mean of
    all rows. A balance error is the force that nothing explains, in body weights, squared. `score`
    is their sum, and the parts.
    """
    frames, width = len(problem.lengths), len(problem.shares)
    drop, rows = problem.drop, max(1, len(problem.rows))
    score[1] = found[TRAJECTORY] / (frames * width * (0.5 * drop) ** 2)
    score[2] = found[POSE] / (frames * rows * POSE_M**2)
    score[3] = found[BALANCE] / (frames * drop**2)
    score[0] = score[1] + score[2] + score[3]
