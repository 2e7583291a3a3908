"""Smoothed rates of a stream at a frame, from the frames a little before and after it.

The weights are those of the smoothing spline of `motion.splines` on the frames of the window alone.
Its memory fades by e in 1/(π · cutoff) or so, 27 ms at 12 Hz: with 1.8 periods of the cutoff to
either side (0.15 s), rates are those of a fit to the whole clip within a percent of their size.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.character import Skeleton
from poise.errors import BadShape, BadValue
from poise.methods.filter.curve_fit import check_positive
from poise.methods.filter.demands import SHORTEST_FLIGHT
from poise.methods.filter.dynamic_state import Motion
from poise.methods.filter.sliding_fit import on_side_of
from poise.methods.filter.stream_kernels import put_rates
from poise.motion import splines

NO_OFFSETS = np.zeros((0, 3))


class StreamFrame(NamedTuple):
    """A pose, in metres and Y up."""

    root_m: Array
    """(3,) world."""
    rotations_wxyz: Array
    """(J, 4) each joint's frame in its parent's, the root's in the world; unit."""
    moving_offsets_m: Array = NO_OFFSETS
    """(M, 3) origins of the stream's `moving_joints`, if it has any."""
    touching: Sequence[bool] | None = None
    """Whether each of the stream's `contact_parts` touches, where that is known."""


@dataclass(eq=False)
class Passing:
    """A frame on its way; every round changes it in place or holds it back for a while."""

    number: int
    """Counted from the first frame of the stream."""
    motion: Motion
    """Of one frame; rates mean something from the first dynamic round on."""
    offsets_m: Array
    """(1, M, 3)"""
    goals: Array
    """(T, 4) of every task; NaN where it holds none."""
    parts_touching: Sequence[bool] | None = None
    """As it came in."""
    touching: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=np.bool_))
    """(C,) which contact points touch."""


T = TypeVar("T")


class Stage(Protocol[T]):
    """A stream or a part of one: frames go in and come out in order, some of them later."""

    @property
    def latency_frames(self) -> int:
        """Frames between the newest taken and the one given back."""
        ...

    def push(self, frame: T) -> T | None:
        """Take one frame; give back one, or None while there is none yet."""
        ...

    def finish(self) -> Iterable[T]:
        """The frames not given back yet; the stage is then ready for another stream."""
        ...


def run_stream(frames: Iterable[T], stream: Stage[T]) -> Generator[T, None, None]:
    """All frames in order, each as soon as it is known; as many come out as go in."""
    for frame in frames:
        made = stream.push(frame)
        if made is not None:
            yield made
    yield from stream.finish()


_UNIT_TOLERANCE = 1e-6


class IncomingPoses:
    """Checks the poses of a stream, counts them, and keeps quaternions from changing sides."""

    def __init__(self, skeleton: Skeleton, moving_joints: Sequence[int]) -> None:
        self._skeleton, self._moving_count = skeleton, len(moving_joints)
        self.restart()

    def restart(self) -> None:
        """The next frame is the first of another stream."""
        self.number = 0
        self._side: Array | None = None

    def checked(self, frame: StreamFrame) -> tuple[Array, Array, Array]:
        """Root, rotations and moving offsets of the next frame.

        Raises:
            BadShape: arrays of other joints.
            BadValue: numbers that are not finite, rotations that are not unit.
        """
        name, skeleton = f"frame {self.number}", self._skeleton
        shapes = ((3,), (skeleton.joint_count, 4), (self._moving_count, 3))
        arrays = tuple(np.asarray(array, dtype=np.float64) for array in frame[:3])
        for field_name, array, shape in zip(StreamFrame._fields, arrays, shapes, strict=False):
            if array.shape != shape:
                raise BadShape(f"{field_name} of {name}", str(shape), array.shape)
            if not np.isfinite(array).all():
                raise BadValue(f"{field_name} of {name}", "finite everywhere", "NaN or infinity")
        root, turns, offsets = arrays
        off = np.abs(np.linalg.norm(turns, axis=1) - 1.0)
        worst = int(off.argmax())
        if off[worst] > _UNIT_TOLERANCE:
            joint = skeleton.joint_names[worst]
            raise BadValue(f"rotation of {joint} in {name}", "a unit quaternion", turns[worst])
        return root, turns if self._side is None else on_side_of(turns, self._side), offsets

    def accept(self, rotations_wxyz: Array) -> None:
        """The frame that was checked is not refused by anybody: the next one follows it."""
        self.number += 1
        self._side = rotations_wxyz.copy()


def single_motion(root_m: Array, rotations_wxyz: Array) -> Motion:
    """A motion of one frame at rest, on arrays of its own."""
    joints = len(rotations_wxyz)
    return Motion(
        root_m[None].copy(), np.zeros((1, 3)), np.zeros((1, 3)),
        rotations_wxyz[None].copy(), np.zeros((1, joints, 3)), np.zeros((1, joints, 3)),
    )  # fmt: skip


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

        The cutoff is up to where the incoming poses are believed; None: a cautious guess.
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


class StreamWindow:
    """The last frames of a stream, and rates in the middle of them; memory does not grow."""

    def __init__(self, columns: int, rate_hz: float, cutoff_hz: float, half_frames: int) -> None:
        """Work out the weights of so many frames to either side of the one whose rates are asked.

        Half the amplitude remains at the cutoff.
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


MOST_HALF_WINDOW = 150
"""Frames: the weights of all windows up to it, twice as long, take 200 MB."""


def half_window_frames(seconds: float, rate_hz: float, least: int) -> int:
    """So many seconds in whole frames, but at least so many.

    Raises:
        BadValue: a rate at which a window would hold too many frames.
    """
    if seconds * rate_hz > MOST_HALF_WINDOW:
        allowed = f"at most {MOST_HALF_WINDOW / seconds:.4g} for a stream (take one frame in a few)"
        raise BadValue("rate_hz", allowed, rate_hz)
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
