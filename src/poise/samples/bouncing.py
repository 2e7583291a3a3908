"""Up and down between flights: the push of the ground swells and fades as 1 − cos."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.samples.balancing import GRAVITY


def bounce_heights(
    times: Array, stance_s: float, flight_s: float, landing_height_m: float
) -> Array:
    """(F,) heights of a centre of mass that lands at time zero and after every stance and flight.

    The push begins and ends at nothing, so acceleration is continuous: that of gravity.
    """
    local = np.mod(times, stance_s + flight_s)
    fall = 0.5 * GRAVITY * flight_s
    # Over a stance the push must return what gravity takes over stance and flight.
    half_peak = GRAVITY * (stance_s + flight_s) / stance_s
    turn = 2.0 * np.pi / stance_s
    free = -fall * local - 0.5 * GRAVITY * local**2
    pushed = half_peak * (0.5 * local**2 + (np.cos(turn * local) - 1.0) / turn**2)
    t = local - stance_s
    aloft = fall * t - 0.5 * GRAVITY * t**2
    return landing_height_m + np.where(local < stance_s, free + pushed, aloft)
