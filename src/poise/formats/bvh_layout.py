"""How one BVH file was laid out: its tree, its channels, and what they mean for a pose."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import count

import numpy as np

from poise import rotations
from poise.arrays import Array
from poise.formats.text import free_name

CHANNEL_AXES = {
    f"{letter}{kind}": (kind, axis)
    for kind in ("position", "rotation")
    for axis, letter in enumerate("xyz")
}
"""Channel name in lower case: what it moves, and along or about which axis."""


@dataclass(frozen=True)
class BvhJoint:
    """One ROOT or JOINT as the file states it."""

    name: str
    parent: int
    """Index of the parent, -1 for the root."""
    offset: tuple[float, float, float]
    """File units."""
    channels: tuple[str, ...]
    """Channel names as spelled, in the file's order."""

    @property
    def position_axes(self) -> tuple[int, ...]:
        """The axes of its position channels, in the file's order."""
        return self._axes("position")

    @property
    def rotation_axes(self) -> tuple[int, ...]:
        """The axes of its rotation channels, in the file's order."""
        return self._axes("rotation")

    def _axes(self, wanted: str) -> tuple[int, ...]:
        meanings = (CHANNEL_AXES[c.lower()] for c in self.channels)
        return tuple(axis for kind, axis in meanings if kind == wanted)


@dataclass(frozen=True)
class BvhTip:
    """One End Site as the file states it."""

    joint: int
    label: str
    """What follows the word End, as spelled: `Site`, or `Site` and a name."""
    name: str
    """What the skeleton calls it."""
    offset: tuple[float, float, float]


@dataclass(frozen=True)
class PrintStyle:
    """How a file prints its frames."""

    line_end: str = "\n"
    separator: str = " "
    """What stands between two numbers of a frame."""
    decimals: int | None = None
    """Digits after the point that most numbers are printed with; None when they vary."""


@dataclass(frozen=True, eq=False)
class BvhLayout:
    """Everything about a file but its numbers; what its writer needs to write it again."""

    joints: tuple[BvhJoint, ...]
    tips: tuple[BvhTip, ...]
    header: str
    """The text up to and including the word MOTION and its line end."""
    frame_time: str
    """As printed."""
    rate_hz: float
    """What that was taken to mean."""
    style: PrintStyle

    @cached_property
    def starts(self) -> tuple[int, ...]:
        """For each joint, the column of its first channel; at last, the number of columns."""
        counts = [len(joint.channels) for joint in self.joints]
        return tuple(int(c) for c in np.concatenate([[0], np.cumsum(counts)]))

    def columns(self, joint: int, kind: str) -> list[int]:
        """The columns of a joint's position or rotation channels, in the file's order."""
        start = self.starts[joint]
        words = self.joints[joint].channels
        return [start + i for i, c in enumerate(words) if CHANNEL_AXES[c.lower()][0] == kind]

    def turns(self, channels: Array) -> Array:
        """(F, J, 4) local rotations that channel numbers (F, C) say."""
        result = np.tile(rotations.IDENTITY, (len(channels), len(self.joints), 1))
        groups: dict[tuple[int, ...], list[int]] = {}
        for index, joint in enumerate(self.joints):
            groups.setdefault(joint.rotation_axes, []).append(index)
        for axes, members in groups.items():  # one batch for all joints with the same order
            if axes:
                columns = [self.columns(j, "rotation") for j in members]
                result[:, members] = rotations.from_euler(np.deg2rad(channels[:, columns]), axes)
        return result

    def places(self, joint: int, channels: Array) -> Array:
        """(F, 3) where a joint's channels put its origin in its parent's frame, file units."""
        stated = self.joints[joint]
        result = np.tile(np.array(stated.offset), (len(channels), 1))
        result[:, list(stated.position_axes)] = channels[:, self.columns(joint, "position")]
        return result


def tip_name(wanted: str, joint: str, taken: set[str]) -> str:
    """A name for an end site that no other has: its own, else the joint's with `_end`."""
    base = wanted or f"{joint}_end"
    return free_name(base, (f"{base}{number}" for number in count(2)), taken)


FRAME_TIME_RANGE_S = (1e-6, 1e3)
"""A million frames a second to one in a quarter of an hour."""


def decimals_of(word: str) -> int:
    """How many digits after the point a printed number stands for; `8.3e-3` has four."""
    mantissa, _, exponent = word.lower().partition("e")
    printed = len(mantissa.partition(".")[2])
    return max(0, printed - (int(exponent) if exponent else 0))
