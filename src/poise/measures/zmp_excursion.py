"""ZMP excursion: how far the zero-moment point leaves the area that the touching points span.

Frames count in which something touches and the ground carries at least a tenth of the weight.
"""

from __future__ import annotations

import numpy as np

from poise.contact import Series

CLEARLY_OUTSIDE_M = 0.01


def measure(series: Series) -> dict[str, float]:
    """Mean, 95th percentile and share of stance frames beyond 1 cm."""
    distances = series.support_distance_m
    outside = np.maximum(0.0, distances[np.isfinite(distances)])
    if len(outside):
        mean, high = 100.0 * float(outside.mean()), 100.0 * float(np.percentile(outside, 95))
        share = 100.0 * float((outside > CLEARLY_OUTSIDE_M).mean())
    else:
        mean = high = share = float("nan")
    return {
        "zmp_excursion.mean": mean,
        "zmp_excursion.p95": high,
        "zmp_excursion.share": share,
    }
