"""What the motion optimizer solves, as the flat arrays that its compiled loops read.

Coordinates come one after the other, (3, N) with N = T·V unknowns frame by frame, as the band
wants them. Weights are squares: rows of Eq. 3 are w·A, so a potential counts w².
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.methods.correct.flesh import sphere_pairs
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.settings import Settings
from poise.solvers import ConePlan

KINDS = ("bone", "trajectory", "contact", "pose", "balance", "penetration")
"""The potentials, in the order in which they are reported."""
BONE, TRAJECTORY, CONTACT, POSE, BALANCE, PENETRATION, ANCHOR = range(7)

ANCHOR_WEIGHT = 0.01
"""Pull towards the reference, which nothing else says where it is while nothing touches: all other
potentials are differences. It is not felt within less than a second, and keeps the equations from
being singular."""

GRAVITY_M_S2 = 9.81
_REFERENCE_MASS_KG = 70.0
"""The paper's character, for which f_max is given."""


def force_ceiling(settings: Settings) -> float:
    """The most that a contact point can press, in body weights."""
    return float(settings.largest_force_n / (_REFERENCE_MASS_KG * GRAVITY_M_S2))


STEP_TOLERANCE = 1e-7
"""Of the reaction forces, in body weights."""
FORCE_WEIGHT, TORQUE_WEIGHT = 1e-3, 0.03
"""w_β and w_τ of Eq. 13, in body weights and `LEVER_M`."""
LEVER_M = 0.6
"""Length by which moments compare with forces (w_k over w_l of Eq. 13): about the radius of
gyration of a body times √2, so that a moment weighs what it costs to turn the body by it."""


class Problem(NamedTuple):
    """Reference, ties and weights of a clip."""

    reference: Array
    """(3, N)"""
    bones: Indices
    """(E, 2)"""
    lengths: Array
    """(T, E)"""
    rows: Indices
    """(R, 3) rows of the pose Laplacian: a vertex and its two neighbours in a limb mesh. Where the
    third is -1, the row is the difference of two vertices."""
    row_weights: Array
    """(R,) squared."""
    row_targets: Array
    """(3, T·R)"""
    paths: Array
    """(3, N) second differences of the reference, halved (Eq. 8)."""
    shares: Array
    """(V,) of the mass."""
    parts: Indices
    """(P, 2) the vertices between whose middle each part of the body has its mass,"""
    part_shares: Array
    """(P,) and how much of it."""
    contact_vertex: Indices
    """(B,)"""
    rest_heights: Array
    """(B,)"""
    clearances: Array
    """(V,) how low a vertex may be."""
    pairs: Indices
    """(Q, 2) vertices whose spheres may not meet."""
    pair_distances: Array
    """(Q,)"""
    weights: Array
    """(7,) squared, in the order of `KINDS`, then the anchor's."""
    cones: ConePlan
    drop: float
    """Gravity times Δt²."""
    points: int
    """Of a contact, and"""
    radius: float
    """how far they are from its middle."""
    lever: float
    """`LEVER_M`."""


class Planes(NamedTuple):
    """The surface next to every vertex in every frame, as a plane n·p = d."""

    normals: Array
    """(3, N)"""
    offsets: Array
    """(N,)"""
    steps: Array
    """(3, T·B) how far a belt carries what stands on it from the frame before."""


def packed(
    mesh: Mesh, reference_m: Array, rate_hz: float, settings: Settings, rest_heights_m: Array
) -> Problem:
    """The problem of a clip."""
    flat = by_coordinate(reference_m)
    edges = reference_m[:, mesh.bones[:, 0]] - reference_m[:, mesh.bones[:, 1]]
    lengths = np.where(mesh.flexible, np.linalg.norm(edges, axis=2), mesh.lengths_m)
    rows, row_weights = _pose_rows(mesh, settings)
    targets = reference_m[:, rows[:, 0]] - reference_m[:, rows[:, 1]]
    halves = 0.5 * (reference_m[:, rows[:, 1]] - reference_m[:, rows[:, 2]])
    targets = np.where(rows[:, 2, None] >= 0, targets + halves, targets)
    paths = np.zeros_like(reference_m)
    paths[1:-1] = 0.5 * (reference_m[:-2] + reference_m[2:]) - reference_m[1:-1]
    clearances = mesh.sphere_m.copy()
    clearances[mesh.contact_vertex] = rest_heights_m
    pairs = sphere_pairs(mesh)
    return Problem(
        reference=flat,
        bones=mesh.bones,
        lengths=np.ascontiguousarray(lengths),
        rows=rows,
        row_weights=row_weights,
        row_targets=by_coordinate(targets),
        paths=by_coordinate(paths),
        shares=mesh.shares,
        parts=mesh.parts,
        part_shares=mesh.part_shares,
        contact_vertex=mesh.contact_vertex,
        rest_heights=np.ascontiguousarray(rest_heights_m, dtype=np.float64),
        clearances=clearances,
        pairs=pairs,
        pair_distances=mesh.sphere_m[pairs].sum(axis=1),
        weights=_weights(settings),
        cones=cone_plan(mesh, settings),
        drop=GRAVITY_M_S2 / rate_hz**2,
        points=settings.contact_points,
        radius=float(settings.contact_radius_m),
        lever=LEVER_M,
    )


def by_coordinate(places: Array) -> Array:
    """(3, N) of (T, V, 3)."""
    return np.ascontiguousarray(np.moveaxis(places, 2, 0).reshape(3, -1))


def by_frame(flat: Array, width: int) -> Array:
    """(T, V, 3) of (3, N)."""
    return np.ascontiguousarray(np.moveaxis(flat.reshape(3, -1, width), 0, 2))


def _weights(settings: Settings) -> Array:
    found = np.empty(7)
    found[BONE] = settings.bone_weight
    found[TRAJECTORY] = settings.trajectory_weight
    found[CONTACT] = settings.contact_weight
    found[POSE] = settings.pose_weight
    found[BALANCE] = settings.balance_weight
    found[PENETRATION] = settings.penetration_weight
    found[ANCHOR] = ANCHOR_WEIGHT
    return np.square(found)


def cone_plan(mesh: Mesh, settings: Settings) -> ConePlan:
    """Eq. 13: pyramids of four sides, in body weights and `LEVER_M`."""
    weight_n = mesh.mass_kg * GRAVITY_M_S2
    return ConePlan(
        friction=float(settings.friction),
        ceiling=force_ceiling(settings),
        force_weight=FORCE_WEIGHT,
        torque_weight=TORQUE_WEIGHT,
        torque_bound=settings.largest_torque_nm / (weight_n * LEVER_M),
        is_round=False,
        exact=False,
        tolerance=STEP_TOLERANCE,
        aim=0.0,
    )


def _pose_rows(mesh: Mesh, settings: Settings) -> tuple[Indices, Array]:
    """Each limb mesh is a loop: every vertex against the middle of its two neighbours."""
    found: dict[tuple[int, int, int], float] = {}
    for limb in mesh.limbs:
        if len(limb) == 2:
            found[limb[1], limb[0], -1] = settings.pose_weight**2
            continue
        for i, vertex in enumerate(limb):
            one, other = sorted((limb[i - 1], limb[(i + 1) % len(limb)]))
            found[vertex, one, other] = settings.pose_weight**2
    for a, b in mesh.extra_edges.tolist():
        # What the user ties holds like a bone.
        found[a, b, -1] = max(settings.pose_weight, settings.bone_weight) ** 2
    rows = np.array(list(found), dtype=np.int64).reshape(-1, 3)
    return rows, np.array(list(found.values()))


Contacts = NDArray[np.bool_]
"""(T, B) which candidates touch."""
