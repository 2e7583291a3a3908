"""How well each contact state can carry the reference motion (Lee & Lee, Eqs. 13 and 24).

For every state of every frame the reaction forces of Eq. 13 are fitted, and the cost is what they
leave unexplained, in body weights. Eq. 24 counts the force alone; here the moment counts too (in
body weights times the figure's height), because a hand that holds up a standing body explains the
force as well as the feet do.

More contacts never explain less. So states are taken by the number of their candidates, and one
with a subset that explains everything is not looked at. The rest is solved in the order of states
and then frames, where each problem starts from the answer of the frame before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.contact import ClipDynamics
from poise.environment import Environment, query
from poise.methods.correct.contact_states import touching
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import force_ceiling
from poise.methods.correct.settings import Settings
from poise.sharing import over_frames
from poise.solvers import ConePlan, Contacts, Layers, Supplied, solve_frames

# How much the pose is bent by putting candidates on the surface (Lee & Lee, Eqs. 22 and 23).
#
# With d the displacement of the vertices from the reference, Eq. 23 asks for the d that minimises
#
#     |A d|² + Σ |d_b − target_b|² + ε² |d|²     over the candidates b of a state
#
# with A the Laplacian of the limb meshes. A is the same in all frames and for all three
# coordinates. So with K = AᵀA + ε²I factored once, and G the block of K⁻¹ at the contact
# vertices, a state with the candidates c has d = K⁻¹ Eᵀ(I + G_cc)⁻¹ target, and what it costs by
# Eq. 22 is a quadratic form in the targets whose matrix (as large as the state has candidates)
# serves all frames.
EPSILON = 1e-3
"""ε, which the paper does not give: how much a vertex wants to stay, of how much it wants to keep
its shape. Ten times more or less changes no cost by a per cent."""


def limb_laplacian(mesh: Mesh) -> Array:
    """(R, V) each vertex of each limb against the mean of its neighbours around the limb's loop."""
    rows: list[Array] = []
    for limb in mesh.limbs:
        if len(limb) < 3:
            continue
        for i, vertex in enumerate(limb):
            row = np.zeros(mesh.vertex_count)
            row[vertex] += 1.0
            row[limb[i - 1]] -= 0.5
            row[limb[(i + 1) % len(limb)]] -= 0.5
            rows.append(row)
    return np.array(rows).reshape(-1, mesh.vertex_count)


def bending_forms(mesh: Mesh, states: Indices, epsilon: float = EPSILON) -> tuple[Array, Indices]:
    """The matrices of Eq. 22 for states, as one flat array and where each begins.

    Those of a state with n candidates are n × n, rows and columns in the order of its bits.
    """
    a = limb_laplacian(mesh)
    k = a.T @ a + epsilon**2 * np.eye(mesh.vertex_count)
    inverse = np.linalg.inv(k)
    at = mesh.contact_vertex
    g = inverse[np.ix_(at, at)]
    bent = (inverse @ (a.T @ a) @ inverse)[np.ix_(at, at)]
    flags = touching(states, len(at))
    sizes = flags.sum(axis=1) ** 2
    begins = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    forms = np.empty(begins[-1])
    for i, flag in enumerate(flags):
        c = np.flatnonzero(flag)
        turned = np.linalg.inv(np.eye(len(c)) + g[np.ix_(c, c)])
        forms[begins[i] : begins[i + 1]] = (turned @ bent[np.ix_(c, c)] @ turned).ravel()
    return forms, begins


def bending_costs(mesh: Mesh, layers: Layers, targets_m: Array, epsilon: float = EPSILON) -> Array:
    """(N,) Eq. 22 for every node; `targets_m` (F, B, 3) lead to where candidates would touch."""
    used, which = np.unique(layers.states, return_inverse=True)
    forms, begins = bending_forms(mesh, used, epsilon)
    costs = np.empty(len(layers.states))
    index = np.empty(targets_m.shape[1], np.int64)
    _bend(layers.starts, used, which.astype(np.int64), forms, begins, targets_m, index, costs)
    return costs


def one_bent(mesh: Mesh, epsilon: float = EPSILON) -> float:
    """What one candidate costs that is a metre off while the others rest: Eq. 22's unit, per m²."""
    count = len(mesh.candidates)
    forms, _ = bending_forms(mesh, np.array([(1 << count) - 1]), epsilon)
    return float(np.diag(forms.reshape(count, count)).mean())


@borrowing
def _bend(
    starts: Indices, used: Indices, which: Indices, forms: Array, begins: Indices,
    targets: Array, index: Indices, costs: Array,
) -> None:  # fmt: skip
    for t in range(len(starts) - 1):
        for n in range(starts[t], starts[t + 1]):
            state, begin = used[which[n]], begins[which[n]]
            count = 0
            for b in range(targets.shape[1]):
                if (state >> b) & 1:
                    index[count] = b
                    count += 1
            total = 0.0
            for i in range(count):
                for j in range(count):
                    form = forms[begin + i * count + j]
                    for k in range(3):
                        total += form * targets[t, index[i], k] * targets[t, index[j], k]
            costs[n] = total


EXPLAINED = 1e-4
"""Cost (a hundredth of the body's weight, squared) below which a state explains everything."""

_TOLERANCE = 1e-5
_FORCE_WEIGHT, _TORQUE_WEIGHT = 1e-3, 0.03
_ROW_NS = 5000


def momentum_costs(
    layers: Layers,
    dynamics: ClipDynamics,
    environment: Environment,
    vertices_m: Array,
    settings: Settings,
) -> Array:
    """(N,) squared force and moment that the forces of each node leave, in body weights.

    `vertices_m` (F, B, 3) are those of the candidates.
    """
    points, normals = contact_places(environment, vertices_m, settings)
    frame = np.repeat(np.arange(layers.layer_count), np.diff(layers.starts))
    weight, length = dynamics.weight_n, dynamics.length_m
    force, moment = dynamics.outer_force_n / weight, dynamics.outer_moment_nm / (weight * length)
    bound = settings.largest_torque_nm / (weight * length)
    plan = ConePlan(
        float(settings.friction), force_ceiling(settings), _FORCE_WEIGHT, _TORQUE_WEIGHT,
        float(bound), is_round=False, exact=False, tolerance=_TOLERANCE, aim=0.0,
    )  # fmt: skip
    sizes = np.bitwise_count(layers.states)
    costs = np.full(len(layers.states), -1.0)
    costs[sizes == 0] = _squared(force, moment)[frame[sizes == 0]]
    table = np.empty(layers.state_count, np.int64)
    for size in range(1, int(sizes.max(initial=0)) + 1):
        _inherit(layers.starts, layers.states, sizes, size, costs, table)
        open_nodes = np.flatnonzero((sizes == size) & (costs < 0.0))
        if len(open_nodes):
            order = np.lexsort((frame[open_nodes], layers.states[open_nodes]))
            rows = open_nodes[order]
            _solve_rows(
                rows, frame[rows], layers.states[rows], points / length, normals,
                dynamics.com_m / length, force, moment, plan, costs,
            )  # fmt: skip
    return costs


def contact_places(
    environment: Environment, vertices_m: Array, settings: Settings
) -> tuple[Array, Array]:
    """(F, B, P, 3) where each candidate may push on the surface, and (F, B, 3) its normals."""
    surface = query(environment, vertices_m)
    normals = surface.normals
    # Level axes carried along by the smallest turn from +Y to the normal.
    x, y, z = normals[..., 0], normals[..., 1], normals[..., 2]
    turn = 1.0 / np.maximum(1.0 + y, 1e-6)
    left = np.stack([1.0 - turn * x * x, -x, -turn * x * z], axis=-1)
    right = np.stack([-turn * x * z, -z, 1.0 - turn * z * z], axis=-1)
    count = settings.contact_points
    angles = 2.0 * np.pi * np.arange(count) / count
    spread = settings.contact_radius_m if count > 1 else 0.0
    around = (
        np.cos(angles)[:, None] * left[..., None, :] + np.sin(angles)[:, None] * right[..., None, :]
    )
    return surface.closest_m[..., None, :] + spread * around, np.array(normals)


def _solve_rows(
    rows: Indices, frames: Indices, states: Indices, points: Array, normals: Array,
    centers: Array, force: Array, moment: Array, plan: ConePlan, costs: Array,
) -> None:  # fmt: skip
    candidates, per = points.shape[1], points.shape[2]

    def solve(first: int, last: int) -> None:
        at, state = frames[first:last], states[first:last]
        count = last - first
        grip = np.repeat((state[:, None] >> np.arange(candidates)) & 1, per, axis=1)
        used = np.flatnonzero(grip.any(axis=0))
        owners = used // per
        missing = np.empty((count, 6))
        given = Contacts(
            np.ascontiguousarray(points.reshape(len(points), -1, 3)[at][:, used]),
            np.ascontiguousarray(normals[at][:, owners]), grip[:, used].astype(np.float64),
            np.bitwise_count(state).astype(np.float64), centers[at], force[at], moment[at],
        )  # fmt: skip
        out = Supplied(np.empty((count, len(used), 3)), np.empty((count, 3)), missing)
        solve_frames(given, plan, out, np.empty(count, np.int64), np.empty(count, np.bool_))
        costs[rows[first:last]] = _squared(missing[:, :3], missing[:, 3:])

    over_frames(solve, len(rows), _ROW_NS, True)


def _squared(force: Array, moment: Array) -> Array:
    return np.sum(force**2, axis=1) + np.sum(moment**2, axis=1)


@borrowing
def _inherit(
    starts: Indices, states: Indices, sizes: NDArray[np.uint8], size: int,
    costs: Array, table: Indices,
) -> None:  # fmt: skip
    """States of `size` candidates with one candidate less that explains everything: so do they."""
    for t in range(len(starts) - 1):
        for n in range(starts[t], starts[t + 1]):
            table[states[n]] = n
        for n in range(starts[t], starts[t + 1]):
            if sizes[n] != size:
                continue
            left = states[n]
            while left:
                bit = left & -left
                less = costs[table[states[n] ^ bit]]
                if less <= EXPLAINED:
                    costs[n] = less
                    break
                left ^= bit
