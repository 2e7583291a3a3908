"""Local projections and one global solve, in turns: the compiled loop of the motion optimizer.

One call evaluates one contact sequence: it assembles, factors, alternates and says how good the
motion is (Eq. 20). It neither asks Python for anything nor keeps it waiting, so that threads
evaluate samples side by side.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.compiled import compiled, inner_borrowing
from poise.methods.correct.balance import Wrenches, project_balance, room_for
from poise.methods.correct.band import (
    REACH,
    add_pair,
    add_penetration,
    assemble_contacts,
    free_path,
)
from poise.methods.correct.problem import (
    ANCHOR,
    BALANCE,
    BONE,
    CONTACT,
    KINDS,
    PENETRATION,
    POSE,
    SPIN,
    TRAJECTORY,
    Planes,
    Problem,
)
from poise.methods.correct.projections import (
    depth,
    project_bones,
    project_contacts,
    project_pairs,
    project_penetrations,
)
from poise.solvers.banded_cholesky import factor_band, refactor_band, solve_band_three

DEPTH_M = 0.0005
"""Deeper than this, a vertex that penetrates is held from then on."""

_LOOKS_EVERY = 5
"""Rounds between looks for new penetrations, each of which may cost a new factor."""

POSE_M = 0.005
"""Unit of pose errors in `Score`."""


class Room(NamedTuple):
    """Where one evaluation does its work; one for each thread, used again and again."""

    x: Array
    """(3, N) the vertices."""
    right: Array
    """(3, N)"""
    constant: Array
    """(3, N) the part of the right side that no round changes."""
    band: Array
    """(N, 3V) the matrix,"""
    factor: Array
    """(N, 3V) and its factor."""
    held: NDArray[np.bool_]
    """(N,) vertices held out of the surroundings."""
    apart: NDArray[np.bool_]
    """(T, Q) pairs held apart."""
    wrenches: Wrenches


def room(problem: Problem) -> Room:
    """Work space for a problem."""
    size, width = problem.reference.shape[1], len(problem.shares)
    frames = len(problem.lengths)
    points = len(problem.contact_vertex) * int(problem.numbers[1])
    return Room(
        np.empty((3, size)), np.empty((3, size)), np.empty((3, size)),
        np.empty((size, REACH * width)), np.empty((size, REACH * width)),
        np.zeros(size, np.bool_), np.zeros((frames, len(problem.pairs)), np.bool_),
        room_for(frames, points),
    )  # fmt: skip


@compiled
def begin(problem: Problem, base: Array, contacts: NDArray[np.int8], work: Room) -> bool:
    """Make matrix, factor and constant right side of a contact sequence; start at the reference.

    Args:
        problem: what is to be solved.
        base: (N, 3V) the matrix without contacts.
        contacts: (T, B)
        work: is filled.

    Returns:
        Whether the matrix could be factored.
    """
    work.x[:] = problem.reference
    work.band[:] = base
    work.held[:] = False
    work.apart[:] = False
    work.wrenches.done[:] = False
    assemble_contacts(problem, contacts, work.band)
    _constant(problem, contacts, work.constant)
    work.factor[:] = work.band
    return factor_band(work.factor, len(problem.shares), REACH)


@inner_borrowing
def _constant(problem: Problem, contacts: NDArray[np.int8], right: Array) -> None:
    """Aᵀp of trajectory, pose and anchor, which are linear."""
    width, frames = len(problem.shares), len(contacts)
    size, rows = problem.reference.shape[1], len(problem.rows)
    w = problem.weights[TRAJECTORY]
    for k in range(3):
        for i in range(size):
            right[k, i] = problem.weights[ANCHOR] * problem.reference[k, i]
        for t in range(1, frames - 1):
            for i in range(t * width, (t + 1) * width):
                target = w * problem.paths[k, i]
                right[k, i - width] += 0.5 * target
                right[k, i] -= target
                right[k, i + width] += 0.5 * target
        for t in range(frames):
            start = t * width
            for r in range(rows):
                target = problem.row_weights[r] * problem.row_targets[k, t * rows + r]
                middle, one, other = problem.rows[r]
                right[k, start + middle] += target
                if other < 0:
                    right[k, start + one] -= target
                else:
                    right[k, start + one] -= 0.5 * target
                    right[k, start + other] -= 0.5 * target
        for b in range(contacts.shape[1]):
            for t in range(1, frames - 1):
                if not free_path(contacts, t, b):
                    i = t * width + problem.contact_vertex[b]
                    target = w * problem.paths[k, i]
                    right[k, i - width] -= 0.5 * target
                    right[k, i] += target
                    right[k, i + width] -= 0.5 * target


@compiled
def advance(
    problem: Problem, planes: Planes, contacts: NDArray[np.int8], work: Room,
    first: int, last: int, record: bool, potentials: Array, cost: Array, score: Array,
) -> bool:  # fmt: skip
    """Rounds `first` to `last`.

    Args:
        problem: what is to be solved.
        planes: the surface next to each vertex.
        contacts: (T, B)
        work: as `begin` left it, or the rounds before.
        first: number of the first round.
        last: the first round that is not done.
        record: fill `potentials` and `cost` in every round, not only `score` after the last.
        potentials: (rounds, kinds) squared errors after each round, unweighted.
        cost: (rounds,) weighted and summed.
        score: (4,) Eq. 20 and its parts, see `_score`.

    Returns:
        Whether all went well; where it did not, vertices are what they were.
    """
    found = np.zeros(len(KINDS))
    _local(problem, planes, contacts, work, found)
    for n in range(first, last):
        work.right[:] += work.constant
        solve_band_three(work.factor, len(problem.shares), REACH, work.right)
        if not _finite(work.right):
            return False
        work.x[:] = work.right
        if (n + 3) % _LOOKS_EVERY == 0 and problem.weights[PENETRATION] > 0.0:
            block = _hold(problem, planes, contacts, work)
            if block < len(contacts) and not refactor_band(
                work.band, work.factor, len(problem.shares), REACH, block
            ):
                return False
        turned = _local(problem, planes, contacts, work, found)
        if record or n == last - 1:
            _linear_errors(problem, contacts, work.x, found, score)
            _score(problem, found, turned, score)
        if record:
            potentials[n] = found
            total = 0.0
            for kind in range(len(KINDS)):
                if kind != POSE:  # whose rows have weights of their own
                    total += problem.weights[kind] * found[kind]
            cost[n] = total + _pose_cost(problem, work.x) + _anchor_cost(problem, work.x)
    return True


@compiled
def _local(
    problem: Problem, planes: Planes, contacts: NDArray[np.int8], work: Room, found: Array
) -> float:
    """All projections; fills the right side but for its constant part. Returns the lost moment."""
    right = work.right
    right[:] = 0.0
    found[BONE] = project_bones(problem, work.x, right)
    found[CONTACT] = project_contacts(problem, planes, contacts, work.x, right)
    found[PENETRATION] = project_penetrations(problem, planes, work.held, work.x, right)
    found[PENETRATION] += project_pairs(problem, work.apart, work.x, right)
    found[BALANCE], found[SPIN], turned = project_balance(
        problem, planes, contacts, work.wrenches, work.x, right
    )
    return turned


@inner_borrowing
def _hold(problem: Problem, planes: Planes, contacts: NDArray[np.int8], work: Room) -> int:
    """Hold what penetrates from now on; the first frame whose equations changed."""
    frames, width = len(contacts), len(problem.shares)
    first = frames
    for t in range(frames):
        for v in range(width):
            i = t * width + v
            if work.held[i] or depth(problem, planes, i, v, work.x) < DEPTH_M:
                continue
            touches = False
            for b in range(contacts.shape[1]):
                touches = touches or (problem.contact_vertex[b] == v and contacts[t, b] != 0)
            if not touches:
                work.held[i] = True
                add_penetration(problem, work.band, i)
                first = min(first, t)
        for q in range(len(problem.pairs)):
            if work.apart[t, q]:
                continue
            i, j = t * width + problem.pairs[q, 0], t * width + problem.pairs[q, 1]
            gap = 0.0
            for k in range(3):
                gap += (work.x[k, i] - work.x[k, j]) ** 2
            if gap < max(0.0, problem.pair_distances[q] - DEPTH_M) ** 2:
                work.apart[t, q] = True
                add_pair(problem, work.band, t, q)
                first = min(first, t)
    return first


@inner_borrowing
def _linear_errors(
    problem: Problem, contacts: NDArray[np.int8], x: Array, found: Array, score: Array
) -> None:
    """Trajectory (where it holds, and everywhere) and pose, squared and summed."""
    frames, width = len(contacts), len(problem.shares)
    everywhere = 0.0
    for k in range(3):
        for i in range(width, (frames - 1) * width):
            gap = 0.5 * (x[k, i - width] + x[k, i + width]) - x[k, i] - problem.paths[k, i]
            everywhere += gap * gap
    left_out = 0.0
    for b in range(contacts.shape[1]):
        for t in range(1, frames - 1):
            if not free_path(contacts, t, b):
                i = t * width + problem.contact_vertex[b]
                for k in range(3):
                    gap = 0.5 * (x[k, i - width] + x[k, i + width]) - x[k, i] - problem.paths[k, i]
                    left_out += gap * gap
    pose = 0.0
    rows = len(problem.rows)
    for t in range(frames):
        for r in range(rows):
            pose += _row_error(problem, x, t, r)
    found[TRAJECTORY] = max(0.0, everywhere - left_out)
    found[POSE] = pose
    score[1] = everywhere


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
def _pose_cost(problem: Problem, x: Array) -> float:
    total = 0.0
    for t in range(len(problem.lengths)):
        for r in range(len(problem.rows)):
            total += problem.row_weights[r] * _row_error(problem, x, t, r)
    return total


@inner_borrowing
def _anchor_cost(problem: Problem, x: Array) -> float:
    total = 0.0
    for k in range(3):
        for i in range(x.shape[1]):
            total += (x[k, i] - problem.reference[k, i]) ** 2
    return problem.weights[ANCHOR] * total


@inner_borrowing
def _score(problem: Problem, found: Array, turned: float, score: Array) -> None:
    """Eq. 20, its three parts made comparable, and each a mean over frames.

    A trajectory error is a wrong acceleration, in units of gravity's, squared, mean of all vertices
    (touching ones, too: left out, they would make every contact look good). A pose error is a
    displacement within a limb, in units of `POSE_M`, squared, mean of all rows. A balance error is
    the force that nothing explains, in body weights, squared. `score` is their sum, the parts, and
    the moment that nothing explains, which Eq. 20 does not count.
    """
    frames, width = len(problem.lengths), len(problem.shares)
    drop, rows = problem.numbers[0], max(1, len(problem.rows))
    score[1] /= frames * width * (0.5 * drop) ** 2
    score[2] = found[POSE] / (frames * rows * POSE_M**2)
    score[3] = found[BALANCE] / (frames * drop**2)
    score[4] = turned / frames
    score[0] = score[1] + score[2] + score[3]


@inner_borrowing
def _finite(x: Array) -> bool:
    total = 0.0
    for k in range(x.shape[0]):
        for i in range(x.shape[1]):
            total += abs(x[k, i])
    return total < 1e300
