"""Slow, plain forms of the kernels: no recursion over forces, no tricks, one frame at a time."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Sites, Skeleton
from poise.mechanics import BodyState, JointForces
from tests.mechanics.random_trees import Motion


def inverse_dynamics(
    skeleton: Skeleton, body: Body, motion: Motion, gravity: Array, offsets: Array | None = None
) -> tuple[Array, Array]:
    """Joint moments (F, J, 3) and root force (F, 3), by summing over each joint's subtree.

    Args:
        skeleton: the tree.
        body: the segments.
        motion: poses and rates.
        gravity: (3,) world.
        offsets: (F, J, 3), or None for the skeleton's.
    """
    frames, count = motion.local.shape[:2]
    moments, forces = np.zeros((frames, count, 3)), np.zeros((frames, 3))
    subtrees = [[k for k in range(count) if j in skeleton.ancestors(k)] for j in range(count)]
    for f in range(frames):
        o = skeleton.offsets_m if offsets is None else offsets[f]
        p, r, w, d, a = _world_rates(skeleton, motion, f, o)
        c = p + np.einsum("jab,jb->ja", r, body.centers_m)
        arm = c - p
        inertia = r @ body.inertias_kg_m2 @ np.swapaxes(r, 1, 2)
        acceleration = a + np.cross(d, arm) + np.cross(w, np.cross(w, arm))
        force = body.masses_kg[:, None] * (acceleration - gravity)
        spin = np.einsum("jab,jb->ja", inertia, w)
        moment = np.einsum("jab,jb->ja", inertia, d) + np.cross(w, spin)
        forces[f] = force.sum(axis=0)
        for j, below in enumerate(subtrees):
            about = moment[below] + np.cross(c[below] - p[j], force[below])
            moments[f, j] = r[j].T @ about.sum(axis=0)
    return moments, forces


def generalized_forces(forces: JointForces) -> Array:
    """(F, D) in the layout of the tangent: root force, then torques along the freedoms."""
    skeleton, parts = forces.skeleton, [forces.root_force_n]
    for joint, kind in enumerate(skeleton.kinds):
        moments = forces.joint_moments_nm[:, joint]
        if kind == "ball":
            parts.append(moments)
        elif kind == "hinge":
            parts.append((moments @ skeleton.hinge_axes[joint])[:, None])
    return np.concatenate(parts, axis=1)


def _world_rates(
    skeleton: Skeleton, motion: Motion, f: int, offsets: Array
) -> tuple[Array, Array, Array, Array, Array]:
    """Positions, rotation matrices, angular velocities and accelerations, origin accelerations."""
    count = skeleton.joint_count
    p, w, d, a = (np.zeros((count, 3)) for _ in range(4))
    r = np.zeros((count, 3, 3))
    local = rotations.to_matrix(motion.local[f])
    for j, up in enumerate(skeleton.parents.tolist()):
        if up < 0:
            p[j], r[j], a[j] = motion.root_m[f], local[j], motion.root_a[f]
            w[j], d[j] = r[j] @ motion.omega[f, j], r[j] @ motion.alpha[f, j]
            continue
        arm = r[up] @ offsets[j]
        p[j], r[j] = p[up] + arm, r[up] @ local[j]
        a[j] = a[up] + np.cross(d[up], arm) + np.cross(w[up], np.cross(w[up], arm))
        turn = r[j] @ motion.omega[f, j]
        w[j] = w[up] + turn
        d[j] = d[up] + r[j] @ motion.alpha[f, j] + np.cross(w[up], turn)
    return p, r, w, d, a


def site_jacobians(state: BodyState, sites: Sites) -> Array:
    """(F, S, 3, D) velocity of each site per unit of each tangent direction."""
    turns = rotations.rotate(state.rotations_wxyz[:, sites.joints], sites.offsets_m)
    places = state.positions_m[:, sites.joints] + turns
    jacobians = np.zeros((state.frame_count, len(sites), 3, state.skeleton.tangent_size))
    jacobians[..., :3] = np.eye(3)
    for column, joint, axis in _tangent_axes(state):
        arms = places - state.positions_m[:, joint][:, None]
        carried = np.array([joint in state.skeleton.ancestors(j) for j in sites.joints.tolist()])
        jacobians[..., column] = carried[:, None] * np.cross(axis[:, None], arms)
    return jacobians


def angular_jacobians(state: BodyState) -> Array:
    """(F, J, 3, D) angular velocity of every joint's frame in world axes."""
    skeleton = state.skeleton
    jacobians = np.zeros((state.frame_count, skeleton.joint_count, 3, skeleton.tangent_size))
    for column, joint, axis in _tangent_axes(state):
        for below in range(skeleton.joint_count):
            if joint in skeleton.ancestors(below):
                jacobians[:, below, :, column] = axis
    return jacobians


def center_of_mass_jacobian(state: BodyState, body: Body) -> Array:
    """(F, 3, D) velocity of the centre of mass."""
    names = state.skeleton.joint_names
    centers = site_jacobians(state, Sites(names, np.arange(len(names)), body.centers_m))
    return np.einsum("j,fjcd->fcd", body.masses_kg / body.total_mass_kg, centers)


def _tangent_axes(state: BodyState) -> list[tuple[int, int, Array]]:
    """Column, joint and world axis (F, 3) of every turn among the tangent directions."""
    skeleton, found = state.skeleton, list[tuple[int, int, Array]]()
    for joint, count in enumerate(skeleton.freedoms.tolist()):
        axes = np.eye(3) if count == 3 else skeleton.hinge_axes[joint][None]
        for number in range(count):
            axis = rotations.rotate(state.rotations_wxyz[:, joint], axes[number])
            found.append((int(skeleton.freedom_starts[joint]) + number, joint, axis))
    return found
