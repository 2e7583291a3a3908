"""Inverse dynamics: the joint moments and the root force that a motion asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.character import Body, Skeleton
from poise.mechanics.center_of_mass import check_body
from poise.mechanics.frames import as_frames
from poise.mechanics.kinematics import forward_kinematics, moving_table
from poise.mechanics.newton_euler import CONSTANTS, newton_euler
from poise.mechanics.wrenches import Wrenches, check_wrenches, relieve
from poise.sharing import over_frames

GRAVITY_M_S2: Array = np.array([0.0, -9.81, 0.0])
"""The pull of the earth on a figure that stands on Y up."""
GRAVITY_M_S2.setflags(write=False)


@dataclass(frozen=True, eq=False)
class JointForces:
    """What the joints, and the invisible hand at the root, must supply frame by frame."""

    skeleton: Skeleton
    joint_moments_nm: Array
    """(F, J, 3) moment on each joint's segment from its parent's, in the joint's own frame. The
    part along the freedoms is the torque; the structure carries the rest."""
    root_force_n: Array
    """(F, 3) force on the root from nowhere, world axes: zero if the motion is physical and all
    outer forces were given."""
    root_moment_nm: Array
    """(F, 3) the root's joint moment again, about the root's origin but in world axes."""


def inverse_dynamics(
    skeleton: Skeleton,
    body: Body,
    rotations_wxyz: ArrayLike,
    angular_velocities_rad_s: ArrayLike,
    root_accelerations_m_s2: ArrayLike,
    angular_accelerations_rad_s2: ArrayLike,
    *,
    gravity_m_s2: ArrayLike = GRAVITY_M_S2,
    wrenches: Wrenches | None = None,
    moving_joints: Sequence[int] = (),
    moving_offsets_m: ArrayLike | None = None,
    parallel: bool = True,
) -> JointForces:
    """Newton-Euler for a body that floats freely, over a batch of frames.

    The root's position and velocity are not asked for: the laws of motion do not see them.

    Args:
        skeleton: the tree.
        body: the segments.
        rotations_wxyz: (F, J, 4)
        angular_velocities_rad_s: (F, J, 3)
        root_accelerations_m_s2: (F, 3)
        angular_accelerations_rad_s2: (F, J, 3)
        gravity_m_s2: (3,) world.
        wrenches: outer forces on the segments, such as the ground's on the feet.
        moving_joints: joints whose offset varies with time.
        moving_offsets_m: (F, len(moving_joints), 3) these offsets, taken at their current value:
            that they themselves move adds nothing to velocities and accelerations.
        parallel: use all cores when the batch is large enough to pay.
    """
    joints = skeleton.joint_count
    local = as_frames("rotations_wxyz", rotations_wxyz, (joints, 4))
    frames = len(local)
    omega = as_frames("angular_velocities_rad_s", angular_velocities_rad_s, (joints, 3), frames)
    root_a = as_frames("root_accelerations_m_s2", root_accelerations_m_s2, (3,), frames)
    alpha = as_frames(
        "angular_accelerations_rad_s2", angular_accelerations_rad_s2, (joints, 3), frames
    )
    gravity = GRAVITY_M_S2
    if gravity_m_s2 is not GRAVITY_M_S2:
        gravity = as_frames("gravity_m_s2", gravity_m_s2, (3,), 1)[0]
    slots, offsets = moving_table(skeleton, moving_joints, moving_offsets_m, frames)
    moments = np.empty((frames, joints, 3))
    root_force, root_moment = np.empty((frames, 3)), np.empty((frames, 3))
    over_frames(
        newton_euler, frames, 9 * joints, parallel,
        skeleton.parents, segment_constants(skeleton, body), slots, offsets, gravity,
        local, omega, root_a, alpha, moments, root_force, root_moment,
    )  # fmt: skip
    if wrenches is not None:
        check_wrenches(wrenches, joints, frames)
        state = forward_kinematics(
            skeleton, np.zeros((frames, 3)), local, moving_joints, moving_offsets_m,
            parallel=parallel,
        )  # fmt: skip
        relieve(state, wrenches, moments, root_force, root_moment, parallel)
    return JointForces(skeleton, moments, root_force, root_moment)


@lru_cache(maxsize=64)
def segment_constants(skeleton: Skeleton, body: Body) -> Array:
    """(J, 13) the numbers per joint that the compiled loop works with, in its order."""
    check_body(skeleton.joint_count, body)
    m, c, inertia = body.masses_kg, body.centers_m, body.inertias_kg_m2
    # ∫ r rᵀ dm about the joint's origin, from the inertia about the centre of mass.
    trace = np.trace(inertia, axis1=1, axis2=2)
    second = 0.5 * trace[:, None, None] * np.eye(3) - inertia
    second = second + m[:, None, None] * c[:, :, None] * c[:, None, :]
    table = np.empty((len(m), CONSTANTS))
    table[:, 0:3] = skeleton.offsets_m
    table[:, 3] = m
    table[:, 4:7] = m[:, None] * c
    table[:, 7:10] = np.diagonal(second, axis1=1, axis2=2)
    table[:, 10], table[:, 11], table[:, 12] = second[:, 0, 1], second[:, 0, 2], second[:, 1, 2]
    table.setflags(write=False)
    return table
