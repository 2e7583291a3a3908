"""Joint torques with the ground's help, and how they compare with the joints' strength.

Where both feet stand, inverse dynamics alone cannot say which leg works; the reaction forces do.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.character import Character
from poise.contact.clip_dynamics import ClipDynamics
from poise.contact.reaction_forces import ReactionForces
from poise.errors import BadShape
from poise.mechanics import JointForces, Wrenches, inverse_dynamics


def joint_torques(dynamics: ClipDynamics, reaction: ReactionForces) -> JointForces:
    """Inverse dynamics with the reaction forces at the joints that the touching points ride on.

    What the forces do not explain stays at the root.
    """
    clip, d = dynamics.clip, dynamics.derivatives
    return inverse_dynamics(
        clip.skeleton, dynamics.body, clip.rotations_wxyz, d.angular_velocities_rad_s,
        d.root_accelerations_m_s2, d.angular_accelerations_rad_s2,
        wrenches=contact_wrenches(dynamics, reaction),
        moving_joints=clip.moving_joints, moving_offsets_m=clip.moving_offsets_m,
    )  # fmt: skip


def contact_wrenches(dynamics: ClipDynamics, reaction: ReactionForces) -> Wrenches:
    """The reaction forces as wrenches on joints; a part's torque acts on its first point's joint.

    Only joints of parts that touch at some time appear.
    """
    points = reaction.points
    used = sorted(set(points.joints[points.touching.any(axis=0)].tolist()))
    first = [int(points.joints[points.owners == p][0]) for p in range(len(points.parts))]
    touched = [bool(points.touching[:, points.owners == p].any()) for p in range(len(first))]
    used = sorted({*used, *(joint for joint, yes in zip(first, touched, strict=True) if yes)})
    frames = len(points.grip)
    forces, moments = np.zeros((frames, len(used), 3)), np.zeros((frames, len(used), 3))
    for k, joint in enumerate(used):
        mine = points.joints == joint
        push = reaction.forces_n[:, mine]
        arms = points.places_m[:, mine] - dynamics.state.positions_m[:, joint][:, None]
        forces[:, k] = push.sum(axis=1)
        moments[:, k] = np.cross(arms, push).sum(axis=1)
        for p, of_part in enumerate(first):
            if of_part == joint:
                moments[:, k] += reaction.torques_nm[:, p]
    return Wrenches(tuple(used), forces, moments)


def torque_ratios(character: Character, forces: JointForces) -> Array:
    """(F, J) the largest torque along a joint's freedoms over its limit there.

    Against `character.strength`, which knows flexion from extension, where the character has it;
    else against `character.torque_limits_nm`. Zero for the root (what acts there is no muscle's),
    for fixed joints, and where no limit is known.
    """
    skeleton = character.skeleton
    moments = forces.joint_moments_nm
    if moments.shape[1:] != (skeleton.joint_count, 3):
        raise BadShape("joint_moments_nm", f"(F, {skeleton.joint_count}, 3)", moments.shape)
    torques = np.array(moments)
    hinges, axes = skeleton.freedoms == 1, skeleton.hinge_axes
    along = np.einsum("fjk,jk->fj", moments[:, hinges], axes[hinges])
    if character.strength is not None:
        torques[:, hinges] = along[..., None] * axes[hinges]
        torques[:, skeleton.freedoms == 0] = 0.0
        torques[:, 0] = 0.0
        return np.maximum.reduce(np.moveaxis(character.strength.ratios(torques), -1, 0))
    limits = np.array(character.torque_limits_nm)
    torques[:, hinges, 0] = along
    limits[np.arange(3) >= skeleton.freedoms[:, None]] = np.inf
    limits[0] = np.inf
    torques = np.abs(torques)
    # A limit of zero is broken by any torque, and kept by none.
    zero = np.where(torques > 0.0, np.inf, 0.0)
    ratios = np.divide(torques, limits, out=zero, where=limits > 0.0)
    return np.maximum.reduce(np.moveaxis(ratios, -1, 0))
