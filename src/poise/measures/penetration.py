"""Penetration and float: how deep points are below the surface, and how high those that touch."""

from __future__ import annotations

import numpy as np

from poise.contact import Series

CLEARLY_INSIDE_M = 0.01


def measure(series: Series) -> dict[str, float]:
    """Depth of the deepest point, share of bad frames, height of what is said to touch."""
    distances = series.point_distances_m
    deepest = np.maximum(0.0, -distances.min(axis=1)) if distances.size else np.zeros(0)
    heights = _heights_of_touching_parts_m(series)
    return {
        "penetration.deepest": 100.0 * float(deepest.max(initial=0.0)),
        "penetration.mean": 100.0 * _mean(deepest),
        "penetration.share": 100.0 * _mean(deepest > CLEARLY_INSIDE_M),
        "float.mean": 100.0 * _mean(heights),
        "float.p95": 100.0 * (float(np.percentile(heights, 95)) if len(heights) else np.nan),
    }


def _heights_of_touching_parts_m(series: Series) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Over all frames and touching parts: the height of the part's lowest point, at least zero."""
    found: list[np.ndarray[tuple[int], np.dtype[np.float64]]] = [np.zeros(0)]
    for part in series.contacts.parts:
        columns = [c for c, p in enumerate(series.point_parts) if p == part]
        if columns:
            lowest = series.point_distances_m[:, columns].min(axis=1)
            found.append(np.maximum(0.0, lowest[series.contacts.column(part)]))
    return np.concatenate(found)


def _mean(values: np.ndarray[tuple[int], np.dtype[np.float64 | np.bool_]]) -> float:
    return float(values.mean()) if len(values) else float("nan")
