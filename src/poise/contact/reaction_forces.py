"""Reaction forces: what the ground must have done for a motion to happen.

Per frame, the forces inside friction cones at the touching points that best explain how the
momentum changes (Lee & Lee 2018, Eq. 11 to 13). Where more than one foot stands, the moment tells
how they share the weight; how hard they push against each other no momentum tells, and there the
forces take the cheapest way, half way between the normal and the line to the centre of mass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.contact.clip_dynamics import ClipDynamics
from poise.contact.touching_points import TouchingPoints
from poise.errors import BadShape, BadValue
from poise.mechanics import JointForces, Wrenches, inverse_dynamics
from poise.solvers import ConeSettings, cone_least_squares


@dataclass(frozen=True)
class ReactionSettings:
    """What the surroundings may do."""

    friction: float = 0.8
    """Largest tangential over normal force: rubber soles on a dry floor."""
    cone: Literal["round", "four_sided"] = "round"
    """The friction cone itself, or the pyramid inside it that Eq. 13 uses."""
    largest_force: float = 1.5
    """f_max, the most a point can press, in body weights: the 1000 N of the paper's livelier
    examples."""
    largest_torque_nm: float = 10.0
    """The bound on the small torque of each touching part."""
    aim: float = 0.5
    """Where a foot's force prefers to point, from 0 (along the surface's normal) to 1 (at the
    centre of mass). People's forces meet at a point above it. Against plates (six walks), half way
    takes the error of each foot's forward force in double support from 6.7 % of body weight (at 0,
    Eq. 13 as printed) to 2.0 %, and that of the hip's torque from 64 to 28 N m; 1 gives 5.4 % and
    36 N m."""
    exact: bool = False
    """Leave as little unexplained as any forces could, instead of a little more for a smoother
    share among the points."""

    def __post_init__(self) -> None:
        if not (np.isfinite(self.largest_torque_nm) and self.largest_torque_nm >= 0):
            raise BadValue("largest_torque_nm", "zero or more", self.largest_torque_nm)
        self.in_body_weights(1.0)  # the solver's own settings check the rest

    def in_body_weights(self, unit_nm: float) -> ConeSettings:
        """The same for the solver, with moments in units of `unit_nm`."""
        return ConeSettings(
            friction=self.friction,
            cone=self.cone,
            ceiling=self.largest_force,
            torque_bound=self.largest_torque_nm / unit_nm,
            exact=self.exact,
            aim=self.aim,
        )


UNLIMITED = ReactionSettings(largest_force=np.inf, largest_torque_nm=0.0, aim=0.0, exact=True)
"""Cones only: no ceiling, no free torques. What these leave unexplained is the root wrench."""


@dataclass(frozen=True, eq=False)
class ReactionForces:
    """What the surroundings do to a body, and what nobody does."""

    points: TouchingPoints
    forces_n: Array
    """(F, C, 3) world, at the points' places on the surface."""
    torques_nm: Array
    """(F, P, 3) world, the small torque on each touching part."""
    missing_force_n: Array
    """(F, 3) what of the wanted force the best forces leave unexplained."""
    missing_moment_nm: Array
    """(F, 3) the same for the moment about the centre of mass."""
    converged: NDArray[np.bool_]
    """(F,)"""


def reaction_forces(
    dynamics: ClipDynamics, points: TouchingPoints, settings: ReactionSettings | None = None
) -> ReactionForces:
    """The forces of all frames of a clip.

    Args:
        dynamics: what the motion asks for.
        points: where it can be given.
        settings: what the surroundings may do; `UNLIMITED` for the root wrench.
    """
    settings = settings or ReactionSettings()
    if len(points.grip) != len(dynamics.com_m):
        wanted = f"({len(dynamics.com_m)}, {len(points.names)})"
        raise BadShape("points.grip", wanted, points.grip.shape)
    weight, length = dynamics.weight_n, dynamics.length_m
    found = cone_least_squares(
        points.places_m, points.normals, points.grip, dynamics.com_m,
        dynamics.outer_force_n, dynamics.outer_moment_nm,
        settings.in_body_weights(weight * length),
        force_scale_n=weight, length_scale_m=length, bodies=points.owners,
    )  # fmt: skip
    return ReactionForces(
        points,
        found.forces_n,
        found.torques_nm,
        found.missing_force_n,
        found.missing_moment_nm,
        found.converged,
    )


# Joint torques with the ground's help, and how they compare with the joints' strength.
#
# Where both feet stand, inverse dynamics alone cannot say which leg works; the reaction forces
# do.
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
