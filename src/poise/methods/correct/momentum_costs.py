"""How well each contact state can carry the reference motion (Lee & Lee, Eqs. 13 and 24).

For every state of every frame the reaction forces of Eq. 13 are fitted, and the cost is the force
that they leave unexplained, in body weights. More contacts never explain less. So states are taken
by the number of their candidates, and one with a subset that explains everything is not looked at.
The rest is solved in the order of states and then frames, where each problem starts from the answer
of the frame before.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.compiled import borrowing
from poise.environment import Environment, query
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import GRAVITY_M_S2, LEVER_M, cone_plan
from poise.methods.correct.settings import Settings
from poise.sharing import over_frames
from poise.solvers import ConePlan, Contacts, Layers, Supplied, solve_frames

EXPLAINED = 1e-4
"""What is left (a hundredth of the body's weight, squared) of which a state explains everything."""

_ROW_NS = 5000


def momentum_costs(
    mesh: Mesh,
    layers: Layers,
    reference_m: Array,
    rate_hz: float,
    environment: Environment,
    settings: Settings,
    shifts_m: Array,
) -> Array:
    """(N,) squared force that the forces of each node leave, in body weights.

    Args:
        mesh: of the body.
        layers: the graph.
        reference_m: (T, V, 3)
        rate_hz: of the reference.
        environment: where.
        settings: friction and bounds of the forces.
        shifts_m: (N, 3) how far each state moves the centre of mass.
    """
    points, normals = contact_places(environment, reference_m[:, mesh.contact_vertex], settings)
    frame = np.repeat(np.arange(layers.layer_count), np.diff(layers.starts))
    force, moment = reference_momenta(mesh, reference_m, rate_hz)
    centers = (np.einsum("v,tvk->tk", mesh.shares, reference_m)[frame] + shifts_m) / LEVER_M
    plan = cone_plan(mesh, settings)
    sizes = np.bitwise_count(layers.states)
    lost, costs = np.full(len(layers.states), -1.0), np.empty(len(layers.states))
    nothing = sizes == 0
    costs[nothing] = np.sum(force**2, axis=1)[frame[nothing]]
    lost[nothing] = costs[nothing] + np.sum(moment**2, axis=1)[frame[nothing]]
    table = np.empty(layers.state_count, np.int64)
    for size in range(1, int(sizes.max(initial=0)) + 1):
        _inherit(layers.starts, layers.states, sizes, size, lost, costs, table)
        open_nodes = np.flatnonzero((sizes == size) & (lost < 0.0))
        if len(open_nodes):
            order = np.lexsort((frame[open_nodes], layers.states[open_nodes]))
            rows = open_nodes[order]
            _solve_rows(
                rows, frame[rows], layers.states[rows], points / LEVER_M, normals, centers, force,
                moment, plan, lost, costs,
            )  # fmt: skip
    return costs


def reference_momenta(mesh: Mesh, reference_m: Array, rate_hz: float) -> tuple[Array, Array]:
    """(T, 3) force and moment that a motion asks of the ground (Eqs. 11, 12 and 14 to 16).

    In body weights, and in body weights times `LEVER_M`; the first and last frame as their
    neighbours.
    """
    places = 0.5 * (reference_m[:, mesh.parts[:, 0]] + reference_m[:, mesh.parts[:, 1]])
    center = np.einsum("p,tpk->tk", mesh.part_shares, places)
    bends = np.zeros_like(places)
    if len(places) > 2:
        bends[1:-1] = places[:-2] - 2.0 * places[1:-1] + places[2:]
        bends[0], bends[-1] = bends[1], bends[-2]
    pulls = mesh.part_shares[:, None] * bends * (rate_hz**2 / GRAVITY_M_S2)
    moment = np.cross(places - center[:, None], pulls).sum(axis=1) / LEVER_M
    return pulls.sum(axis=1) + np.array([0.0, 1.0, 0.0]), moment


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
    centers: Array, force: Array, moment: Array, plan: ConePlan, lost: Array, costs: Array,
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
            np.bitwise_count(state).astype(np.float64), centers[rows[first:last]], force[at],
            moment[at],
        )  # fmt: skip
        out = Supplied(np.empty((count, len(used), 3)), np.empty((count, 3)), missing)
        solve_frames(given, plan, out, np.empty(count, np.int64), np.empty(count, np.bool_))
        costs[rows[first:last]] = np.sum(missing[:, :3] ** 2, axis=1)
        lost[rows[first:last]] = np.sum(missing**2, axis=1)

    over_frames(solve, len(rows), _ROW_NS, True)


@borrowing
def _inherit(
    starts: Indices, states: Indices, sizes: NDArray[np.uint8], size: int,
    lost: Array, costs: Array, table: Indices,
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
                less = table[states[n] ^ bit]
                if lost[less] <= EXPLAINED:
                    lost[n], costs[n] = lost[less], costs[less]
                    break
                left ^= bit
