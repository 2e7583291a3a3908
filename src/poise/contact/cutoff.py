"""How much to smooth a clip before its accelerations mean something.

Filtered captures bear a high cutoff, and need it: landings and running lose a third of their force
at 6 Hz. Raw ones do not: their noise, differentiated twice, would put the zero-moment point ten
centimetres off while nobody moves. So the cutoff follows from the noise of the centre of mass.

White noise of deviation σ at rate r, smoothed by 1/(1 + (f/f₀)⁶) and differentiated twice, has the
deviation σ (2π)² f₀^(5/2) √(π/9 / r); f₀ is chosen so that this is `ACCELERATION_NOISE`.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array

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
_SHARE_OF_RATE = 0.2
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
        return max(_SHARE_OF_RATE * rate_hz, min(LOWEST_HZ, 0.4 * rate_hz))
    noise = noise_m(com_m)
    per_noise = (2.0 * np.pi) ** 2 * np.sqrt(np.pi / 9.0 / rate_hz)
    if noise * per_noise == 0.0:
        return HIGHEST_HZ
    allowed = (ACCELERATION_NOISE / (noise * per_noise)) ** 0.4
    return float(np.clip(allowed, LOWEST_HZ, HIGHEST_HZ))
