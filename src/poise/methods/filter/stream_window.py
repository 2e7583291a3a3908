"""Smoothed rates of a stream at a frame, from the frames a little before and after it.

The weights are those of the smoothing spline of `motion.splines` on the frames of the window alone.
Its memory fades by e in 1/(π · cutoff) or so, 27 ms at 12 Hz: with 1.8 periods of the cutoff to
either side (0.15 s), rates are those of a fit to the whole clip within a percent of their size.
"""

from __future__ import annotations

import math

import numpy as np

from poise.arrays import Array
from poise.errors import BadValue
from poise.motion import splines


class StreamWindow:
    """The last frames of a stream, and rates in the middle of them; memory does not grow."""

    def __init__(self, columns: int, rate_hz: float, cutoff_hz: float, half_frames: int) -> None:
        """Work out the weights.

        Args:
            columns: how many numbers a frame has.
            rate_hz: frames per second.
            cutoff_hz: half the amplitude remains there.
            half_frames: frames to either side of the one whose rates are asked for.
        """
        if not 0.0 < cutoff_hz <= rate_hz / 2:
            raise BadValue("cutoff_hz", f"more than 0, at most {rate_hz / 2:g} Hz", cutoff_hz)
        self.half_frames = half_frames
        self._length = 2 * half_frames + 1
        # Written twice, a length apart: any run of frames is in one piece.
        self._ring = np.zeros((2 * self._length, columns))
        self._weights = [_weights(n, rate_hz, cutoff_hz) for n in range(1, self._length + 1)]
        self._taken = 0

    def push(self, values: Array) -> None:
        """Take the numbers (C,) of one more frame."""
        slot = self._taken % self._length
        self._ring[slot] = values
        self._ring[slot + self._length] = values
        self._taken += 1

    def clear(self) -> None:
        """Forget everything."""
        self._taken = 0

    def reach(self, frame: int) -> tuple[int, int]:
        """How many frames before and after a frame are at hand."""
        return min(self.half_frames, frame), min(self.half_frames, self._taken - 1 - frame)

    def rates(self, frame: int, before: int, after: int) -> Array:
        """(3, C) smoothed values, first and second derivatives (per second) at a frame.

        From so many frames before and after it, which `reach` has found to be there.
        """
        first = (frame - before) % self._length
        count = before + after + 1
        return self._weights[count - 1][:, before] @ self._ring[first : first + count]


def half_window_frames(seconds: float, rate_hz: float, least: int) -> int:
    """So many seconds in whole frames, but at least so many."""
    return max(least, math.ceil(seconds * rate_hz - 1e-9))


def _weights(frames: int, rate_hz: float, cutoff_hz: float) -> Array:
    """(3, n, n) what each frame adds to value and rates of each frame.

    Too few frames for the spline get the polynomial through them.
    """
    one = np.eye(frames)
    if frames >= splines.SHORTEST:
        fit = splines.smooth(one, rate_hz, cutoff_hz)
        return np.stack([fit.values, fit.first, fit.second])
    weights = np.zeros((3, frames, frames))
    times = np.arange(frames) / rate_hz
    for frame in range(frames):
        powers = np.linalg.inv(np.vander(times - times[frame], increasing=True))
        weights[0, frame] = powers[0]
        if frames > 1:
            weights[1, frame] = powers[1]
        if frames > 2:
            weights[2, frame] = 2.0 * powers[2]
    return weights
