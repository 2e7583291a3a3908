"""Swing-foot shift: distance of a foot in the air from where it is in the original."""

from __future__ import annotations

import numpy as np

from poise.arrays import Array
from poise.contact import Series
from poise.measures.contact_share import FEET
from poise.measures.shared_joints import same_body


def measure(series: Series, original: Series) -> dict[str, float]:
    """Mean and maximum over swinging feet and frames, in cm in the world.

    Frames count in which the foot touches by neither schedule. A foot's distance is the mean of
    those of its points (heel, ball, toe tip). NaN without such frames, and for bodies of other
    proportions.
    """
    mean = most = float("nan")
    if same_body(series, original) and series.point_parts == original.point_parts:
        frames = min(series.clip.frame_count, original.clip.frame_count)
        distance = np.concatenate([_swing_m(series, original, foot, frames) for foot in FEET])
        if len(distance):
            mean, most = 100.0 * float(distance.mean()), 100.0 * float(distance.max())
    return {"swing_shift.mean": mean, "swing_shift.max": most}


def _swing_m(series: Series, original: Series, foot: str, frames: int) -> Array:
    columns = [c for c, part in enumerate(series.point_parts) if part == foot]
    if not columns:
        return np.zeros(0)
    touching = [each.contacts.column(foot)[:frames] for each in (series, original)]
    apart = (series.points_m[:frames] - original.points_m[:frames])[:, columns]
    distance = np.linalg.norm(apart, axis=-1).mean(axis=1)
    return distance[~(touching[0] | touching[1])]
