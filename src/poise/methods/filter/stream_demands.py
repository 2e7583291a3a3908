"""What the laws of motion ask of one frame of a stream: `demands.demands_on` for a frame."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.contact import LARGEST_OFFSET_M, distance_to_support, nearest_in_support, support_area
from poise.environment import Environment, query
from poise.mechanics import GRAVITY_M_S2, inverse_dynamics, zero_moment_point
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.footing import no_footing
from poise.methods.filter.law_rows import BALANCE, FLIGHT, NO_DYNAMICS, Demands
from poise.methods.filter.settings import Frames, Settings
from poise.methods.filter.strain import no_strain

_LEAST_PRESSURE = 0.1
"""Share of the weight that the ground carries at least, where balance means something."""


def demands_of_frame(
    number: int,
    motion: Motion,
    character: Character,
    places_m: Array,
    touching: NDArray[np.bool_],
    environment: Environment,
    settings: Settings,
) -> Demands:
    """What balance and flight ask (Eqs. 7 and 11) of a motion of one frame.

    The zero-moment point is a goal where it is outside the support area, as in the paper; strength
    asks for nothing.

    Args:
        number: of the frame in its stream.
        motion: one frame with its rates.
        character: with a body.
        places_m: (1, C, 3) points that may touch, where they stand once constraints are met, and
        touching: (C,) which of them do.
        environment: what they touch.
        settings: what is asked for at all.
    """
    noise = np.array([0.0, settings.balance_noise, settings.flight_noise, settings.torque_noise])
    kind, goal, height = NO_DYNAMICS, np.zeros((1, 2)), 0.0
    if not touching.any():
        kind = FLIGHT if holds_in(settings.flight, number) else NO_DYNAMICS
    elif holds_in(settings.balance, number):
        kind, goal, height = _balance(motion, character, places_m, touching, environment, settings)
    return Demands(
        np.array([kind], dtype=np.int64), goal, np.array([height]), noise,
        footing=no_footing(1), shift=np.zeros((1, 6)),
        strain=no_strain(1, character.skeleton.joint_count),
    )  # fmt: skip


def holds_in(chosen: Frames, number: int) -> bool:
    """Whether a setting speaks of a frame."""
    if isinstance(chosen, bool):
        return chosen
    return any(first <= number <= last for first, last in chosen)


def _balance(
    motion: Motion,
    character: Character,
    places_m: Array,
    touching: NDArray[np.bool_],
    environment: Environment,
    settings: Settings,
) -> tuple[int, Array, float]:
    skeleton, body = character.skeleton, character.body
    assert body is not None
    surface = query(environment, places_m)
    far = surface.distances_m > LARGEST_OFFSET_M  # something that is not known
    area = support_area(np.where(far[..., None], places_m, surface.closest_m), touching[None])
    forces = inverse_dynamics(
        skeleton, body, motion.local, motion.omega, motion.root_accelerations, motion.alpha
    )
    height = float(area.heights_m[0])
    zmp = zero_moment_point(motion.roots, forces, area.heights_m)
    weight = body.total_mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    pressed = forces.root_force_n[0, 1] > _LEAST_PRESSURE * weight
    if not (pressed and distance_to_support(area, zmp)[0] > -settings.inset_m):
        return NO_DYNAMICS, np.zeros((1, 2)), height
    return BALANCE, nearest_in_support(area, zmp, settings.inset_m), height
