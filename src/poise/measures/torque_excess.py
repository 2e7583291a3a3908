"""Torque excess: joints that would have to be stronger than they are."""

from __future__ import annotations

import numpy as np

from poise.contact import Series


def measure(series: Series) -> dict[str, float | tuple[float, str]]:
    """Worst ratio of torque to limit, and the share of frames with a joint over its limit.

    The joint that works hardest is named behind its figure.
    """
    ratios = series.torque_ratio
    known = bool(ratios.size) and bool((ratios > 0).any())
    worst = float(ratios.max()) if known else float("nan")
    share = 100.0 * float((ratios.max(axis=1) > 1.0).mean()) if known else float("nan")
    where = ""
    if known:
        joint = int(np.unravel_index(ratios.argmax(), ratios.shape)[1])
        where = f" (at {series.character.skeleton.joint_names[joint]})"
    return {"torque_excess.worst": (worst, where), "torque_excess.share": share}
