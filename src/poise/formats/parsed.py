"""From what a motion file says, in its own units and axes, to a clip in ours.

Every reader returns a `Parsed`; `clip_from` is the one place where units, axes and frame rates are
decided, so that each rule is written once and every format says the same things about itself.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from poise import rotations, units
from poise.arrays import Array
from poise.character import Character, Sites, Skeleton
from poise.formats.body_record import Record, character_of
from poise.formats.disk import read_bytes
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
    body: Record | None = None
    """Of a robot, in metres, kilograms and the frames of the skeleton's joints."""


def clip_from(
    parsed: Parsed, path: Path, format_name: str, *, unit: str | None = None, up: str | None = None
) -> Clip:
    """Decide unit and axes (the user's word, else the file's, else the rule) and convert."""
    if up is not None:
        up_axis, up_reason = up, units.GIVEN
    elif parsed.up is not None:
        up_axis, up_reason = parsed.up, "stated by the file"
    else:
        up_axis, up_reason = _detect_up(parsed)
    if unit is not None:
        chosen = units.unit_called(unit)
    else:
        chosen = parsed.unit or units.detect_unit(stature(parsed.skeleton))
    to_world = units.world_from_file_wxyz(up_axis)
    q = parsed.rotations_wxyz.copy()
    q[:, 0] = rotations.multiply(to_world, q[:, 0])
    skeleton = in_world(parsed.skeleton, chosen.metres, to_world)
    return Clip(
        skeleton=skeleton,
        body=None if parsed.body is None else character_of(parsed.body, skeleton),
        rate_hz=parsed.rate_hz,
        root_positions_m=rotations.rotate(to_world, parsed.root_positions) * chosen.metres,
        rotations_wxyz=q,
        moving_joints=parsed.moving_joints,
        moving_offsets_m=parsed.moving_offsets * chosen.metres,
        name=path.stem,
        source=Source(
            format=format_name,
            path=str(path),
            sha256=hashlib.sha256(read_bytes(path)).hexdigest(),
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


def sites_of(rows: Iterable[tuple[str, int, ArrayLike]]) -> Sites:
    """Sites from their names, joints and offsets."""
    listed = list(rows)
    return Sites(
        tuple(name for name, _, _ in listed),
        np.array([joint for _, joint, _ in listed], dtype=np.int64),
        np.array([offset for _, _, offset in listed]).reshape(-1, 3),
    )


def stature(skeleton: Skeleton) -> float:
    """The largest extent of the rest pose along an axis, end sites included, in its own units.

    The largest, because a file's up axis may not be known yet; arms spread in a T-pose span about
    as much as the body is tall, so the answer is right to a few per cent either way.
    """
    points = np.concatenate([skeleton.rest_positions_m, skeleton.rest_end_positions_m])
    return float(np.ptp(points, axis=0).max())


_HEAD_WORDS = ("head", "neck")
_FOOT_WORDS = ("foot", "ankle", "toe")
_UPRIGHT = 0.9
"""Cosine of the steepest lean at which a figure counts as standing along an axis."""


def _detect_up(parsed: Parsed) -> tuple[str, str]:
    """Z if the figure stands along Z, at rest and in motion; else Y, the custom of these formats.

    A figure that is upright in one but not in the other (a rest pose in other axes than the
    motion, or somebody lying down) is taken as Y up, unless its motion stands along Z with the
    root a leg's length above zero.
    """
    body_axis, leg = _foot_to_head(parsed.skeleton)
    custom = "assumed: Y, the custom of this format"
    if body_axis is None:
        return "y", custom
    rest_root = parsed.skeleton.rest_wxyz[0]
    in_root = rotations.rotate(rotations.conjugate(rest_root), body_axis)
    moving = rotations.rotate(parsed.rotations_wxyz[:, 0], in_root).mean(axis=0)
    root_height = float(np.median(parsed.root_positions[:, 2]))
    a_leg_above_zero = 0.5 * leg < root_height < 1.5 * leg
    if moving[2] > _UPRIGHT and (body_axis[2] > _UPRIGHT or a_leg_above_zero):
        return "z", "detected: the figure stands along Z"
    return "y", custom


def _foot_to_head(skeleton: Skeleton) -> tuple[Array | None, float]:
    """Unit vector from feet to head at rest (None without names), and the length of a leg."""
    names = [name.lower() for name in skeleton.joint_names]
    heads = [i for i, name in enumerate(names) if any(word in name for word in _HEAD_WORDS)]
    feet = [i for i, name in enumerate(names) if any(word in name for word in _FOOT_WORDS)]
    if not heads or not feet:
        return None, 0.0
    places = skeleton.rest_positions_m
    head, foot = places[heads].mean(axis=0), places[feet].mean(axis=0)
    length = float(np.linalg.norm(head - foot))
    if length == 0.0:
        return None, 0.0
    return (head - foot) / length, float(np.linalg.norm(places[0] - foot))


_USUAL_RATES_HZ = (24, 25, 30, 48, 50, 60, 72, 90, 100, 120, 144, 150, 180, 200, 240, 250, 300, 480)


def snapped_rate_hz(frame_time_s: float, digits: int) -> float:
    """The rate meant by a frame time that was printed with few digits.

    `.0083333` is 120.00048 Hz as printed; no camera runs at that. A frame time that is one over a
    whole rate means that rate. Else the nearest usual rate that prints to the same digits, rounded
    or cut off, is meant; then any whole rate that rounds to them, or a whole rate times 1000/1001
    (video). What fits none of these stays as it is.
    """
    raw = 1.0 / frame_time_s
    if abs(raw - round(raw)) <= 1e-9 * raw:
        return float(round(raw))
    last_digit = 10.0**-digits * 1.02
    usual = min(_USUAL_RATES_HZ, key=lambda rate: abs(1.0 / rate - frame_time_s))
    whole, video = Fraction(round(raw)), Fraction(round(raw * 1.001)) * Fraction(1000, 1001)
    for candidate, slack in ((usual, 1.0), (whole, 0.5), (video, 0.5)):
        if candidate > 0 and abs(float(1 / candidate) - frame_time_s) <= slack * last_digit:
            return float(candidate)
    return raw


def character_from(
    skeleton: Skeleton,
    path: Path,
    format_name: str,
    *,
    unit: Unit | None = None,
    notes: tuple[str, ...] = (),
) -> Character:
    """A file's skeleton in metres and Y up; notes say how its unit and up axis were decided."""
    at_rest = Parsed(
        skeleton=skeleton,
        rate_hz=1.0,
        root_positions=skeleton.offsets_m[:1],
        rotations_wxyz=np.tile(rotations.IDENTITY, (1, skeleton.joint_count, 1)),
        unit=unit,
    )
    clip = clip_from(at_rest, path, format_name)
    assert clip.source is not None
    found = clip.source.unit
    decided = (f"unit {found.name}: {found.reason}", f"up axis: {clip.source.up_reason}")
    return Character(skeleton=clip.skeleton, name=path.stem, notes=(*notes, *decided))
