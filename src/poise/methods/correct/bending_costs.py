"""How much the pose is bent by putting candidates on the surface (Lee & Lee, Eqs. 22 and 23).

With d the displacement of the vertices from the reference, Eq. 23 asks for the d that minimises

    |A d|² + Σ |d_b − target_b|² + ε² |d|²     over the candidates b of a state

with A the Laplacian of the limb meshes. A is the same in all frames and for all three coordinates.
So with K = AᵀA + ε²I factored once, and G the block of K⁻¹ at the contact vertices, a state with
the candidates c has d = K⁻¹ Eᵀ(I + G_cc)⁻¹ target. What it costs by Eq. 22 is a quadratic form in
the targets, and how far it moves the centre of mass a linear one, whose matrices (as large as the
state has candidates) serve all frames.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.methods.correct.contact_states import touching
from poise.methods.correct.mesh import Mesh
from poise.solvers import Layers

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


def center_shifts_m(
    mesh: Mesh, layers: Layers, targets_m: Array, epsilon: float = EPSILON
) -> Array:
    """(N, 3) how far Eq. 23 moves the centre of mass in every node."""
    used, which = np.unique(layers.states, return_inverse=True)
    a = limb_laplacian(mesh)
    k = a.T @ a + epsilon**2 * np.eye(mesh.vertex_count)
    inverse = np.linalg.inv(k)
    at = mesh.contact_vertex
    g, pull = inverse[np.ix_(at, at)], mesh.shares @ inverse[:, at]
    forms = np.zeros((len(used), len(at)))
    for row, flag in zip(forms, touching(used, len(at)), strict=True):
        c = np.flatnonzero(flag)
        row[c] = np.linalg.solve(np.eye(len(c)) + g[np.ix_(c, c)], pull[c])
    frame = np.repeat(np.arange(layers.layer_count), np.diff(layers.starts))
    return np.einsum("nb,nbk->nk", forms[which], targets_m[frame])


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
