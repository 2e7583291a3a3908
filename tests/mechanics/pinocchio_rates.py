"""Pinocchio's derivatives of inverse dynamics, in the coordinates of ours."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from poise import rotations
from poise.arrays import Array
from poise.character import Body, Skeleton
from poise.mechanics import forward_kinematics
from tests.mechanics import pinocchio_engine
from tests.mechanics.random_trees import to_tangent


def torque_rates(
    skeleton: Skeleton, body: Body, gravity: Array,
    root_acceleration: Array, local: Array, omega: Array, alpha: Array,
) -> Array:  # fmt: skip
    """(D, 3D): root force (world) and torques along the freedoms, by places, velocities and so on.

    The root is taken to rest: then Pinocchio's spatial acceleration and ours are the same but for
    the axes, also after a small change of the root's angular velocity.
    """
    engine = pinocchio_engine.build(skeleton, body, gravity)
    q = pinocchio_engine.coordinates(engine, skeleton, np.zeros(3), local)
    velocity = to_tangent(skeleton, np.zeros((1, 3)), omega[None])[0]
    acceleration = to_tangent(skeleton, root_acceleration[None], alpha[None])[0]
    v, a = pinocchio_engine.rates(engine, local, velocity, acceleration)
    data = engine.model.createData()
    by_place, by_velocity, by_acceleration = (
        np.array(m) for m in pin.computeRNEADerivatives(engine.model, data, q, v, a)
    )
    rows = np.ix_(engine.dofs, engine.dofs)
    by_velocity, by_acceleration = by_velocity[rows], by_acceleration[rows]
    by_place = by_place[rows]
    root = rotations.to_matrix(local[0])
    force = root @ np.array(data.tau)[engine.dofs][:3]
    # Theirs turns the root's acceleration with the root; ours stays.
    by_place[:, 3:6] -= by_acceleration[:, :3] @ np.cross(np.eye(3), a[:3]).T
    for table in (by_place, by_velocity, by_acceleration):
        table[:, :3] = table[:, :3] @ root.T
        table[:3] = root @ table[:3]
    by_place[:3, 3:6] += np.cross(root.T, force).T
    by_velocity[:, :3] = 0.0  # a translation as such is not felt, at any speed
    by_place[:, :3] = 0.0
    # Theirs turns a ball about its own axes, ours about the world's.
    world = forward_kinematics(skeleton, np.zeros((1, 3)), local[None]).rotations_wxyz[0]
    for joint, start in enumerate(skeleton.freedom_starts.tolist()):
        if skeleton.freedoms[joint] == 3:
            columns = slice(start, start + 3)
            by_place[:, columns] = by_place[:, columns] @ rotations.to_matrix(world[joint]).T
    return np.concatenate([by_place, by_velocity, by_acceleration], axis=1)
