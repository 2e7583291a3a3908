"""What is still wrong with a motion, as `retarget` sees it, for the report of its stages.

Its own residuals, of the mechanics of a clip; what comes out is measured by others (`measures`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from poise.character import SIDES
from poise.contact import Series, slide_speeds_m_s
from poise.mechanics import GRAVITY_M_S2


@dataclass(frozen=True)
class Residuals:
    """Means and maxima over a clip; NaN where nothing stands, or no strength is known."""

    slide_cm_s: float
    """Speed of feet along the ground while they stand, on average."""
    depth_cm: float
    """Of the deepest point below a surface."""
    zmp_outside_cm: float
    """Distance of the zero-moment point outside the support, on average."""
    root_force: float
    """Residual force at the root in body weights, on average."""
    torque_ratio: float
    """Of the joint that works hardest, over its limit."""


FIGURES = {
    "slide_cm_s": "slide, cm/s",
    "depth_cm": "deepest, cm",
    "zmp_outside_cm": "ZMP outside, cm",
    "root_force": "root wrench, body weights",
    "torque_ratio": "torque, × limit",
}
"""What residuals are called in tables."""


UNKNOWN = {
    "slide_cm_s": "no foot stands",
    "zmp_outside_cm": "nothing carries the body",
    "torque_ratio": "no strength is known",
}
"""Why a residual is not known where it is NaN."""


def residuals(series: Series) -> Residuals:
    """Of a motion with what touches."""
    speeds = np.concatenate([slide_speeds_m_s(series, f"{side}_foot") for side in SIDES])
    speeds = 100.0 * speeds[np.isfinite(speeds)]
    distances = series.point_distances_m
    deepest = np.maximum(0.0, -distances.min(axis=1)) if distances.size else np.zeros(0)
    known = series.support_distance_m
    outside = np.maximum(0.0, known[np.isfinite(known)])
    weight = series.mass_kg * float(np.linalg.norm(GRAVITY_M_S2))
    force = np.linalg.norm(series.missing_force_n, axis=1) / weight
    ratios = series.torque_ratio
    return Residuals(
        slide_cm_s=float(speeds.mean()) if len(speeds) else np.nan,
        depth_cm=100.0 * float(deepest.max(initial=0.0)),
        zmp_outside_cm=100.0 * float(outside.mean()) if len(outside) else np.nan,
        root_force=float(force.mean()),
        torque_ratio=float(ratios.max()) if (ratios > 0).any() else np.nan,
    )
