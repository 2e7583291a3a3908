"""The same motion at another frame rate."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.errors import BadValue
from poise.motion.clip import Clip

_WHOLE_RATIO_TOLERANCE = 1e-9

MAX_JOINT_POSES = 2**24
"""Most frames times joints a clip may grow to: half a gigabyte of rotations."""


MAX_RATE_HZ = 1e6


def at_capture_rate(clip: Clip, rate_hz: float) -> Clip:
    """The same frames, further apart or closer in time than the file says."""
    if not 0 < rate_hz <= MAX_RATE_HZ:
        raise BadValue("rate_hz", f"above 0 and at most {MAX_RATE_HZ:,.0f} Hz", rate_hz)
    said = f"captured at {rate_hz:g} Hz, though the file says {clip.rate_hz:g} Hz"
    source = clip.source and replace(clip.source, notes=(*clip.source.notes, said))
    return replace(clip, rate_hz=rate_hz, source=source).noted(said)


def resample(clip: Clip, rate_hz: float) -> Clip:
    """A clip at `rate_hz` that starts with the same frame and covers the same time.

    When the new rate divides the old one, frames are picked as they are. Otherwise cubic splines
    pass through all of them (rotations: through quaternion components, then to unit length), so
    that velocities stay continuous; joining frames by straight lines would make every original
    frame a corner and its acceleration a spike. Nothing is filtered.
    """
    if not (np.isfinite(rate_hz) and rate_hz > 0):
        raise BadValue("rate_hz", "a positive number", rate_hz)
    ratio = clip.rate_hz / rate_hz
    if clip.frame_count / ratio * clip.skeleton.joint_count > MAX_JOINT_POSES:
        highest = MAX_JOINT_POSES / clip.skeleton.joint_count / max(clip.duration_s, 1e-9)
        raise BadValue("rate_hz", f"below {highest:.4g} for a clip this long", rate_hz)
    if abs(ratio - 1.0) < _WHOLE_RATIO_TOLERANCE:
        return clip
    note = f"resampled from {clip.rate_hz:g} to {rate_hz:g} Hz"
    if abs(ratio - round(ratio)) < _WHOLE_RATIO_TOLERANCE * ratio and ratio > 1:
        return _every_nth(clip, round(ratio), rate_hz).noted(f"{note}, one frame in {round(ratio)}")
    # The last new frame may not lie beyond the last old one; rounding may not lose one either.
    count = int(np.floor((clip.frame_count - 1) / ratio + 1e-9)) + 1
    times = np.minimum(np.arange(count) * ratio, clip.frame_count - 1)
    source = clip.source
    q = _interpolated(clip.rotations_wxyz, times)
    return replace(
        clip,
        rate_hz=rate_hz,
        root_positions_m=_interpolated(clip.root_positions_m, times),
        rotations_wxyz=rotations.normalize(q),
        moving_offsets_m=_interpolated(clip.moving_offsets_m, times),
        source=None if source is None else replace(source, channels=None),
    ).noted(f"{note} by cubic splines")


def _every_nth(clip: Clip, step: int, rate_hz: float) -> Clip:
    source = clip.source
    if source is not None and source.channels is not None:
        source = replace(source, channels=source.channels[::step])
    return replace(
        clip,
        rate_hz=rate_hz,
        root_positions_m=clip.root_positions_m[::step],
        rotations_wxyz=clip.rotations_wxyz[::step],
        moving_offsets_m=clip.moving_offsets_m[::step],
        source=source,
    )


def _interpolated(values: Array, times: Array) -> Array:
    """Values (F, ...) at fractional frame numbers."""
    from scipy.interpolate import make_interp_spline

    frames = len(values)
    if frames == 1 or values.size == 0:
        return np.repeat(values[:1], len(times), axis=0)
    degree = 3 if frames >= 4 else 1
    return np.asarray(make_interp_spline(np.arange(frames), values, k=degree)(times))
