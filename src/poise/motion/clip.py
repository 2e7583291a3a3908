"""A clip: one skeleton's poses at a steady rate, and the file they came from."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath, PureWindowsPath

import numpy as np

import poise
from poise import rotations
from poise.arrays import Array, frozen_array
from poise.character import Character, Skeleton
from poise.errors import BadShape, BadValue
from poise.one_line import framed, short
from poise.units import Unit
from poise.wording import counted


# Where a written file came from: which version, which source, which steps.
#
# Nothing here depends on the clock or the machine: the same clip gives the same bytes.
@dataclass(frozen=True)
class Provenance:
    """What a file says about its making."""

    version: str
    """The version of Poise that wrote it."""
    source_path: str
    """Name of the file the clip was read from, without directories; empty when made by code."""
    source_sha256: str
    """Of that file's bytes; empty when made by code."""
    recipe_sha256: str
    """Of the recipe's bytes, or of the steps when there was no recipe."""
    steps: tuple[str, ...]
    """What was done, one sentence a step."""

    def as_dict(self) -> dict[str, str | list[str]]:
        """Plain values for JSON, in a fixed order."""
        return {
            "version": self.version,
            "source_path": self.source_path,
            "source_sha256": self.source_sha256,
            "recipe_sha256": self.recipe_sha256,
            "steps": list(self.steps),
        }

    def as_json(self) -> str:
        """The same as text that ends with a line break, for a file beside the output."""
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False) + "\n"


def provenance_of(clip: Clip, recipe: bytes | None = None) -> Provenance:
    """The record for a clip that is about to be written.

    Args:
        clip: what will be written; its source and its history are told.
        recipe: the bytes of the recipe that made it, if one did.
    """
    steps = clip.history
    told = recipe if recipe is not None else "\n".join(steps).encode("utf-8", "surrogatepass")
    return Provenance(
        version=poise.__version__,
        source_path="" if clip.source is None else _file_name(clip.source.path),
        source_sha256="" if clip.source is None else clip.source.sha256,
        recipe_sha256=hashlib.sha256(told).hexdigest(),
        steps=steps,
    )


def _file_name(path: str) -> str:
    # A clip read on Windows may be written elsewhere, so both separators count.
    return PureWindowsPath(PurePosixPath(path).name).name


_UNIT_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False)
class Source:
    """The file behind a clip: its unit and axes, its layout, and the numbers as they stood."""

    format: str
    """Name of the format in `formats.table.FORMATS`."""
    path: str
    sha256: str
    unit: Unit
    up: str
    """The file's own up axis, "y" or "z"."""
    up_reason: str
    layout: object = None
    """What the format's writer needs to write the same layout again; only that writer looks in."""
    channels: Array | None = None
    """(F, channels) the file's own numbers, frame by frame; a writer puts these back wherever the
    clip still says the same, so that untouched values survive to the last digit."""
    notes: tuple[str, ...] = ()
    """What the reader has to say about the file."""


@dataclass(frozen=True, eq=False)
class Clip:
    """Poses of a skeleton over time, in metres and Y up."""

    skeleton: Skeleton
    rate_hz: float
    root_positions_m: Array
    """(F, 3) world."""
    rotations_wxyz: Array
    """(F, J, 4) each joint's frame in its parent's, the root's in the world; unit, and continuous
    in sign along time."""
    moving_joints: tuple[int, ...] = ()
    """Joints other than the root whose offset varies with time (position channels)."""
    moving_offsets_m: Array = field(default_factory=lambda: np.zeros((0, 0, 3)))
    """(F, len(moving_joints), 3) those joints' origins in their parents' frames."""
    name: str = ""
    source: Source | None = None
    history: tuple[str, ...] = ()
    """What has been done to the clip since it was read, one sentence a step."""
    body: Character | None = None
    """Whose motion it is, if the skeleton cannot tell: a robot's masses, limits and soles. None: a
    human body of the skeleton's size."""

    def __post_init__(self) -> None:
        count = self.skeleton.joint_count
        if self.body is not None and self.body.skeleton.joint_names != self.skeleton.joint_names:
            raise BadValue("body", "one with the joints of the clip", self.body.name)
        if not (np.isfinite(self.rate_hz) and self.rate_hz > 0):
            raise BadValue("rate_hz", "a positive number", self.rate_hz)
        q = frozen_array("rotations_wxyz", self.rotations_wxyz, ("F", count, 4))
        frames = len(q)
        if frames == 0:
            raise BadShape("rotations_wxyz", f"(at least 1 frame, {count}, 4)", q.shape)
        norms = np.linalg.norm(q, axis=-1)
        if np.abs(norms - 1.0).max() > _UNIT_TOLERANCE:
            frame, joint = np.unravel_index(np.abs(norms - 1.0).argmax(), norms.shape)
            raise BadValue(
                f"rotation of {self.skeleton.joint_names[joint]} in frame {frame}",
                "a unit quaternion",
                q[frame, joint],
            )
        moving = tuple(int(j) for j in self.moving_joints)
        if any(not 0 < j < count for j in moving) or len(set(moving)) != len(moving):
            raise BadValue("moving_joints", "different joints other than the root", moving)
        offsets = self.moving_offsets_m if moving else np.zeros((frames, 0, 3))
        put = object.__setattr__
        q = frozen_array("rotations_wxyz", rotations.continuous(q), q.shape)
        put(self, "rotations_wxyz", q)
        roots = frozen_array("root_positions_m", self.root_positions_m, (frames, 3))
        put(self, "root_positions_m", roots)
        put(self, "moving_joints", moving)
        offsets = frozen_array("moving_offsets_m", offsets, (frames, len(moving), 3))
        put(self, "moving_offsets_m", offsets)

    def __repr__(self) -> str:
        joints = counted(self.skeleton.joint_count, "joint")
        frames = counted(self.frame_count, "frame")
        last = f"{self.rate_hz:g} Hz, {self.duration_s:.2f} s, {joints}"
        return framed(f"Clip {short(self.name)}".rstrip(), f"{frames}, {last}")

    @property
    def frame_count(self) -> int:
        """F."""
        return len(self.rotations_wxyz)

    @property
    def duration_s(self) -> float:
        """Time from the first frame to the last."""
        return (self.frame_count - 1) / self.rate_hz

    @property
    def pose(self) -> tuple[Array, Array, tuple[int, ...], Array]:
        """What kernels ask of a pose, in their order: `forward_kinematics(skeleton, *clip.pose)`.

        Root positions, rotations, moving joints and their offsets.
        """
        return (
            self.root_positions_m,
            self.rotations_wxyz,
            self.moving_joints,
            self.moving_offsets_m,
        )

    def sliced(self, start: int | None, stop: int | None) -> Clip:
        """Frames `start` up to but not including `stop`; negative numbers count from the end."""
        frames = self.frame_count
        first, last, _ = slice(start, stop).indices(frames)
        if first >= last:
            asked = ":".join("" if end is None else str(end) for end in (start, stop))
            raise BadValue("frames", f"a range inside 0:{frames}", asked)
        source = self.source
        if source is not None and source.channels is not None:
            source = replace(source, channels=source.channels[first:last])
        return replace(
            self,
            root_positions_m=self.root_positions_m[first:last],
            rotations_wxyz=self.rotations_wxyz[first:last],
            moving_offsets_m=self.moving_offsets_m[first:last],
            source=source,
        )

    def noted(self, *steps: str) -> Clip:
        """The same clip with more lines of history."""
        return replace(self, history=(*self.history, *steps))
