"""How points, directions and the centre of mass answer to small changes of a pose.

Columns follow the tangent of `Skeleton`: three for the root's translation, then each joint's
freedoms. A freedom is a turn about a world axis e through its joint's origin c, so a point p that
the joint carries moves by e × (p − c), and no column needs more than that.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from poise.arrays import Array, Indices
from poise.character import Body, Sites
from poise.compiled import compiled, inlined
from poise.errors import BadValue
from poise.mechanics.center_of_mass import check_body
from poise.mechanics.frames import over_frames
from poise.mechanics.kinematics import BodyState
from poise.mechanics.quaternion_kernels import cross, matrix, turn_row


def site_jacobians(state: BodyState, sites: Sites, *, parallel: bool = True) -> Array:
    """(F, S, 3, D) velocity of each site in the world per unit of each tangent direction."""
    skeleton = state.skeleton
    sites.check_joints(skeleton.joint_count)
    jacobians = np.zeros((state.frame_count, len(sites), 3, skeleton.tangent_size))
    over_frames(
        _sites, state.frame_count, (5 + 3 * len(sites)) * skeleton.joint_count, parallel,
        skeleton.parents, skeleton.freedoms, skeleton.freedom_starts, skeleton.hinge_axes,
        sites.joints, sites.offsets_m, state.positions_m, state.rotations_wxyz, jacobians,
    )  # fmt: skip
    return jacobians


def angular_jacobians(
    state: BodyState, joints: Sequence[int], *, parallel: bool = True
) -> Array:  # fmt: skip
    """(F, len(joints), 3, D) angular velocity of each joint's frame in world axes."""
    skeleton = state.skeleton
    chosen = np.array(joints, dtype=np.int64)
    if len(chosen) and not (0 <= chosen.min() and chosen.max() < skeleton.joint_count):
        raise BadValue("joints", f"indices from 0 to {skeleton.joint_count - 1}", tuple(joints))
    jacobians = np.zeros((state.frame_count, len(chosen), 3, skeleton.tangent_size))
    over_frames(
        _angular, state.frame_count, (5 + 3 * len(chosen)) * skeleton.joint_count, parallel,
        skeleton.parents, skeleton.freedoms, skeleton.freedom_starts, skeleton.hinge_axes,
        chosen, state.rotations_wxyz, jacobians,
    )  # fmt: skip
    return jacobians


def center_of_mass_jacobian(state: BodyState, body: Body, *, parallel: bool = True) -> Array:
    """(F, 3, D) velocity of the centre of mass in the world."""
    skeleton = state.skeleton
    check_body(skeleton.joint_count, body)
    jacobians = np.empty((state.frame_count, 3, skeleton.tangent_size))
    over_frames(
        _center, state.frame_count, 20 * skeleton.joint_count, parallel,
        skeleton.parents, skeleton.freedoms, skeleton.freedom_starts, skeleton.hinge_axes,
        body.masses_kg, body.centers_m, state.positions_m, state.rotations_wxyz, jacobians,
    )  # fmt: skip
    return jacobians


@inlined
def put_world_axes(
    f: int, freedoms: Indices, starts: Indices, hinge_axes: Array, rotations: Array, axes: Array
) -> None:  # fmt: skip
    """The world axes (D, 3) of all freedoms: columns of a ball's rotation, or turned hinge axes."""
    for j in range(len(freedoms)):
        k = starts[j]
        if freedoms[j] == 3:
            m = matrix(
                rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            )  # fmt: skip
            axes[k, 0], axes[k, 1], axes[k, 2] = m[0], m[3], m[6]
            axes[k + 1, 0], axes[k + 1, 1], axes[k + 1, 2] = m[1], m[4], m[7]
            axes[k + 2, 0], axes[k + 2, 1], axes[k + 2, 2] = m[2], m[5], m[8]
        elif freedoms[j] == 1:
            ax, ay, az = hinge_axes[j, 0], hinge_axes[j, 1], hinge_axes[j, 2]
            axes[k, 0], axes[k, 1], axes[k, 2] = turn_row(rotations, f, j, ax, ay, az)


@compiled
def _sites(
    first: int, last: int,
    parents: Indices, freedoms: Indices, starts: Indices, hinge_axes: Array,
    joints: Indices, offsets: Array, p: Array, rotations: Array, out: Array,
) -> None:  # fmt: skip
    axes = np.empty((out.shape[3], 3))
    for f in range(first, last):
        put_world_axes(f, freedoms, starts, hinge_axes, rotations, axes)
        for s in range(len(joints)):
            j = joints[s]
            ox, oy, oz = turn_row(rotations, f, j, offsets[s, 0], offsets[s, 1], offsets[s, 2])
            px, py, pz = p[f, j, 0] + ox, p[f, j, 1] + oy, p[f, j, 2] + oz
            for c in range(3):
                out[f, s, c, c] = 1.0
            while j >= 0:
                dx, dy, dz = px - p[f, j, 0], py - p[f, j, 1], pz - p[f, j, 2]
                for k in range(starts[j], starts[j] + freedoms[j]):
                    x, y, z = cross(axes[k, 0], axes[k, 1], axes[k, 2], dx, dy, dz)
                    out[f, s, 0, k], out[f, s, 1, k], out[f, s, 2, k] = x, y, z
                j = parents[j]


@compiled
def _angular(
    first: int, last: int,
    parents: Indices, freedoms: Indices, starts: Indices, hinge_axes: Array,
    joints: Indices, rotations: Array, out: Array,
) -> None:  # fmt: skip
    axes = np.empty((out.shape[3], 3))
    for f in range(first, last):
        put_world_axes(f, freedoms, starts, hinge_axes, rotations, axes)
        for s in range(len(joints)):
            j = joints[s]
            while j >= 0:
                for k in range(starts[j], starts[j] + freedoms[j]):
                    for c in range(3):
                        out[f, s, c, k] = axes[k, c]
                j = parents[j]


@compiled
def _center(
    first: int, last: int,
    parents: Indices, freedoms: Indices, starts: Indices, hinge_axes: Array,
    masses: Array, offsets: Array, p: Array, rotations: Array, out: Array,
) -> None:  # fmt: skip
    """A joint's turn moves its whole subtree: e × (first moment of the subtree about c) / mass."""
    count = len(parents)
    share = 1.0 / masses.sum()
    moments, axes = np.empty((count, 4)), np.empty((out.shape[2], 3))
    for f in range(first, last):
        put_world_axes(f, freedoms, starts, hinge_axes, rotations, axes)
        for j in range(count):
            ox, oy, oz = turn_row(rotations, f, j, offsets[j, 0], offsets[j, 1], offsets[j, 2])
            m = masses[j]
            moments[j, 0], moments[j, 3] = m * (p[f, j, 0] + ox), m
            moments[j, 1], moments[j, 2] = m * (p[f, j, 1] + oy), m * (p[f, j, 2] + oz)
        for c in range(3):
            for d in range(3):
                out[f, c, d] = 1.0 if c == d else 0.0
        for j in range(count - 1, -1, -1):
            if j > 0:
                for c in range(4):
                    moments[parents[j], c] += moments[j, c]
            m = moments[j, 3]
            dx = share * (moments[j, 0] - m * p[f, j, 0])
            dy = share * (moments[j, 1] - m * p[f, j, 1])
            dz = share * (moments[j, 2] - m * p[f, j, 2])
            for k in range(starts[j], starts[j] + freedoms[j]):
                x, y, z = cross(axes[k, 0], axes[k, 1], axes[k, 2], dx, dy, dz)
                out[f, 0, k], out[f, 1, k], out[f, 2, k] = x, y, z
