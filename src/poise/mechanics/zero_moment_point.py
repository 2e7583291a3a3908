"""The zero-moment point: where the ground's push would have to act to explain a motion."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from poise.arrays import Array
from poise.errors import BadValue
from poise.mechanics.frames import as_frames
from poise.mechanics.inverse_dynamics import JointForces

LEAST_PUSH_N = 1e-6
"""Below this vertical force there is no push that a point could be given to."""


def zero_moment_point(
    root_positions_m: ArrayLike, forces: JointForces, height_m: ArrayLike = 0.0
) -> Array:
    """(F, 3) the point of a level plane about which the ground's push has no horizontal moment.

    Args:
        root_positions_m: (F, 3) world.
        forces: inverse dynamics of the motion without the ground's forces, so that the root's
            force and moment are what the ground must supply. They include the turning of every
            segment, not only the masses at their centres.
        height_m: the plane, a number or one per frame (F,), along +Y.

    Rows are NaN where the ground need not push (|vertical force| at most `LEAST_PUSH_N`), as in
    free flight: there is no such point. A pull downwards gives the point where it would act.
    """
    force, moment = forces.root_force_n, forces.root_moment_nm
    frames = len(force)
    root = as_frames("root_positions_m", root_positions_m, (3,), frames)
    heights = np.asarray(height_m, dtype=np.float64)
    if heights.ndim > 1 or (heights.ndim == 1 and len(heights) not in (1, frames)):
        raise BadValue("height_m", f"a number or {frames} numbers", heights.shape)
    push = force[:, 1]
    push = np.where(np.abs(push) > LEAST_PUSH_N, push, np.nan)
    # Moment about z: moment + (root − z) × force; its x and z parts vanish.
    rise = root[:, 1] - heights
    point = np.empty((frames, 3))
    point[:, 0] = root[:, 0] + (moment[:, 2] - rise * force[:, 0]) / push
    point[:, 1] = np.where(np.isnan(push), np.nan, heights)
    point[:, 2] = root[:, 2] - (moment[:, 0] + rise * force[:, 2]) / push
    return point
