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
from poise.compiled import borrowing, compiled, inlined, inlined_borrowing, inner_borrowing
from poise.methods.correct.balance import Wrenches, project_balance, room_for
from poise.methods.correct.band import (
    REACH,
    add_pair,
    add_penetration,
    assemble_contacts,
    first_changed_frame,
)
from poise.methods.correct.problem import (
    ANCHOR,
    BALANCE,
    BONE,
    CONTACT,
    KINDS,
    PENETRATION,
    POSE,
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
from poise.methods.correct.scoring import anchor_cost, linear_errors, pose_cost, score_errors
from poise.solvers import refactor_band, solve_band_three

DEPTH_M = 0.0005
"""Deeper than this, a vertex that penetrates is held from then on."""

_TOO_MUCH = 1e300
"""Sum of coordinates of what is no motion."""

_LOOKS_EVERY = 5
"""Rounds between looks for new penetrations, each of which may cost a new factor."""


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
    contacts: NDArray[np.bool_]
    """(T, B) for which band and factor are,"""
    usable: NDArray[np.int64]
    """(1,) and the frame up to which they are nothing else's: 0 where they are of no use."""


def room(problem: Problem) -> Room:
    """Work space for a problem."""
    size, width = problem.reference.shape[1], len(problem.shares)
    frames = len(problem.lengths)
    points = len(problem.contact_vertex) * problem.points
    return Room(
        np.empty((3, size)), np.empty((3, size)), np.empty((3, size)),
        np.empty((size, REACH * width)), np.empty((size, REACH * width)),
        np.zeros(size, np.bool_), np.zeros((frames, len(problem.pairs)), np.bool_),
        room_for(frames, points), np.zeros((frames, len(problem.contact_vertex)), np.bool_),
        np.zeros(1, np.int64),
    )  # fmt: skip


@borrowing
def begin(
    problem: Problem, base: Array, contacts: NDArray[np.bool_], work: Room, afresh: bool
) -> bool:
    """Make matrix, factor and constant right side of a contact sequence; start at the reference.

    Args:
        problem: what is to be solved.
        base: (N, 3V) the matrix without contacts.
        contacts: (T, B)
        work: is filled. Up to the first frame where the contacts differ from those that it was
            used for last, matrix and factor are kept.
        afresh: keep nothing, so that the last bits do not depend on what was solved before.

    Returns:
        Whether the matrix could be factored.
    """
    width = len(problem.shares)
    kept = 0 if afresh else min(work.usable[0], first_changed_frame(work.contacts, contacts))
    _start_over(problem, base, contacts, work, kept * width)
    assemble_contacts(problem, contacts, work.band, kept)
    _constant(problem, contacts, work.constant)
    good = refactor_band(work.band, work.factor, width, REACH, kept)
    work.usable[0] = len(contacts) if good else 0
    return good


@inner_borrowing
def _start_over(
    problem: Problem, base: Array, contacts: NDArray[np.bool_], work: Room, start: int
) -> None:  # fmt: skip
    """Nothing has been done yet; of the matrix, rows before `start` stay."""
    for i in range(len(work.held)):
        work.held[i] = False
        for k in range(3):
            work.x[k, i] = problem.reference[k, i]
    for i in range(start, len(base)):
        for k in range(base.shape[1]):
            work.band[i, k] = base[i, k]
    for t in range(len(contacts)):
        work.wrenches.done[t] = False
        for q in range(work.apart.shape[1]):
            work.apart[t, q] = False
        for b in range(contacts.shape[1]):
            work.contacts[t, b] = contacts[t, b]


@inner_borrowing
def _constant(problem: Problem, contacts: NDArray[np.bool_], right: Array) -> None:
    """Aᵀp of trajectory (of what does not touch), pose and anchor, which are linear."""
    width, frames = len(problem.shares), len(contacts)
    size, rows = problem.reference.shape[1], len(problem.rows)
    w = problem.weights[TRAJECTORY]
    for k in range(3):
        for i in range(size):
            right[k, i] = problem.weights[ANCHOR] * problem.reference[k, i]
        for t in range(1, frames - 1):
            for v in range(width):
                _add_path(right, k, t * width + v, width, w * problem.paths[k, t * width + v])
            for b in range(contacts.shape[1]):
                if contacts[t, b]:
                    i = t * width + problem.contact_vertex[b]
                    _add_path(right, k, i, width, -w * problem.paths[k, i])
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


@inlined_borrowing
def _add_path(right: Array, k: int, i: int, width: int, target: float) -> None:
    """Add Aᵀp of one row of the trajectory."""
    right[k, i - width] += 0.5 * target
    right[k, i] -= target
    right[k, i + width] += 0.5 * target


@compiled
def advance(
    problem: Problem, planes: Planes, contacts: NDArray[np.bool_], work: Room,
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
        score: (4,) Eq. 20 and its parts, see `score_errors`.

    Returns:
        Whether all went well; where it did not, vertices are what they were.
    """
    found, width = np.zeros(len(KINDS)), len(problem.shares)
    for n in range(first - 1, last):
        if n >= first:
            solve_band_three(work.factor, width, REACH, work.right)
            if not _taken(work):
                return False
            if (n + 3) % _LOOKS_EVERY == 0 and problem.weights[PENETRATION] > 0.0:
                changed = _hold(problem, planes, contacts, work)
                work.usable[0] = min(work.usable[0], changed)
                if changed < len(contacts) and not refactor_band(
                    work.band, work.factor, width, REACH, changed
                ):
                    return False
        _project(problem, planes, contacts, work, found)
        if n >= first and (record or n == last - 1):
            linear_errors(problem, contacts, work.x, found)
            score_errors(problem, found, score)
        if n >= first and record:
            cost[n] = pose_cost(problem, work.x) + anchor_cost(problem, work.x)
            for kind in range(len(KINDS)):
                potentials[n, kind] = found[kind]
                if kind != POSE:  # whose rows have weights of their own
                    cost[n] += problem.weights[kind] * found[kind]
    return True


@inner_borrowing
def _taken(work: Room) -> bool:
    """Take the solution over, unless it is none."""
    total = 0.0
    for k in range(3):
        for i in range(work.x.shape[1]):
            total += abs(work.right[k, i])
    if not total < _TOO_MUCH:
        return False
    for k in range(3):
        for i in range(work.x.shape[1]):
            work.x[k, i] = work.right[k, i]
    return True


@inlined
def _project(
    problem: Problem, planes: Planes, contacts: NDArray[np.bool_], work: Room, found: Array
) -> None:
    """The local step: all projections, and the right side they give."""
    right = work.right
    for k in range(3):
        for i in range(right.shape[1]):
            right[k, i] = work.constant[k, i]
    found[BONE] = project_bones(problem, work.x, right)
    found[CONTACT] = project_contacts(problem, planes, contacts, work.x, right)
    found[PENETRATION] = project_penetrations(problem, planes, work.held, work.x, right)
    found[PENETRATION] += project_pairs(problem, work.apart, work.x, right)
    found[BALANCE] = project_balance(problem, planes, contacts, work.wrenches, work.x, right)


@inner_borrowing
def _touches(problem: Problem, contacts: NDArray[np.bool_], t: int, v: int) -> bool:
    for b in range(contacts.shape[1]):
        if problem.contact_vertex[b] == v and contacts[t, b]:
            return True
    return False


@inner_borrowing
def _hold(problem: Problem, planes: Planes, contacts: NDArray[np.bool_], work: Room) -> int:
    """Hold what penetrates from now on; the first frame whose equations changed."""
    frames, width = len(contacts), len(problem.shares)
    first = frames
    for t in range(frames):
        for v in range(width):
            i = t * width + v
            if work.held[i] or depth(problem, planes, i, v, work.x) < DEPTH_M:
                continue
            if not _touches(problem, contacts, t, v):
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
