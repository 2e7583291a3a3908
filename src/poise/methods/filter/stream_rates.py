"""Velocities and accelerations of incoming poses, for the first dynamic round of a stream."""

from __future__ import annotations

from collections import deque

import numpy as np

from poise.methods.filter.fit_basis import check_positive
from poise.methods.filter.flights import SHORTEST_FLIGHT
from poise.methods.filter.stream_frame import Passing
from poise.methods.filter.stream_kernels import put_rates
from poise.methods.filter.stream_window import StreamWindow, half_window_frames

CUTOFF_HZ = 7.0
"""Where nothing is known of a capture's noise: clean ones bear 12 Hz, raw ones 5."""

_SHARE_OF_RATE = 0.2
"""Slow cameras get this share of their rate, as in `contact.clip_dynamics`."""

_HALF_WINDOW_PERIODS = 1.8
"""Time to either side that rates are taken from, in periods of the cutoff."""


class StreamRates:
    """Rates of every frame, by `StreamWindow`; in flight from frames of the same flight only."""

    def __init__(self, joints: int, rate_hz: float, cutoff_hz: float | None = None) -> None:
        """Prepare the weights.

        Args:
            joints: of the body.
            rate_hz: frames per second.
            cutoff_hz: up to where the incoming poses are believed; None: a cautious guess.
        """
        if cutoff_hz is None:
            cutoff_hz = min(CUTOFF_HZ, _SHARE_OF_RATE * rate_hz)
        check_positive("cutoff_hz", cutoff_hz)
        half = half_window_frames(_HALF_WINDOW_PERIODS / cutoff_hz, rate_hz, SHORTEST_FLIGHT)
        self._window = StreamWindow(3 + 4 * joints, rate_hz, cutoff_hz, half)
        self.latency_frames = half
        # From the oldest frame that the window still holds to the newest.
        self._aloft = deque[bool](maxlen=2 * half + 1)
        self._waiting = deque[Passing]()
        self._taken = self._done = 0

    def push(self, frame: Passing) -> Passing | None:
        """See `Stage`."""
        motion = frame.motion
        self._window.push(np.concatenate([motion.roots[0], motion.local[0].ravel()]))
        self._aloft.append(not frame.touching.any())
        self._waiting.append(frame)
        self._taken += 1
        return self._rated() if self._taken > self.latency_frames else None

    def finish(self) -> list[Passing]:
        """See `Stage`."""
        rest = [self._rated() for _ in range(len(self._waiting))]
        self._window.clear()
        self._aloft.clear()
        self._taken = self._done = 0
        return rest

    def _rated(self) -> Passing:
        frame = self._waiting.popleft()
        put_rates(self._window.rates(self._done, *self._span()), frame.motion)
        self._done += 1
        return frame

    def _span(self) -> tuple[int, int]:
        """How many frames before and after the next one belong to its curve."""
        before, after = self._window.reach(self._done)
        at = self._done - (self._taken - len(self._aloft))
        if not self._aloft[at]:
            return before, after
        left = right = 0
        while left < before and self._aloft[at - left - 1]:
            left += 1
        while right < after and self._aloft[at + right + 1]:
            right += 1
        return (left, right) if left + right + 1 >= SHORTEST_FLIGHT else (before, after)
