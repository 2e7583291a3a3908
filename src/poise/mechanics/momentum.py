"""Linear momentum, and angular momentum about the centre of mass; their rates; their matrix."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array, Indices
from poise.character import Body
from poise.compiled import compiled, inlined
from poise.mechanics.center_of_mass import center_of_mass, check_body
from poise.mechanics.frames import as_frames
from poise.mechanics.inverse_dynamics import GRAVITY_M_S2, JointForces
from poise.mechanics.kinematics import BodyState
from poise.mechanics.quaternion_kernels import (
    Vector,
    between,
    cross,
    matrix,
    turn_row,
    turn_row_back,
)
from poise.sharing import over_frames


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
    """Momentum from poses and their velocities, (F, 3) and (F, J, 3).

    Moving offsets are taken at their current value, as if they stood still.
    """
    frames, joints = state.frame_count, state.skeleton.joint_count
    check_body(joints, body)
    linear, angular = np.empty((frames, 3)), np.empty((frames, 3))
    over_frames(
        _momentum, frames, 20 * joints, parallel,
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

    `forces` come without outer wrenches, and with this gravity.
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
        _matrix, state.frame_count, 60 * skeleton.joint_count, parallel,
        skeleton.parents, skeleton.freedoms, skeleton.freedom_starts, skeleton.hinge_axes,
        body.masses_kg, body.centers_m, body.inertias_kg_m2,
        state.positions_m, state.rotations_wxyz, matrices,
    )  # fmt: skip
    return matrices


@compiled
def _momentum(
    first: int, last: int,
    parents: Indices, masses: Array, centers: Array, inertias: Array,
    p: Array, rotations: Array, root_v: Array, omega: Array, linear: Array, angular: Array,
) -> None:  # fmt: skip
    """Sums over segments in world axes; moments about the root, moved to the centre at the end.

    Per joint `s` holds the angular velocity and the velocity of the origin.
    """
    total = masses.sum()
    s = np.empty((len(parents), 6))
    for f in range(first, last):
        cx, cy, cz, lx, ly, lz, nx, ny, nz = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for j in range(len(parents)):
            wx, wy, wz = turn_row(rotations, f, j, omega[f, j, 0], omega[f, j, 1], omega[f, j, 2])
            vx, vy, vz = root_v[f, 0], root_v[f, 1], root_v[f, 2]
            if j > 0:
                a = parents[j]
                ox, oy, oz = between(p, f, a, j)
                vx, vy, vz = cross(s[a, 0], s[a, 1], s[a, 2], ox, oy, oz)
                vx, vy, vz = vx + s[a, 3], vy + s[a, 4], vz + s[a, 5]
                wx, wy, wz = wx + s[a, 0], wy + s[a, 1], wz + s[a, 2]
            s[j, 0], s[j, 1], s[j, 2] = wx, wy, wz
            s[j, 3], s[j, 4], s[j, 5] = vx, vy, vz
            m = masses[j]
            rx, ry, rz = turn_row(rotations, f, j, centers[j, 0], centers[j, 1], centers[j, 2])
            ox, oy, oz = cross(wx, wy, wz, rx, ry, rz)
            vx, vy, vz = m * (vx + ox), m * (vy + oy), m * (vz + oz)
            ox, oy, oz = between(p, f, 0, j)
            rx, ry, rz = rx + ox, ry + oy, rz + oz
            ox, oy, oz = cross(rx, ry, rz, vx, vy, vz)
            wx, wy, wz = _spin(inertias, rotations, f, j, wx, wy, wz)
            cx, cy, cz = cx + m * rx, cy + m * ry, cz + m * rz
            lx, ly, lz = lx + vx, ly + vy, lz + vz
            nx, ny, nz = nx + wx + ox, ny + wy + oy, nz + wz + oz
        ox, oy, oz = cross(cx / total, cy / total, cz / total, lx, ly, lz)
        linear[f, 0], linear[f, 1], linear[f, 2] = lx, ly, lz
        angular[f, 0], angular[f, 1], angular[f, 2] = nx - ox, ny - oy, nz - oz


@inlined
def _spin(i: Array, rotations: Array, f: int, j: int, wx: float, wy: float, wz: float) -> Vector:
    """Inertia times angular velocity in world axes; the inertia is known in the joint's frame."""
    wx, wy, wz = turn_row_back(rotations, f, j, wx, wy, wz)
    lx = i[j, 0, 0] * wx + i[j, 0, 1] * wy + i[j, 0, 2] * wz
    ly = i[j, 1, 0] * wx + i[j, 1, 1] * wy + i[j, 1, 2] * wz
    lz = i[j, 2, 0] * wx + i[j, 2, 1] * wy + i[j, 2, 2] * wz
    return turn_row(rotations, f, j, lx, ly, lz)


@inlined
def _put_world_axes(
    f: int, freedoms: Indices, starts: Indices, hinge_axes: Array, rotations: Array, axes: Array
) -> None:
    """The world axes (D, 3) of all freedoms: columns of a ball's rotation, or turned hinge axes."""
    for j in range(len(freedoms)):
        k = starts[j]
        if freedoms[j] == 3:
            m = matrix(
                rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            )
            axes[k, 0], axes[k, 1], axes[k, 2] = m[0], m[3], m[6]
            axes[k + 1, 0], axes[k + 1, 1], axes[k + 1, 2] = m[1], m[4], m[7]
            axes[k + 2, 0], axes[k + 2, 1], axes[k + 2, 2] = m[2], m[5], m[8]
        elif freedoms[j] == 1:
            ax, ay, az = hinge_axes[j, 0], hinge_axes[j, 1], hinge_axes[j, 2]
            axes[k, 0], axes[k, 1], axes[k, 2] = turn_row(rotations, f, j, ax, ay, az)


@compiled
def _matrix(
    first: int, last: int,
    parents: Indices, freedoms: Indices, starts: Indices, hinge_axes: Array,
    masses: Array, centers: Array, inertias: Array,
    p: Array, rotations: Array, out: Array,
) -> None:  # fmt: skip
    """A unit turn of a joint swings its subtree, seen as one rigid body.

    `b` gathers per subtree, about the root: mass, first moment, and inertia as six numbers
    (xx, yy, zz, xy, xz, yz).
    """
    count = len(parents)
    b, axes = np.empty((count, 10)), np.empty((out.shape[2], 3))
    for f in range(first, last):
        _put_world_axes(f, freedoms, starts, hinge_axes, rotations, axes)
        for j in range(count):
            _put_segment(masses[j], centers, inertias, p, rotations, f, j, b)
        for j in range(count - 1, 0, -1):
            for c in range(10):
                b[parents[j], c] += b[j, c]
        m = b[0, 0]
        cx, cy, cz = b[0, 1] / m, b[0, 2] / m, b[0, 3] / m
        for c in range(3):
            out[f, c, c] = m
        for j in range(count):
            dx, dy, dz = between(p, f, 0, j)
            sx, sy, sz = b[j, 1] - b[j, 0] * dx, b[j, 2] - b[j, 0] * dy, b[j, 3] - b[j, 0] * dz
            for k in range(starts[j], starts[j] + freedoms[j]):
                ex, ey, ez = axes[k, 0], axes[k, 1], axes[k, 2]
                lx, ly, lz = cross(ex, ey, ez, sx, sy, sz)
                # About the root: I·e for a turn through the root, and the rest of e × (r − d).
                hx, hy, hz = cross(dx, dy, dz, ex, ey, ez)
                gx, gy, gz = cross(b[j, 1], b[j, 2], b[j, 3], hx, hy, hz)
                ox, oy, oz = cross(cx, cy, cz, lx, ly, lz)
                out[f, 0, k], out[f, 1, k], out[f, 2, k] = lx, ly, lz
                out[f, 3, k] = b[j, 4] * ex + b[j, 7] * ey + b[j, 8] * ez + gx - ox
                out[f, 4, k] = b[j, 7] * ex + b[j, 5] * ey + b[j, 9] * ez + gy - oy
                out[f, 5, k] = b[j, 8] * ex + b[j, 9] * ey + b[j, 6] * ez + gz - oz


@inlined
def _put_segment(
    m: float, centers: Array, inertias: Array, p: Array, rotations: Array, f: int, j: int, b: Array
) -> None:
    """Mass, first moment and inertia of one segment about the root, in world axes."""
    x, y, z = turn_row(rotations, f, j, centers[j, 0], centers[j, 1], centers[j, 2])
    ox, oy, oz = between(p, f, 0, j)
    x, y, z = x + ox, y + oy, z + oz
    b[j, 0], b[j, 1], b[j, 2], b[j, 3] = m, m * x, m * y, m * z
    # Columns of the inertia in world axes: what a unit spin about each world axis gives.
    xx, xy, xz = _spin(inertias, rotations, f, j, 1.0, 0.0, 0.0)
    _, yy, yz = _spin(inertias, rotations, f, j, 0.0, 1.0, 0.0)
    _, _, zz = _spin(inertias, rotations, f, j, 0.0, 0.0, 1.0)
    b[j, 4] = xx + m * (y * y + z * z)
    b[j, 5] = yy + m * (x * x + z * z)
    b[j, 6] = zz + m * (x * x + y * y)
    b[j, 7] = xy - m * x * y
    b[j, 8] = xz - m * x * z
    b[j, 9] = yz - m * y * z
