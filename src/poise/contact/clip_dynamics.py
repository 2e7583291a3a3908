"""What a clip's motion asks of the surroundings: the force and moment that must come from outside.

Accelerations of captured motion mean nothing unsmoothed. One cutoff serves all clips: below it lie
the forces of walking and of landings as far as a skeleton of rigid bones can show them; above it,
mostly markers that jitter and flesh that wobbles.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Skeleton
from poise.errors import BadValue
from poise.mechanics import (
    GRAVITY_M_S2,
    BodyState,
    JointForces,
    center_of_mass,
    forward_kinematics,
    inverse_dynamics,
    momentum_rate,
    site_positions,
)
from poise.motion import Clip, Derivatives, differentiate

CUTOFF_HZ = 12.0
"""Half the amplitude remains there. Against plates the vertical force of walking is right to 2.4,
1.7 and 1.2 % of body weight at 6, 12 and 22 Hz (means of six trials), of running at 4 m/s to 25, 9
and 4 %, of a hard landing to 50, 34 and 11 %: those clips are clean. In flights of raw captures
(eight, of 120 Hz) what should be no force at all is 13, 22 and 44 % at the same cutoffs."""

_SHARE_OF_RATE = 0.4
"""Slow cameras allow no more than this share of their rate as a cutoff."""


@dataclass(frozen=True, eq=False)
class ClipDynamics:
    """Poses, derivatives and inverse dynamics of a clip, before any outer force is known."""

    clip: Clip
    body: Body
    state: BodyState
    derivatives: Derivatives
    unsupported: JointForces
    """Inverse dynamics as if nothing touched: the root's wrench is what the ground must supply."""
    com_m: Array
    """(F, 3) centre of mass."""
    outer_force_n: Array
    """(F, 3) world: what must come from outside besides gravity, m (a − g)."""
    outer_moment_nm: Array
    """(F, 3) world: its moment about the centre of mass, the rate of the angular momentum."""

    length_m: float
    """The size of the figure: the largest extent of its rest pose."""

    @property
    def weight_n(self) -> float:
        """The body's weight."""
        return self.body.total_mass_kg * float(np.linalg.norm(GRAVITY_M_S2))


def clip_dynamics(
    clip: Clip, character: Character, cutoff_hz: float | None = CUTOFF_HZ
) -> ClipDynamics:
    """Differentiate a clip and run inverse dynamics on it.

    Args:
        clip: the motion.
        character: with a body.
        cutoff_hz: smoothing of the derivatives; None takes plain differences, for motion that was
            made by code. Clips too slow for the cutoff get what their rate allows.
    """
    body = character.body
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    if cutoff_hz is not None:
        cutoff_hz = min(cutoff_hz, _SHARE_OF_RATE * clip.rate_hz)
    d = differentiate(clip, cutoff_hz)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    forces = inverse_dynamics(
        clip.skeleton, body, clip.rotations_wxyz, d.angular_velocities_rad_s,
        d.root_accelerations_m_s2, d.angular_accelerations_rad_s2,
        moving_joints=clip.moving_joints, moving_offsets_m=clip.moving_offsets_m,
    )  # fmt: skip
    moment = momentum_rate(state, body, forces).moment_nm
    com = center_of_mass(state, body)
    length = _extent_m(clip.skeleton)
    return ClipDynamics(clip, body, state, d, forces, com, forces.root_force_n, moment, length)


def _extent_m(skeleton: Skeleton) -> float:
    """Span of arms or height, whichever is larger: about a stature, whatever the rest pose."""
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.rest_wxyz[None])
    points = np.concatenate([rest.positions_m[0], site_positions(rest, skeleton.end_sites)[0]])
    extent = float(np.ptp(points, axis=0).max())
    return extent if extent > 0 else 1.0
