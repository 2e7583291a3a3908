"""The motion optimizer's cost as a function of joint angles, with its gradient: for L-BFGS.

Everything is compiled, and as cheap as can be: one sweep down the tree for the vertices, the
optimizer's own projections for what is not linear, one sweep up the tree for the gradient. The
nearest allowed places p that the projections find are found anew at every evaluation, and the cost
is Σ w² |A v − p|². Its gradient by the vertices is taken as 2 w² Aᵀ (A v − p): exact for all that
is projected onto a fixed set, in the metric in which it counts. For balance it is not quite: the
cones move with the vertices, and the forces are found with a little damping; so does ours.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array, Indices
from poise.character import Skeleton
from poise.compiled import compiled, inlined, inner_borrowing
from poise.mechanics.quaternion_kernels import cross, multiply, turn_row, turn_row_back
from poise.methods.correct.alternation import Room
from poise.methods.correct.balance import project_balance
from poise.methods.correct.mesh import Mesh
from poise.methods.correct.problem import (
    ANCHOR,
    BALANCE,
    BONE,
    CONTACT,
    PENETRATION,
    TRAJECTORY,
    Planes,
    Problem,
)
from poise.methods.correct.projections import (
    project_bones,
    project_contacts,
    project_pairs,
    project_penetrations,
)
from poise.motion import Clip

_SMALL = 1e-4
"""Angles below which series are used for what divides by them."""


class Tree(NamedTuple):
    """The body, and the motion that angles are counted from."""

    parents: Indices
    offsets: Array
    """(J, 3)"""
    vertex_joints: Indices
    """(V,)"""
    vertex_offsets: Array
    """(V, 3)"""
    columns: Indices
    """(J,) where a joint's three angles are in a frame's unknowns; -1 where it does not turn."""
    roots: Array
    """(T, 3)"""
    turns: Array
    """(T, J, 4)"""


class Poses(NamedTuple):
    """Room for the sweeps."""

    places: Array
    """(T, J, 3)"""
    turns: Array
    """(T, J, 4) in the world."""
    pulls: Array
    """(J, 6) of one frame: force, and moment about the world's origin."""
    slopes: Array
    """(3, N) by the vertices."""


def tree_of(clip: Clip, mesh: Mesh, moves: NDArray[np.bool_]) -> Tree:
    """Joints that move and carry a vertex, as unknowns."""
    skeleton: Skeleton = clip.skeleton
    carries = np.zeros(skeleton.joint_count, dtype=np.bool_)
    for joint, offset in zip(mesh.sites.joints.tolist(), mesh.sites.offsets_m, strict=True):
        # A vertex at its joint's origin is not moved by that joint, but by those above.
        j = joint if np.any(offset) else int(skeleton.parents[joint])
        while j >= 0:
            carries[j] = True
            j = int(skeleton.parents[j])
    used = carries & moves
    columns = np.full(skeleton.joint_count, -1, dtype=np.int64)
    columns[used] = 3 + 3 * np.arange(np.count_nonzero(used))
    return Tree(
        np.array(skeleton.parents), np.array(skeleton.offsets_m), np.array(mesh.sites.joints),
        np.array(mesh.sites.offsets_m), columns, np.array(clip.root_positions_m),
        np.array(clip.rotations_wxyz),
    )  # fmt: skip


def poses_for(tree: Tree) -> Poses:
    """Room for a tree."""
    frames, joints = tree.turns.shape[:2]
    vertices = len(tree.vertex_joints)
    return Poses(
        np.zeros((frames, joints, 3)), np.zeros((frames, joints, 4)), np.zeros((joints, 6)),
        np.zeros((3, frames * vertices)),
    )  # fmt: skip


@compiled
def cost_of_angles(
    tree: Tree, poses: Poses, problem: Problem, planes: Planes, contacts: NDArray[np.bool_],
    work: Room, unknowns: Array, gradient: Array,
) -> float:  # fmt: skip
    """The cost of a motion, and its gradient.

    Args:
        tree: body and reference.
        poses: room.
        problem: of the motion optimizer; its bones need only be those that angles may stretch.
        planes: the surface next to each vertex.
        contacts: (T, B)
        work: the optimizer's, with places, penetrations and pairs as they are to be held.
        unknowns: (T, D) the root's displacement in metres, then a rotation vector for every joint
            that moves, turning it from where the reference has it.
        gradient: (T, D) is filled.
    """
    _down(tree, poses, unknowns, work.x)
    cost = cost_of_vertices(problem, planes, contacts, work, poses.slopes)
    _up(tree, poses, unknowns, work.x, gradient)
    return cost


@inlined
def _down(tree: Tree, poses: Poses, unknowns: Array, x: Array) -> None:
    frames, joints = tree.turns.shape[:2]
    width = len(tree.vertex_joints)
    p, q = poses.places, poses.turns
    for t in range(frames):
        for j in range(joints):
            w, a = tree.turns[t, j, 0], tree.turns[t, j, 1]
            b, c = tree.turns[t, j, 2], tree.turns[t, j, 3]
            k = tree.columns[j]
            if k >= 0:
                rx, ry, rz = unknowns[t, k], unknowns[t, k + 1], unknowns[t, k + 2]
                size = math.sqrt(rx * rx + ry * ry + rz * rz)
                share = 0.5 - size * size / 48.0
                if size > _SMALL:
                    share = math.sin(0.5 * size) / size
                w, a, b, c = multiply(
                    w, a, b, c, math.cos(0.5 * size), share * rx, share * ry, share * rz
                )  # fmt: skip
            up = tree.parents[j]
            if up < 0:
                for i in range(3):
                    p[t, j, i] = tree.roots[t, i] + unknowns[t, i]
            else:
                bone = tree.offsets
                ox, oy, oz = turn_row(q, t, up, bone[j, 0], bone[j, 1], bone[j, 2])
                p[t, j, 0], p[t, j, 1], p[t, j, 2] = (
                    p[t, up, 0] + ox, p[t, up, 1] + oy, p[t, up, 2] + oz,
                )  # fmt: skip
                w, a, b, c = multiply(
                    q[t, up, 0], q[t, up, 1], q[t, up, 2], q[t, up, 3], w, a, b, c
                )  # fmt: skip
            q[t, j, 0], q[t, j, 1], q[t, j, 2], q[t, j, 3] = w, a, b, c
        for v in range(width):
            j, i = tree.vertex_joints[v], t * width + v
            o = tree.vertex_offsets
            ox, oy, oz = turn_row(q, t, j, o[v, 0], o[v, 1], o[v, 2])
            x[0, i], x[1, i], x[2, i] = p[t, j, 0] + ox, p[t, j, 1] + oy, p[t, j, 2] + oz


@inlined
def _up(tree: Tree, poses: Poses, unknowns: Array, x: Array, gradient: Array) -> None:
    """Jacobian transposed: what pulls at the vertices, gathered up the tree."""
    frames, joints = tree.turns.shape[:2]
    width, pulls, g = len(tree.vertex_joints), poses.pulls, poses.slopes
    for t in range(frames):
        pulls[:] = 0.0
        for v in range(width):
            j, i = tree.vertex_joints[v], t * width + v
            mx, my, mz = cross(x[0, i], x[1, i], x[2, i], g[0, i], g[1, i], g[2, i])
            for n in range(3):
                pulls[j, n] += g[n, i]
            pulls[j, 3] += mx
            pulls[j, 4] += my
            pulls[j, 5] += mz
        for j in range(joints - 1, -1, -1):
            up, k = tree.parents[j], tree.columns[j]
            if k >= 0:
                p = poses.places
                mx, my, mz = cross(
                    p[t, j, 0], p[t, j, 1], p[t, j, 2], pulls[j, 0], pulls[j, 1], pulls[j, 2]
                )  # fmt: skip
                ox, oy, oz = turn_row_back(
                    poses.turns, t, j, pulls[j, 3] - mx, pulls[j, 4] - my, pulls[j, 5] - mz
                )  # fmt: skip
                gradient[t, k], gradient[t, k + 1], gradient[t, k + 2] = _by_vector(
                    unknowns[t, k], unknowns[t, k + 1], unknowns[t, k + 2], ox, oy, oz
                )
            if up >= 0:
                for n in range(6):
                    pulls[up, n] += pulls[j, n]
            else:
                for n in range(3):
                    gradient[t, n] = pulls[j, n]


@inlined
def _by_vector(
    rx: float, ry: float, rz: float, ox: float, oy: float, oz: float
) -> tuple[float, float, float]:
    """From a slope by the joint's own angular velocity to one by its rotation vector.

    That velocity is J(r) ṙ, J = 1 − (1 − cos r)/r² [r] + (r − sin r)/r³ [r]²; this is Jᵀ o.
    """
    square = rx * rx + ry * ry + rz * rz
    size = math.sqrt(square)
    one, two = 0.5 - square / 24.0, 1.0 / 6.0 - square / 120.0
    if size > _SMALL:
        one, two = (1.0 - math.cos(size)) / square, (size - math.sin(size)) / (size * square)
    ax, ay, az = cross(rx, ry, rz, ox, oy, oz)
    bx, by, bz = cross(rx, ry, rz, ax, ay, az)
    return ox + one * ax + two * bx, oy + one * ay + two * by, oz + one * az + two * bz


@compiled
def cost_of_vertices(
    problem: Problem, planes: Planes, contacts: NDArray[np.bool_], work: Room, slopes: Array
) -> float:
    """The weighted sum of all potentials at `work.x`, and its slopes (3, N) by the vertices."""
    right, x, weights = work.right, work.x, problem.weights
    for k in range(3):
        for i in range(x.shape[1]):
            right[k, i] = 0.0
            slopes[k, i] = 0.0
    cost = weights[BONE] * project_bones(problem, x, right)
    cost += weights[CONTACT] * project_contacts(problem, planes, contacts, x, right)
    off = project_penetrations(problem, planes, work.held, x, right)
    off += project_pairs(problem, work.apart, x, right)
    balance = project_balance(problem, planes, contacts, work.wrenches, x, right)
    cost += weights[PENETRATION] * off + weights[BALANCE] * balance
    _add_places(problem, contacts, work, slopes)
    cost += _add_rows(problem, x, slopes)
    cost += _add_paths(problem, contacts, x, slopes)
    for k in range(3):
        for i in range(x.shape[1]):
            slopes[k, i] = 2.0 * (slopes[k, i] - right[k, i])
    return cost


@inner_borrowing
def _add_places(
    problem: Problem, contacts: NDArray[np.bool_], work: Room, slopes: Array
) -> None:  # fmt: skip
    """AᵀA v of what is projected: bones, contacts, penetrations."""
    x, weights = work.x, problem.weights
    frames, width = len(contacts), len(problem.shares)
    for t in range(frames):
        start = t * width
        for e in range(len(problem.bones)):
            i, j = start + problem.bones[e, 0], start + problem.bones[e, 1]
            for k in range(3):
                pull = weights[BONE] * (x[k, i] - x[k, j])
                slopes[k, i] += pull
                slopes[k, j] -= pull
        for b in range(contacts.shape[1]):
            if contacts[t, b]:
                i = start + problem.contact_vertex[b]
                for k in range(3):
                    slopes[k, i] += weights[CONTACT] * x[k, i]
                    if t > 0 and contacts[t - 1, b]:
                        pull = weights[CONTACT] * (x[k, i] - x[k, i - width])
                        slopes[k, i] += pull
                        slopes[k, i - width] -= pull
        for i in range(start, start + width):
            if work.held[i]:
                for k in range(3):
                    slopes[k, i] += weights[PENETRATION] * x[k, i]
        for q in range(len(problem.pairs)):
            if work.apart[t, q]:
                i, j = start + problem.pairs[q, 0], start + problem.pairs[q, 1]
                for k in range(3):
                    pull = weights[PENETRATION] * (x[k, i] - x[k, j])
                    slopes[k, i] += pull
                    slopes[k, j] -= pull


@inner_borrowing
def _add_rows(problem: Problem, x: Array, slopes: Array) -> float:
    """Pose and anchor: their cost, and Aᵀ(A v − p)."""
    frames, width, rows = len(problem.lengths), len(problem.shares), len(problem.rows)
    total, anchor = 0.0, problem.weights[ANCHOR]
    for k in range(3):
        for i in range(x.shape[1]):
            gap = x[k, i] - problem.reference[k, i]
            total += anchor * gap * gap
            slopes[k, i] += anchor * gap
    for t in range(frames):
        start = t * width
        for r in range(rows):
            middle, one, other = problem.rows[r]
            w, m, i, j = problem.row_weights[r], start + middle, start + one, start + other
            for k in range(3):
                gap = x[k, m] - x[k, i] - problem.row_targets[k, t * rows + r]
                if other >= 0:
                    gap += 0.5 * (x[k, i] - x[k, j])
                total += w * gap * gap
                slopes[k, m] += w * gap
                slopes[k, i] -= w * gap if other < 0 else 0.5 * w * gap
                if other >= 0:
                    slopes[k, j] -= 0.5 * w * gap
    return total


@inner_borrowing
def _add_paths(problem: Problem, contacts: NDArray[np.bool_], x: Array, slopes: Array) -> float:
    """Along time: the trajectory's cost and slopes, and AᵀA v of balance."""
    frames, width, shares = len(contacts), len(problem.shares), problem.shares
    w, c = problem.weights[TRAJECTORY], problem.weights[BALANCE]
    total = 0.0
    for k in range(3):
        for t in range(1, frames - 1):
            start = t * width
            middle = 0.0
            for v in range(width):
                i = start + v
                middle += shares[v] * (x[k, i - width] - 2.0 * x[k, i] + x[k, i + width])
            for v in range(width):
                i = start + v
                gap = 0.5 * (x[k, i - width] - 2.0 * x[k, i] + x[k, i + width])
                gap -= problem.paths[k, i]
                for b in range(contacts.shape[1]):
                    if problem.contact_vertex[b] == v and contacts[t, b]:
                        gap = 0.0
                total += w * gap * gap
                pull = 0.5 * w * gap + shares[v] * c * middle
                slopes[k, i - width] += pull
                slopes[k, i] -= 2.0 * pull
                slopes[k, i + width] += pull
    return total
