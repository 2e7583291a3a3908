"""Jitter: RMS jerk of the joints within 12 Hz, by itself and against the input's.

Noise above that band is no motion: a method that removes it has not made the motion smoother, and a
capture that holds much of it would let every result look smooth.
"""

from __future__ import annotations

import numpy as np

from poise.character import joints_without_fingers
from poise.contact import Series
from poise.motion import low_pass, settled


def rms_jerk_m_s3(series: Series) -> float:
    """Root mean square of the third difference of joint positions; NaN for under 4 frames.

    Positions are low-passed first (see `motion.low_pass`; slow clips stay as they are); frames at
    the ends, where the filter has not settled, do not count, nor do fingers, which would weigh
    the hand that carries them several times.
    """
    positions = series.state.positions_m[:, joints_without_fingers(series.character)]
    frames, rate = len(positions), series.clip.rate_hz
    if frames < 4:
        return float("nan")
    smooth = low_pass(positions.reshape(frames, -1), rate).reshape(positions.shape)
    inner = smooth[settled(frames, rate)]
    jerk = np.diff(inner if len(inner) >= 4 else smooth, n=3, axis=0) * rate**3
    return float(np.sqrt((jerk**2).sum(axis=-1).mean()))


def measure(series: Series, original: Series | None = None) -> dict[str, float]:
    """The jerk, and its ratio to the original's when there is one (NaN if that one has none)."""
    jerk = rms_jerk_m_s3(series)
    if original is None:
        return {"jitter.jerk": jerk}
    before = rms_jerk_m_s3(original)
    ratio = jerk / before if before > 0 else (1.0 if jerk == 0 else float("nan"))
    return {"jitter.jerk": jerk, "jitter.ratio": ratio}
