"""A second look at a solved motion, through the 12 Hz filter that every measure looks through.

Three promises are about what a filter shows, and a row for any would tie twenty frames together:
no joint accelerates beyond its peak in the capture, the zero-moment point stays inside of the
support, also in the last frames before a foot leaves, and torques stay within strength with the
reaction forces of the measures. So they are checked when the solve is done. Where one fails,
weights grow around that moment, and the solve goes on there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from poise.arrays import Array
from poise.character import Character
from poise.contact import (
    ClipDynamics,
    ContactSchedule,
    TouchingPoints,
    clip_dynamics,
    distance_to_support,
    joint_torques,
    reaction_forces,
    support_area,
    torque_ratios,
    touching_points,
)
from poise.environment import Environment
from poise.mechanics import zero_moment_point
from poise.motion import Clip, joint_accelerations_rad_s2
from poise.physics.equations import wrench_of
from poise.physics.newton_euler_rows import Scale, Supports
from poise.physics.settings import Asked, PhysicsSettings
from poise.physics.supports import every_point, likeness_of, supports_of
from poise.physics.wrench_plan import CUTOFF_HZ, plan_wrench

_GROWTH, _GROWN_S = 1.2, 0.05
"""Accelerations cost more by this times the excess, so long before and after: more would shrink
them below the capture's own peaks."""
_OUTSIDE_M, _LOADED = 0.005, 0.1
"""A zero-moment point is outside from here on, while the ground carries so much of the weight."""
_ENDS_S = 0.05
"""At the ends of a clip the filter shows what is not there: not worth bending for."""
_STRAINED, _AIMED, _SEVEREST = 1.02, 0.97, 1.5
"""Torques beyond so many times the strength count more in the next solve, so that they come to
this; at most so much more in one look."""
_STRAINED_S = 0.03
"""So long before and after."""
_REPLANNED_S = 0.1
"""So long before and after, the wrench is planned again."""
_ON = np.array([0.1, 0.1, 0.1, 1.0, 1.0, 1.0])
"""How much of the insistence is on forces, and on moments: those move the pressure."""
_HOPELESS = 0.01
"""Body weights, or body weight × stature: where a plan differs by more from what the solve found,
a contact is likely to be wrong, and insisting would bend the body for its sake."""


def acceleration_growth(clip: Clip, peaks_rad_s2: Array, most: float) -> Array:
    """(F, J) how much more accelerations should cost: 1 but near joints that exceed their peaks.

    Args:
        clip: the motion.
        peaks_rad_s2: (J,) of the capture.
        most: times these, beyond which a joint is curbed.
    """
    over = joint_accelerations_rad_s2(clip) / (most * peaks_rad_s2)
    around = 1 + 2 * max(1, round(_GROWN_S * clip.rate_hz))
    near = maximum_filter1d(np.where(over > 1.0, _GROWTH * over, 1.0), around, axis=0)
    growth = np.exp(uniform_filter1d(np.log(near), around, axis=0))
    return np.where(maximum_filter1d(near, around, axis=0) > 1.0, growth, 1.0)


@dataclass(frozen=True, eq=False)
class Seen:
    """A motion as measures see it, and what it stands on."""

    character: Character
    dynamics: ClipDynamics
    touched: TouchingPoints
    asked: Asked
    inner: NDArray[np.bool_]
    """(F,) not at the ends of the clip, where the filter shows what is not there."""


def seen_of(
    clip: Clip, character: Character, environment: Environment, schedule: ContactSchedule,
    asked: Asked,
) -> Seen:  # fmt: skip
    """A motion through the filter."""
    dynamics = clip_dynamics(clip, character, CUTOFF_HZ)
    touched = touching_points(dynamics.state, character, schedule, environment)
    inner = np.ones(clip.frame_count, dtype=np.bool_)
    beyond = max(2, round(_ENDS_S * clip.rate_hz))
    inner[:beyond] = inner[-beyond:] = False
    return Seen(character, dynamics, touched, asked, inner)


def torque_severity(seen: Seen) -> Array:
    """(F, J) how much more torques should count: 1 but near frames in which they exceed strength.

    Reaction forces are those of the measures: a body that stands on two feet may share its weight
    between them otherwise than the solve does.
    """
    torques = joint_torques(seen.dynamics, reaction_forces(seen.dynamics, seen.touched))
    ratio = torque_ratios(seen.character, torques)
    known = seen.asked.strength & seen.inner & seen.touched.touching.any(axis=1)
    ratio = np.where(np.isfinite(ratio) & known[:, None], ratio, 0.0)
    around = 1 + 2 * max(1, round(_STRAINED_S * seen.dynamics.clip.rate_hz))
    near = maximum_filter1d(np.where(ratio > _STRAINED, ratio / _AIMED, 1.0), around, axis=0)
    return np.minimum(near, _SEVEREST)


def replanned(
    clip: Clip, seen: Seen, supports: Supports, scale: Scale, settings: PhysicsSettings
) -> tuple[Supports, NDArray[np.bool_]]:
    """Supports that insist on a wrench whose zero-moment point is inside; (F,) where they differ.

    Args:
        clip: the motion,
        seen: and as measures see it.
        supports: what carries it in the solve.
        scale: units.
        settings: how much a solve insists.
    """
    reference, touched, dynamics = supports.reference, seen.touched, seen.dynamics
    area = support_area(touched.places_m, touched.touching)
    pressure = zero_moment_point(
        clip.root_positions_m, dynamics.unsupported, np.nan_to_num(area.heights_m)
    )
    outside = distance_to_support(area, pressure) > _OUTSIDE_M
    outside &= (dynamics.outer_force_n[:, 1] > _LOADED * scale.weight_n) & seen.asked.laws
    outside &= seen.inner
    around = 1 + 2 * max(1, round(_REPLANNED_S * clip.rate_hz))
    near = np.asarray(maximum_filter1d(outside.astype(np.int8), around) > 0)
    near[supports.believed == 0] = False
    if not near.any():
        return supports, near
    raw = clip_dynamics(clip, seen.character, None)
    now, smooth = (wrench_of(each, scale) for each in (raw, dynamics))
    for wrench in (now, smooth):
        wrench[:, 3:] += np.cross(dynamics.com_m - reference, wrench[:, :3]) / scale.length_m
    lenient = supports_of(dynamics.state, touched, reference, scale, now, every_point(settings))
    likeness = np.where(supports.likeness > 0.0, likeness_of(settings), 0.0)
    plan = plan_wrench(
        supports._replace(usual=now, likeness=likeness), lenient, settings.effort, clip.rate_hz,
        smooth,
    )  # fmt: skip
    if plan is None:
        return supports, np.zeros_like(near)
    change = maximum_filter1d(np.abs(plan - now).max(axis=1), around)
    insisted = 1.0 + np.outer(1.0 / (1.0 + (change / _HOPELESS) ** 2), settings.insistence * _ON)
    found = supports._replace(
        usual=np.where(near[:, None], plan, supports.usual),
        likeness=np.where(near[:, None], insisted * likeness, supports.likeness),
    )
    return found, near
