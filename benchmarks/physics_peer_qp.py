"""One Newton step of the physics solve as a sparse quadratic program, and who solves it.

The nonlinear program of `physics_peer_nlp`, linearised at the capture: displacements and reaction
forces of all frames, quadratic likeness, contact and wrench rows as equations, forces between
bounds. OSQP, PIQP and Clarabel get it as it is, ordered frame by frame. Poise's own method
eliminates forces frame by frame and holds rows by multipliers: the band, the kernels and the stages
of `poise.physics.solve`, on rows that do not bend.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import casadi as ca
import numpy as np
from scipy import sparse

from benchmarks.physics_peer_nlp import WRENCH_UNIT, Peer, generators_of
from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.physics.likeness_rows import REACH
from poise.physics.merit import Merit
from poise.physics.newton_euler_rows import (
    FrameWork,
    Multipliers,
    Supports,
    add_explained,
    explain,
    make_frame_work,
)
from poise.physics.settings import MET_M, STAGES
from poise.solvers import Barrier, factor_band, make_forces, solve_band

_ROUNDS = 40
"""Most updates of the multipliers."""
_GAIN = 1e-2
"""Steps with the same multipliers end when one gains less than this share of the cost."""
GAP = 1e-3
"""Cost that a peer may leave between its answer and its bound of it; absolute, for the likeness of
wrenches is a small difference of large numbers."""
_NEVER = 1e-12


@dataclass(frozen=True, eq=False)
class Quadratic:
    """min ½ xᵀ P x + qᵀ x, A x = b, low ≤ x ≤ high; unknowns frame by frame."""

    P: Any
    q: Array
    constant: float
    A: Any
    b: Array
    low: Array
    high: Array
    places: Indices
    """Where each of these unknowns is among the peer's."""

    def cost(self, x: Array) -> float:
        return float(0.5 * x @ (self.P @ x) + self.q @ x + self.constant)

    def violation_m(self, x: Array) -> float:
        """The worst row or bound; 0.1 mm stands for the tolerance of a wrench."""
        over = np.maximum(np.maximum(self.low - x, x - self.high), 0.0)
        rows = np.abs(self.A @ x - self.b)
        return float(max(rows.max(initial=0.0), WRENCH_UNIT * over.max(initial=0.0)))


@dataclass(frozen=True)
class QuadraticSolved:
    """How somebody ended."""

    x: Array
    seconds: float
    """Of the processor, for setting up and solving."""
    iterations: int
    status: str


def linearized(peer: Peer, merit: Merit) -> Quadratic:
    """The step from the capture."""
    rows = ca.Function("rows", [peer.x], [peer.g, peer.jacobian])
    g, slopes = rows(np.zeros(len(peer.start)))
    A = sparse.csc_matrix(slopes.sparse())
    lawful = np.flatnonzero(merit.supports.believed[1:-1]) + 1
    counts = np.diff(merit.supports.first)[lawful]
    owner = np.concatenate(
        [np.arange(peer.moving) // merit.width, np.repeat(lawful, counts)]
    )  # fmt: skip
    places = np.argsort(owner, kind="stable")
    quadratic = sparse.csc_matrix(peer.quadratic)
    return Quadratic(
        sparse.csc_matrix(quadratic[places][:, places]), peer.linear[places], peer.constant,
        A[:, places], peer.level - np.array(g).ravel(), peer.low[places], peer.high[places], places,
    )  # fmt: skip


def by_osqp(told: Quadratic, tolerance: float = MET_M) -> QuadraticSolved:
    import osqp

    inside = np.flatnonzero(np.isfinite(told.high))
    bounds = sparse.eye_array(len(told.q), format="csr")[inside]
    rows = sparse.csc_matrix(sparse.vstack([told.A, bounds]))
    low, high = (
        np.concatenate([told.b, bound[inside]]) for bound in (told.low, told.high)
    )  # fmt: skip
    begun = time.process_time()
    solver = osqp.OSQP()
    solver.setup(
        sparse.csc_matrix(sparse.triu(told.P)), told.q, rows, low, high, verbose=False,
        eps_abs=tolerance, eps_rel=0.1 * tolerance, max_iter=20_000, time_limit=120.0,
    )  # fmt: skip
    found = solver.solve()
    seconds = time.process_time() - begun
    return QuadraticSolved(np.asarray(found.x), seconds, int(found.info.iter), found.info.status)


def by_piqp(
    told: Quadratic, tolerance: float = MET_M, multistage: bool = False
) -> QuadraticSolved:  # fmt: skip
    import piqp

    begun = time.process_time()
    solver = piqp.SparseSolver()
    solver.settings.eps_abs, solver.settings.eps_rel = tolerance, 0.1 * tolerance
    solver.settings.eps_duality_gap_abs = GAP
    solver.settings.eps_duality_gap_rel = _NEVER
    if multistage:
        solver.settings.kkt_solver = piqp.KKTSolver.sparse_multistage
    solver.setup(told.P, told.q, told.A, told.b, x_l=told.low, x_u=told.high)
    status = solver.solve()
    seconds = time.process_time() - begun
    found = solver.result
    return QuadraticSolved(np.array(found.x), seconds, int(found.info.iter), status.name)


def by_clarabel(told: Quadratic, tolerance: float = MET_M) -> QuadraticSolved:
    import clarabel

    inside = np.flatnonzero(np.isfinite(told.high))
    bounds = sparse.eye_array(len(told.q), format="csr")[inside]
    rows = sparse.csc_matrix(sparse.vstack([told.A, -bounds, bounds]))
    right = np.concatenate([told.b, -told.low[inside], told.high[inside]])
    begun = time.process_time()
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, 1
    settings.tol_feas = 0.1 * tolerance  # relative to the largest number there is
    settings.tol_gap_abs, settings.tol_gap_rel = GAP, _NEVER
    cones = [clarabel.ZeroConeT(len(told.b)), clarabel.NonnegativeConeT(2 * len(inside))]
    solver = clarabel.DefaultSolver(
        sparse.csc_matrix(sparse.triu(told.P)), told.q, rows, right, cones, settings
    )
    found = solver.solve()
    seconds = time.process_time() - begun
    return QuadraticSolved(np.array(found.x), seconds, int(found.iterations), str(found.status))


PEERS: dict[str, Callable[[Quadratic], QuadraticSolved]] = {
    "PIQP": by_piqp,
    "PIQP, multistage": lambda told: by_piqp(told, multistage=True),
    "Clarabel": by_clarabel,
    "OSQP": by_osqp,
}


class OwnMethod:
    """Poise's inner method on the linear rows: forces eliminated, one band, multipliers.

    Args:
        told: the program.
        peer: where its rows come from.
        merit: weights and supports.
        mu: of the barrier in the last stage; that of the settings by default.
    """

    def __init__(self, told: Quadratic, peer: Peer, merit: Merit, mu: float | None = None) -> None:
        frames, width = merit.frames, merit.width
        self._merit, self._told, self._peer = merit, told, peer
        back = np.argsort(told.places)
        A = sparse.csr_matrix(told.A[:, back])[:, : peer.moving]
        contacts = A[: peer.contact_rows]
        self._contact_frame = contacts.indices[contacts.indptr[:-1]] // width
        self._contacts = np.zeros((peer.contact_rows, width))
        for k, f in enumerate(self._contact_frame):
            part = slice(contacts.indptr[k], contacts.indptr[k + 1])
            self._contacts[k, contacts.indices[part] - f * width] = contacts.data[part]
        self._lacks = told.b[: peer.contact_rows].copy()
        self._lawful = np.flatnonzero(merit.supports.believed[1:-1]) + 1
        wrenches = A[peer.contact_rows :]
        self._rows = np.zeros((frames, 6, 3 * width))
        self._constant = np.zeros((frames, 6))
        self._constant[self._lawful] = -told.b[peer.contact_rows :].reshape(-1, 6) / WRENCH_UNIT
        for n, f in enumerate(self._lawful):
            block = wrenches[6 * n : 6 * n + 6, (f - 1) * width : (f + 2) * width]
            self._rows[f] = block.toarray() / WRENCH_UNIT
        ties = sparse.csr_matrix(peer.quadratic)[: peer.moving, : peer.moving]
        self._ties = _band(0.5 * ties, width)
        self._half = 0.5 * ties
        self._mu = mu
        self._work = make_frame_work(1, width)
        self.factorizations = 0

    def solve(self, met: float = 1.0) -> QuadraticSolved:
        """Until every row is off by less than its tolerance times `met`."""
        merit, size = self._merit, self._peer.moving
        frames, caps = merit.frames, merit.supports.caps
        begun = time.process_time()
        d, pressed, shifts = np.zeros(size), np.zeros((frames, 6)), np.zeros(len(self._lacks))
        multipliers = Multipliers(pressed, np.zeros((frames, 6)), make_forces(caps, 1.0))
        self._band_room, self._right = np.empty_like(self._ties), np.empty(size)
        self.factorizations, before = 0, STAGES[0]
        status = "most rounds"
        for number, stage in enumerate(STAGES):
            last = number == len(STAGES) - 1
            mu = self._mu if last and self._mu is not None else stage.mu
            barrier = Barrier(stage.rho, mu, merit._settings.effort)
            multipliers.forces[:] = make_forces(caps, mu)
            shifts *= before.hard / stage.hard
            before = stage
            for _ in range(_ROUNDS if last else 1):
                self._descend(d, barrier, stage.hard, shifts, multipliers)
                off = self._lacks - self._contacts_by(d)
                left = (multipliers.gradient - pressed)[self._lawful] / barrier.rho
                worst = max(np.abs(off).max(initial=0.0), WRENCH_UNIT * np.abs(left).max(initial=0))
                if last and worst <= met * MET_M:
                    status = "met"
                    break
                pressed[:] = multipliers.gradient
                shifts += off
            if status == "met":
                break
        seconds = time.process_time() - begun
        forces = multipliers.forces[generators_of(merit, self._lawful), 0]
        x = np.concatenate([d, forces])[self._told.places]
        return QuadraticSolved(x, seconds, self.factorizations, status)

    def _descend(
        self, d: Array, barrier: Barrier, hard: float, shifts: Array, multipliers: Multipliers
    ) -> None:
        """Newton steps until one gains little."""
        cost = self._evaluate(d, barrier, hard, shifts, multipliers)
        for _ in range(25):
            factor_band(self._band_room, self._merit.width, REACH)
            step = self._right.copy()
            solve_band(self._band_room, self._merit.width, REACH, step)
            self.factorizations += 1
            share = 1.0
            while True:
                then = self._evaluate(d + share * step, barrier, hard, shifts, multipliers)
                if then <= cost or share < 1e-3:
                    break
                share *= 0.4
            d += share * step
            gained, cost = cost - then, then
            if gained <= _GAIN * abs(cost):
                return

    def _contacts_by(self, d: Array) -> Array:
        moved = d.reshape(self._merit.frames, -1)[self._contact_frame]
        return np.einsum("kw,kw->k", self._contacts, moved)

    def _evaluate(
        self, d: Array, barrier: Barrier, hard: float, shifts: Array, multipliers: Multipliers
    ) -> float:
        """Cost and normal equations."""
        pull = self._half @ d
        self._band_room[:] = self._ties
        self._right[:] = -pull
        off = self._lacks + shifts - self._contacts_by(d)
        cost = float(d @ pull) + hard * float(off @ off)
        _put_contacts(
            self._contacts, self._contact_frame, off, hard, self._band_room, self._right
        )  # fmt: skip
        return cost + _put_laws(
            self._lawful, self._merit.width, d, self._rows, self._constant, barrier,
            self._merit.supports, multipliers, self._work, self._band_room, self._right,
        )  # fmt: skip


@borrowing
def _put_contacts(
    rows: Array, frame: Indices, off: Array, hard: float, band: Array, right: Array
) -> None:
    width = rows.shape[1]
    for k in range(len(rows)):
        start = frame[k] * width
        for i in range(width):
            scaled = hard * rows[k, i]
            if scaled != 0.0:
                right[start + i] += scaled * off[k]
                for j in range(i, width):
                    band[start + i, j - i] += scaled * rows[k, j]


@borrowing
def _put_laws(
    lawful: Indices, width: int, d: Array, rows: Array, constant: Array, barrier: Barrier,
    supports: Supports, multipliers: Multipliers, work: FrameWork, band: Array, right: Array,
) -> float:  # fmt: skip
    cost = 0.0
    for f in lawful:
        start = (f - 1) * width
        for c in range(6):
            total = constant[f, c]
            for s in range(3 * width):
                total += rows[f, c, s] * d[start + s]
                work.rows[c, s] = rows[f, c, s]
            work.wrench[c] = total
        cost += 2.0 * explain(f, barrier, supports, multipliers, work)
        add_explained(f, width, supports, multipliers.gradient[f], work, band, right)
    return cost


def _band(matrix: Any, width: int) -> Array:
    """A symmetric banded matrix as `poise.solvers.banded_cholesky` takes it."""
    upper = sparse.coo_matrix(sparse.triu(matrix))
    found = np.zeros((matrix.shape[0], REACH * width))
    found[upper.row, upper.col - upper.row] = upper.data
    return found
