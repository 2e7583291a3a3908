"""Slow, plain forms of the kernels: no recursion over forces, no tricks, one frame at a time."""

from __future__ import annotations

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
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
