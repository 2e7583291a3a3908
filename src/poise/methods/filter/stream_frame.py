"""One frame of a stream: as it comes and goes, and as it passes through the rounds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from poise.arrays import Array
from poise.methods.filter.dynamic_state import Motion

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


class Stage(Protocol):
    """A part of the stream: frames go in and come out in order, some of them later."""

    @property
    def latency_frames(self) -> int:
        """Frames between the newest taken and the one given back."""
        ...

    def push(self, frame: Passing) -> Passing | None:
        """Take one frame; give back one, or None while there is none yet."""
        ...

    def finish(self) -> list[Passing]:
        """The frames not given back yet; the stage is then ready for another stream."""
        ...


def single_motion(root_m: Array, rotations_wxyz: Array) -> Motion:
    """A motion of one frame at rest, on arrays of its own."""
    joints = len(rotations_wxyz)
    return Motion(
        root_m[None].copy(), np.zeros((1, 3)), np.zeros((1, 3)),
        rotations_wxyz[None].copy(), np.zeros((1, joints, 3)), np.zeros((1, joints, 3)),
    )  # fmt: skip
