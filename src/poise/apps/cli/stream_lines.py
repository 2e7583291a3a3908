"""Lines for the frames of another body that go out of a stream: BVH, or joint angles of a robot."""

from __future__ import annotations

import io
import tempfile
from pathlib import Path
from typing import Protocol

import numpy as np

from poise import rotations
from poise.apps.cli.stream_bvh import BvhStream
from poise.arrays import Array
from poise.character import Skeleton
from poise.errors import BadValue
from poise.formats import plan_for, robot_trajectory, save_clip
from poise.methods.filter import StreamFrame
from poise.motion import Clip


class Lines(Protocol):
    """What is written."""

    header: str
    """Before the first frame."""

    def line(self, pose: StreamFrame) -> str:
        """One frame, with its line end."""
        ...


class BvhLines:
    """A BVH of the target, in centimetres and Y up.

    Angles are those nearest to the frame before, so that curves stay smooth.
    """

    def __init__(self, skeleton: Skeleton, incoming: BvhStream) -> None:
        """Prepare the header; it states as many frames as that of the stream that comes in."""
        clip = _one_frame(skeleton, incoming.clip.rate_hz, np.zeros(3), skeleton.rest_wxyz)
        self.header = incoming.header_for(clip)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "target.bvh"
            save_clip(clip, path)
            self._file = BvhStream(io.BytesIO(path.read_bytes()), "target", unit="cm", up="y")
        self._numbers = next(self._file.frames()).numbers
        # Joints in the order of the file, in frames that stand along the world at rest.
        self._order = list(plan_for(clip).order)
        self._after = rotations.conjugate(skeleton.rest_world_wxyz)
        above = skeleton.rest_world_wxyz[np.maximum(skeleton.parents, 0)].copy()
        above[0] = rotations.IDENTITY
        self._before = above

    def line(self, pose: StreamFrame) -> str:
        """See `Lines`."""
        turns = rotations.multiply(
            rotations.multiply(self._before, pose.rotations_wxyz), self._after
        )
        written = StreamFrame(pose.root_m, rotations.normalize(turns)[self._order])
        text = self._file.line(written, self._numbers)
        self._numbers = np.array(text.split(), dtype=np.float64)
        return text


class UnitreeLines:
    """Headerless CSV as Unitree's LAFAN1: root place, root rotation xyzw, angles; Z up."""

    header = ""

    def __init__(self, skeleton: Skeleton, rate_hz: float) -> None:
        self._skeleton, self._rate_hz = skeleton, rate_hz
        # Balls are refused before the first frame.
        robot_trajectory(_one_frame(skeleton, rate_hz, np.zeros(3), skeleton.rest_wxyz))

    def line(self, pose: StreamFrame) -> str:
        """See `Lines`."""
        found = robot_trajectory(
            _one_frame(self._skeleton, self._rate_hz, pose.root_m, pose.rotations_wxyz)
        )
        turn = rotations.to_xyzw(found.root_wxyz)
        values = np.concatenate([found.root_positions_m[0], turn[0], found.angles_rad[0]])
        return ",".join(f"{value:.9g}" for value in values) + "\n"


LAYOUTS = ("bvh", "unitree")


def lines_for(layout: str, skeleton: Skeleton, incoming: BvhStream) -> Lines:
    """The writer of a layout.

    Raises:
        BadValue: another layout, or one that a body does not fit.
    """
    if layout == "bvh":
        return BvhLines(skeleton, incoming)
    if layout == "unitree":
        return UnitreeLines(skeleton, incoming.clip.rate_hz)
    raise BadValue("layout", f"one of {', '.join(LAYOUTS)}", layout)


def _one_frame(skeleton: Skeleton, rate_hz: float, root_m: Array, turns_wxyz: Array) -> Clip:
    return Clip(skeleton, rate_hz, root_m[None], turns_wxyz[None])
