"""Zero-phase low-pass of sampled columns, for figures that should not count noise."""

from __future__ import annotations

from poise.arrays import Array
from poise.motion import splines

BAND_HZ = 12.0
"""Human motion lies below: what captures hold above it is mostly noise."""

_SETTLING_PERIODS = 2.0
"""Periods of the cutoff after which an end of the clip is forgotten: the slowest decay of the
spline is exp(-π t f), 0.2 % after two."""


def low_pass(values: Array, rate_hz: float, cutoff_hz: float = BAND_HZ) -> Array:
    """Columns (F, n) within a band; half the amplitude remains at `cutoff_hz`.

    By a quintic smoothing spline (see `splines`), which has no phase. Clips whose rate holds
    nothing above the cutoff, and those too short to smooth, stay as they are.
    """
    if cutoff_hz >= rate_hz / 2 or len(values) < splines.SHORTEST:
        return values
    return splines.smooth(values, rate_hz, cutoff_hz).values


def settled(frames: int, rate_hz: float, cutoff_hz: float = BAND_HZ) -> slice:
    """Frames of a low-passed clip that its ends do not disturb; of a short clip, its middle half.

    All of them where nothing was smoothed.
    """
    if cutoff_hz >= rate_hz / 2 or frames < splines.SHORTEST:
        return slice(0, frames)
    margin = min(round(_SETTLING_PERIODS * rate_hz / cutoff_hz), frames // 4)
    return slice(margin, frames - margin)
