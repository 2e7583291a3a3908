"""What a clip's motion asks of the surroundings: the force and moment that must come from outside.

Accelerations of captured motion mean nothing unsmoothed; `suited_cutoff_hz` says how much is
right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.arrays import Array
from poise.character import Body, Character, Skeleton
from poise.contact.point_motion import allowed_cutoff_hz
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

# How much to smooth a clip before its accelerations mean something.
#
# Filtered captures bear a high cutoff, and need it: landings and running lose a third of their
# force at 6 Hz. Raw ones do not: their noise, differentiated twice, would put the zero-moment
# point ten centimetres off while nobody moves. So the cutoff follows from the noise of the centre
# of mass.
#
# White noise of deviation σ at rate r, smoothed by 1/(1 + (f/f₀)⁶) and differentiated twice, has
# the deviation σ (2π)² f₀^(5/2) √(π/9 / r); f₀ is chosen so that this is `ACCELERATION_NOISE`.
HIGHEST_HZ = 12.0
"""For clean clips. Against plates the vertical force of walking is right to 2.4, 1.7 and 1.2 % of
body weight at 6, 12 and 22 Hz (means of six trials), of running at 4 m/s to 25, 9 and 4 %, of a
hard landing to 50, 34 and 11 %. Higher ones would follow flesh that wobbles."""

LOWEST_HZ = 5.0
"""Walking itself reaches up to here."""

ACCELERATION_NOISE = 0.03
"""Standard deviation in m/s² that noise may leave in the acceleration of the centre of mass: it
moves the zero-moment point of a standing adult by 3 mm. Captured noise is not white; its lower
frequencies leave several times more."""

_LOWEST_RATE_HZ = 50.0
_SLOW_SHARE = 0.2
"""Below that rate motion and noise cannot be told apart by fourth differences; slow cameras get
this share of their rate."""

_FOURTH_DIFFERENCE = np.sqrt(70.0)
"""Standard deviation of the fourth difference of white noise of standard deviation one."""

_MEDIAN_LENGTH = 1.5382
"""Median length of a vector of three independent normal numbers of standard deviation one."""


def noise_m(path_m: Array) -> float:
    """Standard deviation of the noise of a path (F, 3), by the median of its fourth differences."""
    if len(path_m) < 8:
        return 0.0
    rough = np.linalg.norm(np.diff(path_m, n=4, axis=0), axis=1)  # the same whatever the axes
    return float(np.median(rough)) / (_MEDIAN_LENGTH * float(_FOURTH_DIFFERENCE))


def suited_cutoff_hz(com_m: Array, rate_hz: float) -> float:
    """The cutoff for a clip whose centre of mass follows `com_m` (F, 3)."""
    if rate_hz < _LOWEST_RATE_HZ:
        return max(_SLOW_SHARE * rate_hz, min(LOWEST_HZ, 0.4 * rate_hz))
    noise = noise_m(com_m)
    per_noise = (2.0 * np.pi) ** 2 * np.sqrt(np.pi / 9.0 / rate_hz)
    if noise * per_noise == 0.0:
        return HIGHEST_HZ
    allowed = (ACCELERATION_NOISE / (noise * per_noise)) ** 0.4
    return float(np.clip(allowed, LOWEST_HZ, HIGHEST_HZ))


AS_SUITED = -1.0
"""Stands for "the cutoff that suits the clip's noise" (see `suited_cutoff_hz`)."""


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

    cutoff_hz: float | None
    """Where the derivatives keep half the amplitude; None where they are plain differences."""
    length_m: float
    """The size of the figure: the largest extent of its rest pose."""

    @property
    def weight_n(self) -> float:
        """The body's weight."""
        return self.body.total_mass_kg * float(np.linalg.norm(GRAVITY_M_S2))


def clip_dynamics(
    clip: Clip, character: Character, cutoff_hz: float | None = AS_SUITED
) -> ClipDynamics:
    """Differentiate a clip and run inverse dynamics on it.

    Args:
        clip: the motion.
        character: with a body.
        cutoff_hz: smoothing of the derivatives, by default as suits the clip's noise; None takes
            plain differences, for motion that was made by code. Clips too slow for a cutoff get
            what their rate allows.
    """
    body = character.body
    if body is None:
        raise BadValue("character.body", "segment masses (see complete_character)", None)
    state = forward_kinematics(clip.skeleton, *clip.pose)
    com = center_of_mass(state, body)
    if cutoff_hz == AS_SUITED:
        cutoff_hz = suited_cutoff_hz(com, clip.rate_hz)
    if cutoff_hz is not None:
        cutoff_hz = allowed_cutoff_hz(cutoff_hz, clip.rate_hz)
    d = differentiate(clip, cutoff_hz)
    forces = inverse_dynamics(
        clip.skeleton, body, clip.rotations_wxyz, d.angular_velocities_rad_s,
        d.root_accelerations_m_s2, d.angular_accelerations_rad_s2,
        moving_joints=clip.moving_joints, moving_offsets_m=clip.moving_offsets_m,
    )  # fmt: skip
    moment = momentum_rate(state, body, forces).moment_nm
    length = extent_m(clip.skeleton)
    return ClipDynamics(
        clip, body, state, d, forces, com, forces.root_force_n, moment, cutoff_hz, length
    )


def extent_m(skeleton: Skeleton) -> float:
    """Span of arms or height, whichever is larger: about a stature, whatever the rest pose."""
    rest = forward_kinematics(skeleton, np.zeros((1, 3)), skeleton.standing.rest_wxyz[None])
    points = np.concatenate([rest.positions_m[0], site_positions(rest, skeleton.end_sites)[0]])
    extent = float(np.ptp(points, axis=0).max())
    return extent if extent > 0 else 1.0
