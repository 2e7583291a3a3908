"""The whole-clip problem of `poise.physics` as a nonlinear program for IPOPT, by CasADi.

Unknown are, as in Poise, what displaces every frame of the capture (the root's translation; of a
joint the rotation vector d in its parent's axes, exp(d) · capture), and, explicitly, the size of
every reaction force along the edges of friction pyramids. Contacts and the root's Newton–Euler
equations are equations, forces are between bounds. Where these hold, the wrench is the sum of the
forces, so that its likeness is a quadratic form of them: the objective is one quadratic form, and
nothing but the constraints is bent.

The body is written in CasADi's symbols from the definitions (`momentum_peer_body`), with none of
Poise's kernels; only where parts touch (points, pyramids, caps) is taken from Poise.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import casadi as ca
import numpy as np
from scipy import sparse

from benchmarks import momentum_peer_body as body
from benchmarks.momentum_peer import (
    _NAMES,
    Piece,
    _dm,
    _jacobian,
    _tasks,
    _values,
    displaced,
)
from poise.arrays import Array, Indices
from poise.ik import IkProblem
from poise.physics.merit import Merit
from poise.physics.settings import MET_M, MET_WRENCH

WRENCH_UNIT = MET_M / MET_WRENCH
"""What rows of the wrench are multiplied by: 0.1 mm is then the tolerance of all."""


@dataclass(frozen=True, eq=False)
class Peer:
    """Everything that a solver is told: min ½ xᵀ Q x + qᵀ x + c, g(x) = `level`, low ≤ x ≤ high."""

    spacetime: Any
    quadratic: Any
    linear: Array
    constant: float
    x: Any
    g: Any
    jacobian: Any
    level: Array
    low: Array
    high: Array
    start: Array
    contact_rows: int
    """Of all rows the first; the others are wrenches."""
    moving: int
    """How many unknowns displace the figure; the others are forces."""
    build_s: float

    @property
    def forces(self) -> int:
        return len(self.start) - self.moving


@dataclass(frozen=True, eq=False)
class PeerSolved:
    """How IPOPT ended."""

    roots: Array
    locals: Array
    x: Array
    cost: float
    violation_m: float
    """The worst row; of a wrench, 0.1 mm stands for its own tolerance."""
    solve_s: float
    """Of the processor."""
    status: str
    iterations: int


def build_peer(problem: IkProblem, merit: Merit) -> Peer:
    """The problem that a merit function is at the end of, in CasADi's symbols."""
    begun = time.perf_counter()
    spacetime = _spacetime(problem, merit)
    moving = merit.frames * merit.width
    lawful = np.flatnonzero(merit.supports.believed[1:-1]) + 1
    wrenches, used = _wrench(spacetime, lawful), generators_of(merit, lawful)
    size = moving + len(used)
    contacts = _tasks(spacetime)
    contact_rows = sum(p.times * p.rows for p in contacts)
    pieces = [*contacts, wrenches]
    rows = contact_rows + 6 * len(lawful)
    pushed = _pushed(merit, lawful, used)
    fixed = sparse.block_array([
        [sparse.csc_array((contact_rows, moving)), sparse.csc_array((contact_rows, len(used)))],
        [sparse.csc_array((rows - contact_rows, moving)), -WRENCH_UNIT * pushed],
    ])  # fmt: skip
    x = ca.MX.sym("x", size)
    g = ca.vertcat(*(ca.vec(_values(piece, x)) for piece in pieces)) + _dm(fixed) @ x
    jacobian = _jacobian(pieces, x, (rows, size)) + _dm(fixed)
    # Forces: 2 (½ L ‖A g − usual‖² + ε Σ g), as Poise's cost has them.
    worth = merit.supports.likeness[lawful].ravel()
    usual = merit.supports.usual[lawful].ravel()
    weighed = pushed.T @ sparse.diags_array(worth)
    quadratic = sparse.block_diag([_ties(merit), 2.0 * weighed @ pushed], format="csc")
    effort = merit._settings.effort
    linear = np.concatenate([np.zeros(moving), 2.0 * effort - 2.0 * weighed @ usual])
    caps = merit.supports.caps[used]
    return Peer(
        spacetime, quadratic, linear, float(worth @ usual**2), x, g, jacobian, np.zeros(rows),
        np.concatenate([np.full(moving, -np.inf), np.zeros(len(used))]),
        np.concatenate([np.full(moving, np.inf), caps]),
        np.concatenate([np.zeros(moving), np.minimum(0.5 * caps, 0.2)]),
        contact_rows, moving, time.perf_counter() - begun,
    )  # fmt: skip


def solve_with_ipopt(peer: Peer, tolerance: float = 1e-2, **options: Any) -> PeerSolved:
    """Solve it from the capture, with second derivatives of the objective.

    The caller sees to it that there is one thread (`physics_peers.ONE_THREAD`). Second derivatives
    of the constraints would be (3 W)² numbers a frame; Poise leaves them out as well.
    """
    x, none = peer.x, ca.MX(0, 1)
    lam_f, lam_g = ca.MX.sym("lam_f"), ca.MX.sym("lam_g", len(peer.level))
    slopes = _dm(peer.linear) + _dm(peer.quadratic) @ x
    f = peer.constant + 0.5 * ca.dot(x, slopes + _dm(peer.linear))
    upper = lam_f * _dm(sparse.triu(peer.quadratic))
    chosen: dict[str, Any] = {
        "print_time": False,
        "ipopt.print_level": 0,
        "ipopt.sb": "yes",
        "ipopt.linear_solver": "mumps",
        "ipopt.tol": tolerance,
        "ipopt.constr_viol_tol": MET_M,
        "ipopt.max_iter": 300,
        "ipopt.bound_relax_factor": 0.0,
        "ipopt.mu_strategy": "adaptive",
        "ipopt.mu_oracle": "probing",
        "ipopt.nlp_scaling_method": "none",
        "grad_f": ca.Function("nlp_grad_f", [x, none], [f, slopes], *_NAMES["grad_f"]),
        "jac_g": ca.Function("nlp_jac_g", [x, none], [peer.g, peer.jacobian], *_NAMES["jac_g"]),
        "hess_lag": ca.Function(
            "nlp_hess_l", [x, none, lam_f, lam_g], [upper], *_NAMES["hess_lag"]
        ),
    }
    chosen.update(options)
    solver = ca.nlpsol("peer", "ipopt", {"x": x, "f": f, "g": peer.g}, chosen)
    begun = time.process_time()
    found = solver(x0=peer.start, lbx=peer.low, ubx=peer.high, lbg=peer.level, ubg=peer.level)
    seconds = time.process_time() - begun
    stats, at = solver.stats(), np.array(found["x"]).ravel()
    off = np.abs(np.array(found["g"]).ravel() - peer.level)
    return PeerSolved(
        *displaced(peer.spacetime, at), at, float(found["f"]), float(off.max(initial=0.0)), seconds,
        stats["return_status"], int(stats["iter_count"]),
    )  # fmt: skip


def _spacetime(problem: IkProblem, merit: Merit) -> Any:
    """What the peer of `momentum` looks at, as far as this problem has it."""
    clip, given = problem.scene.clip, problem.scene.character.body
    assert given is not None
    segments = SimpleNamespace(
        masses=given.masses_kg, centers=given.centers_m, inertias=given.inertias_kg_m2,
        mass=given.total_mass_kg, gravity=merit.body.segments.gravity,
    )  # fmt: skip
    figure = SimpleNamespace(
        rig=merit._problem.rig, segments=segments, roots=clip.root_positions_m,
        locals=clip.rotations_wxyz, scale=merit.body.scale, reference=merit.supports.reference,
    )  # fmt: skip
    return SimpleNamespace(figure=figure, width=problem.width)


def _ties(merit: Merit) -> Any:
    """2 Σ stiffness (place d² + velocity (Δd)² + acceleration (Δ²d)²), and beyond the ends."""
    price, frames, width = merit._price, merit.frames, merit.width
    inner = price.acceleration[1:-1]
    weights = (np.full((frames, width), price.place), np.full((frames - 1, width), price.velocity))
    total: Any = 0.0
    for order, worth in enumerate((*weights, inner)):
        steps: Any = sparse.eye_array(frames, format="csr")
        for _ in range(order):
            steps = steps[1:] - steps[:-1]
        rows = sparse.kron(steps, sparse.eye_array(width), format="csr")
        total = total + rows.T @ sparse.diags_array((price.stiffness * worth).ravel()) @ rows
    tail = price.stiffness * price.tail
    for end, inside in ((0, 1), (frames - 1, frames - 2)):
        places = ((end, end), (end, inside), (inside, end), (inside, inside))
        for (row, column), worth in zip(places, tail[[0, 1, 1, 2]], strict=True):
            at = sparse.csr_array(([1.0], ([row], [column])), shape=(frames, frames))
            total = total + sparse.kron(at, sparse.diags_array(worth))
    return 2.0 * total


def generators_of(merit: Merit, lawful: Indices) -> Indices:
    """Generators of the frames that have equations."""
    first = merit.supports.first
    spans = [np.arange(first[f], first[f + 1]) for f in lawful]
    return np.concatenate([np.zeros(0, dtype=np.int64), *spans])


def _pushed(merit: Merit, lawful: Indices, used: Indices) -> Any:
    """(6 frames, forces) what reaction forces do in all."""
    supports = merit.supports
    counts = np.diff(supports.first)[lawful]
    frame = np.repeat(np.arange(len(lawful)), counts)
    rows = 6 * frame[:, None] + np.arange(6)
    columns = np.repeat(np.arange(len(used)), 6)
    return sparse.csc_array(
        (supports.generators[used].ravel(), (rows.ravel(), columns)),
        shape=(6 * len(lawful), len(used)),
    )


def _wrench(spacetime: Any, lawful: Indices) -> Piece:
    """What must come from outside, over three frames: velocities are central differences."""
    figure, width = spacetime.figure, spacetime.width
    guess = body.parameters(figure)
    z, p, point = ca.SX.sym("z", 3 * width), ca.SX.sym("p", 3 * len(guess)), ca.SX.sym("c", 3)
    poses = [
        body.Pose(
            figure, z[i * width : (i + 1) * width], p[i * len(guess) : (i + 1) * len(guess)]
        )
        for i in range(3)
    ]  # fmt: skip
    value = WRENCH_UNIT * ca.vertcat(*wrench(figure, *poses, [point[c] for c in range(3)]))
    given = np.concatenate(
        [*(guess[:, lawful + i] for i in (-1, 0, 1)), figure.reference[lawful].T]
    )
    where = (lawful[:, None] - 1) * width + np.arange(3 * width)
    level = np.zeros((len(lawful), 6))
    return Piece(z, ca.vertcat(p, point), value, where, given, level, level)


def wrench(
    figure: Any, before: body.Pose, at: body.Pose, after: body.Pose, point: body.Symbols
) -> body.Symbols:
    """Force in body weights and moment about a point in body weight × stature."""
    segments, parents, scale = figure.segments, figure.rig.tree.parents, figure.scale
    rate = scale.rate_hz
    spins, rates, rises = [], [], []
    for j in range(len(parents)):
        step, next_ = (
            body.logarithm(body.product(body.conjugate(a.locals[j]), b.locals[j]))
            for a, b in ((before, at), (at, after))
        )
        axes = at.axes[j]
        omega = body.times(axes, [0.5 * rate * (a + b) for a, b in zip(step, next_, strict=True)])
        alpha = body.times(axes, [rate**2 * (b - a) for a, b in zip(step, next_, strict=True)])
        if j == 0:
            spins.append(omega)
            rates.append(alpha)
            rises.append([
                rate**2 * (after.root[c] - 2.0 * at.root[c] + before.root[c])
                - float(segments.gravity[c])
                for c in range(3)
            ])  # fmt: skip
            continue
        up = int(parents[j])
        lever = body.plus(at.arms[j], at.arms[up], -1.0)
        rises.append(_carried(rises[up], rates[up], spins[up], lever))
        rates.append(body.plus(body.plus(rates[up], alpha), body.cross(spins[up], omega)))
        spins.append(body.plus(spins[up], omega))
    force, moment = [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]
    from_root = body.plus(at.root, point, -1.0)
    for j in range(len(parents)):
        mass, inertia = float(segments.masses[j]), segments.inertias[j]
        if mass == 0.0 and not inertia.any():
            continue
        lever = body.times(at.axes[j], segments.centers[j].tolist())
        push = [mass * a for a in _carried(rises[j], rates[j], spins[j], lever)]
        force = body.plus(force, push)
        arm = body.plus(from_root, body.plus(at.arms[j], lever))
        moment = body.plus(moment, body.cross(arm, push))
        own, turn = (
            body.times(at.axes[j], body.times(inertia.tolist(), body.back(at.axes[j], v[j])))
            for v in (spins, rates)
        )
        moment = body.plus(moment, body.plus(turn, body.cross(spins[j], own)))
    per = 1.0 / scale.weight_n
    return [per * v for v in force] + [per / scale.length_m * v for v in moment]


def _carried(
    rise: body.Symbols, rate: body.Symbols, spin: body.Symbols, lever: body.Symbols
) -> body.Symbols:
    """Acceleration of a point that is carried along."""
    inward = body.cross(spin, body.cross(spin, lever))
    return body.plus(body.plus(rise, body.cross(rate, lever)), inward)
