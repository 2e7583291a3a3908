"""The spacetime problem of `momentum` as a nonlinear program for IPOPT, by CasADi.

Unknown are, as in Poise, what displaces every frame's guess (the root's translation; of a joint
the rotation vector d in its parent's axes, exp(d) · guess; of a hinge an angle) and the control
points of momentum curves. Likeness and smoothness are then a quadratic form. Constraints are what
they are: equations, and numbers between bounds.

Made to be as fast as CasADi is: every kind of constraint is one function of few unknowns in scalar
symbols, with its exact slopes and curvature, mapped over frames; the sparse matrices that IPOPT
asks for are put together from those blocks (CasADi's own second derivatives of mapped functions
take ten times as long). Fastest is `gauss-newton`, so that is the default.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import casadi as ca
import numpy as np
from scipy import sparse

from benchmarks import momentum_peer_body as body
from poise import rotations
from poise.arrays import Array, Indices
from poise.ik.packed import ANGLE, BALL, TRANSLATION
from poise.methods.momentum.problem import Problem
from poise.methods.momentum.spacetime import Spacetime

Curvature = Literal["exact", "gauss-newton", "limited-memory"]
"""What IPOPT knows of second derivatives. `gauss-newton`: those of the objective only."""


@dataclass(frozen=True, eq=False)
class PeerSolved:
    """How the peer ended."""

    roots: Array
    locals: Array
    control: Array
    cost: float
    build_s: float
    solve_s: float
    status: str
    violation: float
    """The worst of all rows: metres, m/s, or radians."""
    iterations: int


@dataclass(frozen=True, eq=False)
class Piece:
    """A function of a few unknowns, asked for many times."""

    z: Any
    p: Any
    value: Any
    where: Indices
    """(n, Z) which unknowns, rising."""
    given: Array
    """(P, n)"""
    low: Array
    """(n, rows)"""
    high: Array

    @property
    def times(self) -> int:
        return len(self.where)

    @property
    def rows(self) -> int:
        return self.value.shape[0]


@dataclass(frozen=True, eq=False)
class Program:
    """Everything that IPOPT is told."""

    solver: Any
    start: Array
    low: Array
    high: Array
    build_s: float


def solve_with_ipopt(
    problem: Problem,
    curvature: Curvature = "gauss-newton",
    tolerance: float = 1e-7,
    options: Mapping[str, Any] | None = None,
) -> PeerSolved:
    """Solve it from the guess and the control points that Poise starts from."""
    program = build_program(problem, curvature, tolerance, options)
    return run_program(problem.spacetime, program)


def run_program(spacetime: Spacetime, program: Program) -> PeerSolved:
    start = time.perf_counter()
    found = program.solver(x0=program.start, lbg=program.low, ubg=program.high)
    seconds = time.perf_counter() - start
    stats = program.solver.stats()
    x, g = np.array(found["x"]).ravel(), np.array(found["g"]).ravel()
    roots, locals_ = displaced(spacetime, x)
    over = np.maximum(np.maximum(program.low - g, g - program.high), 0.0)
    return PeerSolved(
        roots, locals_, x[len(roots) * spacetime.width :], float(found["f"]), program.build_s,
        seconds, stats["return_status"], float(over.max(initial=0.0)), int(stats["iter_count"]),
    )  # fmt: skip


def build_program(
    problem: Problem,
    curvature: Curvature = "gauss-newton",
    tolerance: float = 1e-7,
    options: Mapping[str, Any] | None = None,
) -> Program:
    begun = time.perf_counter()
    spacetime = problem.spacetime
    frames, width = len(spacetime.figure.roots), spacetime.width
    size = frames * width + len(problem.start.control)
    quadratic, linear, constant = _ties(spacetime)
    objective = _balance(spacetime)
    pieces = [*_tasks(spacetime), *_ranges(spacetime), _momentum(spacetime)]
    fixed = _curves(spacetime, sum(p.times * p.rows for p in pieces[:-1]))

    x, lam_f = ca.MX.sym("x", size), ca.MX.sym("lam_f")
    rows = sum(p.times * p.rows for p in pieces)
    lam_g, none = ca.MX.sym("lam_g", rows), ca.MX(0, 1)
    slopes = _dm(linear) + _dm(quadratic) @ x
    f = constant + 0.5 * ca.dot(x, slopes + _dm(linear))
    for piece in objective:
        f += ca.sum2(_values(piece, x))
        slopes += _gradient(piece, x, size)
    g = ca.vertcat(*(ca.vec(_values(piece, x)) for piece in pieces)) + _dm(fixed) @ x
    jacobian = _jacobian(pieces, x, (rows, size)) + _dm(fixed)
    chosen: dict[str, Any] = {
        "print_time": False,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.linear_solver": "mumps",
        "ipopt.mu_strategy": "adaptive",
        "ipopt.mu_oracle": "probing",
        "ipopt.tol": tolerance,
        "ipopt.max_iter": 500,
        "grad_f": ca.Function("nlp_grad_f", [x, none], [f, slopes], *_NAMES["grad_f"]),
        "jac_g": ca.Function("nlp_jac_g", [x, none], [g, jacobian], *_NAMES["jac_g"]),
    }
    if curvature == "limited-memory":
        chosen["ipopt.hessian_approximation"] = "limited-memory"
    else:
        bent = [(piece, lam_f * ca.MX.ones(1, piece.times)) for piece in objective]
        at = 0
        for piece in pieces if curvature == "exact" else ():
            count = piece.times * piece.rows
            bent.append((piece, ca.reshape(lam_g[at : at + count], piece.rows, piece.times)))
            at += count
        upper = lam_f * _dm(sparse.triu(quadratic)) + _curved(bent, x, size)
        given = [x, none, lam_f, lam_g]
        chosen["hess_lag"] = ca.Function("nlp_hess_l", given, [upper], *_NAMES["hess_lag"])
    chosen.update(options or {})
    solver = ca.nlpsol("peer", "ipopt", {"x": x, "f": f, "g": g}, chosen)
    low = np.concatenate([p.low.ravel() for p in pieces])
    high = np.concatenate([p.high.ravel() for p in pieces])
    start = np.concatenate([np.zeros(frames * width), problem.start.control])
    return Program(solver, start, low, high, time.perf_counter() - begun)


_NAMES = {
    "grad_f": (["x", "p"], ["f", "grad_f_x"]),
    "jac_g": (["x", "p"], ["g", "jac_g_x"]),
    "hess_lag": (["x", "p", "lam_f", "lam_g"], ["triu_hess_gamma_x_x"]),
}
"""As CasADi's own are called."""


def displaced(spacetime: Spacetime, x: Array) -> tuple[Array, Array]:
    """The poses that unknowns stand for."""
    figure, width = spacetime.figure, spacetime.width
    roots, locals_ = figure.roots.copy(), figure.locals.copy()
    moved = x[: len(roots) * width].reshape(len(roots), width)
    blocks = figure.rig.blocks
    for b in range(len(blocks.kind)):
        kind, j, c = int(blocks.kind[b]), int(blocks.joint[b]), int(blocks.column[b])
        if kind == TRANSLATION:
            roots += moved[:, c : c + 3]
        elif kind == BALL:
            turn = rotations.exp(moved[:, c : c + 3])
            locals_[:, j] = rotations.multiply(turn, locals_[:, j])
        else:
            turn = rotations.exp(moved[:, c, None] * blocks.axis[b])
            locals_[:, j] = rotations.multiply(locals_[:, j], turn)
    return roots, locals_


def _ties(spacetime: Spacetime) -> tuple[Any, Array, float]:
    """Likeness, smoothness and the pull on control points: ½ xᵀ Q x + qᵀ x + c."""
    figure, price, width = spacetime.figure, spacetime.price, spacetime.width
    frames, shared = len(figure.roots), spacetime.curves.basis.shape[2]
    rate = price.rate
    one = sparse.eye_array(width)

    def rows(order: int) -> Any:
        steps = sparse.csr_array(np.diff(np.eye(frames), n=order, axis=0))
        return sparse.kron(steps, one)

    stiff, heavy = figure.stiffness, figure.inertia
    velocity, acceleration = price.velocity * rate**2, price.acceleration * rate**4
    stack = sparse.vstack([rows(0), rows(1), rows(2)])
    weights = np.concatenate([
        np.tile(price.place * stiff, frames),
        np.tile(velocity * heavy, frames - 1),
        np.tile(acceleration * heavy, frames - 2),
    ])  # fmt: skip
    off = np.zeros(stack.shape[0])
    off[-(frames - 2) * width :] = figure.excess[: frames - 2].ravel()
    stack = sparse.block_diag([stack, sparse.eye_array(shared)], format="csr")
    weights = np.concatenate([weights, np.full(shared, price.control)])
    off = np.concatenate([off, -spacetime.curves.wanted])
    weighted = stack.T @ sparse.diags_array(weights)
    return 2.0 * weighted @ stack, 2.0 * weighted @ off, float(weights @ off**2)


def _columns(spacetime: Spacetime, frames: Any, span: int = 1) -> Indices:
    width = spacetime.width
    return np.asarray(frames)[:, None] * width + np.arange(span * width)


def _frame(spacetime: Spacetime) -> tuple[Any, Any, body.Pose]:
    z, p = ca.SX.sym("z", spacetime.width), ca.SX.sym("p", len(body.parameters(spacetime.figure)))
    return z, p, body.Pose(spacetime.figure, z, p)


def _balance(spacetime: Spacetime) -> list[Piece]:
    """The centre of mass over its place, as part of the objective."""
    balance, guess = spacetime.balance, body.parameters(spacetime.figure)
    control = len(spacetime.figure.roots) * spacetime.width
    found: list[Piece] = []
    own, p, pose = _frame(spacetime)
    for r in range(len(balance.frame)):
        frame, column = int(balance.frame[r]), int(balance.column[r])
        z, where = own, _columns(spacetime, [frame])
        off = pose.center()[int(balance.axis[r])] - float(balance.target[r])
        if column >= 0:
            s = ca.SX.sym("s")
            z, off = ca.vertcat(own, s), off - s
            where = np.append(where, [[control + column]], axis=1)
        value = float(balance.weight[r]) * off**2
        free = np.zeros((1, 1))
        found.append(Piece(z, p, value, where, guess[:, [frame]], free, free))
    return found


def _tasks(spacetime: Spacetime) -> list[Piece]:
    figure = spacetime.figure
    tasks, guess = figure.rig.tasks, body.parameters(figure)
    if (tasks.layer != 0).any():
        raise ValueError("wishes are not in this peer")
    found: list[Piece] = []
    z, p, pose = _frame(spacetime)
    goal = ca.SX.sym("goal", 4)
    for t in range(len(tasks.kind)):
        frames = np.arange(tasks.first[t], tasks.last[t] + 1)
        goals = tasks.goals[tasks.goal[t] + frames - tasks.first[t]]
        told = ~np.isnan(goals).any(axis=1)
        frames, goals = frames[told], goals[told]
        if not len(frames):
            continue
        value = ca.vertcat(*body.task_error(figure, pose, t, goal))
        shape, side = (len(frames), value.shape[0]), int(tasks.side[t])
        # One-sided: an error of its side's sign is room that is left.
        low = np.full(shape, -np.inf if side < 0 else 0.0)
        high = np.full(shape, np.inf if side > 0 else 0.0)
        given = np.concatenate([guess[:, frames], goals.T])
        where = _columns(spacetime, frames)
        found.append(Piece(z, ca.vertcat(p, goal), value, where, given, low, high))
    return found


def _ranges(spacetime: Spacetime) -> list[Piece]:
    figure = spacetime.figure
    limits, blocks, frames = figure.limits, figure.rig.blocks, len(figure.roots)
    found: list[Piece] = []
    for l in range(len(limits.block)):
        b = int(limits.block[l])
        count = 3 if blocks.kind[b] == BALL else 1
        z, q = ca.SX.sym("z", count), ca.SX.sym("q", 4)
        guess: body.Symbols = [q[c] for c in range(4)]
        if blocks.kind[b] == BALL:
            local = body.product(body.exponential([z[0], z[1], z[2]]), guess)
        else:
            turn = body.exponential([z[0] * a for a in blocks.axis[b].tolist()])
            local = body.product(guess, turn)
        numbers = body.limited(figure, l, local)
        bounds = np.stack([limits.low[l], limits.high[l]])[:, : 1 if limits.kind[l] == ANGLE else 3]
        kept = np.flatnonzero(np.isfinite(bounds).any(axis=0)).tolist()
        if not kept:
            continue
        where = np.arange(frames)[:, None] * spacetime.width + blocks.column[b] + np.arange(count)
        low, high = (np.tile(bound[kept], (frames, 1)) for bound in bounds)
        value = ca.vertcat(*(numbers[m] for m in kept))
        given = figure.locals[:, int(blocks.joint[b])].T
        found.append(Piece(z, q, value, where, given, low, high))
    return found


def _momentum(spacetime: Spacetime) -> Piece:
    """What moves, less the constant part of the curves; `_curves` is the rest."""
    figure, guess = spacetime.figure, body.parameters(spacetime.figure)
    za, pa, before = _frame(spacetime)
    zb, pb, after = _frame(spacetime)
    value = ca.vertcat(*body.momentum(figure, spacetime.price.rate, before, after))
    constant = spacetime.curves.constant
    given = np.concatenate([guess[:, :-1], guess[:, 1:]])
    where = _columns(spacetime, np.arange(len(constant)), 2)
    return Piece(ca.vertcat(za, zb), ca.vertcat(pa, pb), value, where, given, constant, constant)


def _curves(spacetime: Spacetime, first: int) -> Any:
    """Rows by unknowns: what control points take from the rows of momentum."""
    basis, control = spacetime.curves.basis, len(spacetime.figure.roots) * spacetime.width
    flat = -basis.reshape(-1, basis.shape[2])
    return sparse.block_array([
        [sparse.csc_array((first, control)), sparse.csc_array((first, flat.shape[1]))],
        [sparse.csc_array((len(flat), control)), sparse.csc_array(flat)],
    ])  # fmt: skip


def _dm(matrix: Any) -> Any:
    if not sparse.issparse(matrix):
        return ca.DM(matrix)
    columns = sparse.csc_matrix(matrix)
    columns.sum_duplicates()
    columns.eliminate_zeros()
    return ca.DM(columns)


def _asked(piece: Piece, x: Any, output: Any, more: tuple[Any, Any] | None = None) -> Any:
    """(output, n) a function of a piece's unknowns at all places."""
    z = ca.reshape(x[piece.where.ravel().tolist()], piece.where.shape[1], piece.times)
    symbols, values = ([more[0]], [more[1]]) if more else ([], [])
    function = ca.Function("piece", [piece.z, piece.p, *symbols], [output])
    return function.map(piece.times)(z, ca.DM(piece.given), *values)


def _values(piece: Piece, x: Any) -> Any:
    return _asked(piece, x, piece.value)


def _gradient(piece: Piece, x: Any, size: int) -> Any:
    slopes = ca.vec(_asked(piece, x, ca.gradient(piece.value, piece.z)))
    rows = piece.where.ravel()
    spread = sparse.csc_array(
        (np.ones(len(rows)), (rows, np.arange(len(rows)))), shape=(size, len(rows))
    )
    return _dm(spread) @ slopes


def _jacobian(pieces: list[Piece], x: Any, shape: tuple[int, int]) -> Any:
    values, rows, columns, at = [], [], [], 0
    for piece in pieces:
        slopes = ca.jacobian(piece.value, piece.z)
        r, c = (np.array(i, dtype=np.int64) for i in slopes.sparsity().get_triplet())
        values.append(ca.vec(_asked(piece, x, slopes.nz[:])))
        rows.append((at + np.arange(piece.times)[:, None] * piece.rows + r).ravel())
        columns.append(piece.where[:, c].ravel())
        at += piece.times * piece.rows
    return _summed(values, rows, columns, shape)


def _curved(bent: list[tuple[Piece, Any]], x: Any, size: int) -> Any:
    """Upper triangle of the curvature of pieces times multipliers."""
    values, rows, columns = [], [], []
    for piece, multipliers in bent:
        lam = ca.SX.sym("lam", piece.rows)
        upper = ca.triu(ca.hessian(ca.dot(lam, piece.value), piece.z)[0])
        r, c = (np.array(i, dtype=np.int64) for i in upper.sparsity().get_triplet())
        values.append(ca.vec(_asked(piece, x, upper.nz[:], (lam, multipliers))))
        rows.append(piece.where[:, r].ravel())
        columns.append(piece.where[:, c].ravel())
    return _summed(values, rows, columns, (size, size))


def _summed(values: list[Any], rows: list[Any], columns: list[Any], shape: tuple[int, int]) -> Any:
    """A sparse matrix of numbers at places, of which several may be at one."""
    places = np.concatenate(columns) * shape[0] + np.concatenate(rows)
    kept, which = np.unique(places, return_inverse=True)
    pattern = ca.Sparsity.triplet(*shape, (kept % shape[0]).tolist(), (kept // shape[0]).tolist())
    together = sparse.csc_array(
        (np.ones(len(which)), (which, np.arange(len(which)))), shape=(len(kept), len(which))
    )
    return ca.MX(pattern, _dm(together) @ ca.vertcat(*values))
