"""From what a motion file says, in its own units and axes, to a clip in ours.

Every reader returns a `Parsed`; `clip_from` is the one place where units, axes and frame rates are
decided, so that each rule is written once and every format says the same things about itself.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np

from poise import rotations, units
from poise.arrays import Array
from poise.character import Skeleton
from poise.motion import Clip, Source
from poise.units import Unit


@dataclass(frozen=True, eq=False)
class Parsed:
    """A motion file's content. Lengths are in file units, axes are the file's own."""

    skeleton: Skeleton
    """With offsets still in file units (the field says metres; `clip_from` makes it so)."""
    rate_hz: float
    root_positions: Array
    rotations_wxyz: Array
    moving_joints: tuple[int, ...] = ()
    moving_offsets: Array = field(default_factory=lambda: np.zeros((0, 0, 3)))
    unit: Unit | None = None
    """None when the file does not state one."""
    up: str | None = None
    """None when the file does not state it."""
    layout: object = None
    channels: Array | None = None
    notes: tuple[str, ...] = ()


def clip_from(
    parsed: Parsed, path: Path, format_name: str, *, unit: str | None = None, up: str | None = None
) -> Clip:
    """Decide unit and axes (the user's word, else the file's, else the rule) and convert."""
    up_axis, up_reason = _up_axis(parsed, up)
    if unit is not None:
        chosen = units.unit_called(unit, "given by the user")
    else:
        chosen = parsed.unit or units.detect_unit(stature(parsed.skeleton))
    to_world = units.world_from_file_wxyz(up_axis)
    q = parsed.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(to_world, q[:, 0])
    return Clip(
        skeleton=in_world(parsed.skeleton, chosen.metres, to_world),
        rate_hz=parsed.rate_hz,
        root_positions_m=rotations.rotate(to_world, parsed.root_positions) * chosen.metres,
        rotations_wxyz=q,
        moving_joints=parsed.moving_joints,
        moving_offsets_m=parsed.moving_offsets * chosen.metres,
        name=path.stem,
        source=Source(
            format=format_name,
            path=str(path),
            sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
            unit=chosen,
            up=up_axis,
            up_reason=up_reason,
            layout=parsed.layout,
            channels=parsed.channels,
            notes=parsed.notes,
        ),
    )


def in_world(skeleton: Skeleton, metres: float, to_world: Array) -> Skeleton:
    """A skeleton from file units and axes to ours: lengths scaled, the root's frame turned."""
    rest = skeleton.rest_wxyz.copy()
    rest[0] = rotations.multiply(to_world, rest[0])
    offsets = skeleton.offsets_m * metres
    offsets[0] = rotations.rotate(to_world, offsets[0])
    ends = replace(skeleton.end_sites, offsets_m=skeleton.end_sites.offsets_m * metres)
    return replace(skeleton, offsets_m=offsets, rest_wxyz=rest, end_sites=ends)


def stature(skeleton: Skeleton) -> float:
    """The largest extent of the rest pose along an axis, end sites included, in its own units.

    The largest, because a file's up axis may not be known yet; arms spread in a T-pose span about
    as much as the body is tall, so the answer is right to a few per cent either way.
    """
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    return float(np.ptp(points, axis=0).max())


def _up_axis(parsed: Parsed, given: str | None) -> tuple[str, str]:
    if given is not None:
        return given, "given by the user"
    if parsed.up is not None:
        return parsed.up, "stated by the file"
    return _detect_up(parsed)


def _detect_up(parsed: Parsed) -> tuple[str, str]:
    """The axis along which the trunk stands above the legs, on average over the clip.

    The legs are the joints at the ends of the longest chains on the lower side; rather than name
    them, compare the rest pose's spread: a figure's root-to-highest and root-to-lowest points lie
    along its up axis in the frame of the root, and the root's own rotation carries that to the
    world.
    """
    skeleton = parsed.skeleton
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    points = points - skeleton.rest_positions_m[0]
    points = rotations.rotate(rotations.conjugate(skeleton.rest_world_wxyz[0]), points)
    # In the root's frame: a body axis that has points far on both sides and few in between.
    spread = np.ptp(points, axis=0)
    axis = int(np.argmax(np.where(_is_symmetric(points), 0.0, spread)))
    turned = np.abs(rotations.rotate(parsed.rotations_wxyz[:, 0], np.eye(3)[axis]).mean(axis=0))
    if turned[2] > 1.5 * turned[1]:
        return "z", "detected: the figure stands along Z"
    return "y", "assumed: Y, the custom of this format"


def _is_symmetric(points: Array) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """For each axis, whether the figure extends about equally to both sides (left and right)."""
    high, low = points.max(axis=0), -points.min(axis=0)
    return np.abs(high - low) < 0.06 * np.maximum(high + low, 1e-12)


def snapped_rate_hz(frame_time_s: float, digits: int) -> float:
    """The rate meant by a frame time that was printed with few digits.

    `.0083333` is 120.00048 Hz as printed; no camera runs at that. If a whole rate, or a whole rate
    times 1000/1001 (video), prints to the same digits, that is the rate.
    """
    raw = 1.0 / frame_time_s
    half_last_digit = 0.5 * 10.0**-digits * 1.02
    for candidate in (Fraction(round(raw)), Fraction(round(raw * 1.001)) * Fraction(1000, 1001)):
        if candidate > 0 and abs(float(1 / candidate) - frame_time_s) <= half_last_digit:
            return float(candidate)
    return raw
