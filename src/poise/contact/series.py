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
