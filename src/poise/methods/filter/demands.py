"""What the laws of motion ask of a motion, frame by frame: balance, flight, strength."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Body, Character
from poise.contact import (
    ContactSchedule,
    distance_to_support,
    intervals,
    nearest_in_support,
    support_area,
    touching_points,
)
from poise.environment import Environment
from poise.mechanics import (
    GRAVITY_M_S2,
    BodyState,
    JointForces,
    center_of_mass,
    forward_kinematics,
    inverse_dynamics,
    momentum,
    zero_moment_point,
)
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.law_rows import BALANCE, FLIGHT, NO_DYNAMICS, Demands
from poise.methods.filter.settings import Frames, Settings
from poise.methods.filter.strain import no_strain, strain_of
from poise.motion import Clip, splines

# Flights by themselves: what acts in the air, measured where derivatives of joints are worst.
#
# Smoothed derivatives of single joints err most at the ends of a flight, just where push-off and
# landing would smear in. The path of the centre of mass is a parabola there, on which the
# smoothing spline is exact; the angular momentum is constant, and its derivative is one order
# less.
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


_LEAST_PRESSURE = 0.1
"""Share of the weight that the ground carries at least, where balance means something."""


def demands_on(
    motion: Motion,
    clip: Clip,
    character: Character,
    environment: Environment,
    contacts: ContactSchedule,
    settings: Settings,
    cutoff_hz: float | None = None,
    standing: BodyState | None = None,
) -> Demands:
    """Where balance, flight and strength ask for something (Eqs. 7, 9 and 11).

    Balance asks for something only where the zero-moment point is outside (see the reading notes).

    Args:
        motion: with its derivatives.
        clip: the clip it came from.
        character: with a body.
        environment: the place.
        contacts: when parts touch.
        settings: the filter's.
        cutoff_hz: of the motion's derivatives.
        standing: where the body stands when its constraints are met; as it is without it.
    """
    skeleton, body = character.skeleton, character.body
    assert body is not None
    frames = len(motion.roots)
    state = forward_kinematics(skeleton, motion.roots, motion.local)
    forces = inverse_dynamics(
        skeleton, body, motion.local, motion.omega, motion.root_accelerations, motion.alpha
    )
    touched = touching_points(standing or state, character, contacts, environment)
    area = support_area(touched.places_m, touched.touching)
    heights = np.nan_to_num(area.heights_m)
    zmp = zero_moment_point(motion.roots, forces, heights)
    kind = np.full(frames, NO_DYNAMICS, dtype=np.int64)
    weight = body.total_mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    pressed = forces.root_force_n[:, 1] > _LEAST_PRESSURE * weight
    asked = (area.counts > 0) & frames_in(settings.balance, frames)
    kind[pressed & asked & (distance_to_support(area, zmp) > -settings.inset_m)] = BALANCE
    kind[~contacts.touching.any(axis=1) & frames_in(settings.flight, frames)] = FLIGHT
    goal = nearest_in_support(area, zmp, settings.inset_m)
    noise = np.array([0.0, settings.balance_noise, settings.flight_noise, settings.torque_noise])
    strain = no_strain(frames, skeleton.joint_count)
    limited = frames_in(settings.torque, frames)
    if limited.any():
        touched_now = touching_points(state, character, contacts, environment)
        strain = strain_of(motion, clip, character, state, forces, touched_now, limited)
    shift = flight_shift(motion, clip, body, state, forces, kind == FLIGHT, cutoff_hz)
    return Demands(kind, np.nan_to_num(goal), heights, noise, shift, strain)


def frames_in(chosen: Frames, count: int) -> NDArray[np.bool_]:
    """(F,) which frames a setting speaks of."""
    if isinstance(chosen, bool):
        return np.full(count, chosen, dtype=np.bool_)
    found = np.zeros(count, dtype=np.bool_)
    for first, last in chosen:
        found[first : last + 1] = True
    return found
