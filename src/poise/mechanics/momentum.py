"""Linear momentum, and angular momentum about the centre of mass; their rates; their matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.character.body import Body
from poise.compiled import compiled, inlined
from poise.mechanics.center_of_mass import center_of_mass, check_body
from poise.mechanics.frames import as_frames, over_frames
from poise.mechanics.inverse_dynamics import GRAVITY_M_S2, JointForces
from poise.mechanics.jacobians import put_world_axes
from poise.mechanics.kinematics import BodyState
from poise.mechanics.quaternion_kernels import Vector, cross, matrix, turn


@dataclass(frozen=True, eq=False)
class Momentum:
    """The momentum of a body, frame by frame, in world axes."""

    linear_kg_m_s: Array
    """(F, 3) total mass times the velocity of the centre of mass."""
    angular_kg_m2_s: Array
    """(F, 3) about the centre of mass."""


@dataclass(frozen=True, eq=False)
class MomentumRate:
    """How fast the momentum changes: the sum of all outer forces, gravity included."""

    force_n: Array
    """(F, 3) world; over the total mass it is the acceleration of the centre of mass."""
    moment_nm: Array
    """(F, 3) world, about the centre of mass."""


def momentum(
    state: BodyState,
    body: Body,
    root_velocities_m_s: ArrayLike,
    angular_velocities_rad_s: ArrayLike,
    *,
    parallel: bool = True,
) -> Momentum:
    """Momentum from a pose and its velocities.

    Args:
        state: the pose. Moving offsets are taken at their current value, as if they stood still.
        body: the segments.
        root_velocities_m_s: (F, 3) of the root joint's origin, world axes.
        angular_velocities_rad_s: (F, J, 3) of each joint's frame relative to its parent's (the
            root's to the world), in the joint's own frame.
        parallel: use all cores when the batch is large enough to pay.
    """
    frames, joints = state.frame_count, state.skeleton.joint_count
    check_body(joints, body)
    linear, angular = np.empty((frames, 3)), np.empty((frames, 3))
    over_frames(
        _momentum, frames, joints, parallel,
        state.skeleton.parents, body.masses_kg, body.centers_m, body.inertias_kg_m2,
        state.positions_m, state.rotations_wxyz,
        as_frames("root_velocities_m_s", root_velocities_m_s, (3,), frames),
        as_frames("angular_velocities_rad_s", angular_velocities_rad_s, (joints, 3), frames),
        linear, angular,
    )  # fmt: skip
    return Momentum(linear, angular)


def momentum_rate(
    state: BodyState, body: Body, forces: JointForces, gravity_m_s2: ArrayLike = GRAVITY_M_S2
) -> MomentumRate:
    """How fast the momentum of a motion changes, from its inverse dynamics.

    Args:
        state: the poses.
        body: the segments.
        forces: inverse dynamics of the motion, without outer wrenches.
        gravity_m_s2: (3,) the gravity that `forces` were computed with.
    """
    (gravity,) = as_frames("gravity_m_s2", gravity_m_s2, (3,), 1)
    arms = state.positions_m[:, 0] - center_of_mass(state, body)
    moment = forces.root_moment_nm + np.cross(arms, forces.root_force_n)
    return MomentumRate(forces.root_force_n + body.total_mass_kg * gravity, moment)


def momentum_matrix(state: BodyState, body: Body, *, parallel: bool = True) -> Array:
    """(F, 6, D) linear (first three rows) and angular momentum per unit of tangent velocity."""
    skeleton = state.skeleton
    check_body(skeleton.joint_count, body)
    matrices = np.zeros((state.frame_count, 6, skeleton.tangent_size))
    over_frames(
        _matrix, state.frame_count, 3 * skeleton.joint_count, parallel,
        skeleton.parents, skeleton.freedoms, skeleton.freedom_starts, skeleton.hinge_axes,
        body.masses_kg, body.centers_m, body.inertias_kg_m2,
        state.positions_m, state.rotations_wxyz, matrices,
    )  # fmt: skip
    return matrices


@compiled
def _momentum(
    first: int, last: int,
    parents: Indices, masses: Array, centers: Array, inertias: Array,
    positions: Array, rotations: Array, root_v: Array, omega: Array,
    linear: Array, angular: Array,
) -> None:  # fmt: skip
    """Sums over segments in world axes; moments about the root, moved to the centre at the end.

    Per joint `rates` holds the angular velocity and the velocity of the origin.
    """
    count = len(parents)
    total = masses.sum()
    rates = np.empty((count, 6))
    for f in range(first, last):
        p = positions[f]
        cx, cy, cz, sx, sy, sz, tx, ty, tz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(count):
            q, w, a = rotations[f, j], omega[f, j], parents[j]
            wx, wy, wz = turn(q[0], q[1], q[2], q[3], w[0], w[1], w[2])
            vx, vy, vz = root_v[f, 0], root_v[f, 1], root_v[f, 2]
            if j > 0:
                u = rates[a]
                ox, oy, oz = p[j, 0] - p[a, 0], p[j, 1] - p[a, 1], p[j, 2] - p[a, 2]
                vx, vy, vz = cross(u[0], u[1], u[2], ox, oy, oz)
                vx, vy, vz = vx + u[3], vy + u[4], vz + u[5]
                wx, wy, wz = wx + u[0], wy + u[1], wz + u[2]
            s, m, c = rates[j], masses[j], centers[j]
            s[0], s[1], s[2], s[3], s[4], s[5] = wx, wy, wz, vx, vy, vz
            rx, ry, rz = turn(q[0], q[1], q[2], q[3], c[0], c[1], c[2])
            ox, oy, oz = cross(wx, wy, wz, rx, ry, rz)
            vx, vy, vz = m * (vx + ox), m * (vy + oy), m * (vz + oz)
            lx, ly, lz = _spin(inertias[j], q, wx, wy, wz)
            rx, ry, rz = rx + p[j, 0] - p[0, 0], ry + p[j, 1] - p[0, 1], rz + p[j, 2] - p[0, 2]
            ox, oy, oz = cross(rx, ry, rz, vx, vy, vz)
            cx, cy, cz = cx + m * rx, cy + m * ry, cz + m * rz
            sx, sy, sz = sx + vx, sy + vy, sz + vz
            tx, ty, tz = tx + lx + ox, ty + ly + oy, tz + lz + oz
        ox, oy, oz = cross(cx / total, cy / total, cz / total, sx, sy, sz)
        linear[f, 0], linear[f, 1], linear[f, 2] = sx, sy, sz
        angular[f, 0], angular[f, 1], angular[f, 2] = tx - ox, ty - oy, tz - oz


@inlined
def _spin(inertia: Array, q: Array, wx: float, wy: float, wz: float) -> Vector:
    """Inertia times angular velocity in world axes; the inertia is known in the joint's frame."""
    wx, wy, wz = turn(q[0], -q[1], -q[2], -q[3], wx, wy, wz)
    lx = inertia[0, 0] * wx + inertia[0, 1] * wy + inertia[0, 2] * wz
    ly = inertia[1, 0] * wx + inertia[1, 1] * wy + inertia[1, 2] * wz
    lz = inertia[2, 0] * wx + inertia[2, 1] * wy + inertia[2, 2] * wz
    return turn(q[0], q[1], q[2], q[3], lx, ly, lz)


@compiled
def _matrix(
    first: int, last: int,
    parents: Indices, freedoms: Indices, starts: Indices, hinge_axes: Array,
    masses: Array, centers: Array, inertias: Array,
    positions: Array, rotations: Array, matrices: Array,
) -> None:  # fmt: skip
    """A unit turn of a joint swings its subtree, seen as one rigid body.

    `whole` gathers per subtree, about the root: mass, first moment, and inertia as six numbers
    (xx, yy, zz, xy, xz, yz).
    """
    count = len(parents)
    whole, axes = np.empty((count, 10)), np.empty((matrices.shape[2], 3))
    for f in range(first, last):
        p, r, out = positions[f], rotations[f], matrices[f]
        put_world_axes(freedoms, starts, hinge_axes, r, axes)
        for j in range(count):
            _segment(masses[j], centers[j], inertias[j], p[j], p[0], r[j], whole[j])
        for j in range(count - 1, 0, -1):
            for c in range(10):
                whole[parents[j], c] += whole[j, c]
        m = whole[0, 0]
        cx, cy, cz = whole[0, 1] / m, whole[0, 2] / m, whole[0, 3] / m
        out[0, 0], out[1, 1], out[2, 2] = m, m, m
        for j in range(count):
            b = whole[j]
            dx, dy, dz = p[j, 0] - p[0, 0], p[j, 1] - p[0, 1], p[j, 2] - p[0, 2]
            sx, sy, sz = b[1] - b[0] * dx, b[2] - b[0] * dy, b[3] - b[0] * dz
            for k in range(starts[j], starts[j] + freedoms[j]):
                ex, ey, ez = axes[k, 0], axes[k, 1], axes[k, 2]
                lx, ly, lz = cross(ex, ey, ez, sx, sy, sz)
                # About the root: I·e for a turn through the root, less that of the shift d.
                hx, hy, hz = cross(dx, dy, dz, ex, ey, ez)
                gx, gy, gz = cross(b[1], b[2], b[3], hx, hy, hz)
                ox, oy, oz = cross(cx, cy, cz, lx, ly, lz)
                out[0, k], out[1, k], out[2, k] = lx, ly, lz
                out[3, k] = b[4] * ex + b[7] * ey + b[8] * ez + gx - ox
                out[4, k] = b[7] * ex + b[5] * ey + b[9] * ez + gy - oy
                out[5, k] = b[8] * ex + b[9] * ey + b[6] * ez + gz - oz


@compiled
def _segment(
    m: float, center: Array, inertia: Array, p: Array, root: Array, q: Array, out: Array
) -> None:  # fmt: skip
    """Mass, first moment and inertia of one segment about the root, in world axes."""
    x, y, z = turn(q[0], q[1], q[2], q[3], center[0], center[1], center[2])
    x, y, z = x + p[0] - root[0], y + p[1] - root[1], z + p[2] - root[2]
    a = matrix(q[0], q[1], q[2], q[3])
    i = np.empty((3, 3))
    for u in range(3):
        for v in range(3):
            total = 0.0
            for k in range(3):
                for l in range(3):
                    total += a[3 * u + k] * inertia[k, l] * a[3 * v + l]
            i[u, v] = total
    out[0], out[1], out[2], out[3] = m, m * x, m * y, m * z
    out[4] = i[0, 0] + m * (y * y + z * z)
    out[5] = i[1, 1] + m * (x * x + z * z)
    out[6] = i[2, 2] + m * (x * x + y * y)
    out[7] = i[0, 1] - m * x * y
    out[8] = i[0, 2] - m * x * z
    out[9] = i[1, 2] - m * y * z
