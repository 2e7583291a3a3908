"""Root wrench: the invisible hand that would have to push for this motion to happen.

What remains of the momentum equation after the best reaction forces inside the friction cones at
the touching parts, without a ceiling on the forces and without free torques.
"""

from __future__ import annotations

import numpy as np

from poise.contact import Series
from poise.mechanics import GRAVITY_M_S2


def measure(series: Series) -> dict[str, float]:
    """Force in body weights, moment in body weight times height; mean and 95th percentile."""
    weight = series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    force = np.linalg.norm(series.missing_force_n, axis=1) / weight
    moment = np.linalg.norm(series.missing_moment_nm, axis=1) / (weight * series.height_m)
    return {
        "root_wrench.force": float(force.mean()),
        "root_wrench.force_p95": float(np.percentile(force, 95)),
        "root_wrench.moment": float(moment.mean()),
        "root_wrench.moment_p95": float(np.percentile(moment, 95)),
    }
