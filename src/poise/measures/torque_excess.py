"""Torque excess: joints that would have to be stronger than they are."""

from __future__ import annotations

import numpy as np

from poise.contact import Series
from poise.measures.measure import Measure


def measure(series: Series) -> tuple[Measure, ...]:
    """Worst ratio of torque to limit, and the share of frames with a joint over its limit."""
    ratios = series.torque_ratio
    known = bool(ratios.size) and bool((ratios > 0).any())
    worst = float(ratios.max()) if known else float("nan")
    share = 100.0 * float((ratios.max(axis=1) > 1.0).mean()) if known else float("nan")
    where = ""
    if known:
        joint = int(np.unravel_index(ratios.argmax(), ratios.shape)[1])
        where = f" (at {series.character.skeleton.joint_names[joint]})"
    return (
        Measure(
            "torque_excess.worst", worst, "of the limit", "lower",
            f"the hardest any joint works, as a share of its strength{where}",
        ),
        Measure(
            "torque_excess.share", share, "%", "lower",
            "share of frames in which some joint works beyond its strength",
        ),
    )  # fmt: skip
