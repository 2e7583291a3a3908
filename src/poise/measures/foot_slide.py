"""Foot slide: how fast feet move along the surface while they are said to stand on it.

At each frame and foot in contact, the sole points count that lie within a centimetre of the foot's
point nearest to the surface: a foot that rolls from heel to toe does not slide, although its heel
moves. They must do so in the frames on either side, too, between which the speed is taken: at 30 Hz
a heel that has just left the ground is centimetres above it in the next frame. Where no point does,
the nearest counts, so a foot that floats while it slides is not let off. Frames
count in which the foot is said to stand; where a schedule says that it slides (a pivot, a shuffle),
the figure with the input's contacts shows how fast.
"""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.measures.measure import Measure
from poise.measures.series import Series

SAME_LEVEL_M = 0.01


def slide_speeds_m_s(series: Series, part: str) -> Array:
    """(F,) mean speed along the surface of a part's lowest points; NaN while it does not touch."""
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


def measure(series: Series) -> tuple[Measure, ...]:
    """Mean and 95th percentile over both feet."""
    speeds = np.concatenate(
        [slide_speeds_m_s(series, f"{side}_foot") for side in ("left", "right")]
    )
    speeds = 100.0 * speeds[np.isfinite(speeds)]
    mean, high = (
        (float(speeds.mean()), float(np.percentile(speeds, 95))) if len(speeds) else (np.nan,) * 2
    )
    return (
        Measure(
            "foot_slide.mean", mean, "cm/s", "lower",
            "how fast a foot moves along the ground while it stands, on average",
        ),
        Measure(
            "foot_slide.p95", high, "cm/s", "lower",
            "how fast it moves in the worst twentieth of the standing time",
        ),
    )  # fmt: skip
