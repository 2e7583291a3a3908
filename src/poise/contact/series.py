"""The mechanics of a clip, frame by frame: computed once, read by every measure and chart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Character
from poise.contact.schedule import ContactSchedule
from poise.environment import Environment
from poise.mechanics import BodyState
from poise.motion import Clip


@dataclass(frozen=True, eq=False)
class Series:
    """A clip on a body in a place, with what touches, and the mechanics of it all.

    Letters: F frames, P body parts of the schedule, C contact points, J joints.
    """

    clip: Clip
    character: Character
    environment: Environment
    contacts: ContactSchedule
    state: BodyState
    mass_kg: float
    height_m: float
    """Stature of the figure at rest."""
    cutoff_hz: float | None
    """Where the smoothing of accelerations keeps half the amplitude."""
    times_s: Array
    """(F,)"""
    com_m: Array
    """(F, 3) centre of mass."""
    com_velocity_m_s: Array
    com_acceleration_m_s2: Array
    """(F, 3) both."""
    linear_momentum_n_s: Array
    angular_momentum_n_m_s: Array
    """(F, 3) both; angular about the centre of mass."""
    point_names: tuple[str, ...]
    point_parts: tuple[str, ...]
    """Each contact point's name, and the body part it belongs to (C entries)."""
    points_m: Array
    """(F, C, 3)"""
    point_distances_m: Array
    """(F, C) signed distance to the surface, negative inside."""
    point_slide_m_s: Array
    """(F, C) speed along the surface, relative to it."""
    touching: NDArray[np.bool_]
    """(F, C) whether the point's part is said to touch."""
    pressing: NDArray[np.bool_]
    """(F, C) whether the point is low enough to carry something: of a foot on its toes, not the
    heel. They span the support area."""
    zmp_m: Array
    """(F, 3) zero-moment point on the ground; NaN in flight."""
    support_distance_m: Array
    """(F,) how far the ZMP lies outside the support area (negative inside); NaN in flight."""
    forces_n: Array
    """(F, C, 3) reaction forces that explain the motion best."""
    missing_force_n: Array
    missing_moment_nm: Array
    """(F, 3) both: what the best reaction forces leave unexplained (the invisible hand)."""
    torque_ratio: Array
    """(F, J) largest ratio of joint torque to its limit; 0 where no limit is known."""
    flight: NDArray[np.bool_]
    """(F,) nothing touches, long enough to count as a flight."""


SAME_LEVEL_M = 0.01
"""How far above its lowest point a part still stands."""


def slide_speeds_m_s(series: Series, part: str) -> Array:
    """(F,) mean speed along the surface of a part's lowest points; NaN while it does not stand.

    Points count that lie within a centimetre of the part's point nearest to the surface: a foot
    that rolls from heel to toe does not slide, although its heel moves. They must do so in the
    frames on either side, too, between which the speed is taken: at 30 Hz a heel that has just left
    the ground is centimetres above it in the next frame. Where no point does, the nearest counts,
    so a foot that floats while it slides is not let off.
    """
    columns = [c for c, p in enumerate(series.point_parts) if p == part]
    speeds = np.full(len(series.times_s), np.nan)
    if not columns:
        return speeds
    distances = series.point_distances_m[:, columns]
    low = distances <= distances.min(axis=1, keepdims=True) + SAME_LEVEL_M
    stays = low.copy()
    stays[1:] &= low[:-1]
    stays[:-1] &= low[1:]
    nearest = distances == distances.min(axis=1, keepdims=True)
    low = np.where(stays.any(axis=1, keepdims=True), stays, nearest)
    mean = (series.point_slide_m_s[:, columns] * low).sum(axis=1) / low.sum(axis=1)
    standing = series.contacts.standing(part)
    speeds[standing] = mean[standing]
    return speeds
