"""Jitter: RMS jerk of the joints, by itself and against the input's."""

from __future__ import annotations

import numpy as np

from poise.contact import Series


def rms_jerk_m_s3(series: Series) -> float:
    """Root mean square of the third difference of all joint positions; NaN for under 4 frames."""
    positions = series.state.positions_m
    if len(positions) < 4:
        return float("nan")
    jerk = np.diff(positions, n=3, axis=0) * series.clip.rate_hz**3
    return float(np.sqrt((jerk**2).sum(axis=-1).mean()))


def measure(series: Series, original: Series | None = None) -> dict[str, float]:
    """The jerk, and its ratio to the original's when there is one."""
    jerk = rms_jerk_m_s3(series)
    if original is None:
        return {"jitter.jerk": jerk}
    before = rms_jerk_m_s3(original)
    ratio = jerk / before if before > 0 else (1.0 if jerk == 0 else float("inf"))
    return {"jitter.jerk": jerk, "jitter.ratio": ratio}
