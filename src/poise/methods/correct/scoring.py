"""How good a motion is: the errors of linear potentials, and Eq. 20."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import inlined_borrowing, inner_borrowing
from poise.methods.correct.problem import ANCHOR, BALANCE, POSE, TRAJECTORY, Planes, Problem
from poise.methods.correct.standing_places import standing_change
from poise.solvers import CheapestPaths, Layers, cheapest_paths

# How many stretches of one contact state there are, as an effective number (Lee & Lee, 3.5.1).
#
# Eq. 27 takes the shares of the time that each *state* has, but then a walk of any length has at
# most as many as there are states in a step, while the paper's Table 2 asks for 15 to 30. With
# the shares of the time that each unbroken *stretch* of a state has, the index grows with every
# change and with the length of the clip, as the table does. Many short stretches among few long
# ones count less than their number.
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
) -> CheapestPaths:
    """The cheapest paths that have at most so many stretches.

    Nodes cost (N, C), weighed by (P, T, C) for every path. The price of a change starts at
    `least_jump` and is raised, by halving the interval of its logarithm, hardly more than needed.
    """
    count = len(weights)
    least_jump = max(least_jump, _CHEAPEST)
    low, high = np.full(count, least_jump), np.full(count, max(_DEAREST, least_jump))
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
def linear_errors(
    problem: Problem, planes: Planes, contacts: NDArray[np.int8], x: Array, found: Array,
    score: Array,
) -> None:  # fmt: skip
    """Trajectory (as it is asked for, and as in the reference) and pose, squared and summed."""
    frames, width = len(contacts), len(problem.shares)
    everywhere = 0.0
    for k in range(3):
        for i in range(width, (frames - 1) * width):
            everywhere += _path_error(problem, x, k, i) ** 2
    changed = 0.0
    for b in range(contacts.shape[1]):
        for t in range(1, frames - 1):
            i = t * width + problem.contact_vertex[b]
            for k in range(3):
                change = standing_change(
                    problem.contact_paths, planes.carried, contacts, t, b, k
                )  # fmt: skip
                gap = _path_error(problem, x, k, i)
                changed += (gap - change) ** 2 - gap * gap
    pose = 0.0
    rows = len(problem.rows)
    for t in range(frames):
        for r in range(rows):
            pose += _row_error(problem, x, t, r)
    found[TRAJECTORY] = max(0.0, everywhere + changed)
    found[POSE] = pose
    score[1] = everywhere


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
def score_errors(problem: Problem, found: Array, turned: float, score: Array) -> None:
    """Eq. 20, its three parts made comparable, and each a mean over frames.

    A trajectory error is a wrong acceleration, in units of gravity's, squared, mean of all vertices
    (touching ones, too: left out, they would make every contact look good). A pose error is a
    displacement within a limb, in units of `POSE_M`, squared, mean of all rows. A balance error is
    the force that nothing explains, in body weights, squared. `score` is their sum, the parts, and
    the moment that nothing explains, which Eq. 20 does not count.
    """
    frames, width = len(problem.lengths), len(problem.shares)
    drop, rows = problem.drop, max(1, len(problem.rows))
    score[1] /= frames * width * (0.5 * drop) ** 2
    score[2] = found[POSE] / (frames * rows * POSE_M**2)
    score[3] = found[BALANCE] / (frames * drop**2)
    score[4] = turned / frames
    score[0] = score[1] + score[2] + score[3]
