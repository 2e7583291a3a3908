"""Flights by themselves: what acts in the air, measured where derivatives of joints are worst.

Smoothed derivatives of single joints err most at the ends of a flight, just where push-off and
landing would smear in. The path of the centre of mass is a parabola there, on which the smoothing
spline is exact; the angular momentum is constant, and its derivative is one order less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Body
from poise.contact import intervals
from poise.mechanics import GRAVITY_M_S2, BodyState, JointForces, center_of_mass, momentum
from poise.methods.filter.dynamic_state import Motion
from poise.motion import Clip, splines

SHORTEST_FLIGHT = 8
"""Frames that are worth a curve of their own."""


def flight_shift(
    motion: Motion,
    clip: Clip,
    body: Body,
    state: BodyState,
    forces: JointForces,
    aloft: NDArray[np.bool_],
    cutoff_hz: float | None,
) -> Array:
    """(F, 6) what acts on the root over the mass, by each flight's own curve less by `forces`."""
    shift = np.zeros((clip.frame_count, 6))
    if cutoff_hz is None or not aloft.any():
        return shift
    mass = body.total_mass_kg
    com = center_of_mass(state, body)
    spin = momentum(state, body, motion.root_velocities, motion.omega).angular_kg_m2_s
    seen = np.concatenate([forces.root_force_n, forces.root_moment_nm], axis=1) / mass
    for first, stop in intervals(aloft):
        if stop - first < SHORTEST_FLIGHT:
            continue
        flight = slice(first, stop)
        push = splines.smooth(com[flight], clip.rate_hz, cutoff_hz).second - GRAVITY_M_S2
        twist = splines.smooth(spin[flight], clip.rate_hz, cutoff_hz).first / mass
        arm = com[flight] - motion.roots[flight]
        shift[flight, :3] = push - seen[flight, :3]
        shift[flight, 3:] = twist + np.cross(arm, push) - seen[flight, 3:]
    return shift
