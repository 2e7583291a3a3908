"""Flight residual: in the air only gravity acts, and nothing changes the spin."""

from __future__ import annotations

import numpy as np

from poise.contact import Series, intervals
from poise.mechanics import GRAVITY_M_S2


def measure(series: Series) -> dict[str, float]:
    """Acceleration beside gravity, and drift of the angular momentum, over all flights."""
    g = float(np.linalg.norm(GRAVITY_M_S2))
    flights = intervals(series.flight)
    residual = drift = float("nan")
    if flights:
        beside = series.com_acceleration_m_s2[series.flight] - GRAVITY_M_S2
        residual = float(np.sqrt((beside**2).sum(axis=1).mean())) / g
        # A fixed scale, so that a leap without spin is not divided by nothing.
        scale = series.mass_kg * series.height_m * np.sqrt(g * series.height_m)
        drift = max(
            float(np.linalg.norm(spin - spin[0], axis=1).max())
            for first, last in flights
            for spin in [series.angular_momentum_n_m_s[first:last]]
        ) / float(scale)
    return {
        "flight_residual.acceleration": 100.0 * residual,
        "flight_residual.spin": 100.0 * drift,
        "flight_residual.flights": float(len(flights)),
    }
