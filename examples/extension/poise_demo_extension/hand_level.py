"""A measure: how far from level the line between both wrists is."""

from __future__ import annotations

import numpy as np

from poise.extend import Figures, MeasureFamily, MeasureKind, Series


def measure(series: Series) -> Figures:
    """Mean and largest tilt in degrees; NaN for bodies without wrists."""
    roles = series.character.roles
    sides = ("left_wrist", "right_wrist")
    if roles is None or not all(side in roles.joints for side in sides):
        return {"hand_level.mean": np.nan, "hand_level.largest": np.nan}
    left, right = (series.character.skeleton.index(roles.joints[side]) for side in sides)
    across = series.state.positions_m[:, left] - series.state.positions_m[:, right]
    tilt = np.degrees(np.arctan2(np.abs(across[:, 1]), np.hypot(across[:, 0], across[:, 2])))
    return {"hand_level.mean": float(tilt.mean()), "hand_level.largest": float(tilt.max())}


_ABOUT = "angle between the line through both wrists and the horizontal"

MEASURES = MeasureFamily(
    kinds=(
        MeasureKind(
            "hand_level.mean", "Tilt of the hands", "More", "deg", "lower", f"{_ABOUT}, on average",
            resolution=0.1,
        ),
        MeasureKind(
            "hand_level.largest", "Tilt of the hands, largest", "More", "deg", "lower",
            f"{_ABOUT}, at most", resolution=0.1,
        ),
    ),
    measure=measure,
    why_none="the wrists are not known",
)  # fmt: skip
